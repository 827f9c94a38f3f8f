"""Lines that `setup_agent` prints, ready to paste into a terminal."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
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


def lines(
    made: Onboarding, *, base_url: str, mcp_url: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return title → line for every way in that this installation has; none without tokens.

    `environment` is what a process that somebody else starts needs to find this database. Ways in
    other than these are added here.
    """
    if not made.tokens:
        return {}
    curl = curl_lines(made, base_url=base_url)
    return curl | mcp_lines(made, mcp_url=mcp_url, environment=environment)


def notes(made: Onboarding, environment: Mapping[str, str]) -> list[str]:
    """Return what is to be done before a line that was printed works as it is."""
    unsaid = [name for name, value in environment.items() if value == f"${{{name}}}"]
    if not made.tokens or not unsaid:
        return []
    names = ", ".join(unsaid)
    return [
        f"where the host starts the bridge, set {names} in its environment: it holds a password"
    ]


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


def mcp_lines(made: Onboarding, *, mcp_url: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return how an MCP host is given the bridge: a command, and a file for each of two ways.

    One server a role: a host's model then sees the tools of that role alone. A bridge that a host
    starts is given `environment`: with less it would serve another, empty database.
    """
    named = {f"tidebook-{role}": token for role, token in made.tokens.items()}
    over_http = {
        name: {"type": "http", "url": mcp_url, "headers": {"Authorization": f"Bearer {token}"}}
        for name, token in named.items()
    }
    over_stdio = {
        name: {
            "type": "stdio",
            "command": sys.executable,
            "args": [str(Path(sys.argv[0]).resolve()), "mcp_bridge", "--stdio"],
            "env": {"MCP_MEMORY_TOKEN": token, **environment},
        }
        for name, token in named.items()
    }
    added = {
        f"add to Claude Code, as {role}": shlex.join(
            [
                *("claude", "mcp", "add", "--transport", "http", f"tidebook-{role}", mcp_url),
                *("--header", f"Authorization: Bearer {token}"),
            ]
        )
        for role, token in made.tokens.items()
    }
    return added | {
        "mcp.json (the bridge runs: manage.py mcp_bridge)": json.dumps({"mcpServers": over_http}),
        "mcp.json (the host starts the bridge)": json.dumps({"mcpServers": over_stdio}),
    }
