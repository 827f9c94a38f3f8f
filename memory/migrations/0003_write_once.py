"""Writes are whole, and once: what a record says of others is fixed by the transaction it came in.

Without these rules raw SQL could still add a target or a link to an old record, point a link at
a newer one (and so close a cycle of corrections), or name a run of somebody else.
"""

from django.db import migrations

FUNCTIONS = """
-- Whether a row with this xmin was written by the transaction that asks: a row of another one in
-- progress is invisible, so a visible one in progress is our own (savepoints included).
CREATE FUNCTION memory_is_ours(row_xmin xid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT pg_xact_status((CASE WHEN low > now_low THEN epoch - 1 ELSE epoch END << 32 | low)
                          ::text::xid8) = 'in progress'
    FROM (SELECT row_xmin::text::bigint AS low,
                 pg_current_xact_id()::text::bigint & 4294967295 AS now_low,
                 pg_current_xact_id()::text::bigint >> 32 AS epoch) x
$$;

CREATE FUNCTION memory_target_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added t JOIN memory_record r ON r.agent_id = t.agent_id AND r.id = t.record_id
        WHERE (t.type, t.created_at) <> (r.type, r.created_at)
           OR (t.producer_id, t.originals_hash) IS DISTINCT FROM (r.producer_id, r.originals_hash)
           OR NOT memory_is_ours(r.xmin)
    ) THEN
        RAISE EXCEPTION 'targets come with their record, and say of it what it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'target_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER target_whole AFTER INSERT ON memory_target
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory_target_whole();

CREATE FUNCTION memory_link_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added l
        JOIN memory_record s ON s.agent_id = l.agent_id AND s.id = l.source_id
        JOIN memory_record t ON t.agent_id = l.agent_id AND t.id = l.target_id
        WHERE t.seq >= s.seq OR NOT memory_is_ours(s.xmin)
    ) THEN
        RAISE EXCEPTION 'links come with their record, and lead to older ones'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'link_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER link_whole AFTER INSERT ON memory_link
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memory_link_whole();

-- Not a foreign key: the run's row may go, the record stays (SPEC C14).
CREATE FUNCTION memory_record_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_run WHERE agent_id = NEW.agent_id AND id = NEW.run_id
                   AND producer_id = NEW.producer_id) THEN
        RAISE EXCEPTION 'a record is written in a run of its producer'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'record_run_of_producer';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER record_run_of_producer AFTER INSERT ON memory_record
    FOR EACH ROW WHEN (NEW.imported_at IS NULL) EXECUTE FUNCTION memory_record_run();

-- What a producer and a token are is history's: a role that moved would move old records' lanes.
CREATE FUNCTION memory_producer_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.role, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.agent_id, OLD.role, OLD.created_at) THEN
        RAISE EXCEPTION 'a producer keeps its agent and its role'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'producer_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER producer_frozen BEFORE UPDATE ON memory_producer
    FOR EACH ROW EXECUTE FUNCTION memory_producer_frozen();

CREATE FUNCTION memory_token_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.producer_id, NEW.run_id, NEW.key, NEW.secret_sha256)
       IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.run_id, OLD.key, OLD.secret_sha256)
       OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) THEN
        RAISE EXCEPTION 'a token stays whose it is, and is revoked for good'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'token_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER token_frozen BEFORE UPDATE ON memory_token
    FOR EACH ROW EXECUTE FUNCTION memory_token_frozen();

ALTER TABLE memory_record ADD CONSTRAINT record_metadata_is_object
    CHECK (jsonb_typeof(metadata) = 'object');
"""

UNDO = """
ALTER TABLE memory_record DROP CONSTRAINT record_metadata_is_object;
DROP FUNCTION memory_token_frozen() CASCADE;
DROP FUNCTION memory_producer_frozen() CASCADE;
DROP FUNCTION memory_record_run() CASCADE;
DROP FUNCTION memory_link_whole() CASCADE;
DROP FUNCTION memory_target_whole() CASCADE;
DROP FUNCTION memory_is_ours(xid) CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_integrity")]

    operations = [migrations.RunSQL(FUNCTIONS, UNDO)]
