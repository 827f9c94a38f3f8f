"""Identifiers: UUID version 7, made in Python so that every PostgreSQL from 15 on will do."""

from datetime import datetime, timedelta
from uuid import UUID

import uuid_utils

from memory.policies.timeframes import EPOCH


def new_id() -> UUID:
    """Return a new UUIDv7 of the present time (a model field's default)."""
    return UUID(int=uuid_utils.uuid7().int)


def id_at(moment: datetime) -> UUID:
    """Return a new UUIDv7 whose time part is `moment`, so that ids follow the passed-in clock."""
    nanoseconds = (moment - EPOCH) // timedelta(microseconds=1) * 1_000
    return UUID(int=uuid_utils.uuid7(nanoseconds=nanoseconds).int)
