"""Filters of the record list (SPEC E6). They apply before pagination."""

from typing import Any

import django_filters
from django.core.validators import RegexValidator
from django.db.models import Exists, OuterRef, QuerySet

from memory.models import Record, RecordTarget
from memory.policies.vocabulary import SCOPES, TYPE_PATTERN


class RecordFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped base
    """By type, scope and instrument."""

    type = django_filters.CharFilter(
        max_length=64, strip=False, validators=[RegexValidator(TYPE_PATTERN.replace("$", r"\Z"))]
    )
    scope = django_filters.ChoiceFilter(choices=[(scope, scope) for scope in SCOPES])
    instrument = django_filters.CharFilter(method="by_instrument", max_length=64, strip=False)

    class Meta:
        model = Record
        fields: list[str] = []

    def by_instrument(self, queryset: QuerySet[Record], name: str, value: str) -> QuerySet[Record]:
        """Keep the records that target the instrument."""
        del name
        targets = RecordTarget.objects.filter(
            agent_id=OuterRef("agent_id"), record_id=OuterRef("id"), instrument_id=value
        )
        return queryset.filter(Exists(targets))

    @property
    def errors(self) -> dict[str, Any]:
        """Return what is wrong, by parameter."""
        return dict(super().errors)
