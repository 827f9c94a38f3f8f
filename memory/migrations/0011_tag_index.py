"""Records by their tags, newest first: a table kept by a trigger, with those of earlier releases.

An index on the array could not be led by the agent, nor give records in their order.
"""

import django.db.models.deletion
from django.db import migrations, models

# The key compares bytes; Django's composite keys cannot say so.
TABLE = """
CREATE TABLE memory_record_tag (
    agent_id uuid NOT NULL, tag text COLLATE "C" NOT NULL, created_at timestamptz NOT NULL,
    record_id uuid NOT NULL,
    CONSTRAINT record_tag_key PRIMARY KEY (agent_id, tag, created_at, record_id),
    CONSTRAINT record_tag_record_fk FOREIGN KEY (agent_id, record_id)
        REFERENCES memory_record (agent_id, id));
"""
FUNCTIONS = """
-- Whoever writes a record, and whoever empties one.
CREATE FUNCTION memory_record_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM memory_record_tag WHERE agent_id = OLD.agent_id AND tag = ANY (OLD.tags)
            AND created_at = OLD.created_at AND record_id = OLD.id;
        RETURN NULL;
    END IF;
    INSERT INTO memory_record_tag (agent_id, tag, created_at, record_id)
    SELECT DISTINCT NEW.agent_id, t.tag, NEW.created_at, NEW.id FROM unnest(NEW.tags) AS t(tag);
    RETURN NULL;
END $$;
CREATE TRIGGER record_tags AFTER INSERT ON memory_record
    FOR EACH ROW WHEN (NEW.tags <> '{}') EXECUTE FUNCTION memory_record_tags();
CREATE TRIGGER record_untag AFTER UPDATE ON memory_record
    FOR EACH ROW WHEN (OLD.tags <> '{}') EXECUTE FUNCTION memory_record_tags();
"""
UNDO_FUNCTIONS = "DROP FUNCTION memory_record_tags() CASCADE"
BACKFILL = """
INSERT INTO memory_record_tag (agent_id, tag, created_at, record_id)
SELECT DISTINCT r.agent_id, t.tag, r.created_at, r.id
FROM memory_record r CROSS JOIN unnest(r.tags) AS t(tag)
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_runners")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(TABLE, "DROP TABLE memory_record_tag")],
            state_operations=[
                migrations.CreateModel(
                    name="RecordTag",
                    fields=[
                        ("pk", models.CompositePrimaryKey("agent_id", "tag", "created_at", "record_id", blank=True, editable=False, primary_key=True, serialize=False)),
                        ("tag", models.TextField(db_collation="C")),
                        ("created_at", models.DateTimeField()),
                        ("agent", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.agent")),
                        ("record", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="tag_rows", to="memory.record")),
                    ],
                    options={"db_table": "memory_record_tag"},
                ),
            ],
        ),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
        migrations.RunSQL(BACKFILL, migrations.RunSQL.noop),
    ]
