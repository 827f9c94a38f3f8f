"""What Django cannot say of shared memories and grants: keys, indexes, ledgers, postings."""

from django.db import migrations

KEYS = """
-- What the author forgets, nobody keeps (SPEC M8).
ALTER TABLE memory_shared ADD CONSTRAINT shared_source_fk FOREIGN KEY (agent_id, source_id)
    REFERENCES memory_standing (agent_id, record_id) ON DELETE CASCADE;
ALTER TABLE memory_shared_change ADD CONSTRAINT shared_change_copy_fk FOREIGN KEY (shared_id)
    REFERENCES memory_shared (id) ON DELETE CASCADE;
"""
UNDO_KEYS = """
ALTER TABLE memory_shared DROP CONSTRAINT shared_source_fk;
ALTER TABLE memory_shared_change DROP CONSTRAINT shared_change_copy_fk;
"""

# As those of standings: one condition finds all live rows.
INDEXES = """
CREATE INDEX shared_by_symbol ON memory_shared
    (type, symbol_id, (coalesce(expires_at, 'infinity'::timestamptz)));
CREATE INDEX shared_by_strategy ON memory_shared
    (type, strategy_type, (coalesce(expires_at, 'infinity'::timestamptz)));
"""
UNDO_INDEXES = "DROP INDEX shared_by_symbol; DROP INDEX shared_by_strategy"

