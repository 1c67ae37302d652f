"""A role that acts as others comes to no new user of a provider by an operator's word."""

from __future__ import annotations

import json
from itertools import count

import pytest

from support.operators import CALLBACK, Management, Operator, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
PATH = "/admin/connections/connection"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """An owner made a default of the tenant, for users whom the owner's directory or an owner takes in."""
    server = serve(tmp_path_factory.mktemp("defaults"))
    key = Management(server)
    key.post("permission/create", {"name": "users.impersonate"})
    key.done("role/create", {
        "name": "greeter", "tenantId": "harbour", "permissionNames": ["users.impersonate"], "default": True})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


@pytest.fixture
def connection(told, people) -> str:
    """An owner's, at a provider where the operator has an account, too. It lets those in who are known."""
    name = f"corp{next(numbers)}"
    made = people["olga"].send("/admin/connections", {"action": "create", "document": json.dumps({
        "id": name, "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
        "create_users": False})})
    assert made.status_code == 303, made.text[:300]
    return name


def arrive(own, key: Management, told: ToldProvider, connection: str) -> list[str]:
    """The roles of who comes by the provider, in the tenant."""
    subject = f"spy-{connection}"
    told.token, told.userinfo = {"sub": subject, "name": subject}, {"sub": subject}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": connection} | CHALLENGE)
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    visitor.follow(visitor.get(departure.url))
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]}).json()["users"]
    return [role for each in found if each["name"] == subject for role in each["userTenants"][0]["roleNames"]]


def admit(by: Operator, connection: str) -> int:
    return by.send(f"{PATH}?id={connection}", {
        "action": "save", "id": connection, "document": json.dumps({"create_users": True})}).status_code


def test_a_connection_that_makes_no_users_makes_none(own, key, told, connection):
    """The control."""
    assert arrive(own, key, told, connection) == []


def test_an_owner_lets_new_users_in(own, key, told, people, connection):
    """The control."""
    assert admit(people["olga"], connection) == 303
    assert arrive(own, key, told, connection) == ["greeter"]


def test_an_operator_lets_no_new_user_in_who_acts_as_others(own, key, told, people, connection):
    status = admit(people["oper"], connection)
    assert arrive(own, key, told, connection) == [], f"{status}: the operator acts as others"
