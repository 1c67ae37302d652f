"""A password that an operator gave a user whom the operator made opens nothing that only an owner gives."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, Management, Operator, command, enters_console, serve
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
        tmp_path_factory.mktemp("new"), clients=[ADMIN, APP],
        roles=[{"name": "stand-in", "permissions": ["Impersonate", "users.impersonate"]}])
    Management(server).done("user/update/tenant/add", {"loginId": OWNER, "tenantId": "harbour"})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def make(maker: Management) -> str:
    """A colleague, whose address the maker calls verified."""
    login = f"colleague{next(numbers)}@example.com"
    maker.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": OPERATORS})
    return login


def by_management(own, tokens, login: str, role: str) -> None:
    tokens["olga"].done("operator/update", {"loginId": login, "role": role})


def by_command(own, tokens, login: str, role: str) -> None:
    command(own, "operator", "grant", login, "--role", role)


GIVEN = {"management": by_management, "command": by_command}


@pytest.mark.parametrize("way", GIVEN)
def test_the_password_of_a_user_whom_an_operator_made_enters_no_console(own, tokens, way):
    login = make(tokens["oper"])
    GIVEN[way](own, tokens, login, "owner")
    assert not enters_console(own, login, OPERATORS), "the operator, who chose the password, is an owner"


def test_nor_does_what_it_set_up(own, tokens):
    """Who has the password adds an authenticator before the role is given."""
    login = make(tokens["oper"])
    spy = Operator(own, login.split("@")[0], password=OPERATORS)
    assert spy.walk(spy.browser.open(f"{own.base}/settings")).name == "settings"
    by_management(own, tokens, login, "owner")
    assert spy.browser.open(f"{own.base}/settings").name == "login", "its session has ended"


@pytest.mark.parametrize("maker", ["owner", "key"])
def test_that_of_another_maker_does(own, key, tokens, maker):
    """The control: an owner's, a program's."""
    login = make({"owner": tokens["olga"], "key": key}[maker])
    by_management(own, tokens, login, "support")
    assert enters_console(own, login, OPERATORS)


@pytest.mark.parametrize("maker", ["oper", "olga"])
def test_nor_does_it_act_as_others_on_the_methods_wire(own, key, tokens, maker):
    login = make(tokens[maker])
    tokens["olga"].done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]})
    answer = key.post("impersonate", {
        "loginId": OWNER, "impersonatorId": key.user(login)["userId"], "validateConsent": False})
    assert answer.status_code == (400 if maker == "oper" else 200), answer.text


@pytest.mark.parametrize("maker", ["oper", "olga"])
def test_nor_at_an_api(own, key, tokens, maker):
    login = make(tokens[maker])
    tokens["olga"].done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]})
    user = Visitor(own.base)
    page = user.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = user.submit(page, {"username": login, "password": OPERATORS})
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    shown = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]
    answer = requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {shown}", "As-User": key.user(OWNER)["userId"]})
    assert answer.status_code == (403 if maker == "oper" else 200), answer.text
