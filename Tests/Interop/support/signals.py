"""Where a receiver of shared signals takes tokens that are pushed."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SignalEndpoint:
    """Keeps each token that comes with the header it wants. The first one it refuses."""

    def __init__(self, authorization: str):
        self.tokens: list[str] = []
        self.refuse = 1
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                assert self.headers["Content-Type"] == "application/secevent+jwt"
                assert self.headers["Accept"] == "application/json"
                is_taken = self.headers["Authorization"] == authorization and endpoint.refuse == 0
                endpoint.refuse = max(0, endpoint.refuse - 1)
                if is_taken:
                    endpoint.tokens.append(body)
                self.send_response(202 if is_taken else 401)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
