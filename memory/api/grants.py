"""Routes of grants: which agents of the same owner an agent may read (SPEC M10)."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import asked
from memory.api.setup import NoFilter
from memory.errors import NotFound
from memory.models import Grant
from memory.policies.ownership import as_actor
from memory.schemas.grants import GrantDraft, GrantOut
from memory.selectors import grants
from memory.services import grants as granting


class Grants(GenericAPIView[Grant]):
    """Which agents an agent may read: list them, or add one."""

    queryset = Grant.objects.none()
    filter_backends = ()
    ordered_by = ("-granted_at", "-id")

    @extend_schema(operation_id="list_grants", responses={200: GrantOut})
    def get(self, request: Request, agent: UUID) -> Response:
        """List the grants that the agent reads by, the last given first, with those revoked."""
        reader = grants.access_grants(as_actor(request.user), agent)
        asked(request, NoFilter)
        page = self.paginate_queryset(grants.grants_of(reader.id)) or []
        return self.get_paginated_response([grants.grant_answer(one) for one in page])

    @extend_schema(
        operation_id="grant_reading",
        request=GrantDraft,
        responses={200: GrantOut, 201: GrantOut},
        examples=[
            OpenApiExample(
                "Read another agent of yours",
                value={"source": "0192f0c8-0000-7000-8000-000000000001"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, agent: UUID) -> Response:
        """Let the agent read the live rules and insights of another of its owner, from now on.

        Search and the researcher alone read them. One that is granted already stays as it is.
        """
        now = timezone.now()
        reader, person = grants.access_reader(as_actor(request.user), agent)
        draft = GrantDraft.parse(request.data)
        source = grants.access_source(person, draft.source)
        given, is_new = granting.grant(reader=reader, source=source, by_id=person.user_id, now=now)
        return Response(grants.grant_answer(given), status=201 if is_new else 200)


class OneGrant(APIView):
    """One grant."""

    @extend_schema(operation_id="revoke_grant", responses={204: None})
    def delete(self, request: Request, agent: UUID, grant: UUID) -> Response:
        """Revoke a grant: from now on nothing of the other agent is read."""
        now = timezone.now()
        reader, person = grants.access_reader(as_actor(request.user), agent)
        found = grants.access_grant(reader, grant)
        if not granting.revoke(grant=found, by_id=person.user_id, now=now):
            raise NotFound("this grant is revoked already")
        return Response(status=204)
