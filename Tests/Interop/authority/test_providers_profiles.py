"""A tenant's providers rule the accounts that they have made, and none that its owner had first and connected."""

from __future__ import annotations

import pytest
import requests

from support.own_account import APP, OwnAccounts, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

PROFILE = {"name": "Mallory Told", "given_name": "Mallory", "family_name": "Told"}


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("profiles"), tenants=[{"id": "harbour", "name": "Harbour"}], clients=[APP],
        connections=[
            {"id": name, "tenant": "harbour", "issuer": told.issuer, "domains": ["harbour.example"],
             "trust_email": True, "client_id": CLIENT_ID, "client_secret": SECRET} for name in ("corp", "other")])
    yield made
    made.close()


def arrive(site: OwnAccounts, told, email: str, connection: str = "corp", **profile) -> tuple[Visitor, Page | Callback]:
    """The provider says who is there, and asks nothing."""
    told.token = {"sub": f"subject-{email}", "email": email, "email_verified": True, **profile}
    told.userinfo = {"sub": f"subject-{email}", **profile}
    visitor = site.visitor()
    answer = visitor.get("/oauth2/authorize", params={
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256", "connection": connection})
    while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    page = visitor.follow(answer)
    return visitor, visitor.submit(page) if isinstance(page, Page) and page.name == "continue" else page


def connect(site: OwnAccounts, told, work: str) -> None:
    """An account of one's own with an address of the tenant's, which its owner connects by a sign-in."""
    password = new_password()
    site.sign_up(work, password)
    visitor, page = arrive(site, told, work)
    assert isinstance(page, Page) and page.name == "login", page
    visitor.submit(page, {"username": work, "password": password})
    assert [each["tenantId"] for each in site.user(work)["userTenants"]] == ["harbour"], "it is connected"


def test_a_tenants_provider_fills_in_nothing_of_an_account_that_was_there_before(site, told):
    work = "vera@harbour.example"
    connect(site, told, work)
    _, page = arrive(site, told, work, **PROFILE)
    assert isinstance(page, Callback), "the control: it opens the account that was connected"
    assert site.user(work).get("name") in (None, "")


def test_the_control_it_names_a_user_whom_it_made(site, told):
    work = "made@harbour.example"
    arrive(site, told, work)
    arrive(site, told, work, **PROFILE)
    assert site.user(work)["name"] == PROFILE["name"]


def test_nor_does_another_connection_of_the_tenant_open_it(site, told):
    work = "nora@harbour.example"
    connect(site, told, work)
    _, page = arrive(site, told, work, "other", **PROFILE)
    assert isinstance(page, Page) and page.name == "login", page
    assert site.user(work).get("name") in (None, "")


def test_the_control_it_opens_an_account_that_the_provider_made(site, told):
    work = "known@harbour.example"
    arrive(site, told, work)
    _, page = arrive(site, told, work, "other", **PROFILE)
    assert isinstance(page, Callback)
    assert site.user(work)["name"] == PROFILE["name"]
