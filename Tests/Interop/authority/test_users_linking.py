"""Identities at a provider that wait to be linked, and who links them: approvals, devices, users without an account."""

from __future__ import annotations

import pytest
import requests

from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import Client
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

REDIRECT = "com.example.harbour://host/path"
BANK = Client(
    "harbour-bank", None, "none", (REDIRECT,),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": [
            "authorization_code", "refresh_token", "urn:authgear:params:oauth:grant-type:anonymous-request"],
    },
)


def make(folder, told) -> OwnAccounts:
    return OwnAccounts(folder, project={"approval": {"seconds": 120}}, clients=[APP, BANK], connections=[{
        "id": "anyone", "name": "Anyone", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}])


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = make(tmp_path_factory.mktemp("linking"), told)
    yield made
    made.close()


@pytest.fixture
def open_site(tmp_path, told):
    """One whose sign-up is closed in the test."""
    made = make(tmp_path, told)
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def person(told, subject: str) -> None:
    """Who signs in at the provider next; its word about addresses is not trusted."""
    told.token = {"sub": subject, "email": f"{subject}@nowhere.test", "email_verified": True}
    told.userinfo = {"sub": subject}


def through(visitor: Visitor, answer: requests.Response) -> Page | Callback:
    """Over the provider, which asks nothing, back to a page of the server or to the app."""
    while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
        target = requests.compat.urljoin(answer.url, answer.headers["Location"])
        if target.startswith(REDIRECT):
            break
        answer = visitor.get(target)
    return visitor.follow(answer)


def leave(site: OwnAccounts, visitor: Visitor, page: Page) -> str:
    """Begins to link an account at the provider, on the page of the settings: the address there."""
    form = next(form for form in page.forms if ("action", "link") in form.buttons)
    page = visitor.follow(visitor.post(form.action, data=form.filled({"id": "anyone"}, button="link")))
    assert isinstance(page, Page) and page.name == "departure", page
    return page.soup.select_one("a.primary")["href"]


def arrive(site: OwnAccounts, visitor: Visitor, **more: str) -> Page | Callback:
    """A sign-in for the app that begins at the provider."""
    return through(visitor, visitor.get("/oauth2/authorize", params={
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256", "connection": "anyone",
        **more}))


def is_known(site: OwnAccounts, told, subject: str) -> bool:
    """Whether the identity signs somebody in."""
    person(told, subject)
    arrived = arrive(site, site.visitor())
    return not isinstance(arrived, Page) or arrived.name != "login"


def approved(site: OwnAccounts, vera: tuple[str, str], desk: Visitor, page: Page) -> Page | Callback:
    phone, _ = site.browse(*vera)
    page = desk.submit(page, {"username": vera[0]}, button="approval")
    assert page.name == "approval", page
    number = page.soup.select_one(".number strong").get_text(strip=True)
    assert site.approve(phone, number).url.endswith("?done=allowed")
    return desk.submit(page, button="refresh")


def test_an_approval_links_no_identity_that_waits(site, told, vera):
    """The attacker's identity waits in the attacker's browser, and the user approves the sign-in there."""
    person(told, "mallory")
    desk = site.visitor()
    page = arrive(site, desk)
    assert isinstance(page, Page) and page.name == "login", page
    approved(site, vera, desk, page)
    assert not is_known(site, told, "mallory"), "an approval linked the attacker's identity"
    person(told, "vera")
    own = site.visitor()
    own.submit(arrive(site, own), {"username": vera[0], "password": vera[1]})
    assert is_known(site, told, "vera"), "the user's own password links the user's own"


def test_an_old_session_links_no_identity(site, told, vera):
    """The settings ask before the way to the provider, and after it."""
    visitor, page = site.browse(*vera, "/settings/connections")
    person(told, "late")
    provider = leave(site, visitor, page)
    site.age(vera[0])
    through(visitor, visitor.get(provider))
    assert not is_known(site, told, "late")
    assert visitor.submit(page, {"id": "anyone"}, button="link").name == "login"
    visitor, page = site.browse(*vera, "/settings/connections")
    person(told, "late")
    through(visitor, visitor.get(leave(site, visitor, page)))
    assert is_known(site, told, "late"), "the control"


def test_a_session_links_no_identity_beside_a_passkey_that_came_meanwhile(site, told, vera):
    visitor, page = site.browse(*vera, "/settings/connections")
    person(told, "thief")
    provider = leave(site, visitor, page)
    with Authenticator() as device:
        site.add_passkey(vera[0], site.signed_in_by_code(vera[0]), device)
    through(visitor, visitor.get(provider))
    assert not is_known(site, told, "thief")


def test_what_another_user_began_in_the_settings_links_nothing_to_who_opens_it(site, told, vera):
    """The attacker hands on the last address of a way to the provider."""
    mallory, password = new_name("mallory"), new_password()
    site.sign_up(mallory, password)
    thief, page = site.browse(mallory, password, "/settings/connections")
    person(told, "stray")
    back = thief.get(leave(site, thief, page)).headers["Location"]
    victim, _ = site.browse(*vera)
    victim.follow(victim.get(back))
    assert not is_known(site, told, "stray")


def test_an_identity_makes_an_account_of_nobody_where_none_is_opened(open_site, told):
    """A user without an account links an identity, and is promoted by signing in with it."""
    site, policies = open_site, ("open", "off")
    apps = {policy: guest(site, told, policy) for policy in policies}
    made = {}
    for policy, app in apps.items():
        rest = {key: value for key, value in site.configuration["project"].items() if key != "sign_up"}
        if policy != "open":
            site.restart(project=rest | {"sign_up": policy})
        person(told, f"guest-{policy}")
        browser = site.visitor()
        page, finish = app.begin_promotion(browser)
        arrived = through(browser, browser.get(page.soup.select_one("a.provider")["href"]))
        if isinstance(arrived, Page) and arrived.name == "continue":
            arrived = browser.submit(arrived)
        made[policy] = False
        if isinstance(arrived, Callback) and arrived.get("code"):
            try:
                made[policy] = not finish(arrived["code"]).is_anonymous
            except AuthgearFailed:
                pass
    assert made == {"open": True, "off": False}


def guest(site: OwnAccounts, told, name: str) -> Authgear:
    """An app whose user has no account, and has linked an identity in the settings that the app shows."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate_anonymously()
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "scope": "openid", "prompt": "none",
        "redirect_uri": f"{site.issuer}/settings/connections", "login_hint": app._app_session_hint()})
    person(told, f"guest-{name}")
    done = through(visitor, visitor.get(leave(site, visitor, page)))
    assert done.url.endswith("?done=linked"), done
    return app
