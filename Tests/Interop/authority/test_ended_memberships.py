"""An organisation that wants its own sign-in decides about no account that a thief tied to it, once that is undone."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.own_account import OwnAccounts, new_name, new_password, next_second
from support.told_provider import CLIENT_ID, SECRET


@pytest.fixture(scope="module", params=[False, True], ids=["any sign-in", "its own sign-in"])
def site(tmp_path_factory, told, request):
    made = OwnAccounts(
        tmp_path_factory.mktemp("memberships"),
        tenants=[{"id": "acme", "name": "Acme", "require_sso": request.param}],
        connections=[{
            "id": "acme", "name": "Acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
            "client_id": CLIENT_ID, "client_secret": SECRET}])
    yield made
    made.close()


def by_provider(site: OwnAccounts, told, address: str) -> dict | None:
    """A session, by what Acme's provider says; `None`: it asks for another sign-in first."""
    back = f"{site.issuer}/back"
    subject = secrets.token_hex(8)
    told.token = {"sub": subject, "email": address, "email_verified": True}
    told.userinfo = {"sub": subject}
    visitor = site.visitor()
    answer = visitor.get(site.call(f"sso/authorize?tenant=acme&redirectUrl={back}", {})["url"])
    while answer.is_redirect and not answer.headers["Location"].startswith(back):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    if "code=" not in answer.headers.get("Location", ""):
        return None
    return site.call("sso/exchange", {"code": answer.headers["Location"].split("code=")[1].split("&")[0]})


def of_acme(word: str) -> str:
    return f"{word}{secrets.token_hex(4)}@acme.example"


def robbed(site: OwnAccounts, told, hers: str | None = None) -> tuple[str, str]:
    """A thief who works at Acme has her password, and the own account goes into hers: her address, her letter."""
    hers, password, mine = hers or new_name("vera"), new_password(), of_acme("mallory")
    site.sign_up(hers, password)
    assert by_provider(site, told, mine), "an account of Acme's"
    next_second()
    _, page = site.browse(hers, password)
    assert page.name == "settings", page
    letter = [each["links"][0] for each in site.letters(hers) if each["kind"] == "new-sign-in"][-1]
    session = site.by_password(hers, password).json()["refreshJwt"]
    site.call("otp/update/email", {
        "loginId": hers, "email": mine, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    site.post("otp/verify/email", {"loginId": hers, "code": site.code(mine)}, session)
    user = site.user(hers)
    assert set(user["loginIds"]) == {hers, mine} and [each["tenantId"] for each in user["userTenants"]] == ["acme"]
    return hers, letter


def enters(site: OwnAccounts, login: str) -> bool:
    site.call("otp/signin/email", {"loginId": login})
    return site.post("otp/verify/email", {"loginId": login, "code": site.code(login)}).status_code == 200


def dispute(site: OwnAccounts, letter: str) -> None:
    reader = site.visitor()
    reader.submit(reader.open(letter))


def test_her_own_mailbox_opens_her_account_after_the_dispute(site, told):
    hers, letter = robbed(site, told)
    dispute(site, letter)
    assert site.user(hers)["loginIds"] == [hers], "the control: what the thief brought is gone"
    assert enters(site, hers), "the thief's employer wants its own sign-in of her, and does not know her"


def test_the_thiefs_organisation_has_her_no_longer(site, told):
    hers, letter = robbed(site, told)
    dispute(site, letter)
    assert site.user(hers)["userTenants"] == [], "a member of an organisation that she never joined"


def test_the_provider_opens_no_account_that_never_joined(site, told):
    """The control: the mailbox is in a domain of Acme's, and the account is her own from before."""
    hers = of_acme("vera")
    site.sign_up(hers)
    assert by_provider(site, told, hers) is None


def test_the_provider_opens_no_account_that_a_thief_made_join(site, told):
    hers, letter = robbed(site, told, of_acme("vera"))
    dispute(site, letter)
    session = by_provider(site, told, hers)
    assert session is None or session["user"]["userId"] != site.user(hers)["userId"], "whom the provider names is her"
