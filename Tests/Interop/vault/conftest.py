"""A server with its key service, and machines with the command line on them."""

from __future__ import annotations

import pytest

from support.command_line import Machine
from support.configuration import ALL_SCOPES, MARIA, Client
from support.server import Server
from support.visitor import Visitor

COMMAND_LINE = Client(
    "keyturn-cli",
    None,
    "none",
    ("http://127.0.0.1/callback",),
    {"application_type": "native", "scope": ALL_SCOPES, "client_name": "Keyturn command line"},
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The server; its address is `issuer`."""
    server = Server(
        tmp_path_factory.mktemp("vault"),
        {"clients": [COMMAND_LINE.entry()], "users": [MARIA.entry()], "key_service": {"enabled": True}},
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def visitor(site):
    return Visitor(site.base, site.issuer)


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture
def signed_in(machine, site, visitor):
    machine.sign_in(site.issuer, visitor)
    return machine
