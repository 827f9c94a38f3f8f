"""The web process: `uvicorn config.asgi:application`."""

import os
import warnings

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.body import limited

os.environ["TIDEBOOK_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

# WhiteNoise reads files synchronously, one chunk after another: under ASGI Django says so of each.
warnings.filterwarnings("ignore", r"StreamingHttpResponse must consume synchronous iterators")

application = limited(get_asgi_application(), limit=settings.MAX_REQUEST_BYTES)
