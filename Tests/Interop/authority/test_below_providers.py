"""What a provider set up in its user's account, before the user got a role there, enters no console."""

from __future__ import annotations

from itertools import count
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.operators import Operator, auth, enters_console, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Visitor

numbers = count(1)
PROVIDERS = "a-provider-chose-this-one"


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET, "trust_email": True}
    server = serve(
        tmp_path_factory.mktemp("planted"), connections=[
            connection | {"id": "corp", "tenant": "harbour", "domains": ["harbour.example"]}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def arrive(own, told: ToldProvider, login: str) -> str:
    """A session by the word of the provider, which its administrators have as well: the refresh token."""
    told.token, told.userinfo = {"sub": f"s-{login}", "email": login, "email_verified": True}, {"sub": f"s-{login}"}
    begun = auth(own, f"sso/authorize?tenant=harbour&redirectUrl={own.base}/back")
    assert begun.status_code == 200, begun.text
    browser = Visitor(own.base)
    answer = browser.get(begun.json()["url"])
    while answer.is_redirect and "/back?" not in answer.headers["Location"]:
        answer = browser.get(answer.headers["Location"])
    code = parse_qs(urlsplit(answer.headers.get("Location", "")).query)["code"][0]
    entered = auth(own, "sso/exchange", {"code": code})
    assert entered.status_code == 200, entered.text
    return entered.json()["refreshJwt"]


@pytest.mark.parametrize("order", ["before the role", "after it"])
def test_a_password_that_a_provider_set_enters_no_console(own, told, tokens, order):
    login = f"colleague{next(numbers)}@harbour.example"
    session = arrive(own, told, login)
    if order == "before the role":
        done = auth(own, "password/update", {"loginId": login, "newPassword": PROVIDERS}, session)
        assert done.status_code in (200, 403), done.text
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    if order == "after it":
        done = auth(own, "password/update", {"loginId": login, "newPassword": PROVIDERS}, arrive(own, told, login))
        assert done.status_code == 403, done.text
    assert not enters_console(own, login, PROVIDERS), "the organisation is the platform's owner"


def test_a_password_that_a_mailbox_set_does(own, tokens):
    """The control: nothing of a provider's is in the account."""
    login = f"colleague{next(numbers)}@example.com"
    auth(own, "otp/signup/email", {"loginId": login})
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    session = auth(own, "otp/verify/email", {"loginId": login, "code": code}).json()["refreshJwt"]
    done = auth(own, "password/update", {"loginId": login, "newPassword": PROVIDERS}, session)
    assert done.status_code == 200, done.text
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, PROVIDERS)
