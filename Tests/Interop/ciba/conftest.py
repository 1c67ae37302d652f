"""A server with clients that ask for sign-ins on another device, a push service, and approvals on the sign-in page."""

from __future__ import annotations

import hashlib
import hmac
import json
import time

import pytest

from support.configuration import MARIA, Client, secret_of
from support.receivers import Receiver
from support.server import Server
from support.window import Window

GRANT = "urn:openid:params:grant-type:ciba"
PUSH_SECRET = "whsec-push-service-and-server-know-this"
GRANTS = {"grant_types": ["authorization_code", "refresh_token", GRANT]}
TILL = Client(
    "till",
    secret_of("till"),
    "client_secret_basic",
    ("http://127.0.0.1/callback",),
    {"client_name": "Harbour Till", **GRANTS},
)


class PushService:
    """The operator's push service: takes what is fresh and signed, and refuses the rest."""

    def __init__(self):
        self.posted: list[dict] = []
        self.receiver = Receiver(self._note)

    def configuration(self) -> dict:
        return {"url": f"{self.receiver.base}/pushes", "secret": PUSH_SECRET}

    def _note(self, request) -> int:
        timestamp = request.headers.get("keyturn-timestamp", "0")
        signed = f"{timestamp}.{request.body}".encode()
        expected = "v1=" + hmac.new(PUSH_SECRET.encode(), signed, hashlib.sha256).hexdigest()
        is_fresh = abs(time.time() - int(timestamp)) < 300
        if not is_fresh or not hmac.compare_digest(expected, request.headers.get("keyturn-signature", "")):
            return 401
        self.posted.append(json.loads(request.body))
        return 204

    def wait(self, matches, seconds: float = 10) -> dict:
        """The first push that matches, as soon as it is here."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = next((push for push in self.posted if matches(push)), None)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"no such push: {self.posted}")

    def close(self) -> None:
        self.receiver.close()


class Notified:
    """The notification endpoint of a client in ping mode: fails first, if it is told to."""

    def __init__(self):
        self.failures = 0
        self.receiver = Receiver(self._note)

    def _note(self, _) -> int:
        if self.failures:
            self.failures -= 1
            return 503
        return 204

    def wait(self, request: dict):
        """The notification of a request."""
        return self.receiver.wait(lambda arrived: json.loads(arrived.body) == {"auth_req_id": request["auth_req_id"]})

    def count(self, request: dict) -> int:
        return sum(request["auth_req_id"] in arrived.body for arrived in self.receiver.arrived)


@pytest.fixture(scope="module")
def pushes():
    service = PushService()
    yield service
    service.close()


@pytest.fixture(scope="module")
def notified():
    endpoint = Notified()
    yield endpoint
    endpoint.receiver.close()


@pytest.fixture(scope="module")
def pager_entry(notified) -> Client:
    """A client in ping mode."""
    return Client(
        "pager",
        secret_of("pager"),
        "client_secret_basic",
        ("http://127.0.0.1/callback",),
        {
            **GRANTS,
            "backchannel_token_delivery_mode": "ping",
            "backchannel_client_notification_endpoint": f"{notified.receiver.base}/decided",
        },
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory, pushes, pager_entry):
    """The server; its address is `issuer`."""
    server = Server(
        tmp_path_factory.mktemp("ciba"),
        {
            "clients": [TILL.entry(), pager_entry.entry()],
            "users": [MARIA.entry()],
            "project": {"name": "Harbour", "approval": {"seconds": 120}},
            "delivery": {"outbox": True, "push_webhook": pushes.configuration()},
        },
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def till() -> tuple[str, str]:
    """How the till says who it is."""
    return (TILL.client_id, TILL.secret)


@pytest.fixture
def pager() -> tuple[str, str]:
    """How the client in ping mode says who it is."""
    return ("pager", secret_of("pager"))


@pytest.fixture
def page(chromium, site):
    """A page in the user's own browser."""
    window = Window(chromium, {site.issuer})
    yield window.page
    window.close()
