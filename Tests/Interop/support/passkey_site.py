"""A site that keeps its own users and leaves their passkeys to the service: pages in a browser, and a backend."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.passkey_wire import Party, Service

CLIENT = Path(__file__).with_name("passkey_client.js")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A site</title><link rel="icon" href="data:,">
<body><h1>A site</h1><form><label>Name <input name="username" autocomplete="username webauthn"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label></form>
<script src="/client.js"></script><script src="/site.js"></script>"""
SITE = """const passkeys = new PasskeyClient(%s, %s);
async function tell(path, body) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  return answer.json();
}
async function register(user, upgrade) {
  const made = await (upgrade ? passkeys.upgrade(user) : passkeys.register(user));
  return made.ok ? tell("/register", { token: made.data.token, ...user }) : made;
}
async function signIn(user) {
  const found = await (user ? passkeys.signIn(user) : passkeys.autofill());
  return found.ok ? tell("/sign-in", { token: found.data.token }) : found;
}
"""


def identifier(username: str) -> str:
    """The site's own identifier of a user: it says nothing about anybody."""
    return "u-" + username.split("@")[0]


class PasskeySite:
    """Listens on loopback under the name `localhost`, from the beginning; `open` names its service."""

    def __init__(self):
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/client.js":
                    self.answer("text/javascript", CLIENT.read_bytes())
                elif self.path == "/site.js":
                    names = (json.dumps(site.service.base), json.dumps(site.service.party.publishable_key))
                    self.answer("text/javascript", (SITE % names).encode())
                elif self.path in site.pages:
                    self.answer("text/html; charset=utf-8", site.pages[self.path].encode(), site.policy)
                else:
                    self.answer("text/html; charset=utf-8", PAGE.encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer("application/json", json.dumps(site.backend(self.path, body)).encode())

            def answer(self, kind: str, body: bytes, policy: str | None = None):
                self.send_response(200)
                if policy:
                    self.send_header("Content-Security-Policy", policy)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.origin = f"http://localhost:{self._server.server_port}"
        self.service: Service | None = None
        # More pages, by path, and their Content-Security-Policy.
        self.pages: dict[str, str] = {}
        self.policy: str | None = None

    def open(self, base: str, party: Party) -> None:
        self.service = Service(base, party)

    def backend(self, path: str, body: dict) -> dict:
        """The half that keeps the secret key."""
        if path == "/register":
            user = {"id": identifier(body["username"]), "username": body["username"]}
            response = self.service.post(
                "/credential/create", {"token": body["token"], "user": user}, self.service.secret
            )
        else:
            response = self.service.post("/auth/verify", {"token": body["token"]}, self.service.secret)
        answer = response.json()
        return {"ok": answer["result"] is not None, **answer}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
