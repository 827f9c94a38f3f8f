"""Filters of the session list (SPEC E3). They apply before pagination."""

from typing import Any

import django_filters
from django.db.models import QuerySet

from autopilot.models import Session
from autopilot.models.sessions import SESSION_STATUSES


class SessionFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped base
    """By status and instrument. `agent` says whose list it is, and is resolved before."""

    agent = django_filters.CharFilter(method="is_resolved", strip=False)
    status = django_filters.ChoiceFilter(choices=[(status, status) for status in SESSION_STATUSES])
    symbol = django_filters.CharFilter(field_name="symbol_id", max_length=64, strip=False)

    class Meta:
        model = Session
        fields: list[str] = []

    def is_resolved(self, queryset: QuerySet[Session], name: str, value: str) -> QuerySet[Session]:
        """Leave the rows: they are that agent's."""
        del name, value
        return queryset

    @property
    def errors(self) -> dict[str, Any]:
        """Return what is wrong, by parameter."""
        return dict(super().errors)
