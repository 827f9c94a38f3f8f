"""Corrections have heads of their own: the newest of each producer, place and set of originals.

The last step makes those of the corrections that earlier releases stored.
"""

import django.db.models.deletion
from django.db import migrations, models

KEY = (
    "ALTER TABLE memory_correction_head ADD CONSTRAINT correction_head_record_fk"
    " FOREIGN KEY (agent_id, record_id) REFERENCES memory_record (agent_id, id)"
)
UNDO_KEY = "ALTER TABLE memory_correction_head DROP CONSTRAINT correction_head_record_fk"

# The newest of those that are past their deadline. Erased ones are not in it, so that however many
# there are, none is stepped over.
PAST = """
CREATE INDEX correction_head_past ON memory_correction_head
    (agent_id, instrument_id, created_at DESC, record_id DESC) WHERE stale_after > '-infinity'
"""
UNDO_PAST = "DROP INDEX correction_head_past"

STORAGE = "ALTER TABLE memory_correction_head SET (fillfactor = 90)"
UNDO_STORAGE = "ALTER TABLE memory_correction_head RESET (fillfactor)"

BACKFILL = """
INSERT INTO memory_correction_head (agent_id, instrument_id, producer_id, originals_hash,
    record_id, created_at, stale_after)
SELECT DISTINCT ON (r.agent_id, lane.instrument_id, r.producer_id, r.originals_hash)
    r.agent_id, lane.instrument_id, r.producer_id, r.originals_hash, r.id, r.created_at,
    CASE WHEN r.purged_at IS NULL THEN coalesce(r.stale_after, 'infinity') ELSE '-infinity' END
FROM memory_record r
JOIN memory_producer p ON p.agent_id = r.agent_id AND p.id = r.producer_id AND p.role = 'analysis'
CROSS JOIN LATERAL (
    SELECT t.instrument_id FROM memory_target t
    WHERE t.agent_id = r.agent_id AND t.record_id = r.id
    UNION ALL SELECT '' WHERE r.scope = 'agent') lane
WHERE r.originals_hash IS NOT NULL
ORDER BY r.agent_id, lane.instrument_id, r.producer_id, r.originals_hash, r.created_at DESC,
    r.id DESC
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_jobs")]

    operations = [
        migrations.CreateModel(
            name="CorrectionHead",
            fields=[
                ("pk", models.CompositePrimaryKey("agent_id", "instrument_id", "producer_id", "originals_hash", blank=True, editable=False, primary_key=True, serialize=False)),
                ("instrument_id", models.CharField(max_length=64)),
                ("originals_hash", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField()),
                ("stale_after", models.DateTimeField()),
                ("agent", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.agent")),
                ("producer", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.producer")),
                ("record", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.record")),
            ],
            options={"db_table": "memory_correction_head"},
        ),
        migrations.AddConstraint(
            model_name="correctionhead",
            constraint=models.CheckConstraint(condition=models.Q(("originals_hash__length", 32)), name="correction_head_originals_is_sha256"),
        ),
        migrations.AddIndex(
            model_name="correctionhead",
            index=models.Index("agent", "instrument_id", "stale_after", name="correction_head_live"),
        ),
        migrations.AddIndex(
            model_name="correctionhead",
            index=models.Index("agent", "record", name="correction_head_record"),
        ),
        migrations.RunSQL(PAST, UNDO_PAST),
        migrations.RunSQL(STORAGE, UNDO_STORAGE),
        migrations.AddIndex(
            model_name="record",
            index=models.Index("agent", "producer", "originals_hash", models.F("created_at").desc(), models.F("id").desc(), condition=models.Q(("originals_hash__isnull", False), ("scope", "agent")), name="record_correction_lane"),
        ),
        migrations.AddIndex(
            model_name="recordtarget",
            index=models.Index("agent", "instrument", "producer", "originals_hash", models.F("created_at").desc(), models.F("record").desc(), condition=models.Q(("originals_hash__isnull", False)), name="target_correction_lane"),
        ),
        migrations.RunSQL(BACKFILL, migrations.RunSQL.noop),
        # After the rows: their keys are checked at once, not one by one at the end.
        migrations.RunSQL(KEY, UNDO_KEY),
    ]
