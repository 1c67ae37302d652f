"""A right that the server does not honour stands in no token: programs do what they read there."""

from __future__ import annotations

from itertools import count

import pytest

from support.operators import PASSWORD, Management, Operator, auth, serve
from support.tokens import payload_of

numbers = count(1)
OWNER = "olga@example.com"
OPERATORS = "the-operator-chose-this-one"
RIGHTS = ["Impersonate", "users.impersonate"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("told"), roles=[{"name": "stand-in", "permissions": [*RIGHTS, "pay"]}])
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
    """A member, whose password the user chose."""
    name = f"member{next(numbers)}@example.com"
    key.done("user/create", {
        "loginId": name, "email": name, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "harbour"}]})
    return name


def give(key: Management, login: str, tenant: str | None) -> None:
    where = {"tenantId": tenant} if tenant else {}
    key.done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]} | where)


def rights(token: str, tenant: str | None) -> tuple[list[str], list[str]]:
    """The permissions and the roles that a token names, everywhere or in a tenant."""
    claims = payload_of(token)
    told = claims["tenants"][tenant] if tenant else claims
    return sorted(told["permissions"]), told["roles"]


def acts(key: Management, login: str) -> bool:
    answer = key.post("impersonate", {
        "loginId": OWNER, "impersonatorId": key.user(login)["userId"], "validateConsent": False})
    assert answer.status_code in (200, 400), answer.text
    return answer.status_code == 200


@pytest.mark.parametrize("tenant", [None, "harbour"])
@pytest.mark.parametrize("setter", ["oper", "olga", "key"])
def test_a_session_names_the_right_where_the_server_honours_it(own, key, tokens, login, setter, tenant):
    """An owner and a program are the controls."""
    (tokens | {"key": key})[setter].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    give(key, login, tenant)
    session = auth(own, "password/signin", {"loginId": login, "password": OPERATORS}).json()
    honoured = setter != "oper"
    expected = (sorted([*RIGHTS, "pay"]) if honoured else ["pay"], ["stand-in"])
    assert rights(session["sessionJwt"], tenant) == expected
    renewed = auth(own, "refresh", bearer=session["refreshJwt"]).json()
    assert rights(renewed["sessionJwt"], tenant) == expected
    if not tenant:
        assert acts(key, login) == honoured, "the token says what the server does"


@pytest.mark.parametrize("setter", ["oper", "olga"])
def test_nor_does_an_access_key_of_the_user_name_it(own, key, tokens, login, setter):
    tokens[setter].done("user/password/set/active", {"loginId": login, "password": OPERATORS})
    give(key, login, None)
    made = key.done("accesskey/create", {"name": "own", "userId": key.user(login)["userId"]})["cleartext"]
    exchanged = auth(own, "accesskey/exchange", {}, made)
    assert exchanged.status_code == 200, exchanged.text
    assert ("users.impersonate" in payload_of(exchanged.json()["sessionJwt"])["permissions"]) == (setter == "olga")


def test_a_key_of_the_project_names_what_it_was_given(own, key):
    """It is no user's: its rights are its own."""
    made = key.done("accesskey/create", {"name": "own", "roleNames": ["stand-in"]})["cleartext"]
    exchanged = auth(own, "accesskey/exchange", {}, made)
    assert exchanged.status_code == 200, exchanged.text
    assert sorted(payload_of(exchanged.json()["sessionJwt"])["permissions"]) == sorted([*RIGHTS, "pay"])
