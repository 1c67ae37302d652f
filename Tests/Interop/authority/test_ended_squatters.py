"""A squatter's account becomes its address's owner's: no organisation has her by what the squatter did."""

from __future__ import annotations

import base64
import hashlib
import secrets

import pytest
import requests

from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor


@pytest.fixture(scope="module", params=[False, True], ids=["any sign-in", "its own sign-in"])
def site(tmp_path_factory, told, request):
    made = OwnAccounts(
        tmp_path_factory.mktemp("squatters"),
        tenants=[{"id": "acme", "name": "Acme", "require_sso": request.param}],
        connections=[{
            "id": "acme", "name": "Acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
            "client_id": CLIENT_ID, "client_secret": SECRET}])
    yield made
    made.close()


def of_acme(word: str) -> str:
    return f"{word}{secrets.token_hex(4)}@acme.example"


def by_provider(site: OwnAccounts, told, visitor: Visitor, address: str) -> Page | Callback:
    """Where a browser arrives for which Acme's provider says an address."""
    subject = secrets.token_hex(8)
    told.token = {"sub": subject, "email": address, "email_verified": True}
    told.userinfo = {"sub": subject}
    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).rstrip(b"=").decode()
    answer = visitor.get(f"{site.base}/oauth2/authorize", params={
        "client_id": APP.client_id, "redirect_uri": APP.redirect_uris[0], "response_type": "code", "scope": "openid",
        "state": "s", "connection": "acme", "code_challenge": challenge, "code_challenge_method": "S256"})
    while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uris[0]):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    return visitor.follow(answer)


def squat(site: OwnAccounts, told, hers: str, said: str) -> None:
    """A stranger claims her address first, and joins Acme: its provider says an address that has an account."""
    password = new_password()
    if said != hers:
        site.sign_up(said)
    site.call("password/signup", {"loginId": hers, "password": password, "user": {"email": hers}})
    visitor = site.visitor()
    page = by_provider(site, told, visitor, said)
    assert isinstance(page, Page) and page.name == "login", page
    visitor.submit(page, {"username": hers, "password": password})
    assert [each["tenantId"] for each in site.user(hers)["userTenants"]] == ["acme"]


def prove(site: OwnAccounts, login: str) -> bool:
    """She comes by a code to her mailbox."""
    site.call("otp/signup-in/email", {"loginId": login})
    return site.post("otp/verify/email", {"loginId": login, "code": site.code(login)}).status_code == 200


def opens(site: OwnAccounts, told, hers: str) -> bool:
    """Whether the provider's word alone opens her account."""
    visitor = site.visitor()
    by_provider(site, told, visitor, hers)
    page = visitor.open("/settings/identifiers")
    return page.name == "settings-identifiers" and hers in page.response.text


@pytest.mark.parametrize("squatted", [False, True], ids=["the control", "a squatter was there"])
def test_the_provider_opens_no_account_that_its_owner_did_not_join(site, told, squatted):
    hers = of_acme("vera")
    if squatted:
        squat(site, told, hers, hers)
    prove(site, hers)
    assert not opens(site, told, hers), "whom the provider names is her"


@pytest.mark.parametrize("squatted", [False, True], ids=["the control", "a squatter was there"])
def test_her_own_mailbox_opens_her_account(site, told, squatted):
    """Each employee of Acme can do that to any address that has no account yet: no provider lies."""
    hers = new_name("vera")
    if squatted:
        squat(site, told, hers, of_acme("mallory"))
    prove(site, hers)
    assert prove(site, hers), "she is out for good: Acme wants its own sign-in of her"
    assert site.user(hers)["userTenants"] == []
