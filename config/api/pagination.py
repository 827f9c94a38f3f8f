"""Keyset pages: flat at any depth, and stable while rows arrive (SPEC E3)."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet
from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.errors import ValidationFailed
from memory.policies.text import whole_number

BAD_CURSOR = "is not a cursor of this list with these filters; start again without it"
TAG_BYTES = 12


NEWEST_FIRST = ("-created_at", "-id")

type Place = tuple[Any, ...]


class Paged(Protocol):
    """A list that no queryset can say, and that finds its own rows."""

    def rows(self, *, place: Place | None, backwards: bool, count: int) -> list[Any]:
        """Return the first rows after a place; backwards, the first before it, nearest first."""
        ...


class KeysetPagination(BasePagination):
    """Pages of a queryset or a `Paged`, `limit` rows each.

    They are ordered by `(created_at, id)`, newest first, or as the view says in `ordered_by`: by
    columns that are unique together, all one way, under which each row has its place.

    A cursor holds the last row's place and a keyed digest over it, the path and the filters: a
    cursor of another list, another agent or other filters is a 400. A view whose path names no
    agent says in `listed_for` whose list it is.
    """

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        """Return one page (ValidationFailed: limit or cursor)."""
        self.request = request
        self.listed_for = str(getattr(view, "listed_for", ""))
        self.order: Sequence[str] = getattr(view, "ordered_by", NEWEST_FIRST)
        self.limit = self._limit()
        direction, place = self._place()
        backwards = direction == "p"
        rows = self._rows(queryset, place=place, backwards=backwards)
        more = len(rows) > self.limit
        rows = rows[: self.limit]
        if backwards:
            rows.reverse()
        # The page that the cursor came from lies on the other side.
        self.has_next = more if not backwards else True
        self.has_previous = place is not None if not backwards else more
        self.rows = rows
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        """Wrap a page's items."""
        return Response(
            {
                "next": self._link("n", self.rows[-1]) if self.rows and self.has_next else None,
                "previous": (
                    self._link("p", self.rows[0]) if self.rows and self.has_previous else None
                ),
                "results": data,
            }
        )

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Describe a page for the API's schema."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": link, "previous": link, "results": schema},
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Describe the parameters for the API's schema."""
        del view
        limit = {"type": "integer", "minimum": 1, "maximum": settings.PAGE_SIZE_MAX}
        return [
            {"name": "limit", "in": "query", "schema": {**limit, "default": settings.PAGE_SIZE}},
            {"name": "cursor", "in": "query", "schema": {"type": "string"}},
        ]

    def _limit(self) -> int:
        text = self.request.query_params.get("limit", str(settings.PAGE_SIZE))
        highest = settings.PAGE_SIZE_MAX
        limit = whole_number(text)
        if limit is None or not 1 <= limit <= highest:
            raise ValidationFailed({"limit": [f"must be a whole number from 1 to {highest}"]})
        return limit

    def _rows(self, listed: Any, *, place: Place | None, backwards: bool) -> list[Any]:
        count = self.limit + 1
        if not isinstance(listed, QuerySet):
            found: list[Any] = listed.rows(place=place, backwards=backwards, count=count)
            return found
        descends = self.order[0].startswith("-") != backwards
        if place is not None:
            comparison = TupleLessThan if descends else TupleGreaterThan
            listed = listed.filter(comparison(tuple(F(name) for name in self._names()), place))
        order = [f"-{name}" if descends else name for name in self._names()]
        return list(listed.order_by(*order)[:count])

    def _names(self) -> list[str]:
        return [name.removeprefix("-") for name in self.order]

    def _place(self) -> tuple[str, Place | None]:
        cursor = self.request.query_params.get("cursor")
        if cursor is None:
            return "n", None
        try:
            raw = base64.urlsafe_b64decode(cursor.encode("ascii"))
            tag, payload = raw[:TAG_BYTES], raw[TAG_BYTES:]
            if not hmac.compare_digest(tag, self._tag(payload)):
                raise ValueError
            direction, *place = json.loads(payload)
            return direction, tuple(_read(one) for one in place)
        except (ValueError, binascii.Error) as error:
            raise ValidationFailed({"cursor": [BAD_CURSOR]}) from error

    def _tag(self, payload: bytes) -> bytes:
        filters = sorted(
            (key, value)
            for key, values in self.request.query_params.lists()
            for value in values
            if key not in {"cursor", "limit"}
        )
        scope = json.dumps([self.request.path, self.listed_for, filters]).encode() + b"\0" + payload
        key = settings.SECRET_KEY.encode()
        return hmac.new(key, scope, hashlib.sha256).digest()[:TAG_BYTES]

    def _link(self, direction: str, row: Any) -> str:
        place = [_written(getattr(row, name)) for name in self._names()]
        payload = json.dumps([direction, *place]).encode()
        cursor = base64.urlsafe_b64encode(self._tag(payload) + payload).decode()
        query = [
            (key, value)
            for key, values in self.request.query_params.lists()
            for value in values
            if key != "cursor"
        ]
        return self.request.build_absolute_uri(
            f"{self.request.path}?{urlencode([*query, ('cursor', cursor)])}"
        )


def _written(value: datetime | UUID | str) -> list[str]:
    if isinstance(value, datetime):
        return ["time", value.isoformat()]
    return ["id" if isinstance(value, UUID) else "text", str(value)]


def _read(written: list[str]) -> datetime | UUID | str:
    kind, text = written
    if kind == "time":
        return datetime.fromisoformat(text)
    return UUID(text) if kind == "id" else text
