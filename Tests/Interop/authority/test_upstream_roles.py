"""Roles that a provider's groups gave end with the groups, also of a user who has a role in the console by then."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import Client, secret_of
from support.operators import Management
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

BACK = "https://app.example/back"
APP = Client("app", secret_of("app"), "client_secret_basic", (BACK,))


class Site(Provider):
    def __init__(self, folder, told: ToldProvider):
        connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.told = told
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
                "tenants": [{"id": "acme", "name": "Acme"}],
                "roles": [{"name": "admin", "permissions": ["write"]}, {"name": "reader", "permissions": ["read"]}],
                "connections": [
                    connection | {"id": "trusted", "trust_email": True, "roles": {"admins": "admin"}},
                    connection | {
                        "id": "acme", "tenant": "acme", "domains": ["acme.example"], "roles": {"readers": "reader"}},
                ],
                "delivery": {"outbox": True}, "clients": [APP.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def arrive(self, connection: str, login: str, groups: list[str]) -> None:
        self.told.token = {"sub": login, "email": login, "email_verified": True, "groups": groups}
        self.told.userinfo = {"sub": login}
        visitor = Visitor(self.base)
        answer = visitor.get(self.endpoint("authorization"), params={
            "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid", "state": "s",
            "connection": connection})
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        callback = visitor.follow(answer)
        assert isinstance(callback, Callback) and callback.get("code"), callback

    def roles(self, login: str) -> set[str]:
        user = self.key.user(login)
        return set(user["roleNames"]).union(*(tenant["roleNames"] for tenant in user["userTenants"]))

    def session_roles(self, connection: str, login: str) -> dict:
        """Of a session that the provider opens by the methods' wire, after what it said last."""
        kind, query = ("oauth", "provider=trusted") if connection == "trusted" else ("sso", "tenant=acme")
        send = lambda path, body: requests.post(
            f"{self.base}/v1/auth/{path}", json=body, timeout=30, headers={"Authorization": f"Bearer {PROJECT_ID}"})
        visitor = Visitor(self.base)
        answer = visitor.get(send(f"{kind}/authorize?{query}&redirectUrl={BACK}", {}).json()["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        opened = send(f"{kind}/exchange", {"code": Callback.from_location(answer.headers["Location"])["code"]})
        assert opened.status_code == 200, opened.text
        return payload_of(opened.json()["sessionJwt"])


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("groups"), told)
    yield site
    assert site.server.stop() == 0


CONNECTIONS = {"trusted": ("all.example", ["admins"], "admin"), "acme": ("acme.example", ["readers"], "reader")}


@pytest.fixture(params=CONNECTIONS)
def kim(request, site):
    """A user with the role of the group: connection, name, role."""
    domain, groups, role = CONNECTIONS[request.param]
    login = f"kim{secrets.token_hex(4)}@{domain}"
    site.arrive(request.param, login, groups)
    assert site.roles(login) == {role}
    return request.param, login, role


@pytest.mark.parametrize("console", [None, "viewer", "owner"])
def test_a_role_ends_with_the_group(site, kim, console):
    """Without a role in the console it does, which is the control."""
    connection, login, role = kim
    if console:
        site.key.done("operator/update", {"loginId": login, "role": console})
    site.arrive(connection, login, [])
    assert role not in site.roles(login), "nothing gives it any more"
    claims = site.session_roles(connection, login)
    assert role not in claims.get("roles", []) and role not in str(claims.get("tenants", {}))


def test_a_role_ends_with_the_group_when_the_console_s_role_is_gone_again(site, kim):
    connection, login, role = kim
    site.key.done("operator/update", {"loginId": login, "role": "viewer"})
    site.arrive(connection, login, [])
    site.key.done("operator/update", {"loginId": login, "role": ""})
    site.arrive(connection, login, [])
    assert role not in site.roles(login)


def test_no_group_gives_a_role_of_the_project_to_whom_the_console_is_open(site):
    """A provider says nothing about operators beside its own tenant."""
    login = f"kim{secrets.token_hex(4)}@all.example"
    site.arrive("trusted", login, [])
    site.key.done("operator/update", {"loginId": login, "role": "viewer"})
    site.arrive("trusted", login, ["admins"])
    assert site.roles(login) == set()
    other = f"kim{secrets.token_hex(4)}@all.example"
    site.arrive("trusted", other, ["admins"])
    assert site.roles(other) == {"admin"}, "the control"
