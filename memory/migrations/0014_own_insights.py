"""A session's own insights are found by its id, whatever their time (SPEC A9)."""

from django.db import migrations

# By hash: metrics may come from an import, and hold text of any length.
INDEX = """
CREATE INDEX standing_by_session ON memory_standing USING hash ((metrics ->> 'session'))
    WHERE type = 'strategy_insight';
"""
UNDO_INDEX = "DROP INDEX standing_by_session"


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_idempotency")]

    operations = [migrations.RunSQL(INDEX, UNDO_INDEX)]
