"""The publish statement of a store without search by words, to see what the postings cost."""

import functools
import re
from typing import Any

from django.db import connection

from memory.services import publish

# What the statement does for search alone; the rest is the statement of a store without search.
_POSTED = re.compile(r"^posting AS \(.*?^\),\n", re.DOTALL | re.MULTILINE)
_WORDS = re.compile(r"^words AS \(.*?^\),\n^size AS .*?\n", re.DOTALL | re.MULTILINE)
_COUNTED = re.compile(r", text_records = .*?size\.len\n    FROM ok, size\n", re.DOTALL)


@functools.cache
def _unposted() -> str:
    bare = publish.PUBLISH
    for part, instead in ((_POSTED, ""), (_WORDS, ""), (_COUNTED, "\n    FROM ok\n")):
        bare, found = part.subn(instead, bare)
        if found != 1:
            raise AssertionError("publish.sql has another form than this bench knows")
    return bare


def write(parameters: dict[str, Any]) -> None:
    """Write as the publish service would if there were no search by words."""
    with connection.cursor() as cursor:
        cursor.execute(_unposted(), parameters)
        _, _, _, seq, _ = cursor.fetchone()
    if seq is None:
        raise AssertionError("the statement stored nothing")
