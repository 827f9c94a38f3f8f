"""Which provider this installation uses (SPEC L1)."""

from collections.abc import Callable

from django.conf import settings

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Provider

PROVIDERS: dict[str, Callable[[], Provider]] = {"offline": OfflineProvider}


def provider_for_settings() -> Provider:
    """Return the provider that AI_PROVIDER names; the settings refuse unknown names."""
    return PROVIDERS[settings.AI_PROVIDER]()
