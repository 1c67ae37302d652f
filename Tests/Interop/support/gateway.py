"""Stands between the package and the server, and spoils answers: what a load balancer does on a bad day."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

SECONDS_MAX = 20
HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server", "host"}


@dataclass(frozen=True)
class Spoiled:
    """An answer that the client gets instead of the server's.

    - `reaches_server`: whether the server has done its part nevertheless.
    """

    status: int
    reaches_server: bool
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b"<html>no</html>"


class Gateway:
    """Passes requests on, unless the next answer is to be spoiled.

    - `next_answers`: what becomes of the next requests; when it is empty, everything is delivered.
    - `paths`: what came by.
    """

    def __init__(self, target: str):
        self.next_answers: deque[Spoiled] = deque()
        self.paths: list[str] = []
        gateway = self
        http = requests.Session()
        http.trust_env = False

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                gateway.paths.append(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                spoiled = gateway.next_answers.popleft() if gateway.next_answers else None
                answer = None
                if spoiled is None or spoiled.reaches_server:
                    headers = {n: v for n, v in self.headers.items() if n.lower() not in HOP_BY_HOP}
                    answer = http.request(
                        self.command, target + self.path, data=body, headers=headers, timeout=SECONDS_MAX
                    )
                if spoiled:
                    self.reply(spoiled.status, spoiled.headers, spoiled.body)
                else:
                    self.reply(answer.status_code, answer.headers.items(), answer.content)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def reply(self, status: int, headers, body: bytes) -> None:
                self.send_response(status)
                for name, value in headers:
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
