"""What was set up by a mailbox that a directory named for a while enters no console."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import Management, Operator, auth, command, enters_console, serve

numbers = count(1)
SPYS = "a-spy-chose-this-password"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("named"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def by_mail(own, login: str) -> dict:
    """The session that a code to the address opens."""
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    return auth(own, "otp/verify/email", {"loginId": login, "code": code}).json()


def directory(own, bearer: Management) -> Directory:
    return Directory(own, bearer.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


@pytest.mark.parametrize("holder", ["an operator", "the organisation"])
def test_a_directory_sets_nothing_up_for_a_later_owner(own, key, tokens, holder):
    """It names a mailbox of its holder's for a moment, and then the colleague's again."""
    login, spy = f"colleague{next(numbers)}@harbour.example", f"spy{next(numbers)}@harbour.example"
    user = directory(own, tokens["olga"]).make(login, emails=[{"value": login, "primary": True}])
    theirs = directory(own, tokens["oper"] if holder == "an operator" else key)
    assert theirs.patch(user, emails=[{"value": spy, "primary": True}]).status_code == 200
    session = by_mail(own, spy)
    set_up = auth(own, "password/update", {"loginId": spy, "newPassword": SPYS}, session["refreshJwt"])
    assert set_up.status_code == 200, set_up.text
    back = theirs.patch(user, emails=[{"value": login, "primary": True}])
    assert back.status_code == 200, back.text
    assert login in key.user(login)["loginIds"] and spy not in key.user(login)["loginIds"]
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, SPYS), f"{holder} is the platform's owner"


def test_the_colleagues_own_password_enters(own, tokens):
    """The control."""
    login = f"colleague{next(numbers)}@harbour.example"
    directory(own, tokens["olga"]).make(login, emails=[{"value": login, "primary": True}])
    session = by_mail(own, login)
    set_up = auth(own, "password/update", {"loginId": login, "newPassword": SPYS}, session["refreshJwt"])
    assert set_up.status_code == 200, set_up.text
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, SPYS)
