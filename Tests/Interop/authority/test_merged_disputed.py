"""A thief joins an organisation with the user's account: the user is no member once the sign-in is disputed."""

from __future__ import annotations

import pytest
import requests

from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

KNOWN = "known@harbour.example"


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("joined"), tenants=[{"id": "harbour", "name": "Harbour"}], clients=[APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    made.sign_up(KNOWN)
    yield made
    made.close()


def through(visitor: Visitor, answer: requests.Response) -> Page | Callback:
    """Over the provider, which asks nothing, back to a page or to the app."""
    while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    return visitor.follow(answer)


def join(site: OwnAccounts, told, email: str, password: str) -> None:
    """An identity at the organisation's provider, and a password that connects it to an account that is there."""
    told.token = {"sub": f"subject-{email}", "email": KNOWN, "email_verified": True}
    told.userinfo = {"sub": f"subject-{email}"}
    visitor = site.visitor()
    page = through(visitor, visitor.get("/oauth2/authorize", params={
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256", "connection": "corp"}))
    assert isinstance(page, Page) and page.name == "login", page
    visitor.submit(page, {"username": email, "password": password})


def tenants(site: OwnAccounts, email: str) -> list[str]:
    return [each["tenantId"] for each in site.user(email)["userTenants"]]


@pytest.fixture
def robbed(site, told) -> tuple[str, str]:
    """Her address, and the link in the message about the thief's sign-in."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    next_second()
    _, page = site.browse(email, password)
    assert page.name == "settings", page
    link = [each["links"][0] for each in site.letters(email) if each["kind"] == "new-sign-in"][-1]
    join(site, told, email, password)
    assert tenants(site, email) == ["harbour"], "the control: the thief joined it"
    return email, link


def dispute(site: OwnAccounts, link: str) -> None:
    reader = site.visitor()
    reader.submit(reader.open(link))


def test_the_membership_ends_with_the_disputed_sign_in(site, robbed):
    email, link = robbed
    dispute(site, link)
    assert tenants(site, email) == [], "the organisation has a user who is not its own"


def test_the_organisation_shuts_the_user_not_out(site, robbed):
    email, link = robbed
    dispute(site, link)
    site.manage("user/password/set/active", {"loginId": email, "password": "another-horse-battery"})
    assert site.by_password(email, "another-horse-battery").status_code == 200, "the control"
    site.manage("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": True})
    try:
        answer = site.by_password(email, "another-horse-battery")
        assert answer.status_code == 200, answer.text
    finally:
        site.manage("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": False})


def test_a_membership_of_before_stays(site):
    """The control: an operator gave it."""
    email, password = new_name("nora"), new_password()
    site.sign_up(email, password)
    site.manage("user/update/tenant/add", {"loginId": email, "tenantId": "harbour"})
    next_second()
    site.browse(email, password)
    dispute(site, [each["links"][0] for each in site.letters(email) if each["kind"] == "new-sign-in"][-1])
    assert tenants(site, email) == ["harbour"]
