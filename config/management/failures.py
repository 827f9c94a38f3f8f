"""What keeps a command from starting, told in one line in place of a traceback."""

from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedTable
from pydantic import ValidationError

from config.embedded import EmbeddedError
from config.settings.database import databases
from config.settings.environment import load


def explain(error: Exception) -> str | None:
    """Return a line for the person at the terminal, None for what needs its traceback."""
    if isinstance(error, ValidationError) and error.title == "Settings":
        # Without the values: any of them may be a secret.
        wrong = [
            f"{problem['loc'][0]!s}".upper() + f": {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors(include_url=False, include_input=False)
        ]
        return f"the environment is not right: {'; '.join(wrong)}"
    if isinstance(error, OperationalError):
        return _unreachable(str(error).partition("\n")[0])
    if isinstance(error, ProgrammingError) and isinstance(error.__cause__, UndefinedTable):
        return "the database is not migrated: run manage.py migrate (make setup does)"
    if isinstance(error, ImproperlyConfigured | EmbeddedError):
        return str(error)
    return None


def _unreachable(reason: str) -> str:
    place = databases()["default"]
    named = "DATABASE_URL" if load().database_url.get_secret_value() else "the embedded server"
    return f"the database of {named} at {place['HOST']}:{place['PORT']} failed: {reason}"
