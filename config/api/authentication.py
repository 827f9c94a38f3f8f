"""Who is calling over HTTP: a bearer, or a person with a browser session."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from memory.errors import InvalidToken
from memory.policies.ownership import Actor, TokenActor, UserActor
from memory.services.tokens import authenticate


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>.<secret>`."""

    def authenticate(self, request: Request) -> tuple[Actor, TokenActor] | None:
        """Return the bearer, or None without such a header (InvalidToken, RunFinished)."""
        scheme, _, clear = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        if not clear.strip():
            raise InvalidToken("the Authorization header holds no token")
        actor = authenticate(clear.strip(), now=timezone.now())
        return actor, actor

    def authenticate_header(self, request: Request) -> str:
        """Return what a 401 says in WWW-Authenticate."""
        del request
        return 'Bearer realm="tidebook"'


class BrowserAuthentication(SessionAuthentication):
    """A logged-in person; writes need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[Actor, None] | None:
        """Return the person, or None without a session (PermissionDenied: CSRF)."""
        found = super().authenticate(request)
        if found is None:
            return None
        user = found[0]
        return UserActor(user_id=user.pk, is_staff=user.is_staff), None
