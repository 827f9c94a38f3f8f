"""An index of records by tag, led by the agent as all others are.

Django has no word for it: a GIN index takes no uuid column beside the array without contrib, so
that the agent is put into each word.
"""

from django.db import migrations

INDEX = """
CREATE FUNCTION memory_tagged(agent_id uuid, tags text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg(agent_id::text || ' ' || t.tag) FROM unnest(tags) AS t(tag)
$$;
-- A list of pending entries would be worked off by some unlucky write, behind a locked tail row.
CREATE INDEX record_tagged ON memory_record USING gin (memory_tagged(agent_id, tags))
    WITH (fastupdate = off) WHERE purged_at IS NULL AND tags <> '{}';
"""
UNDO_INDEX = "DROP INDEX record_tagged; DROP FUNCTION memory_tagged(uuid, text[])"


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_runners")]

    operations = [migrations.RunSQL(INDEX, UNDO_INDEX)]
