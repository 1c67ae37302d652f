"""What a squatter or a thief leaves behind in an account that is its owner's again: what apps hear, what is known."""

from __future__ import annotations

import pytest
import requests

from support.configuration import ALL_SCOPES, Client
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback, Visitor

# An app of others: it asks, and is not asked about again.
EVE = Client(
    "eve-app", None, "none", ("https://eve.example/back",),
    {"scope": ALL_SCOPES, "first_party": False, "client_name": "Eve"})
SCOPE = "openid profile email offline_access"
TERMS = {
    "name": "terms", "steps": [
        {"name": "who", "identify": {}}, {"name": "proof", "prove": {}},
        {"name": "terms", "accept": {"document": "terms", "version": "1", "url": "https://terms.example"}},
        {"name": "end", "done": True}]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("left-behind"), project={"approval": {"seconds": 120}}, clients=[APP, EVE],
        journeys=[TERMS], registration={"enabled": True, "scope": SCOPE, "clients_max": 10})
    yield made
    made.close()


@pytest.fixture
def client(site) -> str:
    """The identifier of an app of others that registered itself."""
    answer = requests.post(f"{site.base}/oauth2/register", timeout=20, json={
        "redirect_uris": list(EVE.redirect_uris), "client_name": "Eve", "scope": SCOPE,
        "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none"})
    assert answer.status_code == 201, answer.text
    return answer.json()["client_id"]


def ask(visitor: Visitor, client: str, **more) -> tuple[Page | Callback, str]:
    """What the app asks for in a browser, and the verifier of its code."""
    verifier = make_verifier()
    return visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": client, "redirect_uri": EVE.redirect_uri, "scope": SCOPE, "state": "s",
        "code_challenge": challenge_of(verifier), "code_challenge_method": "S256", **more}), verifier


def allow(visitor: Visitor, client: str) -> None:
    page, _ = ask(visitor, client)
    assert isinstance(page, Page) and page.name == "consent", page
    arrived = visitor.submit(page)
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived


def hears(site: OwnAccounts, visitor: Visitor, client: str) -> dict:
    """What the app learns without a word of whoever uses the browser."""
    arrived, verifier = ask(visitor, client, prompt="none")
    if isinstance(arrived, Page) or not arrived.get("code"):
        # Nothing leads to the address of a self-registered app but a yes.
        is_refused = isinstance(arrived, Page) and arrived.status == 400
        assert is_refused or arrived.get("error") == "consent_required", arrived
        return {}
    tokens = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": EVE.redirect_uri,
        "client_id": client, "code_verifier": verifier}).json()
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    return requests.get(f"{site.base}/oauth2/userinfo", headers=headers, timeout=20).json()


def by_code(site: OwnAccounts, email: str) -> Visitor:
    """A browser of whoever reads the mailbox."""
    visitor = site.visitor()
    page = visitor.submit(visitor.open("/settings"), {"username": email}, button="code")
    assert visitor.submit(page, {"code": site.code(email)}).name == "settings"
    return visitor


def squatted(site: OwnAccounts) -> tuple[str, str]:
    """An account that a stranger made: her address, and the stranger's password."""
    email, password = new_name("nora"), new_password()
    site.call("password/signup", {"loginId": email, "password": password, "user": {"email": email}})
    return email, password


def test_what_a_squatter_allowed_is_not_allowed_by_the_owner_of_the_address(site, client):
    """The squatter's password, passkeys and sessions end when she proves her address."""
    email, password = squatted(site)
    squatter, page = site.browse(email, password)
    assert page.name == "settings"
    for one in (client, EVE.client_id):
        allow(squatter, one)
    owner = by_code(site, email)
    assert squatter.open("/settings").name == "login" and site.by_password(email, password).status_code == 400
    heard = {one: hears(site, owner, one) for one in (client, EVE.client_id)}
    assert heard == {client: {}, EVE.client_id: {}}, "an app of the squatter's hears of her"


def test_what_a_thief_allowed_is_over_with_what_else_came_of_the_sign_in(site, client):
    """"This was not me" ends the sessions, the factors and the addresses of that sign-in."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    thief, _ = site.browse(email, password)
    allow(thief, client)
    link = [letter["links"][0] for letter in site.letters(email) if letter["kind"] == "new-sign-in"][-1]
    reader = site.visitor()
    reader.submit(reader.open(link))
    assert thief.open("/settings").name == "login" and site.by_password(email, password).status_code == 400
    assert hears(site, by_code(site, email), client) == {}, "an app of the thief's hears of her"


def test_what_a_session_of_an_approval_allowed_is_over_with_it(site, client):
    """The user approved an attacker's request by one click, and ends the session. Such a session lets no device in."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    phone, _ = site.browse(email, password)
    desk, page, number = site.ask_for_approval(email)
    site.approve(phone, number)
    assert desk.submit(page, button="refresh").name == "settings"
    page, _ = ask(desk, client)
    if isinstance(page, Page) and page.name == "consent":
        desk.submit(page)
    page = phone.open("/settings/sessions")
    form = next(form for form in page.forms if ("action", "end-others") in form.buttons)
    phone.post(form.action, data=form.filled(button="end-others"))
    assert desk.open("/settings").name == "login"
    assert hears(site, phone, client) == {}, "an app of the attacker's hears of her"


