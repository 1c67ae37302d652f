"""A server that a proxy asks, and that never closes a connection by itself."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field

from support.proxy import fields_of, read_request

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok"


@dataclass
class UpstreamConnection:
    """What a proxy sent on one connection.

    - `requests`: the fields of each, names in lower case.
    - `ended`: set when the proxy has closed it.
    """

    requests: list[dict[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


class Upstream:
    """Answers everything with 200, on as many connections as it gets."""

    def __init__(self):
        self.connections: list[UpstreamConnection] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                connection = UpstreamConnection()
                self.connections.append(connection)
                threading.Thread(target=self._serve, args=(peer, connection), daemon=True).start()

    def _serve(self, peer: socket.socket, connection: UpstreamConnection) -> None:
        with peer, contextlib.suppress(OSError):
            while (exchange := read_request(peer)) is not None:
                connection.requests.append(fields_of(exchange.head))
                peer.sendall(ANSWER)
        connection.ended.set()
