"""A server with two tenants, each with a token for its directory."""

from __future__ import annotations

import json
import subprocess

import pytest
import requests

from support.server import Server, binary


class Directory:
    """What a tenant's directory asks."""

    def __init__(self, base: str, token: str):
        self.base = f"{base}/scim/v2"
        self.token = token

    def send(self, method: str, path: str, body: dict | None = None, **options) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/scim+json; charset=utf-8"}
        data = None if body is None else json.dumps(body)
        return requests.request(method, self.base + path, headers=headers, data=data, timeout=20, **options)


class Site:
    def __init__(self, server: Server):
        self.server = server

    def command(self, *arguments: str, code: int = 0) -> dict | list:
        """A command on the server's database while it runs; its JSON."""
        done = subprocess.run(
            [binary(), *arguments, "--config", self.server.config, "--json",
             "--database", f"sqlite:{self.server.folder / 'keyturn.db'}"],
            capture_output=True, text=True, timeout=60, check=False,
        )
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout) if done.stdout else {}

    def directory(self, tenant: str) -> Directory:
        made = self.command("scim", "token", "create", "--tenant", tenant, "--name", "test")
        return Directory(self.server.base, made["token"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    configuration = {
        "project": {"name": "Harbour"},
        "tenants": [{"id": "acme", "name": "Acme"}, {"id": "other", "name": "Other"}],
        "delivery": {"outbox": True},
    }
    server = Server(tmp_path_factory.mktemp("scim"), configuration)
    yield Site(server)
    assert server.stop() == 0


@pytest.fixture(scope="module")
def acme(site) -> Directory:
    return site.directory("acme")
