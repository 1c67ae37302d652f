"""What an operator set up in an account stays known of it, also once it is the account of an app's user."""

from __future__ import annotations

from itertools import count

import pytest

from support.authgear_client import FULL_ACCESS, Authgear
from support.operators import ADMIN, Management, Operator, enters_console, serve
from support.pages import Page
from support.visitor import Callback, Visitor

numbers = count(1)
OPERATORS = "an-operator-chose-this-one"
REDIRECT = "com.example.harbour://host/path"
BANK = {
    "client_id": "harbour-bank", "token_endpoint_auth_method": "none", "redirect_uris": [REDIRECT],
    "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank", "first_party": True,
    "scope": f"openid offline_access {FULL_ACCESS}",
    "grant_types": ["authorization_code", "refresh_token", "urn:authgear:params:oauth:grant-type:anonymous-request"],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("promoted"), clients=[ADMIN, BANK])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def promote(own, maker: Management) -> str:
    """An app's user without an account gets the one of a colleague, which the maker makes meanwhile."""
    app = Authgear(own.base, BANK["client_id"], REDIRECT)
    app.authenticate_anonymously()
    browser = Visitor(own.base)
    page, finish = app.begin_promotion(browser)
    login = f"colleague{next(numbers)}@example.com"
    maker.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": OPERATORS})
    page = browser.submit(page, {"username": login, "password": OPERATORS})
    assert isinstance(page, Page) and page.name == "promotion", "it was not made on these pages"
    arrived = browser.submit(page)
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    assert not finish(arrived["code"]).is_anonymous
    return login


def test_an_operators_password_in_a_promoted_account_enters_no_console(own, tokens):
    login = promote(own, tokens["oper"])
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, OPERATORS), "the operator is an owner"


def test_an_owners_does(own, tokens):
    """The control."""
    login = promote(own, tokens["olga"])
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, OPERATORS)