def test_a_user_sees_what_is_allowed_in_her_account(site):
    """Also after a new password, which ends the sessions of the app: otherwise she cannot take it back."""
    email, password = new_name("vera"), new_password()
    session = site.sign_up(email, password)
    hers, _ = site.browse(email, password)
    allow(hers, EVE.client_id)
    hears(site, hers, EVE.client_id)
    assert "Eve" in hers.open("/settings/sessions").soup.get_text(), "the control"
    site.call("password/update", {"loginId": email, "newPassword": new_password()}, session)
    hers = by_code(site, email)
    is_shown = "Eve" in hers.open("/settings/sessions").soup.get_text()
    assert is_shown or hears(site, hers, EVE.client_id) == {}, "an app is allowed and not shown"


def test_what_the_user_allowed_is_remembered(site, client):
    """The control: with a new password, too, if she knows the one before."""
    email, password, new = new_name("vera"), new_password(), new_password()
    site.sign_up(email, password)
    hers, _ = site.browse(email, password)
    assert hears(site, hers, client) == {}
    allow(hers, client)
    assert hears(site, hers, client)["email"] == email
    site.call("password/replace", {"loginId": email, "oldPassword": password, "newPassword": new})
    assert hears(site, by_code(site, email), client)["email"] == email


@pytest.mark.parametrize("by", ["a message", "an operator"])
def test_what_was_allowed_under_a_password_goes_with_its_reset(site, client, by):
    """Whoever had it, or set it, may have allowed that."""
    email, password = new_name("vera"), new_password()
    session = site.sign_up(email, password)
    thief, _ = site.browse(email, password)
    hears(site, thief, client)
    allow(thief, client)
    assert hears(site, thief, client)["email"] == email, "the control"
    if by == "a message":
        site.call("password/update", {"loginId": email, "newPassword": new_password()}, session)
    else:
        site.manage("user/password/set/active", {"loginId": email, "password": new_password()})
    assert hears(site, by_code(site, email), client) == {}


def test_what_one_user_allowed_is_nothing_of_the_next_of_the_name(site, client):
    """She deletes the account, and somebody signs up with the address."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    hers, _ = site.browse(email, password)
    allow(hers, client)
    page = hers.open("/settings/delete")
    assert hers.submit(page, {"confirm": "true"}, button="delete").name == "done"
    site.sign_up(email)
    assert hears(site, by_code(site, email), client) == {}


def test_what_a_given_up_account_allowed_is_nothing_of_the_one_that_is_kept(site, client):
    """Two accounts of one user become one."""
    given, kept = new_name("vera"), new_name("vera")
    site.sign_up(given)
    browser = site.visitor()
    page = browser.submit(browser.open("/settings"), {"username": given}, button="code")
    assert browser.submit(page, {"code": site.code(given)}).name == "settings"
    allow(browser, client)
    session = site.sign_up(kept)
    site.call("otp/update/email", {"loginId": kept, "email": given, "addToLoginIDs": True}, session)
    site.call("otp/verify/email", {"loginId": kept, "code": site.code(given)}, session)
    assert set(site.user(kept)["loginIds"]) == {given, kept}
    assert hears(site, by_code(site, kept), client) == {}


def test_the_browser_of_a_squatter_is_not_known_to_the_account(site):
    """Whoever learns her password later and signs in there: she is told, as of any other browser."""
    email, password = squatted(site)
    squatter, _ = site.browse(email, password)
    site.call("otp/signup-in/email", {"loginId": email})
    session, password = site.by_code(email), new_password()
    site.call("password/update", {"loginId": email, "newPassword": password}, session)

    def told(visitor: Visitor) -> bool:
        before = len(site.letters(email))
        page = visitor.open("/settings")
        assert visitor.submit(page, {"username": email, "password": password}).name == "settings"
        return "new-sign-in" in [letter["kind"] for letter in site.letters(email)[before:]]

    assert told(site.visitor()), "the control"
    assert told(squatter), "a sign-in in the squatter's browser without a word"


def terms(site: OwnAccounts, visitor: Visitor, **typed: str) -> Page | Callback:
    """The first page of an app that wants its terms accepted, after a sign-in if there is none."""
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "journey": "terms", "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256"})
    while isinstance(page, Page) and page.name in ("login", "password"):
        page = visitor.submit(page, typed)
    return page


def test_what_a_squatter_accepted_is_not_accepted_by_the_owner_of_the_address(site):
    """The operator has nobody's word for it."""
    email, password = squatted(site)
    squatter = site.visitor()
    page = terms(site, squatter, username=email, password=password)
    assert isinstance(page, Page) and page.name == "journey-step", page
    squatter.submit(page, button="accept")
    page = terms(site, by_code(site, email))
    assert isinstance(page, Page) and page.name == "journey-step", f"the owner is not asked: {page}"
