"""Settings of a desk's own machine: `make demo`, `make run` and every `manage.py` command."""

from config.settings.base import *  # noqa: F403
from config.settings.secrets import kept_key

SECRET_KEY = kept_key()
