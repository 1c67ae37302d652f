"""A service of an operator that a journey asks: checks the signature, and answers what a test wants."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import threading
import time


class Desk:
    """`outcomes` are the next answers; `known` when there are none left."""

    def __init__(self, secret: str):
        self.bodies: list[dict] = []
        self.keys: list[str] = []
        self.problems: list[str] = []
        self.outcomes: list[str] = []
        desk = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time_text = self.headers["Keyturn-Timestamp"]
                mac = hmac.new(secret.encode(), f"{time_text}.".encode() + body, hashlib.sha256).hexdigest()
                if self.headers["Keyturn-Signature"] != f"v1={mac}" or abs(time.time() - int(time_text)) > 60:
                    desk.problems.append("a request is not signed, or old")
                desk.bodies.append(json.loads(body))
                desk.keys.append(self.headers["Idempotency-Key"])
                answer = json.dumps({"outcome": desk.outcomes.pop(0) if desk.outcomes else "known"}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/recovery"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
