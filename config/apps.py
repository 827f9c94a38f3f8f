"""Django's entry for the composition root, an app for the sake of its commands."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class ConfigConfig(AppConfig):
    """Registers the project's own commands."""

    default = True
    name = "config"
    verbose_name = "Tidebook"

    def ready(self) -> None:
        """Register the system checks."""
        from config import checks  # noqa: F401, PLC0415 - it registers what it defines


class StaffAdminConfig(admin_apps.AdminConfig):
    """Django's admin with our site as the one that models register with."""

    default = False
    default_site = "config.admin.StaffSite"
