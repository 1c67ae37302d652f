"""What the attacks share, and what must age before it is attacked."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from support.raw import SlowClient
from support.receivers import Receiver
from support.relying_party import AuthorizationRequest, SignedIn
from support.visitor import Callback


@pytest.fixture(scope="module")
def session_at_first_app(app) -> SignedIn:
    """One sign-in for tests that only read from it."""
    return app("first-app").sign_in(scope="openid profile email")


@pytest.fixture
def trap():
    """A server that nothing may ever call."""
    receiver = Receiver()
    yield receiver
    receiver.close()
    assert not receiver.arrived, f"the server followed an address from a token: {receiver.arrived}"


@dataclass
class Early:
    """Begun before the first attack, looked at after the last one."""

    at: float
    request: AuthorizationRequest
    unredeemed: Callback
    rotated: SignedIn
    successor: str
    twice_rotated: dict[str, list[dict]]
    slow_head: SlowClient
    slow_body: SlowClient

    def wait_until(self, seconds: float) -> None:
        time.sleep(max(0.0, self.at + seconds - time.monotonic()))


def rotate_twice(rp) -> list[dict]:
    """The answers of a sign-in and of two refreshes after it."""
    signed_in = rp.sign_in()
    answers = [{"access_token": signed_in.access_token, "refresh_token": signed_in.refresh_token}]
    for _ in range(2):
        answers.append(rp.accepted(rp.refresh(answers[-1]["refresh_token"])))
    return answers


@pytest.fixture(scope="session", autouse=True)
def early(server, provider, app) -> Early:
    rp = app("first-app")
    request = rp.request()
    unredeemed = rp.authorize(provider.visitor(), request)
    rotated = rp.sign_in()
    successor = rp.accepted(rp.refresh(rotated.refresh_token))["refresh_token"]
    twice_rotated = {client_id: rotate_twice(app(client_id)) for client_id in ("first-app", "native-app")}
    host = f"Host: {server.address[0]}:{server.address[1]}\r\n".encode()
    form = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 30000\r\n\r\n"
    early = Early(
        time.monotonic(),
        request,
        unredeemed,
        rotated,
        successor,
        twice_rotated,
        SlowClient(server.address, b"GET /healthz HTTP/1.1\r\n" + host + b"X-Slow: ", b"a"),
        SlowClient(server.address, b"POST /oauth2/token HTTP/1.1\r\n" + host + form, b"a"),
    )
    yield early
    early.slow_head.stop()
    early.slow_body.stop()
