"""A move that points a standing nowhere else looks at no other, and so waits for none."""

from django.db import migrations

# A chain begins where something is pointed. Looked at by each move, a member would be held before
# its survivor, and all else holds several standings in the order of their ids.
DROP = "DROP TRIGGER standing_merged_once ON memory_standing"
MADE = """
CREATE CONSTRAINT TRIGGER standing_merged_once AFTER INSERT ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.merged_into_id IS NOT NULL)
    EXECUTE FUNCTION memory_standing_merged_once();
CREATE CONSTRAINT TRIGGER standing_pointed_once AFTER UPDATE ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.merged_into_id IS NOT NULL AND NEW.merged_into_id IS DISTINCT FROM OLD.merged_into_id)
    EXECUTE FUNCTION memory_standing_merged_once();
"""
UNDO_MADE = """
DROP TRIGGER standing_merged_once ON memory_standing;
DROP TRIGGER standing_pointed_once ON memory_standing;
"""
BEFORE = """
CREATE CONSTRAINT TRIGGER standing_merged_once AFTER INSERT OR UPDATE ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.merged_into_id IS NOT NULL)
    EXECUTE FUNCTION memory_standing_merged_once();
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0022_shared_forms")]

    operations = [migrations.RunSQL(DROP, BEFORE), migrations.RunSQL(MADE, UNDO_MADE)]
