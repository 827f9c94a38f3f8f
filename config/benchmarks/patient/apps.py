"""Registers the provider in processes that run under `config.settings.bench`."""

import os
import time

from django.apps import AppConfig
from pydantic import BaseModel

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Answer, Ask

SECONDS = "TIDEBOOK_BENCH_MODEL_SECONDS"
"""Environment variable: how long an answer takes. It is between a bench and its processes."""


class PatientProvider(OfflineProvider):
    """Waits before each answer, as for a model that is far away."""

    def __init__(self, *, seconds: float) -> None:
        self.seconds = seconds

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        """Answer late."""
        if self.seconds:
            time.sleep(self.seconds)
        return super().ask(ask)


class PatientConfig(AppConfig):
    """Makes the provider known by the name that the settings choose."""

    name = "config.benchmarks.patient"
    label = "patient"

    def ready(self) -> None:
        """Add it to the providers."""
        from autopilot.llm.providers import PROVIDERS  # noqa: PLC0415 - apps are not ready before

        seconds = float(os.environ.get(SECONDS, "0"))
        PROVIDERS["patient"] = lambda: PatientProvider(seconds=seconds)
