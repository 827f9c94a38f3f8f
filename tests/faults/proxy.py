"""A wire between the project and PostgreSQL that can be cut at a chosen moment of a statement."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto

ADDRESS = "127.0.0.1"
READY_FOR_QUERY = b"Z\x00\x00\x00\x05"
LENGTH_BYTES = 4


class Cut(Enum):
    """When the wire is cut: both sides then see a closed connection."""

    BEFORE = auto()
    """The statement never reaches the server."""
    DURING = auto()
    """The server has the statement, and its answer is never read."""
    AFTER = auto()
    """The server has committed and answered; the answer gets lost."""


@dataclass
class Wire:
    """A listening proxy. `cut` arms it for the next statement that holds `marker`."""

    server: tuple[str, int]
    marker: bytes
    port: int = 0
    moment: Cut | None = None
    release: threading.Event = field(default_factory=threading.Event)
    listener: socket.socket | None = None
    door: threading.Thread | None = None
    carried: list[socket.socket] = field(default_factory=list)

    def cut(self, moment: Cut) -> None:
        """Cut at the next marked statement; DURING waits for `release` to be set."""
        self.release.clear()
        self.moment = moment

    def up(self) -> None:
        """Listen, on the same port as before."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        self.listener = listener
        self.door = threading.Thread(target=self._accept, args=(listener,), daemon=True)
        self.door.start()

    def down(self) -> None:
        """End every connection, and refuse new ones from the moment that this returns."""
        listener, self.listener = self.listener, None
        assert listener is not None
        assert self.door is not None
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):  # a last knock, where the shutdown did not wake the door
            socket.create_connection((ADDRESS, self.port)).close()
        self.door.join()
        listener.close()
        for client in self.carried:
            hang_up(client)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                if self.listener is not listener:
                    return hang_up(client)
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        self.carried.append(client)
        server = socket.create_connection(self.server)
        deaf, answered = threading.Event(), threading.Event()

        def back() -> None:
            heard = b""
            with suppress(OSError):
                for data in chunks(server):
                    if not deaf.is_set():
                        client.sendall(data)
                        continue
                    heard += data
                    if READY_FOR_QUERY in heard:
                        answered.set()
            answered.set()
            hang_up(client)

        threading.Thread(target=back, daemon=True).start()
        with suppress(OSError):
            for data in chunks(client):
                moment = self.moment if self.marker in data else None
                if moment is None:
                    server.sendall(data)
                    continue
                self.moment = None
                deaf.set()
                whole = data + rest_of(data, client)
                if moment is not Cut.BEFORE:
                    server.sendall(whole)
                    (self.release if moment is Cut.DURING else answered).wait()
                break
        hang_up(client)
        hang_up(server)


def chunks(source: socket.socket) -> Iterator[bytes]:
    """Return what arrives until the other side closes."""
    while data := source.recv(65_536):
        yield data


def rest_of(data: bytes, source: socket.socket) -> bytes:
    """Read on until the message that `data` begins with is whole."""
    wanted = 1 + int.from_bytes(data[1 : 1 + LENGTH_BYTES])
    rest = b""
    while len(data) + len(rest) < wanted:
        rest += source.recv(65_536)
    return rest


def hang_up(end: socket.socket) -> None:
    """Close at once, also under a thread that reads or accepts."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire(server: tuple[str, int], *, marker: bytes) -> Iterator[Wire]:
    """Return a wire to a PostgreSQL server until the block ends."""
    made = Wire(server=server, marker=marker)
    made.up()
    try:
        yield made
    finally:
        made.release.set()
        made.down()
