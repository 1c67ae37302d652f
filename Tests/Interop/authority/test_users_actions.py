"""Settings that an app shows in its own session: how old the session may be, and who opened it."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import requests

from authority.test_users_device_keys import Somebody
from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import ALL_SCOPES, Client
from support.devices import GRANT as DEVICE_GRANT
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier

REDIRECT = "com.example.harbour://host/path"
BANK = Client(
    "harbour-bank", None, "none", (REDIRECT,),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT],
    },
)
WEB = Client(
    "harbour-web", None, "none", ("https://app.example/back",),
    {"scope": ALL_SCOPES, "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT]})
ACTIONS = ["change_password", "delete_account", "setup_totp", "add_passkey", "add_email"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("actions"), clients=[APP, BANK, WEB])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def app_of(site: OwnAccounts, vera: tuple[str, str]) -> Authgear:
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate(Somebody(site, *vera))
    return app


def let_in(site: OwnAccounts, vera: tuple[str, str]) -> Authgear:
    """An app of an attacker's that the user let in by one click."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    asked = app.send("POST", f"{site.base}/oauth2/device_authorization", proves=False, data={
        "client_id": BANK.client_id, "scope": f"openid offline_access {FULL_ACCESS}"}).json()
    visitor, _ = site.browse(*vera)
    assert site.decide(visitor, asked).name == "device-done"
    app._keep(app.token(DEVICE_GRANT, {"device_code": asked["device_code"]}).json())
    return app


def reached(site: OwnAccounts, app: Authgear, action: str) -> str:
    """The page after the first form of an action, or the one that comes before any form."""
    visitor = site.visitor()
    page, _ = app.begin_settings_action(visitor, action)
    assert isinstance(page, Page), page
    if page.name == "settings-authenticators":
        return visitor.submit(page, button="add").name
    if page.name == "settings-identifiers":
        form = next(form for form in page.forms if "identifier" in form.inputs)
        values = form.filled({"identifier": new_name("mallory"), "action": "add"})
        return visitor.follow(visitor.post(form.action, data=values)).name
    if page.name == "settings-passkeys":
        return page.name if page.soup.find(id="passkey") else "login"
    return page.name


def test_an_action_asks_for_a_sign_in_of_a_moment_ago(site, vera):
    app = app_of(site, vera)
    assert "login" not in [reached(site, app, action) for action in ACTIONS], "the control"
    site.age(vera[0])
    assert {action: reached(site, app, action) for action in ACTIONS} == dict.fromkeys(ACTIONS, "login")


def test_a_device_that_was_let_in_does_no_action(site, vera):
    app = let_in(site, vera)
    assert {action: reached(site, app, action) for action in ACTIONS} == dict.fromkeys(ACTIONS, "login")


def test_a_device_that_was_let_in_sets_up_no_fingerprint(site, vera):
    app_of(site, vera).enable_biometric()
    with pytest.raises(AuthgearFailed) as caught:
        let_in(site, vera).enable_biometric()
    assert caught.value.error == "interaction_required"


def test_the_session_of_an_app_is_no_sign_in_to_it(site, vera):
    """A refresh token of one scope, in a browser, gives no code for the others."""
    asked = requests.post(f"{site.base}/oauth2/device_authorization", timeout=20, data={
        "client_id": WEB.client_id, "scope": "openid offline_access"}).json()
    visitor, _ = site.browse(*vera)
    assert site.decide(visitor, asked).name == "device-done"
    tokens = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "grant_type": DEVICE_GRANT, "device_code": asked["device_code"], "client_id": WEB.client_id}).json()
    token = site.app_session_token(tokens["refresh_token"])
    hint = urlencode({"type": "app_session_token", "app_session_token": token})
    page = site.visitor().open("/oauth2/authorize", {
        "response_type": "code", "client_id": WEB.client_id, "redirect_uri": WEB.redirect_uri, "scope": ALL_SCOPES,
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256", "prompt": "none",
        "login_hint": f"https://authgear.com/login_hint?{hint}"})
    assert isinstance(page, Page) and page.name == "login", page


def test_a_password_switches_no_passkey_off(site, vera):
    """A passkey that is off asks for nothing any more."""
    with Authenticator() as device:
        site.add_passkey(vera[0], site.signed_in_by_code(vera[0]), device)
        visitor, page = site.browse(*vera, "/settings/passkeys")
        own = site.by_passkey(vera[0], device).json()["refreshJwt"]
    for browser, page, is_on in [
        (visitor, page, True), ((hers := site.visitor()), site.open_as_app(
            hers, site.app_session_token(own), "/settings/passkeys"), False)]:
        csrf = next(form.values["csrf"] for form in page.forms if "csrf" in form.values)
        passkey = page.soup.find(attrs={"data-passkey-id": True})["data-passkey-id"]
        for action in ("off", "on", "off"):
            browser.post(f"{site.base}/settings/passkeys", data={"csrf": csrf, "action": action, "id": passkey})
        assert site.user(vera[0])["webauthn"] is is_on
