"""What an operator merged into a colleague's account opens nothing that only an owner gives."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, enters_console, serve

numbers = count(1)
OPERATORS = "an-operator-chose-this-one"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("merged"),
        roles=[{"name": "stand-in", "permissions": ["Impersonate", "users.impersonate"]}])
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
    """A colleague without a role, who has proved an address and has a password."""
    login = f"colleague{next(numbers)}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    return login


def code(own, to: str) -> str:
    """The code in the newest message to a mailbox."""
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


def by_mailbox(own, mailbox: str, way: str = "signup-in") -> dict:
    """A session by a code that was sent to a mailbox."""
    begun = auth(own, f"otp/{way}/email", {"loginId": mailbox})
    assert begun.status_code == 200, begun.text
    entered = auth(own, "otp/verify/email", {"loginId": mailbox, "code": code(own, mailbox)})
    assert entered.status_code == 200, entered.text
    return entered.json()


def merge(own, merger: Management, login: str) -> str:
    """The mailbox of an account of the merger's own, which goes into the colleague's."""
    mailbox = f"mine{next(numbers)}@private.example"
    by_mailbox(own, mailbox)
    merger.done("user/merge", {"loginId": login, "otherLoginId": mailbox})
    return mailbox


def set_password(own, mailbox: str) -> None:
    session = by_mailbox(own, mailbox, "signin")
    done = auth(own, "password/update", {"loginId": mailbox, "newPassword": OPERATORS}, session["refreshJwt"])
    assert done.status_code == 200, done.text


def test_what_the_mailbox_of_an_operator_set_up_enters_no_console(own, tokens, login):
    """Before an owner gives the colleague a role."""
    mailbox = merge(own, tokens["oper"], login)
    set_password(own, mailbox)
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"


def test_what_the_mailbox_of_an_operator_sets_up_enters_no_console(own, tokens, login):
    """After it: the role is refused, or the mailbox opens the account no more."""
    mailbox = merge(own, tokens["oper"], login)
    given = tokens["olga"].post("operator/update", {"loginId": login, "role": "owner"})
    if given.status_code != 200:
        return
    auth(own, "otp/signin/email", {"loginId": mailbox})
    entered = auth(own, "otp/verify/email", {"loginId": mailbox, "code": code(own, mailbox)})
    if entered.status_code == 200:
        auth(own, "password/update", {"loginId": mailbox, "newPassword": OPERATORS}, entered.json()["refreshJwt"])
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"


def test_what_the_mailbox_of_an_operator_set_up_acts_as_no_other_user(own, key, tokens, login):
    """Once an owner gives the colleague the right to act as others."""
    set_password(own, merge(own, tokens["oper"], login))
    tokens["olga"].done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]})
    answer = key.post("impersonate", {
        "loginId": "olga@example.com", "impersonatorId": key.user(login)["userId"], "validateConsent": False})
    assert answer.status_code == 400, answer.text


def test_an_owner_merges_what_is_the_colleagues(own, tokens, login):
    """The control."""
    mailbox = merge(own, tokens["olga"], login)
    set_password(own, mailbox)
    tokens["olga"].done("operator/update", {"loginId": login, "role": "support"})
    assert enters_console(own, login, OPERATORS)
