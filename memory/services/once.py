"""A write that is made once, however often it is sent (SPEC R13).

The caller's key is stored first, in the transaction of the record. A second request with the key
waits there until the first has ended, holding no lock that anybody else could wait for, and then
finds its record; when the first came to nothing it is tried in its place. So nothing that a write
is refused for can be met by a repeated one: a target deselected meanwhile, a run that has ended.
"""

import hashlib
import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memory.errors import IdempotencyConflict, StoreFault, ValidationFailed
from memory.models import IdempotencyKey
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.selectors import timeline
from memory.selectors.handoffs import handoff_warnings
from memory.services import publish

CLAIM = """
INSERT INTO memory_idempotency_key (agent_id, producer_id, key, body_sha256, record_id, created_at)
VALUES (%(agent)s, %(producer)s, %(key)s, %(body)s, %(record)s, %(now)s)
ON CONFLICT (agent_id, producer_id, key) DO NOTHING
"""


def publish_once(
    *, actor: TokenActor, draft: RecordDraft, key: UUID, now: datetime
) -> tuple[WrittenRecordOut, bool]:
    """Store `draft` unless it was stored under this key; return the record, and whether it is new.

    IdempotencyConflict: the key was used for another body, or its record is erased or its time
    over. Whatever `publish` raises, and then nothing is kept, the key neither.
    """
    body = _as_bytes(draft)
    to_be = publish.new_identity(now=now)
    values: dict[str, Any] = {
        "agent": actor.agent_id,
        "producer": actor.producer_id,
        "key": key,
        "body": _sha256(to_be.salt, body),
        "record": to_be.id,
        "now": now,
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(CLAIM, values)
            is_first = cursor.rowcount == 1
        if is_first:
            new = publish.publish(actor=actor, draft=draft, identity=to_be, now=now)
            return new, True
    return _earlier(actor, key=key, body=body, now=now), False


def _earlier(actor: TokenActor, *, key: UUID, body: bytes, now: datetime) -> WrittenRecordOut:
    """Return what was written under a key, as it is now."""
    used = IdempotencyKey.objects.filter(
        agent_id=actor.agent_id, producer_id=actor.producer_id, key=key
    ).first()
    if used is None:
        raise StoreFault("a key was taken and is not there")
    # What its own route shows: strategy memory whose time is over is as gone as what is erased.
    records = timeline.records_of(actor.agent_id, now=now)
    shown_yet = timeline.remembered(records, merged=True, now=now)
    record = shown_yet.filter(id=used.record_id).first()
    if record is None:
        raise IdempotencyConflict("the record that was written with this key is erased or over")
    if bytes(used.body_sha256) != _sha256(bytes(record.content_salt or b""), body):
        raise IdempotencyConflict("this key was used for another body; use a new one")
    shown = timeline.answer(record, now=now)
    warnings = handoff_warnings(
        shown.metadata,
        instruments=shown.instruments,
        boundary=shown.run.evidence_boundary if shown.run else None,
    )
    return WrittenRecordOut(**dict(shown), handoff_warnings=warnings)


def _sha256(salt: bytes, body: bytes) -> bytes:
    """Return a body's digest. It tells nothing of it any more once the record's salt is gone."""
    return hashlib.sha256(salt + body).digest()


def _as_bytes(draft: RecordDraft) -> bytes:
    """Return a body in one form: what is left out counts like its default.

    It is asked for before metadata is held against its bounds, and so of anything that JSON says.
    """
    said = {name: getattr(draft, name) for name in sorted(draft.model_fields_set)}
    fields = type(draft).model_fields
    told = {
        name: value
        for name, value in said.items()
        if value != fields[name].get_default(call_default_factory=True)
    }
    links = [[str(link.target_memory_id), link.link_type] for link in draft.links]
    try:
        return json.dumps({**told, "links": links}, sort_keys=True).encode()
    except RecursionError as error:
        raise ValidationFailed({"metadata": ["is nested too deep"]}) from error
