"""`manage.py issue_token`: a bearer token for a producer."""

import json
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from memory.management.base import TidebookCommand
from memory.services.onboarding import find_agent, find_producer, issue_for


class Command(TidebookCommand):
    """Issue a token and show it, this once."""

    help = "Issue a token for a producer of an agent. Its secret is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose token it is and how long it is good."""
        parser.add_argument("--agent", required=True, metavar="NAME_OR_ID")
        parser.add_argument("--producer", required=True, metavar="NAME_OR_ID")
        parser.add_argument("--days", type=int, help="How long it is good. Without: until revoked.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Issue it."""
        del args
        agent = find_agent(options["agent"])
        producer = find_producer(agent, options["producer"])
        token, clear = issue_for(
            agent=agent, producer=producer, days=options["days"], now=timezone.now()
        )
        until = None if token.expires_at is None else token.expires_at.isoformat()
        if options["json"]:
            report = {
                "token": clear,
                "key": token.key,
                "agent": str(agent.id),
                "producer": str(producer.id),
                "role": producer.role,
                "expires_at": until,
            }
            self.stdout.write(json.dumps(report))
            return
        self.stdout.write(clear)
        self.stderr.write(
            f"For {producer.name} ({producer.role}) of {agent.name}, "
            f"{f'until {until}' if until else 'until revoked'}. It is not shown again; "
            f"`revoke_token {token.key}` ends it."
        )
