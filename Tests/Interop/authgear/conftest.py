"""A server as an app of Authgear needs one: a client of that profile, and people."""

from __future__ import annotations

import pytest

from support.authgear_client import FULL_ACCESS, Authgear, Keychain
from support.configuration import JONAS, MARIA, Client
from support.server import Server
from support.visitor import Visitor
from support.window import Window

REDIRECT = "com.example.harbour://host/path"
APP = Client(
    "authgear-app",
    None,
    "none",
    (REDIRECT,),
    {
        "application_type": "native",
        "profile": "authgear",
        "scope": f"openid offline_access {FULL_ACCESS}",
        "client_name": "Harbour Bank",
        "grant_types": [
            "authorization_code",
            "refresh_token",
            "urn:authgear:params:oauth:grant-type:anonymous-request",
        ],
    },
)
# A client of no profile beside it: what it may is not widened.
PLAIN = Client("plain-app", None, "none", ("http://127.0.0.1/callback",), {"application_type": "native"})
CONFIGURATION = {
    "delivery": {"outbox": True},
    "clients": [APP.entry(), PLAIN.entry()],
    "users": [MARIA.entry(), JONAS.entry()],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The server, at its most talkative."""
    server = Server(tmp_path_factory.mktemp("authgear"), CONFIGURATION, log_level="trace")
    yield server
    assert server.stop() == 0


@pytest.fixture
def visitor(site):
    return Visitor(site.base, site.issuer)


@pytest.fixture
def authgear(site):
    """Makes a container on a device."""

    def make(keychain: Keychain | None = None, **options) -> Authgear:
        return Authgear(site.base, "authgear-app", REDIRECT, keychain=keychain, **options)

    return make


@pytest.fixture
def signed_in(authgear, visitor):
    app = authgear()
    app.authenticate(visitor)
    return app


@pytest.fixture
def open_window(chromium, site):
    """Makes browsers for people; closes them, and looks at what they complained about."""
    windows: list[Window] = []

    def make(**options) -> Window:
        windows.append(Window(chromium, {site.issuer}, **options))
        return windows[-1]

    yield make
    for window in windows:
        window.close()
