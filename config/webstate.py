"""Where this home's web process was left, as `config.webserver` wrote it down."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from config.pgstate import default_home


@dataclass(frozen=True, slots=True)
class WebServer:
    """A web process."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """Return its address, without a last slash."""
        return f"http://127.0.0.1:{self.port}"


def file_of(home: Path | None) -> Path:
    """Return the file that names the process."""
    return (home or default_home()) / "web.json"


def load(home: Path | None) -> WebServer | None:
    """Return what the file names; None without one, or when it is not ours."""
    try:
        return WebServer(**json.loads(file_of(home).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError, TypeError):
        return None


def save(server: WebServer, home: Path | None) -> None:
    """Write the process down."""
    file_of(home).write_text(json.dumps(asdict(server)), encoding="utf-8")


def last_served(home: Path | None) -> str | None:
    """Return the address of the process written down, alive or not."""
    server = load(home)
    return server.url if server else None
