"""Django's entry for this app."""

from django.apps import AppConfig


class AutopilotConfig(AppConfig):
    """Registers the app."""

    name = "autopilot"
    verbose_name = "Autopilot"
