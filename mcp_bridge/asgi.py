"""The bridge over HTTP as an ASGI app: `uvicorn --workers N mcp_bridge.asgi:app`.

No state lives in a process, so any number of them may share the work.
"""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
django.setup()

from django.conf import settings  # noqa: E402 - once it is set up

from mcp_bridge.server import build_server  # noqa: E402
from mcp_bridge.transports.http import build_app  # noqa: E402

app = build_app(build_server(), address=f"{settings.MCP_MEMORY_HOST}:{settings.MCP_HTTP_PORT}")
