-- Publish: one record with its targets, links, heads and postings, or the reason why not, in one statement.
--
-- The answer is one row (bad_target, bad_link, run_closed, seq, enabled). `enabled` tells whether
-- the producer is enabled at the write. Exactly one of the others is set:
--   bad_target  index of the first instrument that is not active and selected
--   bad_link    index of the first link whose target does not exist for this agent
--   run_closed  true: the run has ended
--   seq         the record is stored, under this number
-- and none is set when something of this agent was erased between the statement's snapshot and
-- its lock on the tail row: the caller runs it once more (DESIGN "Erasing").
WITH tg AS (
    SELECT x.id AS instrument_id, x.ord::int - 1 AS ord
    FROM unnest(%(targets)s::text[]) WITH ORDINALITY AS x(id, ord)
),
lk AS (
    SELECT x.id AS target_id, x.kind AS link_type, x.ord::int - 1 AS ord
    FROM unnest(%(link_ids)s::uuid[], %(link_types)s::text[]) WITH ORDINALITY AS x(id, kind, ord)
),
-- The share lock orders this write against the finishing of its run: before it or refused.
open_run AS (
    SELECT 1 FROM memory_run r
    WHERE r.agent_id = %(agent)s AND r.id = %(run)s AND r.status = 'running' AND NOT %(implicit)s
    FOR SHARE
),
run_closed AS (SELECT NOT %(implicit)s AND NOT EXISTS (SELECT 1 FROM open_run) AS yes),
bad_target AS (
    SELECT min(tg.ord) AS i FROM tg WHERE NOT EXISTS (
        SELECT 1 FROM memory_selection s JOIN memory_instrument n ON n.id = s.instrument_id
        WHERE s.agent_id = %(agent)s AND s.instrument_id = tg.instrument_id AND n.is_active
          AND s.selected_at <= %(now)s AND (s.deselected_at IS NULL OR s.deselected_at > %(now)s))
),
-- A foreign id and an unknown one take the same path: neither is a record of this agent.
bad_link AS (
    SELECT min(lk.ord) AS i FROM lk WHERE NOT EXISTS (
        SELECT 1 FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.id = lk.target_id AND r.purged_at IS NULL)
),
ok AS (
    SELECT 1 FROM run_closed c, bad_target t, bad_link l
    WHERE NOT c.yes AND t.i IS NULL AND l.i IS NULL
),
-- What search will find the record by: each lexeme with its frequency. In order of the key, so that
-- the inserts meet the index from one side.
words AS (
    SELECT l.lexeme, cardinality(l.positions) AS tf
    FROM unnest(to_tsvector('english', memory_searchable(%(content)s, %(tags)s::text[],
        %(targets)s::text[], %(symbol)s, %(strategy_type)s))) l
    ORDER BY l.lexeme COLLATE "C"
),
size AS (SELECT coalesce(sum(tf), 0)::int AS len FROM words),
-- Locks the agent's tail row until the commit, so that seq is gap-free and in commit order.
-- `erasures` is read again after a wait for the lock; the subquery is as the snapshot saw it.
tail AS (
    UPDATE memory_agent_tail a SET last_seq = a.last_seq + 1, text_records = a.text_records + 1,
        text_length = a.text_length + size.len
    FROM ok, size
    WHERE a.agent_id = %(agent)s
      AND a.erasures = (SELECT s.erasures FROM memory_agent_tail s WHERE s.agent_id = %(agent)s)
    RETURNING a.last_seq AS seq
),
-- With no run open, one is opened and closed around the write (SPEC R5).
implicit_run AS (
    INSERT INTO memory_run (id, agent_id, producer_id, schedule, evidence_boundary, started_at,
        ended_at, status, error, implicit)
    SELECT %(run)s, %(agent)s, %(producer)s, %(schedule)s, %(boundary)s, %(now)s, %(now)s,
        'succeeded', '', true
    FROM tail WHERE %(implicit)s
),
rec AS (
    INSERT INTO memory_record (agent_id, id, seq, producer_id, run_id, type, scope, timeframe,
        content, metadata, tags, originals_hash, created_at, stale_after, expiry_policy,
        content_digest, content_salt)
    SELECT %(agent)s, %(id)s, tail.seq, %(producer)s, %(run)s, %(type)s, %(scope)s, %(timeframe)s,
        %(content)s, %(metadata)s, %(tags)s::text[], %(originals_hash)s, %(now)s, %(stale_after)s,
        %(expiry_policy)s, %(content_digest)s, %(content_salt)s
    FROM tail
    RETURNING agent_id, id, producer_id, type, originals_hash, created_at,
        coalesce(stale_after, 'infinity') AS deadline
),
tgt AS (
    INSERT INTO memory_target (agent_id, record_id, instrument_id, ord, producer_id, type,
        created_at, originals_hash)
    SELECT rec.agent_id, rec.id, tg.instrument_id, tg.ord, rec.producer_id, rec.type,
        rec.created_at, rec.originals_hash
    FROM rec, tg
),
lnk AS (
    INSERT INTO memory_link (agent_id, source_id, ord, target_id, link_type)
    SELECT rec.agent_id, rec.id, lk.ord, lk.target_id, lk.link_type FROM rec, lk
),
posting AS (
    INSERT INTO memory_term (agent_id, lexeme, record_id, tf, len)
    SELECT rec.agent_id, words.lexeme, rec.id, words.tf, size.len FROM rec, words, size
),
lane AS (SELECT instrument_id FROM tg UNION ALL SELECT '' WHERE %(scope)s = 'agent'),
-- Research alone has heads, and a correction moves none (SPEC C1, C6). The comparison makes the
-- upsert commutative: late arrivals of older records change nothing.
head AS (
    INSERT INTO memory_head AS h (agent_id, instrument_id, producer_id, type, record_id,
        created_at, stale_after)
    SELECT rec.agent_id, lane.instrument_id, rec.producer_id, rec.type, rec.id, rec.created_at,
        rec.deadline
    FROM rec, lane
    WHERE %(is_research)s AND rec.originals_hash IS NULL
    ORDER BY lane.instrument_id
    ON CONFLICT (agent_id, instrument_id, producer_id, type) DO UPDATE
    SET record_id = excluded.record_id, created_at = excluded.created_at,
        stale_after = excluded.stale_after
    WHERE (excluded.created_at, excluded.record_id) > (h.created_at, h.record_id)
)
SELECT (SELECT i FROM bad_target), (SELECT i FROM bad_link),
    nullif((SELECT yes FROM run_closed), false), (SELECT seq FROM tail),
    EXISTS (
        SELECT 1 FROM memory_producer_enablement e
        WHERE e.agent_id = %(agent)s AND e.producer_id = %(producer)s AND e.enabled_at <= %(now)s
          AND (e.disabled_at IS NULL OR e.disabled_at > %(now)s))
