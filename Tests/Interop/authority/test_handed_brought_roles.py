"""What a user without an account brings into one: not the role of a provider's group, whose identity stays behind."""

from __future__ import annotations

import pytest

from authority.test_users_anonymous import made_yesterday
from authority.test_users_linking import BANK, REDIRECT, leave, through
from support.authgear_client import Authgear
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("brought"), roles=[{"name": "admin", "permissions": ["write"]}], clients=[APP, BANK],
        connections=[{
            "id": "anyone", "name": "Anyone", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "roles": {"admins": "admin"}}])
    yield made
    made.close()


def guest(site: OwnAccounts, told) -> Authgear:
    """An app whose user has no account. An employee links an identity at the provider, and signs in there: a role comes
    of a group."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate_anonymously()
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "scope": "openid", "prompt": "none",
        "redirect_uri": f"{site.issuer}/settings/connections", "login_hint": app._app_session_hint()})
    told.token = {"sub": "the-employee", "groups": ["admins"]}
    told.userinfo = {"sub": "the-employee"}
    done = through(visitor, visitor.get(leave(site, visitor, page)))
    assert done.url.endswith("?done=linked"), done
    browser = site.visitor()
    page = browser.open("/settings")
    page = through(browser, browser.get(page.soup.select_one("a.provider")["href"]))
    assert page.name == "settings", page
    return app


@pytest.mark.parametrize("choice", ["leave", "bring"], ids=["the control", "brought along"])
def test_a_role_of_a_group_goes_into_no_other_account(site, told, choice):
    """The employee does so for each friend in turn; no group that ends takes the role from any of them."""
    friend, password = new_name("fred"), new_password()
    site.sign_up(friend, password)
    made_yesterday(site, friend)
    app = guest(site, told)
    browser = site.visitor()
    page, finish = app.begin_promotion(browser)
    page = browser.submit(page, {"username": friend, "password": password})
    assert page.name == "promotion", page
    arrived = browser.submit(page, button=choice)
    assert isinstance(arrived, Callback) and arrived.get("code")
    assert not finish(arrived["code"]).is_anonymous
    assert site.user(friend)["roleNames"] == [], "the friend has the employee's role, for good"
