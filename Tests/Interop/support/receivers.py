"""Small HTTP servers on loopback: where browsers arrive, where logout tokens arrive, where nothing may arrive."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

BODY_BYTES_MAX = 1 << 20


@dataclass
class Arrived:
    """A request that somebody sent here."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: str
    form: dict[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.query) | self.form


class Receiver:
    """Notes each request and answers with a plain page.

    - `answer`: decides the status by the request; without it, always 200.
    - `port`: where it listens; 0 picks a free port.
    """

    PAGE = (
        '<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><body><h1>Back in the app</h1>'
    )

    def __init__(self, answer: Callable[[Arrived], int] | None = None, port: int = 0):
        arrived: list[Arrived] = []
        changed = threading.Condition()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.note()

            def do_POST(self):
                self.note()

            def note(self):
                length = min(int(self.headers.get("Content-Length") or 0), BODY_BYTES_MAX)
                body = self.rfile.read(length).decode(errors="replace")
                parts = urlsplit(self.path)
                form_type = "application/x-www-form-urlencoded"
                is_form = self.headers.get("Content-Type", "").split(";")[0].strip() == form_type
                request = Arrived(
                    self.command,
                    parts.path,
                    parse_qsl(parts.query, keep_blank_values=True),
                    {name.lower(): value for name, value in self.headers.items()},
                    body,
                    dict(parse_qsl(body, keep_blank_values=True)) if is_form else {},
                )
                with changed:
                    arrived.append(request)
                    changed.notify_all()
                page = Receiver.PAGE.encode()
                self.send_response(answer(request) if answer else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.arrived = arrived
        self._changed = changed
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait(self, matches, seconds: float = 10) -> Arrived:
        """The first request that matches, as soon as it is here."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                found = next((request for request in self.arrived if matches(request)), None)
                if found:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"nothing arrived within {seconds} s; so far: {self.arrived}")
                self._changed.wait(left)

    def clear(self) -> None:
        with self._changed:
            self.arrived.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
