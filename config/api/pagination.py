"""Keyset pages, newest first: flat at any depth, and stable while rows arrive (SPEC E3)."""

import base64
import binascii
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import F, Model, QuerySet
from django.db.models.fields.tuple_lookups import TupleGreaterThan, TupleLessThan
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.errors import ValidationFailed
from memory.policies.text import whole_number

BAD_CURSOR = "is not a cursor of this list with these filters; start again without it"
TAG_BYTES = 12


class KeysetPagination(BasePagination):
    """Pages of a queryset by `(created_at, id)`, `limit` rows each.

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

    def _rows(
        self, queryset: QuerySet[Any], *, place: tuple[datetime, UUID] | None, backwards: bool
    ) -> list[Any]:
        key = (F("created_at"), F("id"))
        if place is not None:
            comparison = TupleGreaterThan if backwards else TupleLessThan
            queryset = queryset.filter(comparison(key, place))
        order = ("created_at", "id") if backwards else ("-created_at", "-id")
        return list(queryset.order_by(*order)[: self.limit + 1])

    def _place(self) -> tuple[str, tuple[datetime, UUID] | None]:
        cursor = self.request.query_params.get("cursor")
        if cursor is None:
            return "n", None
        try:
            raw = base64.urlsafe_b64decode(cursor.encode("ascii"))
            tag, payload = raw[:TAG_BYTES], raw[TAG_BYTES:]
            if not hmac.compare_digest(tag, self._tag(payload)):
                raise ValueError
            direction, moment, row_id = json.loads(payload)
            return direction, (datetime.fromisoformat(moment), UUID(row_id))
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

    def _link(self, direction: str, row: Model) -> str:
        place = [direction, row.created_at.isoformat(), str(row.pk)]  # type: ignore[attr-defined]  # every listed model has it
        payload = json.dumps(place).encode()
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
