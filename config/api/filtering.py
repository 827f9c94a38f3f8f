"""Filters of lists: django-filter's, and strict about what is asked (SPEC E3)."""

from typing import Any

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from memory.errors import ValidationFailed

PAGING = {"limit", "cursor"}


class StrictFilterBackend(DjangoFilterBackend):  # type: ignore[misc]  # untyped base
    """Refuses an unknown filter or a malformed value: it would otherwise show everything."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        """Return the filtered rows (ValidationFailed: naming the parameter)."""
        filterset = self.get_filterset(request, queryset, view)
        known = set(filterset.filters) if filterset else set()
        refuse_unknown(request, known=known | PAGING)
        refuse_empty(request)
        if filterset is None:
            return queryset
        if not filterset.is_valid():
            raise ValidationFailed(
                {
                    name: [str(problem) for problem in found]
                    for name, found in filterset.errors.items()
                }
            )
        return filterset.qs  # type: ignore[no-any-return]  # django-filter is untyped


def refuse_empty(request: Request) -> None:
    """Refuse parameters without a value: the filter would be left out in silence."""
    for name, values in request.query_params.lists():
        if "" in values:
            raise ValidationFailed({name: ["is empty; leave it out to see everything"]})


def refuse_unknown(request: Request, *, known: set[str]) -> None:
    """Refuse query parameters outside `known`, and any given twice (ValidationFailed)."""
    for name, values in request.query_params.lists():
        if name not in known:
            takes = f"it takes: {', '.join(sorted(known))}" if known else "it takes none"
            raise ValidationFailed({name: [f"is no parameter of this route; {takes}"]})
        if len(values) > 1:
            raise ValidationFailed({name: ["is given more than once"]})
