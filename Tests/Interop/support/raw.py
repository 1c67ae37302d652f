"""Requests that no polite client would send, byte by byte; and many polite ones at once."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ANSWER_BYTES_MAX = 1 << 20


@dataclass
class RawAnswer:
    """What came back. Status 0: the connection was closed without an answer."""

    status: int
    head: str
    body: str
    seconds: float


def exchange(address: tuple[str, int], request: bytes, seconds: float = 10) -> RawAnswer:
    """Sends bytes; reads until the answer is there, the connection is closed, or the time is over."""
    start = time.monotonic()
    received = b""
    with socket.create_connection(address, timeout=seconds) as connection:
        # It may hang up before it has read everything; what it said still counts.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        while time.monotonic() - start < seconds and len(received) < ANSWER_BYTES_MAX:
            connection.settimeout(max(0.1, seconds - (time.monotonic() - start)))
            try:
                part = connection.recv(65_536)
            except (TimeoutError, ConnectionResetError):
                break
            if not part:
                break
            received += part
            if is_complete(received):
                break
    elapsed = time.monotonic() - start
    head, _, body = received.partition(b"\r\n\r\n")
    words = head.split(b"\r\n")[0].split(b" ")
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    return RawAnswer(status, head.decode("latin-1"), body.decode(errors="replace"), elapsed)


def is_complete(received: bytes) -> bool:
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return False
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return len(body) >= int(value)
    return body.endswith(b"0\r\n\r\n") or head.split(b" ")[1:2] in ([b"204"], [b"304"])


def all_at_once(count: int, action: Callable[[int], object]) -> list:
    """Runs an action many times; all begin in the same moment."""
    barrier = threading.Barrier(count)

    def run(number: int):
        barrier.wait()
        return action(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


class SlowClient:
    """Holds a connection by sending one byte a second, in the background.

    - `tls`: how it speaks TLS, if it does.
    """

    def __init__(self, address: tuple[str, int], opening: bytes, filler: bytes, tls: ssl.SSLContext | None = None):
        self.started_at = time.monotonic()
        self.closed_after: float | None = None
        self._address, self._opening, self._filler, self._tls = address, opening, filler, tls
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._drip, daemon=True)
        self._thread.start()

    def _drip(self) -> None:
        with self._connection() as connection:
            connection.sendall(self._opening)
            connection.settimeout(1)
            while not self._stop.is_set():
                try:
                    connection.sendall(self._filler)
                    if connection.recv(4096) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            else:
                return
        self.closed_after = time.monotonic() - self.started_at

    def _connection(self) -> socket.socket:
        plain = socket.create_connection(self._address, timeout=10)
        return self._tls.wrap_socket(plain, server_hostname="localhost") if self._tls else plain

    def wait(self, seconds: float) -> float | None:
        """After how many seconds the server hung up; `None` if it did not within `seconds` of the start."""
        self._thread.join(max(0.0, self.started_at + seconds - time.monotonic()))
        return self.closed_after

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(3)
