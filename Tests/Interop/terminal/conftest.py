"""A server, a company's network around it, and machines with the command line on them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from support.certificates import Authority
from support.command_line import Machine
from support.configuration import ALL_SCOPES, MARIA, Client, secret_of
from support.server import Server, binary
from support.tunnels import ConnectProxy, SecureFront
from support.visitor import Visitor

HOST = "id.corp.test"
COMMAND_LINE = Client(
    "keyturn-cli",
    None,
    "none",
    ("http://127.0.0.1/callback",),
    {"application_type": "native", "scope": ALL_SCOPES, "client_name": "Keyturn command line"},
)
# Without users: a secret in the header, and one in the form.
JOBS = {
    "reports": "client_secret_basic",
    "archive": "client_secret_post",
}


def job(client_id: str) -> dict:
    return {
        "client_id": client_id,
        "client_secret": secret_of(client_id),
        "token_endpoint_auth_method": JOBS[client_id],
        "grant_types": ["client_credentials"],
        "scope": "reports.read reports.write",
    }


def configuration(**more) -> dict:
    return {
        "clients": [COMMAND_LINE.entry(), *(job(name) for name in JOBS)],
        "users": [MARIA.entry()],
        **more,
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server of this machine; its address is `issuer`."""
    server = Server(tmp_path_factory.mktemp("site"), configuration())
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
def end_sessions(site) -> Callable[[], None]:
    """What an operator does."""
    database = f"sqlite:{site.folder / 'keyturn.db'}"

    def end() -> None:
        command = [binary(), "user", "end-sessions", MARIA.login, "--database", database]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    return end


@dataclass
class Company:
    """A server that is reached by name through a proxy alone, with a certificate of the company's own authority."""

    server: Server
    authority: Authority
    front: SecureFront
    proxy: ConnectProxy

    @property
    def issuer(self) -> str:
        return self.server.issuer

    def visitor(self) -> Visitor:
        return Visitor(self.server.base, self.issuer)

    def close(self) -> None:
        self.proxy.close()
        self.front.close()


@pytest.fixture(scope="module")
def inside(tmp_path_factory):
    """The server, which knows itself by its name."""
    # A server behind a proxy refuses an outbox: everybody could read it.
    settings = configuration(issuer=f"https://{HOST}", delivery={"outbox": False})
    server = Server(tmp_path_factory.mktemp("inside"), settings)
    yield server
    assert server.stop() == 0


@pytest.fixture
def company(inside, machine, tmp_path):
    """The whole of it; the machine knows the proxy."""
    authority = Authority(tmp_path / "authority", HOST)
    front = SecureFront(inside.address[1], authority.server_context())
    company = Company(inside, authority, front, ConnectProxy(front.port))
    machine.environment["HTTPS_PROXY"] = company.proxy.address
    yield company
    company.close()
