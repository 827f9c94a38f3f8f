"""What keeps learning exact: settled claims stay, and judgements are of rules and in their ledgers."""

from django.db import migrations, models

FUNCTIONS = """
-- A settled evidence set is history. An open one may be taken over and settled, and keeps its set.
CREATE FUNCTION autopilot_synthesis_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.status <> 'claimed' OR
       (NEW.agent_id, NEW.strategy_type, NEW.evidence_hash, NEW.evidence) IS DISTINCT FROM
       (OLD.agent_id, OLD.strategy_type, OLD.evidence_hash, OLD.evidence)
    THEN
        RAISE EXCEPTION 'an evidence set stays, and is settled once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'synthesis_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER synthesis_frozen BEFORE UPDATE OR DELETE ON autopilot_synthesis_claim
    FOR EACH ROW EXECUTE FUNCTION autopilot_synthesis_frozen();

CREATE FUNCTION autopilot_synthesis_of_rule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.rule_id AND r.type = 'rule') THEN
        RAISE EXCEPTION 'what a synthesis made is a rule of its agent'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'synthesis_made_rule';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER synthesis_made_rule AFTER INSERT OR UPDATE ON autopilot_synthesis_claim
    FOR EACH ROW WHEN (NEW.rule_id IS NOT NULL) EXECUTE FUNCTION autopilot_synthesis_of_rule();

CREATE FUNCTION autopilot_judgement_matches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.rule_id AND r.type = 'rule')
       OR NOT EXISTS (SELECT 1 FROM autopilot_backtest b WHERE b.agent_id = NEW.agent_id
            AND b.id = NEW.backtest_id AND (b.verdict, NEW.verdict) IN
                (('confirms', 'confirmed'), ('contradicts', 'contradicted'))) THEN
        RAISE EXCEPTION 'a judgement is of a rule, and says what its backtest says'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'judgement_matches';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER judgement_matches AFTER INSERT ON autopilot_judgement
    FOR EACH ROW EXECUTE FUNCTION autopilot_judgement_matches();

-- By the end of the transaction the rule's ledger tells the judgement (SPEC M5).
CREATE FUNCTION autopilot_judgement_ledgered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.rule_id AND c.cause_kind = 'backtest'
            AND c.cause_id = NEW.backtest_id::text) THEN
        RAISE EXCEPTION 'a backtest judged a rule and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'judgement_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER judgement_in_ledger AFTER INSERT ON autopilot_judgement
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION autopilot_judgement_ledgered();

-- Three insights make a rule. The length of what is no array is an error: CASE asks first.
ALTER TABLE autopilot_synthesis_claim ADD CONSTRAINT synthesis_evidence_enough CHECK (
    CASE jsonb_typeof(evidence) WHEN 'array' THEN jsonb_array_length(evidence) >= 3 ELSE false END);
"""
UNDO_FUNCTIONS = """
ALTER TABLE autopilot_synthesis_claim DROP CONSTRAINT synthesis_evidence_enough;
DROP FUNCTION autopilot_synthesis_frozen() CASCADE;
DROP FUNCTION autopilot_synthesis_of_rule() CASCADE;
DROP FUNCTION autopilot_judgement_matches() CASCADE;
DROP FUNCTION autopilot_judgement_ledgered() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("autopilot", "0003_session_open_once"), ("memory", "0007_jobs")]

    operations = [
        migrations.AddConstraint(
            model_name="synthesisclaim",
            constraint=models.UniqueConstraint(fields=("agent", "rule_id"), name="synthesis_rule_once"),
        ),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
