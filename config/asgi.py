"""The web process: `uvicorn config.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

os.environ["TIDEBOOK_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

application = get_asgi_application()
