"""What Django cannot say of standings: composite keys, the ledger's proof, the tag table's upkeep.

The last steps give the records of earlier releases their postings, and those of the strategy tiers
a standing.
"""

from django.db import migrations

COMPOSITE_KEYS = [
    ("memory_standing", "standing_record_fk", "agent_id, record_id", "memory_record (agent_id, id)"),
    ("memory_standing", "standing_merged_fk", "agent_id, merged_into_id", "memory_standing (agent_id, record_id)"),
    # To the record: a ledger outlives its standing.
    ("memory_standing_change", "standing_change_record_fk", "agent_id, record_id", "memory_record (agent_id, id)"),
    ("memory_tag", "tag_standing_fk", "agent_id, record_id", "memory_standing (agent_id, record_id)"),
]

# Rows without a deadline are at the end of the range, so that one condition finds all live rows.
INDEXES = """
CREATE INDEX standing_by_symbol ON memory_standing
    (agent_id, type, symbol_id, (coalesce(expires_at, 'infinity'::timestamptz)))
    WHERE merged_into_id IS NULL;
CREATE INDEX standing_by_strategy ON memory_standing
    (agent_id, type, strategy_type, (coalesce(expires_at, 'infinity'::timestamptz)))
    WHERE merged_into_id IS NULL;
"""
UNDO_INDEXES = "DROP INDEX standing_by_symbol; DROP INDEX standing_by_strategy"

