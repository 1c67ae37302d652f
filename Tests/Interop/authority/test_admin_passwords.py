"""A password that an operator set opens nothing that only an owner gives."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import (
    ADMIN, CALLBACK, PASSWORD, Management, Operator, auth, command, enters_console, letter, serve)
from support.visitor import Callback, Visitor

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code"], "scope": "openid", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}
OPERATORS = "an-operator-chose-this-one"
OWNER = "olga@example.com"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("passwords"), clients=[ADMIN, APP],
        roles=[{"name": "stand-in", "permissions": ["Impersonate", "users.impersonate"]}])
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    key = Management(server)
    key.done("user/update/tenant/add", {"loginId": OWNER, "tenantId": "harbour"})
    key.done("role/create", {
        "name": "agent", "tenantId": "harbour", "permissionNames": ["users.impersonate"]})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


@pytest.fixture
def login(key) -> str:
    """A colleague without a role, who has proved an address."""
    login = f"colleague{next(numbers)}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    return login


def by_management(own, tokens, login: str, role: str) -> None:
    tokens["olga"].done("operator/update", {"loginId": login, "role": role})


def by_command(own, tokens, login: str, role: str) -> None:
    command(own, "operator", "grant", login, "--role", role)


GIVEN = {"management": by_management, "command": by_command}


@pytest.mark.parametrize("role", ["viewer", "owner"])
@pytest.mark.parametrize("way", GIVEN)
def test_an_operators_password_enters_no_console(own, tokens, login, way, role):
    tokens["oper"].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    GIVEN[way](own, tokens, login, role)
    assert not enters_console(own, login, OPERATORS)
    assert auth(own, "password/signin", {"loginId": login, "password": OPERATORS}).status_code in (400, 401)


@pytest.mark.parametrize("bearer", ["owner", "key", "user"])
def test_another_password_does(own, key, tokens, login, bearer):
    """The control: an owner's, a program's, the user's own."""
    if bearer != "user":
        {"owner": tokens["olga"], "key": key}[bearer].done(
            "user/password/set/active", {"loginId": login, "password": f"{PASSWORD}-2"})
    by_management(own, tokens, login, "support")
    assert enters_console(own, login, PASSWORD if bearer == "user" else f"{PASSWORD}-2")


def test_nor_does_what_that_password_set_up(own, tokens, login):
    """Who has the password replaces it, as the user would, and adds an authenticator."""
    tokens["oper"].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    spy = Operator(own, login.split("@")[0], password=OPERATORS)
    assert spy.walk(spy.browser.open(f"{own.base}/settings")).name == "settings"
    session = auth(own, "password/signin", {"loginId": login, "password": OPERATORS}).json()
    replaced = auth(own, "password/update", {"loginId": login, "newPassword": f"{OPERATORS}-2"}, session["refreshJwt"])
    assert replaced.status_code == 200, replaced.text
    by_management(own, tokens, login, "owner")
    assert spy.browser.open(f"{own.base}/settings").name == "login", "its session has ended"
    assert not enters_console(own, login, f"{OPERATORS}-2")
    assert auth(own, "refresh", bearer=session["refreshJwt"]).status_code == 401
    assert letter(own, login, "password"), "the user hears of it"


def test_a_role_that_becomes_more_asks_again(own, tokens, login):
    """An operator may set the password of a viewer, who then becomes an owner."""
    by_management(own, tokens, login, "viewer")
    tokens["oper"].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    by_management(own, tokens, login, "owner")
    assert not enters_console(own, login, OPERATORS)


def test_the_user_sets_up_new_ways_and_keeps_them(own, key, tokens, login):
    tokens["oper"].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    by_management(own, tokens, login, "support")
    key.done("user/password/set/active", {"loginId": login, "password": f"{PASSWORD}-2"})
    by_management(own, tokens, login, "owner")
    assert enters_console(own, login, f"{PASSWORD}-2"), "nothing of an operator's is left"


def token(own, login: str, password: str) -> str:
    user = Visitor(own.base)
    page = user.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = user.submit(page, {"username": login, "password": password})
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    return requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]


@pytest.mark.parametrize("setter", ["oper", "olga"])
def test_nor_does_it_act_as_others_once_a_group_allows_it(own, key, tokens, setter):
    """The owner's directory puts the user into a group that an owner mapped."""
    directory = Directory(own, tokens["olga"].done("scim/token/create", {"tenantId": "harbour"})["cleartext"])
    name = f"agents{next(numbers)}"
    group = directory.send("POST", "/Groups", {"displayName": name}).json()["id"]
    command(own, "scim", "group", "map", name, "--role", "agent", "--tenant", "harbour")
    person = f"agent{next(numbers)}@harbour.example"
    user = directory.make(person)
    tokens[setter].done("user/password/set/active", {"loginId": person, "password": OPERATORS})
    joined = directory.send("PATCH", f"/Groups/{group}", {"Operations": [
        {"op": "add", "path": "members", "value": [{"value": user}]}]})
    assert joined.status_code == 204, joined.text
    answer = requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {token(own, person, OPERATORS)}", "As-User": key.user(OWNER)["userId"]})
    assert answer.status_code == (403 if setter == "oper" else 200), answer.text


@pytest.mark.parametrize("setter", ["oper", "olga"])
def test_nor_on_the_methods_wire(own, key, tokens, login, setter):
    tokens[setter].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    key.done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]})
    answer = key.post("impersonate", {
        "loginId": OWNER, "impersonatorId": key.user(login)["userId"], "validateConsent": False})
    assert answer.status_code == (400 if setter == "oper" else 200), answer.text
    if setter == "oper":
        assert "An operator has set up" in answer.text
