"""Reading `DATABASE_URL`, in libpq's own way: what the driver would take is what is taken."""

import psycopg
from psycopg.conninfo import conninfo_to_dict, timeout_from_conninfo

from config.pgbinaries import EmbeddedError

SCHEMES = {"postgresql", "postgres"}
PORTS = range(1, 1 << 16)
DEFAULT_PORT = "5432"


class UrlRefusedError(EmbeddedError):
    """`DATABASE_URL` leads to no usable PostgreSQL."""

    code = "database_url_refused"


def read(url: str) -> dict[str, str]:
    """Return libpq's parameters, among them host, port, dbname, and options under their names.

    The host is a name, an address, or the folder of a Unix socket. Raises UrlRefusedError, whose
    text repeats nothing of the URL: any part of it may be of the password.
    """
    scheme, _, rest = url.partition("://")
    place, _, path = rest.partition("?")[0].partition("/")
    try:
        found = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        timeout_from_conninfo(dict(found))
    except (psycopg.Error, UnicodeError, ValueError):
        raise _refusal("it, or an option after its question mark, cannot be read") from None
    # libpq ends the password at the first @ or /, and would name the rest of it as host or name.
    if place.count("@") > 1 or "@" in path:
        raise _refusal("an @ or / in the password is written %40 or %2F")
    if scheme not in SCHEMES or not found.get("host") or not found.get("dbname"):
        raise _refusal("scheme, host and database name are needed")
    ports = found.setdefault("port", DEFAULT_PORT).split(",")
    if not all(not port or (port.isdecimal() and int(port) in PORTS) for port in ports):
        raise _refusal("the port is no number from 1 to 65535")
    return found


def _refusal(reason: str) -> UrlRefusedError:
    return UrlRefusedError(
        f"DATABASE_URL is not a PostgreSQL URL ({reason}); "
        "write postgresql://user:password@host:5432/name, or unset it to use the embedded server"
    )
