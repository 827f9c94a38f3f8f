"""Django's entry for this app."""

from django.apps import AppConfig


class TradingConfig(AppConfig):
    """Registers the app."""

    name = "trading"
    verbose_name = "Trading"
