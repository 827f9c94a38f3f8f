"""What Django cannot say: composite keys, and what never changes."""

from django.db import migrations

COMPOSITE_KEYS = [
    # table, constraint, columns, referenced table and columns
    ("autopilot_session", "session_best_fk", "agent_id, best_id", "autopilot_backtest (agent_id, id)"),
    ("autopilot_step", "step_session_fk", "agent_id, session_id", "autopilot_session (agent_id, id)"),
    ("autopilot_event", "event_session_fk", "agent_id, session_id", "autopilot_session (agent_id, id)"),
    ("autopilot_backtest", "backtest_session_fk", "agent_id, session_id", "autopilot_session (agent_id, id)"),
    ("autopilot_synthesis_claim", "synthesis_session_fk", "agent_id, session_id", "autopilot_session (agent_id, id)"),
    # To the records: a rule's standing may be purged, its tombstone stays.
    ("autopilot_synthesis_claim", "synthesis_rule_fk", "agent_id, rule_id", "memory_record (agent_id, id)"),
    ("autopilot_judgement", "judgement_rule_fk", "agent_id, rule_id", "memory_record (agent_id, id)"),
    ("autopilot_judgement", "judgement_backtest_fk", "agent_id, backtest_id", "autopilot_backtest (agent_id, id)"),
]

FUNCTIONS = """
CREATE FUNCTION autopilot_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events, backtests and judgements never change'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER event_immutable BEFORE UPDATE OR DELETE ON autopilot_event
    FOR EACH ROW EXECUTE FUNCTION autopilot_immutable();
CREATE TRIGGER backtest_immutable BEFORE UPDATE OR DELETE ON autopilot_backtest
    FOR EACH ROW EXECUTE FUNCTION autopilot_immutable();
CREATE TRIGGER judgement_immutable BEFORE UPDATE OR DELETE ON autopilot_judgement
    FOR EACH ROW EXECUTE FUNCTION autopilot_immutable();

-- A session that has ended stays as it ended.
CREATE FUNCTION autopilot_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a session that has ended never changes'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'session_ended';
END $$;
CREATE TRIGGER session_ended BEFORE UPDATE OR DELETE ON autopilot_session
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION autopilot_session_ended();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION autopilot_immutable() CASCADE;
DROP FUNCTION autopilot_session_ended() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("autopilot", "0001_initial"), ("memory", "0006_plan")]

    operations = [
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {to}",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for table, name, columns, to in COMPOSITE_KEYS
        ],
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
