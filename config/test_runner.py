"""`manage.py test`: the same suite, run by pytest, for those who type what Django taught them."""

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from config.settings.environment import ROOT


class PytestRunner:
    """Django's test runner interface over pytest; paths and pytest node ids are its labels."""

    def __init__(self, *, verbosity: int = 1, failfast: bool = False, **options: Any) -> None:
        self.verbosity = verbosity
        self.failfast = failfast
        self.keyword: str | None = options.get("keyword")
        self.marker: str | None = options.get("marker")
        self.processes: str | None = options.get("processes")

    @classmethod
    def add_arguments(cls, parser: ArgumentParser) -> None:
        """Take pytest's own choices beside Django's `--failfast` and `--verbosity`."""
        parser.add_argument("-k", dest="keyword", help="Only tests that match, as in pytest.")
        parser.add_argument("-m", dest="marker", help="Only tests of these marks, as in pytest.")
        parser.add_argument("-n", dest="processes", help="How many processes, as in pytest-xdist.")

    def run_tests(self, test_labels: Sequence[str], **options: Any) -> int:
        """Run the tests and return 1 when something failed, 0 when all is well.

        In a process of its own: this one has set Django up already, with a database that is not
        the tests'.
        """
        del options
        command = [sys.executable, "-m", "pytest", *self.arguments(), *test_labels]
        return int(subprocess.run(command, cwd=ROOT, check=False).returncode != 0)  # noqa: S603 - built here

    def arguments(self) -> list[str]:
        """Return the choices in pytest's words."""
        given = [("-k", self.keyword), ("-m", self.marker), ("-n", self.processes)]
        found = [word for flag, value in given if value is not None for word in (flag, value)]
        if self.failfast:
            found.append("--exitfirst")
        if self.verbosity > 1:
            found.append("-" + "v" * (self.verbosity - 1))
        return found + (["--quiet"] if self.verbosity == 0 else [])
