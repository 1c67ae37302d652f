"""Who is meant by a user name, or by an address that an operator added, when an owner gives a role in the console."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import Management, Operator, auth, enters_console, serve

numbers = count(1)
SPYS = "a-spy-chose-this-password"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("user-names"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def set_up(own, login: str, address: str) -> None:
    """Who reads the address signs in by a code, and chooses a password."""
    way = "sms" if address.startswith("+") else "email"
    assert auth(own, f"otp/signin/{way}", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == address and each.get("code")][-1]
    session = auth(own, f"otp/verify/{way}", {"loginId": login, "code": code}).json()["refreshJwt"]
    answer = auth(own, "password/update", {"loginId": login, "newPassword": SPYS}, session)
    assert answer.status_code == 200, answer.text


def known(key: Management) -> tuple[str, str]:
    """A colleague whom the owner knows by a user name: the name, and the account."""
    name = f"anna{next(numbers)}"
    address = f"{name}@example.com"
    made = key.done("user/create", {
        "loginId": name, "additionalLoginIds": [address], "email": address, "verifiedEmail": True})
    return name, made["user"]["userId"]


def test_a_user_name_that_an_operator_moved_names_no_other_account(own, key, people, tokens):
    """The operator takes the colleague's user name away, and makes an account with it."""
    name, user = known(key)
    removed = people["oper"].send(
        f"/admin/users/user/change?id={user}", {"id": user, "action": "remove-login-id", "loginId": name})
    assert removed.status_code in (200, 303), removed.text
    spy = f"spy-{name}@example.com"
    made = tokens["oper"].post("user/create", {"loginId": name, "email": spy, "verifiedEmail": True})
    assert made.status_code == 200, made.text
    set_up(own, name, spy)
    tokens["olga"].post("operator/update", {"loginId": name, "role": "owner"})
    assert not enters_console(own, name, SPYS), "the operator is the platform's owner"


def test_a_user_name_names_its_user(own, key, tokens):
    """The control."""
    name, _ = known(key)
    set_up(own, name, f"{name}@example.com")
    tokens["olga"].done("operator/update", {"loginId": name, "role": "owner"})
    assert enters_console(own, name, SPYS)


@pytest.mark.parametrize("maker", ["oper", "olga"])
def test_an_address_beside_an_operators_telephone_names_the_colleague_alone(own, key, people, tokens, maker):
    """The operator adds the colleague's address unproved, and an owner's program proves it. The control is an owner's."""
    phone, login = f"+4915112300{next(numbers):02}", f"colleague{next(numbers)}@example.com"
    made = tokens[maker].done("user/create", {"loginId": phone, "phone": phone, "verifiedPhone": True})
    user = made["user"]["userId"]
    set_up(own, phone, phone)
    added = people[maker].send(
        f"/admin/users/user/change?id={user}", {"id": user, "action": "add-login-id", "loginId": login})
    assert added.status_code in (200, 303), added.text
    assert login in key.get(f"user?userId={user}").json()["user"]["loginIds"]
    key.done("user/update/email", {"loginId": login, "email": login, "verified": True})
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, SPYS) is (maker == "olga"), "the operator is the platform's owner"