FUNCTIONS = """
-- The text that a record is found by. It depends on what never changes alone, so that its postings
-- can be found again. A slash would make the parser take words for a file path.
CREATE FUNCTION memory_searchable(content text, tags text[], instruments text[], symbol text,
        strategy_type text)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT translate(concat_ws(' ', content, array_to_string(tags, ' '),
        array_to_string(instruments, ' '),
        CASE WHEN symbol = ANY (instruments) THEN NULL ELSE symbol END, strategy_type), '/', ' ')
$$;

-- A standing is of its record's type and time.
CREATE FUNCTION memory_standing_matches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.record_id AND r.type = NEW.type AND r.created_at = NEW.created_at
            AND r.purged_at IS NULL) THEN
        RAISE EXCEPTION 'a standing has the type and time of its record'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_matches_record';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER standing_matches_record AFTER INSERT ON memory_standing
    FOR EACH ROW EXECUTE FUNCTION memory_standing_matches();

-- What a standing was made with stays, and each move has a number of its own.
CREATE FUNCTION memory_standing_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.revision <> OLD.revision + 1 OR
       (NEW.record_id, NEW.agent_id, NEW.type, NEW.symbol_id, NEW.strategy_type, NEW.outcome,
        NEW.config, NEW.config_hash, NEW.metrics, NEW.source_node_uuid, NEW.author_id,
        NEW.created_at) IS DISTINCT FROM
       (OLD.record_id, OLD.agent_id, OLD.type, OLD.symbol_id, OLD.strategy_type, OLD.outcome,
        OLD.config, OLD.config_hash, OLD.metrics, OLD.source_node_uuid, OLD.author_id,
        OLD.created_at)
    THEN
        RAISE EXCEPTION 'a standing keeps what it was made with, and moves by one revision'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER standing_frozen BEFORE UPDATE ON memory_standing
    FOR EACH ROW EXECUTE FUNCTION memory_standing_frozen();

-- By the end of a transaction the ledger tells each revision, whoever made it (SPEC M5).
CREATE FUNCTION memory_standing_ledgered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told jsonb;
    said boolean;
BEGIN
    IF TG_OP = 'DELETE' THEN
        said := EXISTS (SELECT 1 FROM memory_standing_change c WHERE c.agent_id = OLD.agent_id
                AND c.record_id = OLD.record_id AND c.revision = OLD.revision + 1
                AND c.event = 'purged')
            AND EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = OLD.agent_id
                AND r.id = OLD.record_id AND r.purged_at IS NOT NULL);
    ELSE
        SELECT c.after INTO told FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision;
        said := (NEW.tags, NEW.confidence, NEW.validated_count, NEW.relevance_score,
                 NEW.visibility, NEW.community_confirmations, NEW.expires_at, NEW.merged_into_id)
            IS NOT DISTINCT FROM
            (ARRAY(SELECT t.tag FROM jsonb_array_elements_text(told -> 'tags')
                   WITH ORDINALITY AS t(tag, ord) ORDER BY t.ord),
             (told ->> 'confidence')::numeric, (told ->> 'validated_count')::int,
             (told ->> 'relevance_score')::numeric, told ->> 'visibility',
             (told ->> 'community_confirmations')::int, (told ->> 'expires_at')::timestamptz,
             (told ->> 'merged_into')::uuid);
    END IF;
    IF NOT coalesce(said, false) THEN
        RAISE EXCEPTION 'a standing moved and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER standing_in_ledger AFTER INSERT OR UPDATE OR DELETE ON memory_standing
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memory_standing_ledgered();

-- A ledger is written at its end alone, each line from where the last one left off.
CREATE FUNCTION memory_standing_change_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_change_immutable';
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision - 1
            AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line of a ledger begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_change_follows';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER standing_change_rules BEFORE INSERT OR UPDATE OR DELETE ON memory_standing_change
    FOR EACH ROW EXECUTE FUNCTION memory_standing_change_rules();

-- The tag table follows the standing, whoever moves it. A merged one is found by its survivor.
CREATE FUNCTION memory_standing_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM memory_tag WHERE agent_id = OLD.agent_id AND record_id = OLD.record_id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    INSERT INTO memory_tag (agent_id, record_id, tag, type, symbol, strategy_type, relevance,
        confidence, created_at, expires_at)
    SELECT NEW.agent_id, NEW.record_id, t.tag, NEW.type, coalesce(NEW.symbol_id, ''),
        coalesce(NEW.strategy_type, ''), NEW.relevance_score, NEW.confidence, NEW.created_at,
        coalesce(NEW.expires_at, 'infinity')
    FROM unnest(CASE WHEN NEW.tags = '{}' THEN ARRAY[''] ELSE NEW.tags END) AS t(tag)
    WHERE NEW.merged_into_id IS NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER standing_tags AFTER INSERT OR UPDATE ON memory_standing
    FOR EACH ROW EXECUTE FUNCTION memory_standing_tags();
-- Before, for the key from the tag to its standing.
CREATE TRIGGER standing_untag BEFORE DELETE ON memory_standing
    FOR EACH ROW EXECUTE FUNCTION memory_standing_tags();

-- A record of a strategy tier has a standing while it is not erased, and none after: what search
-- finds among standings is live (SPEC M2, M3).
CREATE FUNCTION memory_record_has_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- As the row is at the end of the transaction, not as it was when this was put off.
    IF EXISTS (SELECT 1 FROM memory_record r
        LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
        WHERE r.agent_id = NEW.agent_id AND r.id = NEW.id
          AND (r.purged_at IS NULL) <> (s.record_id IS NOT NULL)) THEN
        RAISE EXCEPTION 'a live record of a strategy tier has a standing, an erased one has none'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_has_standing';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER record_has_standing AFTER INSERT OR UPDATE ON memory_record
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.type IN ('rule', 'strategy_insight', 'optimization'))
    EXECUTE FUNCTION memory_record_has_standing();
"""
UNDO_FUNCTIONS = """
DROP FUNCTION memory_searchable(text, text[], text[], text, text);
DROP FUNCTION memory_standing_matches() CASCADE;
DROP FUNCTION memory_standing_frozen() CASCADE;
DROP FUNCTION memory_standing_ledgered() CASCADE;
DROP FUNCTION memory_standing_change_rules() CASCADE;
DROP FUNCTION memory_standing_tags() CASCADE;
DROP FUNCTION memory_record_has_standing() CASCADE;
"""

