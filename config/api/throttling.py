"""Limits of REST calls: by token or person, and kind of call (SPEC E5)."""

from typing import TYPE_CHECKING

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from memory.policies.ownership import TokenActor, UserActor
from memory.policies.rates import kind_of_call
from memory.services.rates import admit

if TYPE_CHECKING:
    # Which imports this module when its classes are made.
    from rest_framework.views import APIView

READING = {"GET", "HEAD", "OPTIONS"}


class RateThrottle(BaseThrottle):
    """Lets a known caller in, or raises RateLimited. Who is not known has nothing to be limited in.

    A view may name the kind of a method in `rate_kinds`; else reading is `read`, or `search` where
    words are asked for, and everything else `write`.
    """

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call."""
        caller = request.user
        if isinstance(caller, TokenActor | UserActor):
            admit(actor=caller, kind=kind_of(request, view), now=timezone.now())
        return True


def kind_of(request: Request, view: "APIView") -> str:
    """Return what kind of call a request is."""
    named: str | None = getattr(view, "rate_kinds", {}).get(request.method)
    if named is not None:
        return named
    return kind_of_call(changes=request.method not in READING, asked=request.query_params)
