"""A server as an app of Trifork Identity Manager needs one: a client of that profile, a person, a realm."""

from __future__ import annotations

import pytest

from support.configuration import ALL_SCOPES, MARIA, Client
from support.server import Server
from support.tim_client import TIM, Device
from support.visitor import Visitor

REDIRECT = "http://127.0.0.1/callback"
APP = Client(
    "tim-app",
    None,
    "none",
    (REDIRECT,),
    {"application_type": "native", "profile": "tim", "scope": ALL_SCOPES, "client_name": "Harbour Bank"},
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The server, at its most talkative."""
    server = Server(
        tmp_path_factory.mktemp("tim"),
        {
            "clients": [APP.entry()],
            "users": [MARIA.entry()],
            "key_service": {"enabled": True, "realms": ["harbour", "other"]},
        },
        log_level="trace",
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def tim(site):
    """Makes an application on a device; scopes that nobody registered are asked for as well, as apps do."""

    def make(realm: str = "harbour", device: Device | None = None) -> TIM:
        return TIM(site.base, realm, "tim-app", REDIRECT, "openid profile never-registered", device or Device())

    return make


@pytest.fixture
def visitor(site):
    return Visitor(site.base, site.issuer)


@pytest.fixture
def signed_in(tim, visitor):
    """An application in which somebody has signed in and set a PIN up."""
    app = tim()
    app.sign_in(visitor)
    app.store_with_new_password("1234")
    app.traffic.clear()
    return app
