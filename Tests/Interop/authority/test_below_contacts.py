"""A telephone of an operator's, in an account that the operator made, opens nothing that only an owner gives."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import Management, Operator, auth, enters_console, serve

numbers = count(1)
OPERATORS = "an-operator-chose-this-one"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("telephones"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def make(maker: Management) -> tuple[str, str]:
    """A colleague, whose address and telephone the maker calls verified."""
    number = next(numbers)
    login, phone = f"colleague{number}@example.com", f"+4915112345{number:03}"
    maker.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "phone": phone, "verifiedPhone": True})
    return login, phone


def by_telephone(own, login: str, phone: str) -> None:
    """A password, by a code that was sent to the telephone."""
    begun = auth(own, "otp/signin/sms", {"loginId": login})
    if begun.status_code != 200:
        return
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    codes = [each["code"] for each in sent if each["to"] == phone and each.get("code")]
    if not codes:
        return
    entered = auth(own, "otp/verify/sms", {"loginId": login, "code": codes[-1]})
    assert entered.status_code == 200, entered.text
    done = auth(own, "password/update", {"loginId": login, "newPassword": OPERATORS}, entered.json()["refreshJwt"])
    assert done.status_code == 200, done.text


@pytest.mark.parametrize("order", ["before the role", "after it"])
def test_an_operators_telephone_enters_no_console(own, tokens, order):
    login, phone = make(tokens["oper"])
    if order == "before the role":
        by_telephone(own, login, phone)
    tokens["olga"].post("operator/update", {"loginId": login, "role": "owner"})
    if order == "after it":
        by_telephone(own, login, phone)
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"


def test_a_telephone_that_an_owner_names_does(own, tokens):
    """The control."""
    login, phone = make(tokens["olga"])
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    by_telephone(own, login, phone)
    assert enters_console(own, login, OPERATORS)
