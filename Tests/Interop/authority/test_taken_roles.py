"""A role of the file that lets its users act as others: an operator, who is no owner, chooses none of them, also not
between two starts of the server."""

from __future__ import annotations

import json

import pytest
import requests

from support.operators import ADMIN, CALLBACK, PASSWORD, Management, Operator, serve
from support.server import Server
from support.visitor import Callback

APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789abcdef", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}
MEMBERS = {"agent": "agnes", "emptied": "emil", "made-again": "anna", "by-default": "dora", "ordinary": "odo"}
RIGHT = "users.impersonate"


def role(key: Management, name: str) -> dict:
    return next(each for each in key.get("role/all").json()["roles"] if each["name"] == name)


def give(token: Management, name: str, to: str) -> None:
    token.post("user/update/role/add", {"loginId": f"{to}@example.com", "roleNames": [name]})


def replace(token: Management, name: str, **more) -> None:
    token.post("role/delete", {"name": name})
    token.post("role/create", {"name": name, "permissionNames": []} | more)


def take(oper: Operator, token: Management, key: Management) -> None:
    """What the operator does before the next start: each call alone is an operator's."""
    oper.send("/admin/roles", {"action": "save-role", "role": role(key, "emptied")["id"], "permissions": ""})
    give(token, "emptied", "emil")
    replace(token, "made-again")
    give(token, "made-again", "anna")
    replace(token, "by-default", default=True)
    token.post("user/update/tenant/add", {"loginId": "dora@example.com", "tenantId": "harbour"})


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roles")
    server = serve(
        folder, clients=[ADMIN, APP],
        roles=[{"name": name, "permissions": [RIGHT]} for name in MEMBERS if name != "ordinary"])
    key = Management(server)
    for name in MEMBERS.values():
        login = f"{name}@example.com"
        key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
        if name != "dora":
            key.done("user/update/tenant/add", {"loginId": login, "tenantId": "harbour"})
    key.done("user/update/tenant/add", {"loginId": "olga@example.com", "tenantId": "harbour"})
    give(key, "agent", "agnes")
    operator = Operator(server, "oper")
    operator.enter()
    take(operator, Management(server, operator.tokens()["access_token"]), key)
    assert server.stop() == 0
    port = int(server.base.rsplit(":", 1)[1])
    server = Server(folder, json.loads(server.config.read_text()), port=port)
    yield server
    assert server.stop() == 0


def reads_an_owner(own, key: Management, name: str) -> bool:
    """Whether an app's token of the user shows an owner's account, which it asks for by `As-User`."""
    user = Operator(own, name)
    arrived = user.walk(user.browser.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"}))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    token = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]
    answer = requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {token}", "As-User": key.user("olga@example.com")["userId"]})
    assert answer.status_code in (200, 403), answer.text
    return answer.status_code == 200


def test_who_has_the_role_by_an_owner_acts(own, key):
    """The control."""
    assert reads_an_owner(own, key, "agnes")
    assert not reads_an_owner(own, key, "odo")


@pytest.mark.parametrize("way", ["emptied", "made-again", "by-default"])
def test_the_next_start_gives_the_right_to_none_whom_an_operator_chose(own, key, way):
    assert not reads_an_owner(own, key, MEMBERS[way]), f"{way}: acts as an owner, by an operator's choice"
