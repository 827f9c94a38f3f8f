"""What Django cannot say: composite keys, immutability, tail rows.

Ownership is enforced here: a foreign key between two rows of agents holds both agent ids, so a
row of one agent can never refer to another's.
"""

from django.db import migrations

COMPOSITE_KEYS = [
    # table, constraint, columns, referenced table and columns
    ("memory_producer_enablement", "enablement_producer_fk", "agent_id, producer_id", "memory_producer (agent_id, id)"),
    ("memory_run", "run_producer_fk", "agent_id, producer_id", "memory_producer (agent_id, id)"),
    ("memory_run", "run_bound_token_fk", "agent_id, bound_token_id", "memory_token (agent_id, id)"),
    ("memory_token", "token_producer_fk", "agent_id, producer_id", "memory_producer (agent_id, id)"),
    ("memory_token", "token_run_fk", "agent_id, run_id", "memory_run (agent_id, id)"),
    ("memory_record", "record_producer_fk", "agent_id, producer_id", "memory_producer (agent_id, id)"),
    # The scope in the key makes a target of an agent-wide record impossible (SPEC R2).
    ("memory_target", "target_scope_fk", "agent_id, record_id, scope", "memory_record (agent_id, id, scope)"),
    ("memory_link", "link_source_fk", "agent_id, source_id", "memory_record (agent_id, id)"),
    ("memory_link", "link_target_fk", "agent_id, target_id", "memory_record (agent_id, id)"),
    ("memory_head", "head_record_fk", "agent_id, record_id", "memory_record (agent_id, id)"),
]

FUNCTIONS = """
-- An agent's tail row is born with it, whoever inserts the agent.
CREATE FUNCTION memory_agent_has_tail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_agent_tail (agent_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER agent_has_tail AFTER INSERT ON memory_agent
    FOR EACH ROW EXECUTE FUNCTION memory_agent_has_tail();

-- Records never change. The one exception empties a record in place (erasing): content, metadata,
-- tags and salt go, purged_at comes, all else stays as it was.
CREATE FUNCTION memory_record_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL
       AND NEW.content = '' AND NEW.metadata = '{}'::jsonb AND NEW.tags = '{}'
       AND NEW.content_salt IS NULL
       AND (NEW.id, NEW.agent_id, NEW.seq, NEW.type, NEW.scope, NEW.created_at, NEW.content_digest)
         = (OLD.id, OLD.agent_id, OLD.seq, OLD.type, OLD.scope, OLD.created_at, OLD.content_digest)
       AND (NEW.producer_id, NEW.run_id, NEW.timeframe, NEW.originals_hash, NEW.stale_after,
            NEW.expiry_policy, NEW.imported_at) IS NOT DISTINCT FROM
           (OLD.producer_id, OLD.run_id, OLD.timeframe, OLD.originals_hash, OLD.stale_after,
            OLD.expiry_policy, OLD.imported_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a record never changes after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'record_immutable';
END $$;
CREATE TRIGGER record_immutable BEFORE UPDATE OR DELETE ON memory_record
    FOR EACH ROW EXECUTE FUNCTION memory_record_immutable();

CREATE FUNCTION memory_side_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'targets and links never change after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER target_immutable BEFORE UPDATE OR DELETE ON memory_target
    FOR EACH ROW EXECUTE FUNCTION memory_side_immutable();
CREATE TRIGGER link_immutable BEFORE UPDATE OR DELETE ON memory_link
    FOR EACH ROW EXECUTE FUNCTION memory_side_immutable();

-- A record of scope 'instruments' has a target by the end of its transaction (SPEC R2).
CREATE FUNCTION memory_record_needs_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_target
                   WHERE agent_id = NEW.agent_id AND record_id = NEW.id) THEN
        RAISE EXCEPTION 'a record of scope instruments needs a target'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_needs_target';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER record_needs_target AFTER INSERT ON memory_record
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.scope = 'instruments')
    EXECUTE FUNCTION memory_record_needs_target();

-- A link's target is fixed at the write, and so a link can only point to an older record.
-- A run keeps its frozen schedule, boundary and producer (SPEC F3).
CREATE FUNCTION memory_run_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'running' OR
       (NEW.id, NEW.agent_id, NEW.producer_id, NEW.schedule, NEW.evidence_boundary,
        NEW.started_at, NEW.implicit, NEW.bound_token_id) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.schedule, OLD.evidence_boundary,
        OLD.started_at, OLD.implicit, OLD.bound_token_id)
    THEN
        RAISE EXCEPTION 'a run keeps what it began with, and ends once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'run_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER run_frozen BEFORE UPDATE ON memory_run
    FOR EACH ROW EXECUTE FUNCTION memory_run_frozen();
"""

UNDO_FUNCTIONS = """
DROP FUNCTION memory_agent_has_tail() CASCADE;
DROP FUNCTION memory_record_immutable() CASCADE;
DROP FUNCTION memory_side_immutable() CASCADE;
DROP FUNCTION memory_record_needs_target() CASCADE;
DROP FUNCTION memory_run_frozen() CASCADE;
"""

STORAGE = """
ALTER TABLE memory_agent_tail SET (fillfactor = 50);
ALTER TABLE memory_head SET (fillfactor = 70);
"""
UNDO_STORAGE = """
ALTER TABLE memory_agent_tail RESET (fillfactor);
ALTER TABLE memory_head RESET (fillfactor);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {to}",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for table, name, columns, to in COMPOSITE_KEYS
        ],
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
        migrations.RunSQL(STORAGE, UNDO_STORAGE),
    ]
