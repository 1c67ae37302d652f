"""A server with apps for devices, and a person who lets them in."""

from __future__ import annotations

import pytest

from support.command_line import Machine
from support.configuration import ALL_SCOPES, MARIA, Client, secret_of
from support.devices import GRANT
from support.server import Server
from support.window import Window

GRANTS = {"grant_types": ["authorization_code", "refresh_token", GRANT]}
COMMAND_LINE = Client(
    "keyturn-cli",
    None,
    "none",
    ("http://127.0.0.1/callback",),
    {"application_type": "native", "scope": ALL_SCOPES, "client_name": "Keyturn command line", **GRANTS},
)
TELEVISION = Client(
    "television",
    secret_of("television"),
    "client_secret_post",
    ("http://127.0.0.1/callback",),
    {"first_party": False, "client_name": "Harbour Television", **GRANTS},
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The server; its address is `issuer`."""
    server = Server(
        tmp_path_factory.mktemp("devices"),
        {"clients": [COMMAND_LINE.entry(), TELEVISION.entry()], "users": [MARIA.entry()]},
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def television() -> dict:
    """How the television says who it is."""
    return {"client_id": TELEVISION.client_id, "client_secret": TELEVISION.secret}


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


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()
