"""A link about a sign-in from before a role brings back no mailbox that went with the role."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, enters_console, serve
from support.own_account import next_second
from support.visitor import Visitor

numbers = count(1)
OPERATORS = "an-operator-chose-this-one"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("disputed"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def letters(own, to: str) -> list[dict]:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each for each in sent if each["to"] == to]


def by_mailbox(own, mailbox: str) -> requests.Response:
    """What a code answers that is sent to the mailbox."""
    begun = auth(own, "otp/signin/email", {"loginId": mailbox})
    codes = [each["code"] for each in letters(own, mailbox) if each.get("code")]
    if begun.status_code != 200 or not codes:
        return begun
    return auth(own, "otp/verify/email", {"loginId": mailbox, "code": codes[-1]})


def enter_by_mailbox(own, mailbox: str) -> None:
    """A sign-in on a new device, of which the mailbox is told."""
    browser = Visitor(own.base)
    page = browser.submit(browser.open(f"{own.base}/settings"), {"username": mailbox}, button="code")
    code = [each["code"] for each in letters(own, mailbox) if each.get("code")][-1]
    page = browser.submit(page, {"code": code})
    assert page.name == "settings", page


def plant(own, key: Management, oper: Management) -> tuple[str, str, str]:
    """A colleague, an operator's mailbox in the account, and a link that the mailbox has got."""
    number = next(numbers)
    login, spy = f"colleague{number}@example.com", f"spy{number}@private.example"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    assert auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).status_code == 200
    # A mailbox of the operator's own, whose account goes into the colleague's.
    assert auth(own, "otp/signup/email", {"loginId": spy}).status_code == 200
    code = [each["code"] for each in letters(own, spy) if each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": spy, "code": code}).status_code == 200
    oper.done("user/merge", {"loginId": login, "otherLoginId": spy})
    next_second()
    enter_by_mailbox(own, spy)
    link = [each["links"][0] for each in letters(own, spy) if each["kind"] == "new-sign-in"][-1]
    next_second()
    return login, spy, link


@pytest.mark.parametrize("disputed", [False, True], ids=["the control", "a link that was sent before"])
def test_an_operators_mailbox_stays_out(own, key, tokens, disputed):
    login, spy, link = plant(own, key, tokens["oper"])
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert key.user(login)["loginIds"] == [login]
    if disputed:
        browser = Visitor(own.base)
        page = browser.open(link)
        if page.forms:
            browser.submit(page)
    entered = by_mailbox(own, spy)
    if entered.status_code == 200 and login in entered.json()["user"]["loginIds"]:
        auth(own, "password/update", {"loginId": login, "newPassword": OPERATORS}, entered.json()["refreshJwt"])
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"
    assert key.user(login)["loginIds"] == [login]
