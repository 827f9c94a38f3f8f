"""`manage.py env_example`: every variable of the environment, as `.env.example` lists them."""

from textwrap import wrap
from typing import Any

from django.core.management.base import BaseCommand
from pydantic import SecretStr

from config.settings.environment import Settings

WIDTH = 96
HEAD = """\
# Tidebook's settings: copy to .env and remove the # of what you change. Variables of the
# environment win over this file. Written by `python manage.py env_example > .env.example`.
"""


def example() -> str:
    """Return the text of `.env.example`: description and default of each variable."""
    parts = [HEAD]
    for name, field in Settings.model_fields.items():
        lines = wrap(field.description or "", WIDTH)
        parts.append("".join(f"# {line}\n" for line in lines) + f"#{name.upper()}={_text(field)}\n")
    return "\n".join(parts)


def _text(field: Any) -> str:
    default = field.default
    if isinstance(default, SecretStr):
        default = default.get_secret_value()
    if default is None:
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


class Command(BaseCommand):
    """Prints an example of the environment."""

    help = "Print every variable of the environment with its description and default."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        del args, options
        self.stdout.write(example(), ending="")
