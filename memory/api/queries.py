"""Query parameters: read by a schema, and described to the API's document by the same."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from memory.schemas.parsing import Body, read

PAGING = {"limit", "cursor"}
"""Parameters of every list, which its pages read."""
NOT_TOLD = {"title", "default", "description"}


def asked[Query: Body](request: Request, schema: type[Query]) -> Query:
    """Return a list's filters (ValidationFailed: unknown, malformed, or given twice)."""
    return read(schema, request.query_params, elsewhere=PAGING)


def described(schema: type[Body]) -> list[OpenApiParameter]:
    """Return the parameters that a schema takes, as the API's document names them."""
    properties: dict[str, dict[str, Any]] = schema.model_json_schema()["properties"]
    return [
        OpenApiParameter(name, _plain(said), description=said.get("description", ""))
        for name, said in properties.items()
    ]


def _plain(said: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that is given; null is said by leaving it out."""
    [given] = [one for one in said.get("anyOf", [said]) if one.get("type") != "null"]
    return {key: value for key, value in given.items() if key not in NOT_TOLD}
