"""Django's entry for this app."""

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Registers the app."""

    name = "review"
    verbose_name = "Review"
