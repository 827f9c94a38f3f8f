"""JSON in: bounded in size, and nothing that is not JSON (SPEC R10)."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from memory.errors import BadRequest, TooLarge


class StrictJsonParser(BaseParser):
    """Parses `application/json` in UTF-8; refuses NaN, Infinity and bottomless nesting."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body's value (TooLarge, BadRequest)."""
        del media_type, parser_context
        limit = settings.MAX_REQUEST_BYTES
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise TooLarge(f"the request is larger than {limit} bytes", limit_bytes=limit)
        try:
            return json.loads(raw.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_once)
        except RecursionError as error:
            raise BadRequest("the body is nested too deep to be read") from error
        except UnicodeDecodeError as error:
            raise BadRequest("the body is not UTF-8 text") from error
        except (json.JSONDecodeError, _NotJsonError) as error:
            raise BadRequest(f"the body is not JSON: {error}") from error
        except ValueError as error:
            # What Python says of it is a setting of Python's.
            raise BadRequest("the body holds a whole number of too many digits") from error


class _NotJsonError(ValueError):
    """What Python would read, and JSON is not."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _NotJsonError(f"the key {twice[:64]!r} is given twice")
    return found


def _refuse(name: str) -> NoReturn:
    raise _NotJsonError(f"{name} is not JSON")
