"""An OpenID provider that says what a test tells it, and asks its users nothing."""

from __future__ import annotations

import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID = "keyturn"
SECRET = "a-secret-between-the-two-servers-1"


class ToldProvider:
    """One provider for any number of connections.

    - `token`: the claims of the next ID tokens, beside those of the protocol. `None` as a value leaves one out.
    - `userinfo`: what UserInfo says; `None`: the discovery document names none.
    - `asked`: the queries that came to the authorization endpoint.
    """

    def __init__(self):
        self.token: dict = {}
        self.userinfo: dict | None = {}
        self.asked: list[dict] = []
        self.has_keys = True
        self._nonces: dict[str, str] = {}
        self.rotate()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                provider._get(self)

            def do_POST(self):
                provider._post(self)

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def rotate(self) -> None:
        """Another key, under the same name."""
        self._key = RSAKey.generate_key(2048, {"kid": "k1", "alg": "RS256", "use": "sig"})

    def _answer(self, handler, status: int, body: dict | None = None, location: str | None = None) -> None:
        data = json.dumps(body or {}).encode()
        handler.send_response(status)
        if location:
            handler.send_header("Location", location)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _get(self, handler) -> None:
        parts = urlsplit(handler.path)
        match parts.path:
            case "/.well-known/openid-configuration":
                document = {name: f"{self.issuer}/{path}" for name, path in {
                    "authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}.items()}
                if self.userinfo is not None:
                    document["userinfo_endpoint"] = f"{self.issuer}/userinfo"
                self._answer(handler, 200, document | {"issuer": self.issuer})
            case "/keys":
                self._answer(handler, 200 if self.has_keys else 503, {"keys": [self._key.as_dict(private=False)]})
            case "/userinfo":
                self._answer(handler, 200, self.userinfo or {})
            case "/authorize":
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.asked.append(query)
                code = secrets.token_urlsafe(12)
                self._nonces[code] = query.get("nonce", "")
                back = urlencode({"code": code, "state": query["state"]})
                self._answer(handler, 302, location=f"{query['redirect_uri']}?{back}")
            case _:
                self._answer(handler, 404)

    def _post(self, handler) -> None:
        form = parse_qs(handler.rfile.read(int(handler.headers["Content-Length"])).decode())
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300,
            "nonce": self._nonces.pop(form["code"][0], ""),
        } | self.token
        claims = {name: value for name, value in claims.items() if value is not None}
        signed = jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self._key)
        self._answer(handler, 200, {"access_token": "at", "token_type": "Bearer", "id_token": signed})
