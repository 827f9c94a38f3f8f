"""Registers the provider in processes that run under `config.settings.bench`."""

import os
import time
from pathlib import Path

from django.apps import AppConfig
from pydantic import BaseModel

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Answer, Ask

FILE = "TIDEBOOK_BENCH_PATIENCE"
"""Environment variable, between a bench and its processes: a file with seconds in it, which are
how long an answer takes."""


class PatientProvider(OfflineProvider):
    """Waits before each answer, as for a model that is far away."""

    def __init__(self, *, seconds: float) -> None:
        self.seconds = seconds

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        """Answer late."""
        time.sleep(self.seconds)
        return super().ask(ask)


def provider() -> PatientProvider:
    """Return a provider that is as patient as the file says now."""
    return PatientProvider(seconds=float(Path(os.environ[FILE]).read_text(encoding="ascii")))


class PatientConfig(AppConfig):
    """Makes the provider known by the name that the settings choose."""

    name = "config.benchmarks.patient"
    label = "patient"

    def ready(self) -> None:
        """Add it to the providers."""
        from autopilot.llm.providers import PROVIDERS  # noqa: PLC0415 - apps are not ready before

        PROVIDERS["patient"] = provider
