"""`manage.py revoke_token`: refuse a token from now on."""

import json
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from memory.management.base import TidebookCommand
from memory.services.onboarding import find_token
from memory.services.tokens import revoke_token


class Command(TidebookCommand):
    """Revoke a token by the public part of it."""

    help = "Revoke a token. A token revoked before stays so."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the key."""
        parser.add_argument("key", help="What stands before the dot of the token.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Revoke it."""
        del args
        token = find_token(options["key"])
        revoked = revoke_token(token=token, now=timezone.now())
        if options["json"]:
            self.stdout.write(json.dumps({"key": token.key, "revoked": revoked}))
        else:
            state = "is revoked" if revoked else "was revoked before"
            self.stdout.write(f"Token {token.key} {state}.")
