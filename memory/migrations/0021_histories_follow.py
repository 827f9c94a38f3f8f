"""Histories go forward: intervals follow one another and stay, ledgers and tails never go back.

What an earlier release stored otherwise stays as it is: `verify_memory` names it.
"""

from django.db import migrations

FUNCTIONS = """
-- An interval ends once and is history from then on. Who adds to the same history waits for the
-- lock, and is seen after it; of open intervals there is one by its index.
CREATE FUNCTION memory_enablement_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM 1 FROM memory_producer p
        WHERE p.agent_id = NEW.agent_id AND p.id = NEW.producer_id FOR NO KEY UPDATE;
        IF EXISTS (SELECT 1 FROM memory_producer_enablement e WHERE e.agent_id = NEW.agent_id
                AND e.producer_id = NEW.producer_id
                AND coalesce(e.disabled_at, 'infinity') > NEW.enabled_at
                AND e.enabled_at < coalesce(NEW.disabled_at, 'infinity')
                AND (e.disabled_at IS NOT NULL OR NEW.disabled_at > NEW.enabled_at)) THEN
            RAISE EXCEPTION 'intervals in which a producer is enabled follow one another'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'enablement_follows';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL
       AND (NEW.agent_id, NEW.producer_id, NEW.enabled_at)
         = (OLD.agent_id, OLD.producer_id, OLD.enabled_at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an interval in which a producer is enabled ends once, and stays'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'enablement_immutable';
END $$;
CREATE TRIGGER enablement_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_producer_enablement
    FOR EACH ROW EXECUTE FUNCTION memory_enablement_rules();

CREATE FUNCTION memory_selection_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM 1 FROM memory_agent a WHERE a.id = NEW.agent_id FOR NO KEY UPDATE;
        IF EXISTS (SELECT 1 FROM memory_selection s WHERE s.agent_id = NEW.agent_id
                AND s.instrument_id = NEW.instrument_id
                AND coalesce(s.deselected_at, 'infinity') > NEW.selected_at
                AND s.selected_at < coalesce(NEW.deselected_at, 'infinity')
                AND (s.deselected_at IS NOT NULL OR NEW.deselected_at > NEW.selected_at)) THEN
            RAISE EXCEPTION 'selections of an instrument follow one another'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'selection_follows';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.deselected_at IS NULL AND NEW.deselected_at IS NOT NULL
       AND (NEW.id, NEW.agent_id, NEW.instrument_id, NEW.selected_at)
         = (OLD.id, OLD.agent_id, OLD.instrument_id, OLD.selected_at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a selection ends once, and stays'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'selection_immutable';
END $$;
CREATE TRIGGER selection_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_selection
    FOR EACH ROW EXECUTE FUNCTION memory_selection_rules();

-- Beside `withdrawal_rules`: the lock, the open interval, and what may be withdrawn since when.
CREATE FUNCTION memory_withdrawal_placed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    withdrawn memory_record;
BEGIN
    SELECT * INTO withdrawn FROM memory_record r
    WHERE r.agent_id = NEW.agent_id AND r.id = NEW.record_id FOR NO KEY UPDATE;
    IF withdrawn.type IN ('rule', 'strategy_insight', 'optimization') THEN
        RAISE EXCEPTION 'strategy memory moves by its standing, and is not withdrawn'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_of_a_record';
    END IF;
    IF NEW.withdrawn_at < withdrawn.created_at THEN
        RAISE EXCEPTION 'a record is withdrawn after it is written'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_after_write';
    END IF;
    IF NEW.restored_at > NEW.withdrawn_at AND EXISTS (
            SELECT 1 FROM memory_withdrawal w WHERE w.agent_id = NEW.agent_id
            AND w.record_id = NEW.record_id AND w.restored_at IS NULL
            AND w.withdrawn_at < NEW.restored_at) THEN
        RAISE EXCEPTION 'withdrawals of a record follow one another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_follows';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER withdrawal_placed BEFORE INSERT ON memory_withdrawal
    FOR EACH ROW EXECUTE FUNCTION memory_withdrawal_placed();

-- Beside `record_change_rules`: each line is later than the one before.
CREATE FUNCTION memory_record_change_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_record_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.number < NEW.number AND c.at >= NEW.at) THEN
        RAISE EXCEPTION 'a line of a ledger is later than the one before'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_change_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER record_change_forward BEFORE INSERT ON memory_record_change
    FOR EACH ROW EXECUTE FUNCTION memory_record_change_forward();

-- A trigger and no check: runs of earlier releases may have ended by a clock that was behind.
CREATE FUNCTION memory_run_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a run ends after it began'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'run_period_forward';
END $$;
CREATE TRIGGER run_period_forward BEFORE INSERT OR UPDATE ON memory_run
    FOR EACH ROW WHEN (NEW.ended_at < NEW.started_at) EXECUTE FUNCTION memory_run_forward();

-- What counts an agent's records and erasures is not turned back, and goes with its agent alone.
CREATE FUNCTION memory_tail_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a tail row stays its agent''s, and counts on'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'tail_forward';
END $$;
CREATE TRIGGER tail_forward BEFORE UPDATE ON memory_agent_tail FOR EACH ROW
    WHEN (NEW.agent_id <> OLD.agent_id OR NEW.last_seq < OLD.last_seq
          OR NEW.erasures < OLD.erasures)
    EXECUTE FUNCTION memory_tail_forward();

CREATE FUNCTION memory_agent_keeps_tail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_agent a WHERE a.id = OLD.agent_id) THEN
        RAISE EXCEPTION 'a tail row is there while its agent is'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'agent_keeps_tail';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER agent_keeps_tail AFTER DELETE ON memory_agent_tail
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_agent_keeps_tail();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION memory_enablement_rules() CASCADE;
DROP FUNCTION memory_selection_rules() CASCADE;
DROP FUNCTION memory_withdrawal_placed() CASCADE;
DROP FUNCTION memory_record_change_forward() CASCADE;
DROP FUNCTION memory_run_forward() CASCADE;
DROP FUNCTION memory_tail_forward() CASCADE;
DROP FUNCTION memory_agent_keeps_tail() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0020_merged_once")]

    operations = [migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS)]
