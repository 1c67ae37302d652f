"""A gateway for text messages that keeps what is posted, and answers what a test wants."""

from __future__ import annotations

import http.server
import queue
import threading

ARRIVAL_SECONDS = 20


class TextGateway:
    """`answers` are the next statuses; 204 when there are none left."""

    def __init__(self):
        self.posts: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        self.answers: list[int] = []
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                gateway.posts.put(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(gateway.answers.pop(0) if gateway.answers else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/messages"

    def next(self, seconds: float = ARRIVAL_SECONDS) -> tuple[dict[str, str], bytes]:
        return self.posts.get(timeout=seconds)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
