"""A server whose users' passwords are at a directory of other people's making: Debian's slapd."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from support.configuration import MARIA, Client
from support.directory import STAFF, Directory, person, slapd
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import Server
from support.window import Window

PASSWORD = "the-password-at-the-directory"
# The same address at two entries.
TWINS = [
    person("twin-1", "Twin One", PASSWORD, mail="twins@acme.example"),
    person("twin-2", "Twin Two", PASSWORD, mail="twins@acme.example"),
]


def entries() -> list[str]:
    return [person("jane", "Jane Doe", PASSWORD), person("kim", "Kim Lee", PASSWORD), *TWINS]


def pytest_collection_modifyitems(items):
    if slapd() is None:
        for item in items:
            if "ldap/" in str(item.fspath):
                item.add_marker(pytest.mark.skip(reason="slapd is not installed"))


@dataclass
class Site:
    """The server and its directory; `callback` is where its one client gets its answers."""

    server: Server
    directory: Directory
    callback: str

    @property
    def base(self) -> str:
        return self.server.base


def configuration(connection: dict, callback: str) -> dict:
    app = Client("first-app", "a-secret-of-the-first-app-0123456", "client_secret_basic", (callback,))
    return {
        "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
        "tenants": [{"id": "acme", "name": "Acme"}],
        "roles": [{"name": "reader", "permissions": ["read"]}],
        "connections": [connection],
        "delivery": {"outbox": True},
        "clients": [app.entry() | {"first_party": True}],
        "users": [MARIA.entry()],
    }


@pytest.fixture
def start(tmp_path, callback_receiver):
    """Starts a server with a connection to a directory."""
    running: list[Site] = []

    def make(directory: Directory, **more) -> Site:
        callback = f"{callback_receiver.base}/first-app"
        connection = directory.connection(**({"roles": {STAFF: "reader"}} | more))
        server = Server(tmp_path / f"server-{len(running)}", configuration(connection, callback))
        running.append(Site(server, directory, callback))
        return running[-1]

    yield make
    for site in running:
        assert site.server.stop() == 0
        site.directory.stop()


@pytest.fixture
def site(tmp_path, start) -> Site:
    return start(Directory(tmp_path / "directory", entries()))


@pytest.fixture
def open_window(chromium, callback_receiver):
    windows: list[Window] = []

    def make(site: Site) -> Window:
        windows.append(Window(chromium, {site.base, callback_receiver.base}))
        return windows[-1]

    yield make
    for window in windows:
        window.close()
