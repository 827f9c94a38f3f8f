"""A session's history is whole: events without a gap, none after its end, steps that stay."""

from django.db import migrations

FUNCTIONS = """
-- Events follow one another, while their session is open. (After the row, so that its keys are
-- looked at first.) The event of the end is told before the session ends, in one transaction.
CREATE FUNCTION autopilot_event_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq > 1 AND NOT EXISTS (SELECT 1 FROM autopilot_event e
            WHERE e.session_id = NEW.session_id AND e.seq = NEW.seq - 1) THEN
        RAISE EXCEPTION 'an event has the number after the one before'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'event_follows';
    END IF;
    IF EXISTS (SELECT 1 FROM autopilot_session s
            WHERE s.id = NEW.session_id AND s.ended_at IS NOT NULL) THEN
        RAISE EXCEPTION 'a session that has ended tells nothing more'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'event_before_end';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER event_follows AFTER INSERT ON autopilot_event
    FOR EACH ROW EXECUTE FUNCTION autopilot_event_follows();

-- By the end of a transaction a session's count is the number of its last event, whoever told it.
CREATE FUNCTION autopilot_session_counts(the_session uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM autopilot_session s WHERE s.id = the_session AND s.last_event <>
            coalesce((SELECT max(e.seq) FROM autopilot_event e WHERE e.session_id = s.id), 0)) THEN
        RAISE EXCEPTION 'a session counts its events'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'session_counts_events';
    END IF;
END $$;
CREATE FUNCTION autopilot_event_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM autopilot_session_counts(NEW.session_id);
    RETURN NULL;
END $$;
CREATE FUNCTION autopilot_events_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM autopilot_session_counts(NEW.id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER event_counted AFTER INSERT ON autopilot_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION autopilot_event_counted();
CREATE CONSTRAINT TRIGGER session_counts_events AFTER INSERT OR UPDATE OF last_event
    ON autopilot_session DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION autopilot_events_counted();

-- What a step did is kept, and never done again.
CREATE FUNCTION autopilot_step_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a step stays, and one that is done never changes'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'step_stays';
END $$;
CREATE TRIGGER step_stays BEFORE DELETE ON autopilot_step
    FOR EACH ROW EXECUTE FUNCTION autopilot_step_stays();
CREATE TRIGGER step_done BEFORE UPDATE ON autopilot_step
    FOR EACH ROW WHEN (OLD.status = 'done') EXECUTE FUNCTION autopilot_step_stays();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION autopilot_event_follows() CASCADE;
DROP FUNCTION autopilot_event_counted() CASCADE;
DROP FUNCTION autopilot_events_counted() CASCADE;
DROP FUNCTION autopilot_session_counts(uuid);
DROP FUNCTION autopilot_step_stays() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("autopilot", "0004_learning")]

    operations = [migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS)]
