"""Whether the process is alive, and whether it can do its work: no more than that (SPEC E6, J4)."""

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from drf_spectacular.utils import extend_schema
from pydantic import BaseModel
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class LiveOut(BaseModel):
    """The process answers."""

    status: str


class ReadyOut(BaseModel):
    """Each check by name: `ok`, or what is wrong."""

    status: str
    checks: dict[str, str]


class Live(APIView):
    """The process itself; touches nothing."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="health_live", responses={200: LiveOut})
    def get(self, request: Request) -> Response:
        """Answer."""
        del request
        return Response(LiveOut(status="ok"))


class Ready(APIView):
    """The database and its migrations."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @extend_schema(operation_id="health_ready", responses={200: ReadyOut, 503: ReadyOut})
    def get(self, request: Request) -> Response:
        """Answer 503 when one of them is not as the code needs it."""
        del request
        checks = {"database": database(), "migrations": migrations()}
        ready = all(result == "ok" for result in checks.values())
        answer = ReadyOut(status="ok" if ready else "unready", checks=checks)
        return Response(answer, status=200 if ready else 503)


def database() -> str:
    """Tell whether a statement comes back."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return "does not answer"
    return "ok"


def migrations() -> str:
    """Tell whether every migration is applied."""
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return "cannot be read"
    return f"{len(pending)} not applied" if pending else "ok"
