"""Settings of the workers that `manage.py bench session` starts: a model that takes its time."""

from config.settings.base import *  # noqa: F403
from config.settings.secrets import required_key

SECRET_KEY = required_key()  # the bench's own: its queue rows are signed with it
INSTALLED_APPS = [*INSTALLED_APPS, "config.benchmarks.patient.apps.PatientConfig"]
AI_PROVIDER = "patient"  # type: ignore[assignment]  # the environment cannot name it
