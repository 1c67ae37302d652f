"""A server, and an OpenID provider of other people that it leads its users to."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from support.configuration import MARIA, Client
from support.server import Server, die_with_parent, free_port
from support.window import Window

START_SECONDS = 30
# What the provider says about its users.
USERS = [
    {"sub": "jane-4711", "email": "jane@acme.example", "email_verified": True, "name": "Jane Doe", "groups": ["staff"]},
    {"sub": "maria-0815", "email": MARIA.claims["email"], "email_verified": True, "name": "Another Maria"},
]
STYLES = "https://cdn.jsdelivr.net"
SECRET = "a-secret-between-the-two-servers-1"


class Provider:
    """`oidc-provider-mock`: its users type their name, and are asked nothing else."""

    def __init__(self, folder: Path):
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        claims = [part for user in USERS for part in ("--user-claims", json.dumps(user))]
        self.log = (folder / "provider.log").open("wb")
        self.process = subprocess.Popen(
            [Path(sys.executable).parent / "oidc-provider-mock", "--port", str(self.port), *claims],
            stdout=self.log,
            stderr=self.log,
            preexec_fn=die_with_parent,
        )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                document = requests.get(f"{self.base}/.well-known/openid-configuration", timeout=2).json()
                self.issuer = document["issuer"]
                return
            except (requests.RequestException, ValueError):
                time.sleep(0.1)
        raise RuntimeError("the provider did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.log.close()


@pytest.fixture(scope="module")
def upstream(tmp_path_factory):
    provider = Provider(tmp_path_factory.mktemp("provider"))
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory, upstream, callback_receiver):
    """The server; `callback` is where its one client gets its answers."""
    callback = f"{callback_receiver.base}/first-app"
    app = Client("first-app", "a-secret-of-the-first-app-0123456", "client_secret_basic", (callback,))
    connection = {"issuer": upstream.issuer, "client_id": "keyturn", "client_secret": SECRET}
    configuration = {
        "project": {"name": "Harbour"},
        "tenants": [{"id": "acme", "name": "Acme"}],
        "roles": [{"name": "reader", "permissions": ["read"]}],
        "connections": [
            connection | {"id": "elsewhere", "name": "Elsewhere"},
            connection | {
                "id": "acme", "name": "Acme", "tenant": "acme", "domains": ["acme.example"],
                "roles": {"staff": "reader"},
            },
        ],
        "delivery": {"outbox": True},
        "clients": [app.entry() | {"first_party": True}],
        "users": [MARIA.entry()],
    }
    server = Server(tmp_path_factory.mktemp("federation"), configuration)
    server.callback = callback
    yield server
    assert server.stop() == 0


@pytest.fixture
def open_window(chromium, site, upstream, callback_receiver):
    windows: list[Window] = []

    def make(**options) -> Window:
        window = Window(chromium, {site.base, upstream.base, callback_receiver.base, STYLES}, **options)
        # The provider's pages ask for a style sheet on the network, which there need not be.
        window.context.route(f"{STYLES}/**", lambda route: route.abort())
        windows.append(window)
        return window

    yield make
    for window in windows:
        window.close()
