"""A ledger says no more than its standing: the other half of `standing_in_ledger` (SPEC M5)."""

from django.db import migrations

FUNCTIONS = """
-- By the end of a transaction each line is of a standing that has come so far; after its last line
-- there is none. What a standing of that revision looks like, `standing_in_ledger` has checked.
CREATE FUNCTION memory_standing_change_stands() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    reached integer;
BEGIN
    SELECT s.revision INTO reached FROM memory_standing s
    WHERE s.agent_id = NEW.agent_id AND s.record_id = NEW.record_id;
    IF (NEW.after IS NOT NULL AND reached >= NEW.revision) OR (reached IS NULL AND EXISTS (
            SELECT 1 FROM memory_standing_change c
            JOIN memory_record r ON r.agent_id = c.agent_id AND r.id = c.record_id
            WHERE c.agent_id = NEW.agent_id AND c.record_id = NEW.record_id
                AND c.revision >= NEW.revision AND c.after IS NULL
                AND r.purged_at IS NOT NULL)) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'a ledger tells a move that its standing did not make'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_in_standing';
END $$;
CREATE CONSTRAINT TRIGGER ledger_in_standing AFTER INSERT ON memory_standing_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_standing_change_stands();
"""
UNDO_FUNCTIONS = "DROP FUNCTION memory_standing_change_stands() CASCADE"


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_own_insights")]

    operations = [migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS)]
