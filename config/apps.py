"""Django's entry for the composition root, an app for the sake of its commands."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers the project's own commands."""

    name = "config"
    verbose_name = "Tidebook"
