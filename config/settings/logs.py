"""Logs: console lines in development, JSON lines where LOG_JSON is set.

Every line carries the request id that error answers show (SPEC R9, E2).
"""

import logging.config
import sys
from collections.abc import MutableMapping
from typing import Any

import psycopg
import structlog
from django.db import Error

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def first_lines(
    logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Keep what went wrong of a database error, not its DETAIL: that quotes whole rows."""
    del logger, method
    found = event.get("exc_info")
    error = found[1] if isinstance(found, tuple) else sys.exception() if found is True else found
    seen: set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, psycopg.Error | Error) and error.args:
            error.args = (str(error.args[0]).partition("\n")[0], *error.args[1:])
        error = error.__cause__ or error.__context__
    return event


def configure_logs(*, level: str, json: bool) -> None:
    """Send structlog's and the standard library's lines to stderr in one format.

    Tracebacks never show local variables: they hold secrets and what memories say.
    """
    final: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, first_lines]
    if json:
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        final += [
            structlog.processors.ExceptionRenderer(tracebacks),
            structlog.processors.JSONRenderer(),
        ]
    else:
        final.append(
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            )
        )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "line": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": SHARED,
                    "processors": final,
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                "uvicorn.access": {"level": "WARNING"},
                "httpx": {"level": "WARNING"},
                "httpx2": {"level": "WARNING"},
                "axes": {"level": "WARNING"},
            },
        }
    )
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
