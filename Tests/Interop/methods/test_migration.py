"""Sessions of another service, exchanged once, with an issuer whose keys are fetched and one whose keys are written down."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.forgery import Attacker
from support.methods import check_problem, new_email
from support.project import Project
from support.raw import all_at_once

PUBLISHED, WRITTEN, AUDIENCE = "https://old.example.com/", "P2old", "old-app"


class Issuer:
    """Another service: a key, and a place where it is published."""

    def __init__(self):
        self.key = Attacker()
        self.asked: list[str] = []
        document = json.dumps({"keys": [self.key.jwk | {"alg": "ES256", "use": "sig"}]}).encode()
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.keys_uri = f"http://127.0.0.1:{self.server.server_port}/keys"

    def token(self, issuer: str, email: str, **changes) -> str:
        now = int(time.time())
        claims = {
            "iss": issuer, "aud": AUDIENCE, "sub": "there", "email": email, "email_verified": True, "iat": now,
            "exp": now + 600, **changes,
        }
        return self.key.sign({"alg": "ES256", "kid": self.key.jwk["kid"], "typ": "JWT"}, claims)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.close()


@pytest.fixture(scope="module")
def moved(tmp_path_factory, issuer, mail):
    """A project that believes both issuers."""
    written = {"keys": [issuer.key.jwk | {"alg": "ES256"}]}
    project = Project(
        tmp_path_factory.mktemp("moved"),
        mail,
        session_migration=[
            {"issuer": PUBLISHED, "audience": AUDIENCE, "subject": "email", "jwks_uri": issuer.keys_uri},
            {"issuer": WRITTEN, "audience": AUDIENCE, "subject": "email", "jwks": written},
        ],
    )
    yield project
    project.close()


def exchange(wire, token: str):
    return wire.post("/v1/auth/refresh", {"externalToken": token})


@pytest.mark.parametrize("name", [PUBLISHED, WRITTEN])
def test_once(moved, issuer, name):
    """Whoever had a session there has one here, which the package renews; a second try is refused."""
    email = new_email()
    user = moved.sign_up(email)["userId"]
    token = issuer.token(name, email)
    answer = exchange(moved.wire, token)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["user"]["userId"] == user and body["firstSeen"] is False
    renewed = moved.client.refresh_session(body["refreshJwt"])
    assert renewed["sessionToken"]["sub"] == user and renewed["sessionToken"]["amr"] == ["fed"]
    again = exchange(moved.wire, token)
    assert again.status_code == 400
    assert "before" in check_problem(again.json(), "E011003")["errorMessage"]


def test_attack_86_sixteen_exchanges(moved, issuer):
    email = new_email()
    moved.sign_up(email)
    token = issuer.token(WRITTEN, email)
    wires = [moved.new_wire() for _ in range(16)]
    statuses = all_at_once(16, lambda number: exchange(wires[number], token).status_code)
    assert statuses.count(200) == 1 and statuses.count(400) == 15, statuses


@pytest.mark.parametrize(
    "changes",
    [{"aud": "another-app"}, {"iss": "https://old.example.com"}, {"exp": 1}, {"email_verified": False}, {"events": {}}],
    ids=["audience", "issuer", "expired", "unverified", "event"],
)
def test_refused(moved, issuer, changes):
    email = new_email()
    moved.sign_up(email)
    answer = exchange(moved.wire, issuer.token(PUBLISHED, email, **changes))
    assert answer.status_code == 400, answer.text
    check_problem(answer.json(), "E011003")


def test_strangers_keys(moved, issuer):
    """Keys that the issuer never published open nothing, and are not asked for again and again."""
    email = new_email()
    moved.sign_up(email)
    assert exchange(moved.wire, issuer.token(PUBLISHED, email)).status_code == 200
    before = len(issuer.asked)
    stranger = Issuer()
    for _ in range(5):
        assert exchange(moved.wire, stranger.token(PUBLISHED, email)).status_code == 400
    stranger.close()
    assert len(issuer.asked) == before and not stranger.asked


def test_without_configuration(project, issuer):
    answer = exchange(project.wire, issuer.token(WRITTEN, new_email()))
    assert answer.status_code == 400
    check_problem(answer.json(), "E011003")
