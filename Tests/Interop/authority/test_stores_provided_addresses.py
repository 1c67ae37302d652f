"""What was set up by a mailbox that an organisation's provider named for a while enters no console."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import Operator, auth, command, enters_console, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Visitor

numbers = count(1)
SPYS = "a-spy-chose-this-password"


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET, "trust_email": True}
    server = serve(
        tmp_path_factory.mktemp("moved"), connections=[
            connection | {"id": "corp", "tenant": "harbour", "domains": ["harbour.example"]}])
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga",)}
    for one in entered.values():
        one.enter()
    return entered


def says(own, told: ToldProvider, subject: str, login: str) -> None:
    """The provider's user signs in, and the provider names the address."""
    told.token, told.userinfo = {"sub": subject, "email": login, "email_verified": True}, {"sub": subject}
    begun = auth(own, f"sso/authorize?tenant=harbour&redirectUrl={own.base}/back")
    assert begun.status_code == 200, begun.text
    browser = Visitor(own.base)
    answer = browser.get(begun.json()["url"])
    while answer.is_redirect and "/back?" not in answer.headers["Location"]:
        answer = browser.get(answer.headers["Location"])
    assert "code=" in answer.headers.get("Location", ""), answer.text[:300]


def set_password(own, login: str) -> None:
    """By a code that is sent to the address."""
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    session = auth(own, "otp/verify/email", {"loginId": login, "code": code}).json()["refreshJwt"]
    done = auth(own, "password/update", {"loginId": login, "newPassword": SPYS}, session)
    assert done.status_code == 200, done.text


@pytest.mark.parametrize("first", ["the colleague's", "the spy's"])
def test_a_provider_sets_nothing_up_for_a_later_owner(own, told, key, tokens, first):
    number = next(numbers)
    login, spy, subject = f"colleague{number}@harbour.example", f"spy{number}@harbour.example", f"s-{number}"
    if first == "the colleague's":
        says(own, told, subject, login)
    says(own, told, subject, spy)
    set_password(own, spy)
    says(own, told, subject, login)
    assert key.user(login)["loginIds"] == [login]
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, SPYS), "the organisation is the platform's owner"


def test_the_colleagues_own_password_enters(own, told, tokens):
    """The control."""
    number = next(numbers)
    login = f"colleague{number}@harbour.example"
    says(own, told, f"s-{number}", login)
    set_password(own, login)
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, SPYS)
