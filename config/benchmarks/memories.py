"""Strategy memory by the hundred thousand, made inside the database: live, expired and erased."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from config.benchmarks import loading, questions
from memory.models import Agent
from memory.policies.vocabulary import STRATEGY_TYPES
from memory.services import setup

TABLES = ("memory_record", "memory_standing", "memory_tag", "memory_term")
NOW = loading.END
BEGUN = NOW - timedelta(days=80)
INSTRUMENTS = list(loading.INSTRUMENTS)
TAGS = ["momentum", "breakout", "volume", "adx", "funding", "range", "squeeze", "trend"]

RECORDS = """
INSERT INTO memory_record (agent_id, id, seq, type, scope, content, metadata, tags, created_at,
    content_digest, content_salt, imported_at, purged_at)
SELECT %(agent)s, (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint), 12, '0') || '7'
        || substr(t.noise, 1, 3) || '8' || substr(t.noise, 4, 15))::uuid,
    %(seq)s + i, CASE WHEN %(rules)s > 0 AND i %% %(rules)s = 0 THEN 'rule'
        ELSE 'strategy_insight' END, 'agent',
    CASE WHEN %(dead)s = 'erased' THEN '' ELSE t.said || CASE WHEN %(numbered)s
        THEN ' Seen in session ' || i || '.' ELSE '' END END,
    '{}',
    CASE WHEN %(dead)s = 'erased' THEN '{}'::text[] ELSE
        ARRAY[(%(tags)s::text[])[1 + i %% 8], (%(tags)s::text[])[1 + (i / 8 + i + 3) %% 8]] END,
    t.at, sha256(t.noise::bytea),
    CASE WHEN %(dead)s = 'erased' THEN NULL ELSE substr(sha256(t.noise::bytea), 1, 16) END,
    %(now)s, CASE WHEN %(dead)s = 'erased' THEN %(now)s END
FROM generate_series(1, %(number)s) i
CROSS JOIN LATERAL (SELECT %(since)s + i * %(step)s AS at, md5(%(seed)s || i) AS noise,
    (%(texts)s::text[])[1 + (i - 1) %% cardinality(%(texts)s::text[])] AS said) t
"""
STANDINGS = """
INSERT INTO memory_standing (record_id, agent_id, type, symbol_id, strategy_type, outcome, tags,
    confidence, validated_count, relevance_score, metrics, visibility, community_confirmations,
    created_at, expires_at, revision)
SELECT r.id, r.agent_id, r.type,
    CASE WHEN r.type <> 'rule' THEN (%(instruments)s::text[])[1 + n.i %% 5] END,
    (%(strategies)s::text[])[1 + (n.i / 5) %% 5],
    CASE WHEN n.i %% 3 = 0 THEN 'failure' ELSE 'success' END, r.tags,
    0.3 + (n.i %% 70) / 100.0, 1, CASE WHEN n.i %% 3 = 0 THEN 0.8 ELSE 1 END, '{}',
    'private', 0, r.created_at,
    CASE WHEN %(dead)s = 'expired' THEN %(now)s - (n.i %% 400) * interval '1 day'
        WHEN r.type <> 'rule' THEN %(now)s + (1 + n.i %% 60) * interval '1 day' END, 1
FROM memory_record r CROSS JOIN LATERAL (SELECT r.seq - %(seq)s AS i) n
WHERE r.agent_id = %(agent)s AND r.seq > %(seq)s AND r.purged_at IS NULL
"""
TAGGED = """
INSERT INTO memory_tag (agent_id, record_id, tag, type, symbol, strategy_type, relevance,
    confidence, created_at, expires_at)
SELECT s.agent_id, s.record_id, t.tag, s.type, coalesce(s.symbol_id, ''), s.strategy_type,
    s.relevance_score, s.confidence, s.created_at, coalesce(s.expires_at, 'infinity')
FROM memory_standing s CROSS JOIN LATERAL (SELECT DISTINCT unnest(s.tags) AS tag) t
"""
POSTED = """
INSERT INTO memory_term (agent_id, lexeme, record_id, tf, len)
SELECT r.agent_id, l.lexeme, r.id, cardinality(l.positions),
    sum(cardinality(l.positions)) OVER (PARTITION BY r.id)
FROM memory_record r JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
CROSS JOIN LATERAL unnest(to_tsvector('english', memory_searchable(r.content, r.tags,
    '{}'::text[], s.symbol_id, s.strategy_type))) l
"""
COUNTED = """
UPDATE memory_agent_tail a SET text_records = n.records, text_length = n.length, last_seq = n.last
FROM (SELECT r.agent_id, count(*) FILTER (WHERE r.purged_at IS NULL) AS records,
          coalesce(sum(t.length), 0) AS length, max(r.seq) AS last
      FROM memory_record r
      LEFT JOIN (SELECT agent_id, record_id, sum(tf) AS length FROM memory_term GROUP BY 1, 2) t
          ON t.agent_id = r.agent_id AND t.record_id = r.id
      GROUP BY r.agent_id) n
WHERE n.agent_id = a.agent_id
"""


def load(
    name: str,
    number: int,
    *,
    dead: str = "",
    seed: str = "live",
    seq: int = 0,
    rules: int = 0,
    numbered: bool = True,
) -> None:
    """Load memories of the agent called `name`, which is made when it is missing."""
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        user = User.objects.create_user(username=name.replace(" ", "-"))
        agent = setup.create_agent(owner=user, name=name, now=BEGUN)
    values: dict[str, Any] = {
        "agent": agent.id,
        "number": number,
        "dead": dead,
        "seq": seq,
        "rules": rules,
        "seed": f"{name} {seed} ",
        "numbered": numbered,
        "now": NOW,
        "since": BEGUN,
        "step": timedelta(days=70) / number,
        "tags": TAGS,
        "texts": [pair.insight for pair in questions.asked()],
        "instruments": INSTRUMENTS,
        "strategies": list(STRATEGY_TYPES),
    }
    with connection.cursor() as cursor:
        cursor.execute(RECORDS, values)
        cursor.execute(STANDINGS, values)


def finish() -> None:
    """Make the side tables and counters of all that was loaded."""
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for statement in (TAGGED, POSTED, COUNTED):
            cursor.execute(statement)
