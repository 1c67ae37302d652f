#!/usr/bin/env python3
"""The smallest site that keeps its own users and has a Keyturn server keep their passkeys. Python alone; users live in
memory, and an account needs no password here.

The server's file has the relying party (docs/passkeys.md), for this site:

    passkeys:
      - rp_id: localhost
        rp_name: A site
        origins: [ "http://localhost:9000" ]
        publishable_key: pubkey_example
        secret_key: secret_example_of_at_least_32_characters

    keyturn serve --config keyturn.yaml --listen localhost:8080
    ./site.py --service http://localhost:8080 --publishable-key pubkey_example \\
        --secret-key secret_example_of_at_least_32_characters
"""

from __future__ import annotations

import argparse
import base64
import json
import secrets
import urllib.error
import urllib.request
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BODY_BYTES_MAX = 65_536
COOKIE = "session"


class Backend:
    """Users, sessions, and the two calls with the secret key."""

    def __init__(self, service: str, secret_key: str):
        self.service = service
        self.authorization = "Basic " + base64.b64encode(f":{secret_key}".encode()).decode()
        self.users: dict[str, dict] = {}  # by identifier
        self.sessions: dict[str, str] = {}  # identifiers, by cookie

    def sign_up(self, name: str) -> str | None:
        """A new user's identifier, which is no name and never changes; `None` if the name is taken."""
        if any(user["name"].lower() == name.lower() for user in self.users.values()):
            return None
        identifier = secrets.token_hex(8)
        self.users[identifier] = {"name": name, "passkeys": 0}
        return identifier

    def attach(self, token: str, identifier: str) -> bool:
        """Gives the signed-in user the passkey that the token stands for."""
        user = self.users[identifier]
        made = self.ask("/credential/create", {"token": token, "user": {"id": identifier, "username": user["name"]}})
        if made:
            user["passkeys"] += 1
        return made is not None

    def verify(self, token: str) -> str | None:
        """Whose passkey was used. The token is good for one question."""
        found = self.ask("/auth/verify", {"token": token})
        return found["user"]["id"] if found and found["user"]["id"] in self.users else None

    def ask(self, path: str, body: dict) -> dict | None:
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        request = urllib.request.Request(self.service + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as refusal:
            print("refused:", json.load(refusal)["errors"])
            return None
        except OSError as problem:
            print("not reached:", problem)
            return None


class Handler(BaseHTTPRequestHandler):
    backend: Backend
    page: bytes
    origin: str

    def do_GET(self):
        if self.path == "/":
            self.answer(200, "text/html; charset=utf-8", self.page)
        else:
            self.answer(404, "text/plain", b"There is nothing here.\n")

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        # Pages of other sites may not act for the user.
        if self.headers.get("Origin") != self.origin or length > BODY_BYTES_MAX:
            return self.answer(403, "application/json", b"{}")
        try:
            body = json.loads(self.rfile.read(length))
            identifier, cookie = self.act(body)
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.answer(400, "application/json", b"{}")
        user = self.backend.users.get(identifier) if identifier else None
        self.answer(200, "application/json", json.dumps({"user": user}).encode(), cookie)

    def act(self, body: dict) -> tuple[str | None, str | None]:
        """Whom the page is told of, and a new cookie."""
        backend, session = self.backend, self.session()
        current = backend.sessions.get(session)
        if self.path == "/me":
            return current, None
        if self.path == "/passkeys":
            return (current if current and backend.attach(str(body["token"]), current) else None), None
        if self.path == "/sign-out":
            backend.sessions.pop(session, None)
            return None, ""
        found = {
            "/sign-up": lambda: backend.sign_up(str(body["name"])),
            "/sign-in": lambda: backend.verify(str(body["token"])),
        }[self.path]()
        if not found:
            return None, None
        cookie = secrets.token_urlsafe(32)
        backend.sessions[cookie] = found
        return found, cookie

    def session(self) -> str:
        cookies = SimpleCookie(self.headers.get("Cookie"))
        return cookies[COOKIE].value if COOKIE in cookies else ""

    def answer(self, status: int, kind: str, content: bytes, cookie: str | None = None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if cookie is not None:
            # A real site has https, and adds: Secure, and the prefix __Host-.
            self.send_header("Set-Cookie", f"{COOKIE}={cookie}; HttpOnly; SameSite=Lax; Path=/")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--service", required=True, help="the Keyturn server")
    parser.add_argument("--publishable-key", required=True)
    parser.add_argument("--secret-key", required=True)
    parser.add_argument("--port", type=int, default=9000)
    options = parser.parse_args()
    page = Path(__file__).with_name("index.html").read_text()
    page = page.replace("{{service}}", options.service).replace("{{publishable_key}}", options.publishable_key)
    Handler.backend, Handler.page = Backend(options.service, options.secret_key), page.encode()
    Handler.origin = f"http://localhost:{options.port}"
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    print(f"Open {Handler.origin}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
