"""`manage.py worker`: the queue's workers, and the watchdog that starts them anew."""

import sys
from argparse import SUPPRESS, ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Work off the queue until it is told to stop (SIGTERM or Ctrl-C)."""

    help = (
        "Work off the queue. The workers are restarted when they make no progress; after too many "
        "restarts within ten minutes the command ends with status 1."
    )
    requires_system_checks = ["queue"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what the watchdog says to the cluster that it starts."""
        parser.add_argument("--cluster", type=UUID, help=SUPPRESS)
        parser.add_argument("--leash", type=int, help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        """Watch a cluster, or be its first process."""
        del args
        if options["cluster"] is not None:
            from config.supervisor import cluster  # noqa: PLC0415 - connects django-q2's signals

            sys.exit(cluster.run(options["cluster"], leash=options["leash"]))
        from config.supervisor.watchdog import Limits, Watchdog  # noqa: PLC0415 - one of the two

        limits = Limits(
            stall=settings.QUEUE_STALL_SECONDS,
            stop=settings.QUEUE_STOP_SECONDS,
            restarts=settings.QUEUE_RESTARTS,
        )
        sys.exit(Watchdog(limits).run())
