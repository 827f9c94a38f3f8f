"""Django's entry for the store."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """The store: records with provenance and expiry, owned by agents."""

    name = "memory"
    verbose_name = "Memory"
