"""What stands between a client and its server in a company: a proxy that tunnels, and TLS by an authority of its own."""

from __future__ import annotations

import base64
import contextlib
import select
import socket
import ssl
import threading

TIMEOUT_SECONDS = 60


class Listener:
    """Accepts connections on a port of this machine, each in a thread of its own."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # A thread that waits in accept notices a shutdown, but not a close.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                threading.Thread(target=self._guarded, args=(peer,), daemon=True).start()

    def _guarded(self, peer: socket.socket) -> None:
        # Clients hang up where they please, in the middle of a handshake too.
        with peer, contextlib.suppress(OSError):
            peer.settimeout(TIMEOUT_SECONDS)
            self.serve(peer)

    def serve(self, peer: socket.socket) -> None:
        raise NotImplementedError


class SecureFront(Listener):
    """Takes TLS off, and passes on what is inside to a server on this machine.

    - `upstream`: the server's port.
    - `context`: with the certificate that is shown.
    """

    def __init__(self, upstream: int, context: ssl.SSLContext):
        self._upstream, self._context = upstream, context
        super().__init__()

    def serve(self, peer: socket.socket) -> None:
        with self._context.wrap_socket(peer, server_side=True) as inside, reached(self._upstream) as server:
            pass_on(inside, server)


class ConnectProxy(Listener):
    """An HTTP proxy that knows `CONNECT` alone, and leads every name to one port of this machine.

    - `asked`: what clients wanted to be connected with, in order.
    - `credentials`: the `user:password` without which it answers 407.
    - `refuses`: it answers 403.
    """

    def __init__(self, target: int, credentials: str | None = None):
        self.asked: list[str] = []
        self.credentials = credentials
        self.refuses = False
        self._target = target
        super().__init__()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, peer: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            part = peer.recv(65_536)
            if not part:
                return
            head += part
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ")
        assert method == "CONNECT", lines[0]
        self.asked.append(target)
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        wanted = self.credentials and f"basic {base64.b64encode(self.credentials.encode()).decode()}".lower()
        if wanted and fields.get("proxy-authorization") != wanted:
            peer.sendall(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
        elif self.refuses:
            peer.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        else:
            with reached(self._target) as server:
                peer.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                pass_on(peer, server)


def reached(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS)


def pass_on(one: socket.socket, other: socket.socket) -> None:
    """Until either side ends."""
    while True:
        # What TLS has read already is not seen by select.
        ready = [each for each in (one, other) if isinstance(each, ssl.SSLSocket) and each.pending()]
        ready = ready or select.select([one, other], [], [], TIMEOUT_SECONDS)[0]
        if not ready:
            return
        for source in ready:
            data = source.recv(65_536)
            if not data:
                return
            (other if source is one else one).sendall(data)
