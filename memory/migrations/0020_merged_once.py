"""Nothing is merged into something that is itself merged (SPEC M9)."""

from django.db import migrations

FUNCTIONS = """
-- At the end of a transaction, as the rows are then: what a survivor stands for is first pointed at
-- the next one. The lock makes two transactions that each see half of a chain wait for each other.
CREATE FUNCTION memory_standing_merged_once() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    further uuid;
BEGIN
    SELECT s.merged_into_id INTO further FROM memory_standing s
    WHERE s.agent_id = NEW.agent_id AND s.record_id = (
        SELECT n.merged_into_id FROM memory_standing n
        WHERE n.agent_id = NEW.agent_id AND n.record_id = NEW.record_id)
    FOR SHARE;
    IF further IS NOT NULL OR EXISTS (
            SELECT 1 FROM memory_standing n
            JOIN memory_standing o ON o.agent_id = n.agent_id AND o.merged_into_id = n.record_id
            WHERE n.agent_id = NEW.agent_id AND n.record_id = NEW.record_id
                AND n.merged_into_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a standing is merged into one that is merged itself'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_merged_once';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER standing_merged_once AFTER INSERT OR UPDATE ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.merged_into_id IS NOT NULL)
    EXECUTE FUNCTION memory_standing_merged_once();
"""
UNDO_FUNCTIONS = "DROP FUNCTION memory_standing_merged_once() CASCADE"


class Migration(migrations.Migration):
    dependencies = [("memory", "0019_strategy_lists")]

    operations = [migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS)]
