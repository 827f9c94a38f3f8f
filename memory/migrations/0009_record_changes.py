"""What is done to records after the write, as intervals and as a ledger that tells of each other."""

import django.db.models.deletion
from django.db import migrations, models

COMPOSITE_KEYS = [
    ("memory_withdrawal", "withdrawal_record_fk"),
    ("memory_record_change", "record_change_record_fk"),
]

FUNCTIONS = """
-- An interval ends once and is history from then on. Of open ones there is one by its index.
CREATE FUNCTION memory_withdrawal_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF EXISTS (SELECT 1 FROM memory_withdrawal w WHERE w.agent_id = NEW.agent_id
                AND w.record_id = NEW.record_id AND w.restored_at > NEW.withdrawn_at
                AND w.withdrawn_at < coalesce(NEW.restored_at, 'infinity')) THEN
            RAISE EXCEPTION 'withdrawals of a record follow one another'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_follows';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.restored_at IS NULL AND NEW.restored_at IS NOT NULL
       AND (NEW.agent_id, NEW.record_id, NEW.withdrawn_at)
         = (OLD.agent_id, OLD.record_id, OLD.withdrawn_at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a withdrawal ends once, and stays'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_immutable';
END $$;
CREATE TRIGGER withdrawal_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_withdrawal
    FOR EACH ROW EXECUTE FUNCTION memory_withdrawal_rules();

-- A ledger is written at its end alone, without a gap, and an erasure is the last that it tells.
CREATE FUNCTION memory_record_change_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'record_change_immutable';
    END IF;
    IF NEW.number > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_record_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.number = NEW.number - 1
            AND c.event <> 'erased') THEN
        RAISE EXCEPTION 'a line of a ledger follows the one before, and none an erasure'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_change_follows';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER record_change_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_record_change
    FOR EACH ROW EXECUTE FUNCTION memory_record_change_rules();

-- By the end of a transaction, what the ledger tells is so …
CREATE FUNCTION memory_record_change_true() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    so boolean;
BEGIN
    IF NEW.event = 'erased' THEN
        so := EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.record_id AND r.purged_at = NEW.at);
    ELSE
        so := EXISTS (SELECT 1 FROM memory_withdrawal w WHERE w.agent_id = NEW.agent_id
            AND w.record_id = NEW.record_id AND NEW.at =
                CASE NEW.event WHEN 'withdrawn' THEN w.withdrawn_at ELSE w.restored_at END);
    END IF;
    IF NOT so THEN
        RAISE EXCEPTION 'a ledger tells of what was not done'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_change_true';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER record_change_true AFTER INSERT ON memory_record_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_record_change_true();

-- … and all that was done is told.
CREATE FUNCTION memory_withdrawal_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.event = 'withdrawn' AND c.at = NEW.withdrawn_at)
       OR (NEW.restored_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM memory_record_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.event = 'restored' AND c.at = NEW.restored_at))
    THEN
        RAISE EXCEPTION 'a record was withdrawn or restored and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER withdrawal_in_ledger AFTER INSERT OR UPDATE ON memory_withdrawal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_withdrawal_told();

-- Strategy memory has a ledger of its own, which its standing ends.
CREATE FUNCTION memory_erasure_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.id AND c.event = 'erased' AND c.at = NEW.purged_at) THEN
        RAISE EXCEPTION 'a record was erased and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_erasure_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER record_erasure_in_ledger AFTER UPDATE ON memory_record
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.type NOT IN ('rule', 'strategy_insight', 'optimization'))
    EXECUTE FUNCTION memory_erasure_told();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION memory_withdrawal_rules() CASCADE;
DROP FUNCTION memory_record_change_rules() CASCADE;
DROP FUNCTION memory_record_change_true() CASCADE;
DROP FUNCTION memory_withdrawal_told() CASCADE;
DROP FUNCTION memory_erasure_told() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_corrections")]

    operations = [
        migrations.CreateModel(
            name="RecordChange",
            fields=[
                ("pk", models.CompositePrimaryKey("agent_id", "record_id", "number", blank=True, editable=False, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("event", models.CharField(choices=[("withdrawn", "withdrawn"), ("restored", "restored"), ("erased", "erased")], max_length=9)),
                ("reason", models.CharField(max_length=500)),
                ("cause_kind", models.CharField(max_length=32)),
                ("cause_id", models.CharField(blank=True, max_length=64)),
                ("at", models.DateTimeField()),
                ("agent", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.agent")),
                ("record", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="changes", to="memory.record")),
            ],
            options={
                "db_table": "memory_record_change",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("event__in", ["withdrawn", "restored", "erased"])), name="record_change_event_known"),
                    models.CheckConstraint(condition=models.Q(models.Q(("reason", ""), _negated=True), models.Q(("cause_kind", ""), _negated=True)), name="record_change_says_why"),
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="record_change_counts_from_one"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("pk", models.CompositePrimaryKey("agent_id", "record_id", "withdrawn_at", blank=True, editable=False, primary_key=True, serialize=False)),
                ("withdrawn_at", models.DateTimeField()),
                ("restored_at", models.DateTimeField(blank=True, null=True)),
                ("agent", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.agent")),
                ("record", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="withdrawals", to="memory.record")),
            ],
            options={
                "db_table": "memory_withdrawal",
                "constraints": [
                    models.UniqueConstraint(condition=models.Q(("restored_at__isnull", True)), fields=("agent", "record"), name="withdrawal_open_once"),
                    models.CheckConstraint(condition=models.Q(("restored_at__isnull", True), ("restored_at__gt", models.F("withdrawn_at")), _connector="OR"), name="withdrawal_period_forward"),
                ],
            },
        ),
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name}"
                " FOREIGN KEY (agent_id, record_id) REFERENCES memory_record (agent_id, id)",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for table, name in COMPOSITE_KEYS
        ],
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
