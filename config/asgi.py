"""The web process: `uvicorn config.asgi:application`."""

import os
import warnings

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.body import limited
from config.lifespan import ending

os.environ["TIDEBOOK_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

# WhiteNoise reads files synchronously, one chunk after another: under ASGI Django says so of each.
warnings.filterwarnings("ignore", r"StreamingHttpResponse must consume synchronous iterators")

django = get_asgi_application()

from memory.services.rates import close_all_streams  # noqa: E402 - needs the apps

application = ending(
    limited(django, limit=settings.MAX_REQUEST_BYTES),
    # Or whoever follows them could not go on at another process for a while.
    with_=close_all_streams,
)
