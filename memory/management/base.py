"""What commands share: one clock reading, and refusals as readable errors."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import TidebookError


class TidebookCommand(BaseCommand):
    """A command that ends in one readable line when the store refuses."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; a refusal is a CommandError that ends with its code."""
        try:
            return super().execute(*args, **options)
        except TidebookError as error:
            raise CommandError(f"{error.message} ({error.code})") from error
