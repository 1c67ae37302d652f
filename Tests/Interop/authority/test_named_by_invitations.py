"""What was set up in an account by an operator's mailbox enters no console once another person is invited to it."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import Management, Operator, auth, enters_console, serve

numbers = count(1)
SPYS = "a-spy-chose-this-password"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("invited"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def by_mail(own, login: str) -> requests.Response:
    """What a code to the address opens."""
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    return auth(own, "otp/verify/email", {"loginId": login, "code": code})


def spied(own, maker: Management) -> tuple[str, str]:
    """An account with one address, whose reader has set a password, as any user does."""
    spy = f"spy{next(numbers)}@example.com"
    made = maker.done("user/create", {"loginId": spy, "email": spy, "verifiedEmail": True})
    session = by_mail(own, spy).json()["refreshJwt"]
    answer = auth(own, "password/update", {"loginId": spy, "newPassword": SPYS}, session)
    assert answer.status_code == 200, answer.text
    return made["user"]["userId"], spy


def invited_first(one: Operator, bearer: Management, user: str, login: str) -> None:
    """The status, and then another address in the form of the profile."""
    bearer.done("user/update/status", {"userId": user, "status": "invited"})
    one.send(f"/admin/users/user/change?id={user}", {"id": user, "action": "profile", "email": login})


def named_first(one: Operator, bearer: Management, user: str, login: str) -> None:
    """The other way round."""
    one.send(f"/admin/users/user/change?id={user}", {"id": user, "action": "profile", "email": login})
    bearer.done("user/update/status", {"userId": user, "status": "invited"})


ORDERS = {"invited first": invited_first, "named first": named_first}


@pytest.mark.parametrize("order", ORDERS)
def test_the_former_readers_password_enters_no_console(own, people, tokens, order):
    """The operator invites a colleague to the account."""
    login = f"colleague{next(numbers)}@example.com"
    user, _ = spied(own, tokens["oper"])
    ORDERS[order](people["oper"], tokens["oper"], user, login)
    assert tokens["oper"].get(f"user?userId={user}").json()["user"]["loginIds"] == [login]
    assert by_mail(own, login).status_code == 200, "the colleague accepts the invitation"
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, SPYS), "the operator is the platform's owner"
    assert auth(own, "password/signin", {"loginId": login, "password": SPYS}).status_code != 200


def test_a_password_of_the_colleagues_own_does(own, tokens):
    """The control."""
    _, login = spied(own, tokens["oper"])
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, SPYS)
