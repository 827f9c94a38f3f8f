"""What commands share: one clock reading, and refusals as readable errors."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import TidebookError


class TidebookCommand(BaseCommand):
    """A command that ends in one readable sentence when the store refuses."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; a refusal is a CommandError."""
        try:
            return super().execute(*args, **options)
        except TidebookError as error:
            raise CommandError(error.message) from error
