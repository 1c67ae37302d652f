"""A server with a client that asks for sign-ins on another device."""

from __future__ import annotations

import pytest

from support.configuration import MARIA, Client, secret_of
from support.server import Server
from support.window import Window

GRANT = "urn:openid:params:grant-type:ciba"
TILL = Client(
    "till",
    secret_of("till"),
    "client_secret_basic",
    ("http://127.0.0.1/callback",),
    {"client_name": "Harbour Till", "grant_types": ["authorization_code", "refresh_token", GRANT]},
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The server; its address is `issuer`."""
    server = Server(tmp_path_factory.mktemp("ciba"), {"clients": [TILL.entry()], "users": [MARIA.entry()]})
    yield server
    assert server.stop() == 0


@pytest.fixture
def till() -> tuple[str, str]:
    """How the till says who it is."""
    return (TILL.client_id, TILL.secret)


@pytest.fixture
def page(chromium, site):
    """A page in the user's own browser."""
    window = Window(chromium, {site.issuer})
    yield window.page
    window.close()
