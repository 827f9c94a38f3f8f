"""JSON out, whatever the Accept header says: there is nothing else to choose from."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import to_json
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JsonRenderer(BaseRenderer):
    """Renders pydantic models and plain values as JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the body; none for an answer without content."""
        del accepted_media_type, renderer_context
        return b"" if data is None else to_json(data)


class OnlyJson(BaseContentNegotiation):
    """Picks the parser by content type and always the first renderer."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Return the parser of the request's content type; None makes it a 415."""
        wanted = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == wanted), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the JSON renderer."""
        del request, format_suffix
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)
