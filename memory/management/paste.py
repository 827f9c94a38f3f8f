"""Lines that `setup_agent` prints, ready to paste into a terminal."""

import json
import shlex
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from memory.errors import BadRequest
from memory.services.onboarding import Onboarding


def checked_url(url: str) -> str:
    """Return a base URL without its last slash (BadRequest: not http or https, or no host)."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise BadRequest(f"{url} is no base URL; write http://127.0.0.1:8000")
    return url.rstrip("/")


def lines(made: Onboarding, *, base_url: str) -> dict[str, str]:
    """Return title → line for every way in that this installation has; none without tokens.

    Ways in other than curl are added here.
    """
    return curl_lines(made, base_url=base_url) if made.tokens else {}


def curl_lines(made: Onboarding, *, base_url: str) -> dict[str, str]:
    """Return a write and a list by the analysis token, and a context read by the trading token."""
    root = f"{base_url}/api/v1/agents/{made.agent.id}"
    instrument = made.instruments[0]
    memory = {
        "type": "observation",
        "scope": "instruments",
        "instruments": [instrument],
        "content": f"{instrument} is set up.",
    }
    return {
        "write a memory": _curl(f"{root}/memories/", made.tokens["analysis"], body=memory),
        # A slash in a name (PURR/USDC) is part of the route.
        "read the context of a trade": _curl(
            f"{root}/context/{quote(instrument, safe='/@:')}/", made.tokens["trading"]
        ),
        "list memories": _curl(f"{root}/memories/", made.tokens["analysis"]),
    }


def _curl(url: str, token: str, *, body: Mapping[str, object] | None = None) -> str:
    words = ["curl", "-sS", url, "-H", f"Authorization: Bearer {token}"]
    if body is not None:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    return shlex.join(words)
