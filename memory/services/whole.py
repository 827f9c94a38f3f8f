"""Work that is a transaction of its own, and begins anew where a deadlock took it back."""

from collections.abc import Callable
from functools import wraps

import structlog
from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected

log = structlog.get_logger(__name__)

TRIES = 5
"""So often a transaction is begun that others' locks take back."""


def whole[**P, T](work: Callable[P, T]) -> Callable[P, T]:
    """Let a service do its work in one transaction.

    Who locks several rows does so in one order, so that nobody blocks another; where an order
    cannot be had, the server ends one of the two, and that one begins anew. Within a caller's
    transaction it is done once: what the caller did before is taken back, too, and is the caller's
    to do again.
    """

    @wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        left = 1 if connection.in_atomic_block else TRIES
        while True:
            left -= 1
            try:
                with transaction.atomic():
                    return work(*args, **kwargs)
            except OperationalError as error:
                if not left or not isinstance(error.__cause__, DeadlockDetected):
                    raise
                log.info("deadlock_begun_anew", work=work.__name__, left=left)

    return done
