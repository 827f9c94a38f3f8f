"""From typed errors to HTTP: one table, one shape (SPEC E2, R9)."""

from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils import timezone
from django.views.defaults import bad_request, page_not_found, permission_denied
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from memory import errors
from memory.services.faults import note_write_fault

log = structlog.get_logger(__name__)

STATUS: dict[type[errors.TidebookError], HTTPStatus] = {
    errors.BadRequest: HTTPStatus.BAD_REQUEST,
    errors.NotAuthenticated: HTTPStatus.UNAUTHORIZED,
    errors.NotThisRole: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.PreconditionFailed: HTTPStatus.PRECONDITION_FAILED,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.Refused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RateLimited: HTTPStatus.TOO_MANY_REQUESTS,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}

FRAMEWORK: dict[type[exceptions.APIException], tuple[str, str]] = {
    exceptions.NotAuthenticated: ("not_authenticated", "send Authorization: Bearer <key>.<secret>"),
    exceptions.AuthenticationFailed: ("invalid_token", "the credentials are not valid"),
    exceptions.UnsupportedMediaType: ("unsupported_media_type", "send application/json"),
    exceptions.ParseError: ("invalid", "the request cannot be read"),
}

GENERIC = {"error": "the server could not do this", "code": "server_error"}
READING = {"GET", "HEAD", "OPTIONS"}
CHALLENGE = 'Bearer realm="tidebook"'


def status_of(error: errors.TidebookError) -> HTTPStatus:
    """Return the status of an error's family."""
    for family in type(error).__mro__:
        if family in STATUS:
            return STATUS[family]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def handle(error: Exception, context: dict[str, Any]) -> Response:
    """Answer any exception of a view; what nobody anticipated is a 500 that says nothing."""
    set_rollback()
    if isinstance(error, Http404):
        error = errors.NotFound("there is no such thing here")
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error))
    if isinstance(error, errors.TidebookError) and status_of(error) < HTTPStatus(500):
        return _anticipated(error)
    if isinstance(error, errors.Unavailable):
        return _anticipated(error)
    if isinstance(error, exceptions.MethodNotAllowed):
        return _wrong_method(context["view"].allowed_methods)
    if isinstance(error, exceptions.APIException):
        return _framework(error)
    request: HttpRequest = context["request"]._request  # noqa: SLF001 - the id lives there
    return _unexpected(error, request)


def _anticipated(error: errors.TidebookError) -> Response:
    status = status_of(error)
    body: dict[str, Any] = {"error": error.message, "code": error.code, **error.fields}
    if isinstance(error, errors.ValidationFailed):
        body["fields"] = error.errors
    headers = {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = CHALLENGE
    if isinstance(error, errors.RateLimited):
        headers["Retry-After"] = str(error.retry_after)
    return Response(body, status=status, headers=headers or None)


def _framework(error: exceptions.APIException) -> Response:
    code, message = FRAMEWORK.get(type(error), ("forbidden", str(error.detail)))
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    return Response(
        {"error": message, "code": code}, status=error.status_code, headers=headers or None
    )


def _wrong_method(methods: list[str]) -> Response:
    # DRF adds the Allow header, in which HEAD comes with GET, and OPTIONS with all.
    allowed = [method for method in methods if method not in {"HEAD", "OPTIONS"}]
    message = f"this route takes {', '.join(allowed)}"
    body = {"error": message, "code": "method_not_allowed", "allowed": allowed}
    return Response(body, status=HTTPStatus.METHOD_NOT_ALLOWED)


def _unexpected(error: Exception, request: HttpRequest) -> Response:
    log.error("unexpected_error", path=request.path, exc_info=error)
    if request.method not in READING:
        note_write_fault(now=timezone.now())
    return Response({**GENERIC, "request_id": request.id}, status=500)  # type: ignore[attr-defined]  # RequestIdMiddleware


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(("/api/", "/health/", "/metrics"))


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django found suspicious before any view."""
    if _is_api(request):
        return JsonResponse({"error": "the request is malformed", "code": "invalid"}, status=400)
    return bad_request(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what was denied before any view."""
    if _is_api(request):
        return JsonResponse({"error": "not allowed", "code": "forbidden"}, status=403)
    return permission_denied(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a path that no route has."""
    if _is_api(request):
        body = {"error": "there is no such route or thing", "code": "not_found"}
        return JsonResponse(body, status=404)
    return page_not_found(request, exception)


def handler500(request: HttpRequest) -> HttpResponse:
    """Answer an error outside any view (the traceback is in the log, with the request id)."""
    known_as = getattr(request, "id", None)
    if request.method not in READING:
        # Django may call this in a thread whose connection nobody would close.
        note_write_fault(now=timezone.now(), store=False)
    if _is_api(request):
        return JsonResponse({**GENERIC, "request_id": known_as}, status=500)
    # Without the request: context processors would ask for the user, of a database that may be
    # what is at fault.
    page = loader.get_template("500.html").render({"request_id": known_as})
    return HttpResponse(page, status=500)