FUNCTIONS = """
-- The name by which others know an author stays, and each change of the flag has a number.
CREATE FUNCTION memory_agent_sharing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.node_uuid <> OLD.node_uuid THEN
        RAISE EXCEPTION 'an agent keeps its name among others'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'agent_node_frozen';
    END IF;
    IF NEW.sharing_revision <> OLD.sharing_revision
            + (NEW.share_community_memories <> OLD.share_community_memories)::int THEN
        RAISE EXCEPTION 'each change of sharing has the next revision, and nothing else has'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'agent_sharing_counted';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER agent_sharing BEFORE UPDATE ON memory_agent
    FOR EACH ROW EXECUTE FUNCTION memory_agent_sharing();

-- A copy says what its source says, under its author's name, while the author shares.
CREATE FUNCTION memory_shared_matches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_standing s
            JOIN memory_record r ON r.agent_id = s.agent_id AND r.id = s.record_id
            JOIN memory_agent a ON a.id = s.agent_id
            WHERE s.agent_id = NEW.agent_id AND s.record_id = NEW.source_id
              AND a.share_community_memories AND a.node_uuid = NEW.source_node_uuid
              AND r.content = NEW.content
              AND (s.type, s.symbol_id, s.strategy_type, s.outcome) IS NOT DISTINCT FROM
                  (NEW.type, NEW.symbol_id, NEW.strategy_type, NEW.outcome)) THEN
        RAISE EXCEPTION 'a copy is of a memory of an agent that shares, and says the same'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_matches_source';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER shared_matches_source BEFORE INSERT ON memory_shared
    FOR EACH ROW EXECUTE FUNCTION memory_shared_matches();

-- What it was shared with stays, and each move has a number of its own.
CREATE FUNCTION memory_shared_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.revision <> OLD.revision + 1 OR
       (NEW.id, NEW.agent_id, NEW.source_id, NEW.source_node_uuid, NEW.type, NEW.symbol_id,
        NEW.strategy_type, NEW.outcome, NEW.tags, NEW.content, NEW.relevance_score, NEW.evidence,
        NEW.windows, NEW.shared_at) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.source_id, OLD.source_node_uuid, OLD.type, OLD.symbol_id,
        OLD.strategy_type, OLD.outcome, OLD.tags, OLD.content, OLD.relevance_score, OLD.evidence,
        OLD.windows, OLD.shared_at)
    THEN
        RAISE EXCEPTION 'a copy keeps what it was shared with, and moves by one revision'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'shared_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER shared_frozen BEFORE UPDATE ON memory_shared
    FOR EACH ROW EXECUTE FUNCTION memory_shared_frozen();

-- By the end of a transaction the lines tell each revision of a copy.
CREATE FUNCTION memory_shared_ledgered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told jsonb;
BEGIN
    -- It may be gone by now, with its lines.
    IF NOT EXISTS (SELECT 1 FROM memory_shared s WHERE s.id = NEW.id) THEN
        RETURN NULL;
    END IF;
    SELECT c.after INTO told FROM memory_shared_change c
    WHERE c.shared_id = NEW.id AND c.revision = NEW.revision;
    IF told IS NULL OR (NEW.confidence, NEW.validated_count, NEW.community_confirmations,
            NEW.expires_at) IS DISTINCT FROM
           ((told ->> 'confidence')::numeric, (told ->> 'validated_count')::int,
            (told ->> 'community_confirmations')::int, (told ->> 'expires_at')::timestamptz) THEN
        RAISE EXCEPTION 'a copy moved and its lines do not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER shared_in_ledger AFTER INSERT OR UPDATE ON memory_shared
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_shared_ledgered();

-- Lines are written at their end alone, and go with their copy alone. Nobody judges their own.
CREATE FUNCTION memory_shared_change_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
            OR TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM memory_shared s
                WHERE s.id = OLD.shared_id) THEN
        RAISE EXCEPTION 'what happened to a copy never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'shared_change_immutable';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (SELECT 1 FROM memory_shared_change c
            WHERE c.shared_id = NEW.shared_id AND c.revision = NEW.revision - 1
              AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_change_follows';
    END IF;
    IF EXISTS (SELECT 1 FROM memory_shared s
            WHERE s.id = NEW.shared_id AND s.agent_id = NEW.agent_id) THEN
        RAISE EXCEPTION 'an author does not judge its own copy'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_judged_by_others';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER shared_change_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_shared_change
    FOR EACH ROW EXECUTE FUNCTION memory_shared_change_rules();

CREATE FUNCTION memory_shared_change_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_shared s
            WHERE s.id = NEW.shared_id AND s.revision < NEW.revision) THEN
        RAISE EXCEPTION 'a line tells a move that its copy did not make'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_in_shared';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_in_shared AFTER INSERT ON memory_shared_change
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_shared_change_stands();

-- By the end of a transaction a copy's source says `community` and is not merged; and a copy went
-- with its source, or when that said `private` again.
CREATE FUNCTION memory_shared_is_told(agent uuid, source uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM memory_shared c
            JOIN memory_standing s ON s.agent_id = c.agent_id AND s.record_id = c.source_id
            WHERE c.agent_id = agent AND c.source_id = source
              AND (s.visibility <> 'community' OR s.merged_into_id IS NOT NULL)) THEN
        RAISE EXCEPTION 'what is shared is neither private nor merged'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_told_by_source';
    END IF;
END $$;
CREATE FUNCTION memory_shared_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM memory_shared_is_told(NEW.agent_id, NEW.source_id);
    ELSIF EXISTS (SELECT 1 FROM memory_standing s WHERE s.agent_id = OLD.agent_id
            AND s.record_id = OLD.source_id AND s.visibility = 'community')
        AND NOT EXISTS (SELECT 1 FROM memory_shared c WHERE c.source_id = OLD.source_id) THEN
        RAISE EXCEPTION 'a copy went and its source says that it is shared'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'shared_told_by_source';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER shared_told_by_source AFTER INSERT OR DELETE ON memory_shared
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_shared_told();
CREATE FUNCTION memory_standing_tells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM memory_shared_is_told(NEW.agent_id, NEW.record_id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER standing_tells_of_copy AFTER UPDATE ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.visibility = 'community'
        AND (NEW.visibility <> 'community' OR NEW.merged_into_id IS NOT NULL))
    EXECUTE FUNCTION memory_standing_tells();

-- The postings of a copy come and go with it, and so does its part of the counts.
CREATE FUNCTION memory_shared_posted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH posted AS (
        INSERT INTO memory_shared_term (lexeme, shared_id, tf, len)
        SELECT l.lexeme, NEW.id, cardinality(l.positions),
            sum(cardinality(l.positions)) OVER ()
        FROM unnest(to_tsvector('english', memory_searchable(NEW.content, NEW.tags, '{}',
            NEW.symbol_id, NEW.strategy_type))) l
        RETURNING tf)
    INSERT INTO memory_shared_tail AS t (id, text_records, text_length)
    SELECT 1, 1, coalesce(sum(tf), 0) FROM posted
    ON CONFLICT (id) DO UPDATE SET text_records = t.text_records + 1,
        text_length = t.text_length + EXCLUDED.text_length;
    RETURN NULL;
END $$;
CREATE TRIGGER shared_posted AFTER INSERT ON memory_shared
    FOR EACH ROW EXECUTE FUNCTION memory_shared_posted();
CREATE FUNCTION memory_shared_unposted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE memory_shared_tail t SET text_records = t.text_records - 1,
        text_length = t.text_length - coalesce(
            (SELECT p.len FROM memory_shared_term p WHERE p.shared_id = OLD.id LIMIT 1), 0)
    WHERE t.id = 1;
    RETURN OLD;
END $$;
-- Before, while its postings are there.
CREATE TRIGGER shared_unposted BEFORE DELETE ON memory_shared
    FOR EACH ROW EXECUTE FUNCTION memory_shared_unposted();

-- A grant is between agents of one owner, and only ever closed, once: the table is its ledger.
CREATE FUNCTION memory_grant_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT EXISTS (SELECT 1 FROM memory_agent r JOIN memory_agent s
                ON s.owner_id = r.owner_id WHERE r.id = NEW.reader_id AND s.id = NEW.source_id) THEN
            RAISE EXCEPTION 'a grant is between two agents of one owner'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_of_one_owner';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' OR OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL OR
       (NEW.id, NEW.reader_id, NEW.source_id, NEW.granted_at, NEW.granted_by_id) IS DISTINCT FROM
       (OLD.id, OLD.reader_id, OLD.source_id, OLD.granted_at, OLD.granted_by_id) THEN
        RAISE EXCEPTION 'a grant is closed once, and stays otherwise'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'grant_closed_once';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER grant_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_grant
    FOR EACH ROW EXECUTE FUNCTION memory_grant_rules();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION memory_agent_sharing() CASCADE;
DROP FUNCTION memory_shared_matches() CASCADE;
DROP FUNCTION memory_shared_frozen() CASCADE;
DROP FUNCTION memory_shared_ledgered() CASCADE;
DROP FUNCTION memory_shared_change_rules() CASCADE;
DROP FUNCTION memory_shared_change_stands() CASCADE;
DROP FUNCTION memory_shared_is_told(uuid, uuid) CASCADE;
DROP FUNCTION memory_shared_told() CASCADE;
DROP FUNCTION memory_standing_tells() CASCADE;
DROP FUNCTION memory_shared_posted() CASCADE;
DROP FUNCTION memory_shared_unposted() CASCADE;
DROP FUNCTION memory_grant_rules() CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_community")]

    operations = [
        migrations.RunSQL(KEYS, UNDO_KEYS),
        migrations.RunSQL(INDEXES, UNDO_INDEXES),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