# A savepoint's rows carry a number of its own, given after its transaction's: what is ours is never
# below that, and may be above it. (Before, such a row was taken for one of the epoch before.)
IS_OURS = """
CREATE OR REPLACE FUNCTION memory_is_ours(row_xmin xid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN ahead < 0 THEN false
        ELSE pg_xact_status((mine + ahead)::text::xid8) = 'in progress' END
    FROM (SELECT pg_current_xact_id()::text::bigint AS mine) m
    CROSS JOIN LATERAL (
        SELECT (row_xmin::text::bigint - mine % 4294967296 + 6442450944) % 4294967296 - 2147483648
            AS ahead) a
$$
"""
# As a plain write of such a record is given one now (policies.standing), without a known outcome.
BACKFILL_STANDINGS = """
WITH made AS (
    INSERT INTO memory_standing (record_id, agent_id, type, symbol_id, tags, confidence,
        validated_count, relevance_score, metrics, visibility, community_confirmations, created_at,
        expires_at, revision)
    SELECT r.id, r.agent_id, r.type,
        CASE WHEN r.type <> 'rule' AND t.number = 1 THEN t.name END, r.tags,
        CASE r.type WHEN 'rule' THEN 0.8 ELSE 1 END, 1,
        CASE r.type WHEN 'strategy_insight' THEN 0.8 ELSE 0.95 END, '{}', 'private', 0,
        r.created_at,
        CASE r.type WHEN 'strategy_insight' THEN r.created_at + interval '30 days'
            WHEN 'optimization' THEN r.created_at + interval '60 days' END, 1
    FROM memory_record r
    CROSS JOIN LATERAL (SELECT count(*) AS number, min(m.instrument_id) AS name
        FROM memory_target m WHERE m.agent_id = r.agent_id AND m.record_id = r.id) t
    WHERE r.type IN ('rule', 'strategy_insight', 'optimization') AND r.purged_at IS NULL
    RETURNING *)
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
SELECT agent_id, record_id, 1, 'created', NULL, jsonb_build_object('tags', to_jsonb(tags),
        'confidence', confidence::text, 'validated_count', validated_count,
        'relevance_score', relevance_score::text, 'visibility', visibility,
        'community_confirmations', community_confirmations, 'expires_at',
        to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'merged_into', NULL),
    'upgrade', '', '{}', created_at
FROM made;
-- The rules of the new tables are checked now: a later step alters them.
SET CONSTRAINTS ALL IMMEDIATE;
"""
BACKFILL_POSTINGS = """
INSERT INTO memory_term (agent_id, lexeme, record_id, tf, len)
SELECT r.agent_id, l.lexeme, r.id, cardinality(l.positions),
    sum(cardinality(l.positions)) OVER (PARTITION BY r.id)
FROM memory_record r
LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
CROSS JOIN LATERAL unnest(to_tsvector('english', memory_searchable(r.content, r.tags,
    ARRAY(SELECT t.instrument_id FROM memory_target t
          WHERE t.agent_id = r.agent_id AND t.record_id = r.id ORDER BY t.ord),
    s.symbol_id, s.strategy_type))) l
WHERE r.purged_at IS NULL;
UPDATE memory_agent_tail a SET text_records = n.records, text_length = n.length
FROM (
    SELECT r.agent_id, count(*) AS records, sum(coalesce(t.length, 0)) AS length
    FROM memory_record r
    LEFT JOIN (SELECT agent_id, record_id, sum(tf) AS length FROM memory_term GROUP BY 1, 2) t
        ON t.agent_id = r.agent_id AND t.record_id = r.id
    WHERE r.purged_at IS NULL GROUP BY r.agent_id) n
WHERE n.agent_id = a.agent_id;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_standings")]

    operations = [
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) REFERENCES {to}",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for table, name, columns, to in COMPOSITE_KEYS
        ],
        migrations.RunSQL(INDEXES, UNDO_INDEXES),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
        migrations.RunSQL(IS_OURS, migrations.RunSQL.noop),
        migrations.RunSQL(BACKFILL_STANDINGS, migrations.RunSQL.noop),
        migrations.RunSQL(BACKFILL_POSTINGS, migrations.RunSQL.noop),
    ]
