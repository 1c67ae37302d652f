"""A telephone that an operator said, and proved later, in an account of a colleague's enters no console."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, enters_console, serve

numbers = count(1)
OPERATORS = "an-operator-chose-this-one"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("said"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def colleague(key: Management) -> tuple[str, str]:
    number = next(numbers)
    login, phone = f"colleague{number}@example.com", f"+4915112345{number:03}"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    return login, phone


def by_telephone(own, login: str, phone: str) -> str:
    """The session that a code to the telephone opens; empty: none."""
    auth(own, "otp/signin/sms", {"loginId": login})
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    codes = [each["code"] for each in sent if each["to"] == phone and each.get("code")]
    if not codes:
        return ""
    entered = auth(own, "otp/verify/sms", {"loginId": login, "code": codes[-1]})
    return entered.json()["refreshJwt"] if entered.status_code == 200 else ""


@pytest.mark.parametrize("maker", ["the operator's", "another one's"])
def test_a_telephone_that_an_operator_said_enters_no_console(own, key, people, tokens, maker):
    if maker == "another one's":
        login, phone = colleague(key)
        user = key.user(login)["userId"]
        people["oper"].send(f"/admin/users/user/change?id={user}", {
            "id": user, "action": "profile", "email": login, "phone": phone})
        assert key.user(login)["phone"] == phone
    else:
        number = next(numbers)
        login, phone = f"colleague{number}@example.com", f"+4915112345{number:03}"
        tokens["oper"].done("user/create", {
            "loginId": login, "email": login, "verifiedEmail": True, "phone": phone, "verifiedPhone": False})
    session = by_telephone(own, login, phone)
    if session:
        auth(own, "password/update", {"loginId": login, "newPassword": OPERATORS}, session)
    tokens["olga"].post("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"
