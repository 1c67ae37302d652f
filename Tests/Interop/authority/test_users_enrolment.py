"""An authenticator app that is set up in the middle of a sign-in: in which sign-in, and how old it may be."""

from __future__ import annotations

import pytest

from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback, Visitor

SEVERAL_FACTORS = "urn:keyturn:acr:mfa"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("enrolment"), project={"approval": {"seconds": 120}},
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    """A user with a proved address and a password, and no second factor."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def ask_for_two_factors(visitor: Visitor) -> Page | Callback:
    """What any app may ask for."""
    return visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256",
        "acr_values": SEVERAL_FACTORS,
    })


def set_up(site: OwnAccounts, visitor: Visitor, page) -> None:
    """The first code of the app that the page offers."""
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    visitor.submit(page, {next(iter(page.form.inputs)): site.totp(key)})


def approved(site: OwnAccounts, vera: tuple[str, str], desk: Visitor, page):
    """A browser whose sign-in the user approves on the telephone: what it shows then."""
    phone, _ = site.browse(*vera)
    page = desk.submit(page, {"username": vera[0]}, button="approval")
    assert page.name == "approval", page
    number = page.soup.select_one(".number strong").get_text(strip=True)
    assert site.approve(phone, number).url.endswith("?done=allowed")
    return desk.submit(page, button="refresh")


def has_authenticator(site: OwnAccounts, login: str) -> bool:
    return site.user(login)["TOTP"]


def test_a_password_of_a_moment_ago_sets_one_up(site, vera):
    """So that the refusals below are about the sign-in."""
    visitor = site.visitor()
    page = visitor.submit(ask_for_two_factors(visitor), {"username": vera[0], "password": vera[1]})
    assert page.name == "totp-setup", page
    set_up(site, visitor, page)
    assert has_authenticator(site, vera[0])


def test_a_sign_in_by_an_approval_alone_sets_up_no_authenticator(site, vera):
    """The user may have typed an attacker's number: the account would be the attacker's for good."""
    desk = site.visitor()
    page = approved(site, vera, desk, ask_for_two_factors(desk))
    if not isinstance(page, Callback) and page.name == "totp-setup":
        set_up(site, desk, page)
    assert not has_authenticator(site, vera[0]), "an approval alone set up an authenticator"


def test_a_session_of_an_approval_sets_up_no_authenticator(site, vera):
    """An app that asks for two factors afterwards does not change that."""
    desk = site.visitor()
    page = approved(site, vera, desk, desk.open("/settings"))
    assert page.name == "settings", page
    page = ask_for_two_factors(desk)
    if not isinstance(page, Callback) and page.name == "totp-setup":
        set_up(site, desk, page)
    assert not has_authenticator(site, vera[0]), "a session of an approval set up an authenticator"


def test_an_approval_sets_up_no_authenticator_where_a_role_wants_one(site, vera):
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
    other = site.visitor()
    page = other.submit(other.open("/settings"), {"username": vera[0], "password": vera[1]})
    assert page.name == "totp-setup", "the password asks the same"
    site.manage("user/update/role/remove", {"loginId": vera[0], "roleNames": ["auditor"]})
    phone, _ = site.browse(*vera)
    desk, page, number = site.ask_for_approval(vera[0])
    assert site.approve(phone, number).url.endswith("?done=allowed")
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
    page = desk.submit(page, button="refresh")
    if page.name == "totp-setup":
        set_up(site, desk, page)
    assert not has_authenticator(site, vera[0]), "an approval alone set up an authenticator"


def test_who_was_let_in_by_an_approval_opens_no_console(site, vera):
    """The user has a role in the console, and never opened it: the first sign-in there sets an authenticator up."""
    site.manage("operator/update", {"loginId": vera[0], "role": "owner"})
    desk = site.visitor()
    page = approved(site, vera, desk, ask_for_two_factors(desk))
    if not isinstance(page, Callback) and page.name == "totp-setup":
        set_up(site, desk, page)
    page = desk.open("/admin/users")
    assert page.name != "admin-users", "one approval gave the console away"


def test_a_browser_session_of_eleven_minutes_ago_sets_up_no_authenticator(site, vera):
    """The settings ask to sign in again, and so must an app's wish for two factors."""
    visitor, page = site.browse(*vera, "/settings/authenticators")
    site.age(vera[0])
    assert visitor.submit(page, button="add").name == "login"
    page = ask_for_two_factors(visitor)
    if not isinstance(page, Callback) and page.name == "totp-setup":
        set_up(site, visitor, page)
    assert not has_authenticator(site, vera[0]), "an old session set up an authenticator"
