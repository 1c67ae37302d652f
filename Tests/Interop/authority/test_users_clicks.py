"""Links that the owner of an address opens, and that somebody else asked for: whose account has the address then."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.messages import Message, token_of
from support.methods import USER_EXISTS
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.project import PROJECT_ID
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback

_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("clicks"), project={"usernames": True})
    yield made
    made.close()


def new_phone() -> str:
    return f"+4915188{next(_numbers):06}"


def squatter(site: OwnAccounts, login: str, **contact: str) -> str:
    """An account with a password, which names another user's address and proved nothing."""
    password = new_password()
    site.call("password/signup", {"loginId": login, "password": password, "user": contact})
    return password


def me(site: OwnAccounts, login: str, password: str) -> dict:
    """What the attacker's own session says."""
    answer = site.by_password(login, password)
    assert answer.status_code == 200, answer.text
    refresh = answer.json()["refreshJwt"]
    return site.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{refresh}").json()


def told(site: OwnAccounts, login: str, password: str) -> dict:
    """As ``me``; nothing, where the password opens no session any more."""
    return me(site, login, password) if site.by_password(login, password).status_code == 200 else {}


def opened(site: OwnAccounts, path: str, login: str, address: str, page: bool = False) -> None:
    """Somebody asks for a link for a login ID, and the owner of the address opens it: in an app, or on our own page."""
    before = len(site.letters(address))
    started = site.call(path, {"loginId": login, "redirectUrl": f"{site.issuer}/link"})
    letters = site.letters(address)[before:]
    if not letters:
        return
    if path.startswith("enchantedlink"):
        letter = letters[-1]
        links = Message(address, letter.get("subject", ""), letter["body"]).numbered()
        site.post("enchantedlink/verify", {"token": token_of(links[started["linkId"]])})
    elif page:
        visitor = site.visitor()
        visitor.submit(visitor.open(f"/link?t={site.tokens(address)[0]}"))
    else:
        site.post("magiclink/verify", {"token": site.tokens(address)[0]})


LINKS = ["magiclink/signin/email", "magiclink/signup-in/email", "password/reset", "enchantedlink/signin/email"]


@pytest.mark.parametrize("link", LINKS)
def test_a_click_gives_the_address_to_no_account_that_only_names_it(site, link):
    """The account of a user name asks for the link, which goes to the address that it names."""
    victim, login = new_name("vera"), f"mallory{next(_numbers)}"
    own = site.sign_up(victim)
    password = squatter(site, login, email=victim)
    assert me(site, login, password)["verifiedEmail"] is False
    opened(site, link, login, victim)
    assert not told(site, login, password).get("verifiedEmail"), f"the account of {login} has {victim} by a click"
    assert site.is_alive(own)


def test_a_click_gives_an_address_without_an_account_to_nobody(site):
    victim, login = new_name("vera"), f"mallory{next(_numbers)}"
    password = squatter(site, login, email=victim)
    opened(site, "magiclink/signin/email", login, victim)
    assert not told(site, login, password).get("verifiedEmail"), f"the account of {login} has {victim} by a click"


def test_a_click_opens_no_account_of_another_name_for_who_waits(site):
    """Three links of a sign-up that somebody else began, with her address beside a user name."""
    victim, login = new_name("vera"), f"mallory{next(_numbers)}"
    site.sign_up(victim)
    started = site.call("enchantedlink/signup/email", {
        "loginId": login, "user": {"email": victim}, "redirectUrl": f"{site.issuer}/link"})
    letter = site.letters(victim)[-1]
    links = Message(victim, letter.get("subject", ""), letter["body"]).numbered()
    site.post("enchantedlink/verify", {"token": token_of(links[started["linkId"]])})
    answer = site.post("enchantedlink/pending-session", {"pendingRef": started["pendingRef"]})
    assert answer.status_code != 200 or not answer.json()["user"]["verifiedEmail"], "two accounts have her address"


