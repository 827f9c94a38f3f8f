"""Digests that prove a record's content after the fact (SPEC U4)."""

import hashlib
from typing import Any
from uuid import UUID

from memory.policies.text import canonical

SALT_BYTES = 16


def content_digest(salt: bytes, content: dict[str, Any]) -> bytes:
    """Return SHA-256 over the salt and the canonical JSON of what a record says and is.

    The salt is erased with the content, so that a short content cannot be guessed from the
    digest that stays.
    """
    return hashlib.sha256(salt + canonical(content)).digest()


def originals_hash(originals: list[UUID]) -> bytes | None:
    """Return the identity of a set of corrected records, None for a record that corrects none."""
    if not originals:
        return None
    return hashlib.sha256(b"".join(sorted({one.bytes for one in originals}))).digest()