def test_a_click_gives_the_number_to_no_account_that_only_names_it(site):
    """The name is an address that nobody proved."""
    victim, login = new_phone(), new_name("mallory")
    site.call("otp/signup/sms", {"loginId": victim})
    own = site.call("otp/verify/sms", {"loginId": victim, "code": site.code(victim)})["refreshJwt"]
    password = squatter(site, login, phone=victim)
    opened(site, "magiclink/signin/sms", login, victim)
    assert not told(site, login, password).get("verifiedPhone"), f"the account of {login} has {victim} by a click"
    assert site.is_alive(own)


def test_a_click_on_the_servers_own_page_gives_the_address_to_nobody(site):
    victim, login = new_name("vera"), f"mallory{next(_numbers)}"
    own = site.sign_up(victim)
    password = squatter(site, login, email=victim)
    opened(site, "magiclink/signin/email", login, victim, page=True)
    assert not told(site, login, password).get("verifiedEmail"), "a click on the page of the server"
    assert site.is_alive(own)


@pytest.mark.parametrize("begin", ["sign-in", "sign-up"])
def test_a_code_gives_no_account_an_address_that_another_account_has_proved(site, begin):
    """A mailbox that is read once: a new address of a session is refused, and so must a sign-in be that names it.

    The account that has the address has an authenticator, so that the mailbox alone opens nothing there.
    """
    victim, login, password = new_name("vera"), f"mallory{next(_numbers)}", new_password()
    site.add_authenticator(victim, site.sign_up(victim))
    eve = new_name("eve")
    thief = site.sign_up(eve)
    site.call("otp/update/email", {"loginId": eve, "email": victim}, thief)
    refused = site.post("otp/verify/email", {"loginId": eve, "code": site.code(victim)}, thief)
    assert (refused.status_code, refused.json()["errorCode"]) == (400, USER_EXISTS), "the other way in"
    if begin == "sign-in":
        password = squatter(site, login, email=victim)
        site.call("otp/signin/email", {"loginId": login})
    else:
        site.call("otp/signup/email", {"loginId": login, "user": {"email": victim}})
    answer = site.post("otp/verify/email", {"loginId": login, "code": site.code(victim)})
    if answer.status_code == 200 and begin == "sign-up":
        body = {"loginId": login, "newPassword": password}
        site.call("password/update", body, answer.json()["refreshJwt"])
    assert not told(site, login, password).get("verifiedEmail"), f"two accounts have {victim}"


def test_a_click_of_the_user_who_asked_proves_the_users_own_address(site):
    """The same link, asked for and opened by one user; the password of before goes, as with an address as the name."""
    email = new_name("nora")
    site.call("password/signup", {"loginId": email, "password": new_password(), "user": {"email": email}})
    assert site.user(email)["verifiedEmail"] is False
    site.call("magiclink/signin/email", {"loginId": email, "redirectUrl": f"{site.issuer}/link"})
    refresh = site.call("magiclink/verify", {"token": site.tokens(email)[0]})["refreshJwt"]
    assert site.is_alive(refresh) and site.user(email)["verifiedEmail"] is True


def test_an_app_hears_of_no_address_that_another_user_has_proved(site):
    """Many apps take a verified address for who the user is."""
    victim, login = new_name("vera"), f"mallory{next(_numbers)}"
    site.sign_up(victim, own := new_password())
    password = squatter(site, login, email=victim)
    opened(site, "magiclink/signin/email", login, victim)
    assert heard(site, victim, own) == (victim, True), "the control"
    assert heard(site, login, password) in [(None, None), None], "the app takes the attacker for her"


def heard(site: OwnAccounts, login: str, password: str) -> tuple[str | None, bool | None] | None:
    """The address of which an app hears after a sign-in, and whether it is verified; `None`: there is no way in."""
    verifier, visitor = make_verifier(), site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid email",
        "code_challenge": challenge_of(verifier), "code_challenge_method": "S256",
    })
    arrived = visitor.submit(page, {"username": login, "password": password})
    if not isinstance(arrived, Callback):
        return None
    tokens = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "client_id": APP.client_id, "code": arrived["code"],
        "code_verifier": verifier, "redirect_uri": APP.redirect_uri}).json()
    told = requests.get(
        f"{site.base}/oauth2/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=20)
    assert told.status_code == 200, told.text
    return told.json().get("email"), told.json().get("email_verified")
