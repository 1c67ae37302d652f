"""A user confirms in her own app that it is her: no word about a device which she let in by the same browser."""

from __future__ import annotations

import pytest
import requests

from support.authgear_client import FULL_ACCESS
from support.configuration import Client
from support.devices import GRANT as DEVICE
from support.own_account import OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.tokens import payload_of
from support.visitor import Callback

BACK = "http://127.0.0.1/callback"
SCOPE = f"openid offline_access {FULL_ACCESS}"
# One program for telephones and for screens, whose sessions are renewed by a reauthentication.
APP = Client(
    "harbour-app", None, "none", (BACK,),
    {
        "application_type": "native", "profile": "authgear", "scope": SCOPE,
        "grant_types": ["authorization_code", "refresh_token", DEVICE],
    },
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("reauthentication"), clients=[APP])
    yield made
    made.close()


def token(site, **form) -> dict:
    answer = requests.post(f"{site.base}/oauth2/token", data={"client_id": APP.client_id, **form}, timeout=20)
    assert answer.status_code == 200, answer.text
    return answer.json()


def by_page(site, visitor, login: str, password: str, **more) -> dict:
    """The app signs in, or confirms who it is, by the pages of one browser."""
    verifier = make_verifier()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": BACK, "scope": SCOPE, "state": "s",
        "code_challenge": challenge_of(verifier), "code_challenge_method": "S256"} | more)
    for _ in range(4):
        if isinstance(page, Callback):
            break
        values = {"username": login, "password": password} if page.name == "login" else {"password": password}
        page = visitor.submit(page, {name: values[name] for name in values if name in page.form.inputs})
    assert isinstance(page, Callback) and page.get("code"), page
    return token(site, grant_type="authorization_code", code=page["code"], redirect_uri=BACK, code_verifier=verifier)


def let_in(site, visitor) -> dict:
    """The tokens of a device whose code the user typed for somebody else."""
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=20,
        data={"client_id": APP.client_id, "scope": SCOPE}).json()
    assert site.decide(visitor, device).name == "device-done"
    return token(site, grant_type=DEVICE, device_code=device["device_code"])


def sets_up(site, tokens: dict) -> bool:
    """Whether an app adds an authenticator to the account, on the pages in its session."""
    browser = site.visitor()
    page = site.open_as_app(browser, site.app_session_token(tokens["refresh_token"]), "/settings/authenticators")
    if page.name == "settings-authenticators":
        page = browser.submit(page, button="add")
    shown = page.soup.find(class_="key")
    if shown is None:
        assert page.name == "login", page
        return False
    key = shown.get_text(strip=True).replace(" ", "")
    browser.submit(page, {next(iter(page.form.inputs)): site.totp(key)})
    return True


def test_a_device_that_was_let_in_does_not_rise_with_her_own_app(site):
    """Both sessions began in one browser. What she shows there counts for the app that asked."""
    email, password = new_name(), new_password()
    site.sign_up(email, password)
    visitor, page = site.browse(email, password)
    assert isinstance(page, Page) and page.name == "settings", page
    own, thief = by_page(site, visitor, email, password), let_in(site, visitor)
    assert not sets_up(site, thief), "the device alone changes nothing"
    again = by_page(
        site, visitor, email, password, id_token_hint=own["id_token"], max_age="0", scope=f"openid {FULL_ACCESS}")
    assert payload_of(again["id_token"])["sid"] == payload_of(own["id_token"])["sid"], "her session goes on"
    page = site.settings_of_app(own["refresh_token"], "/settings/password")
    assert page.name == "settings-password", "her own app may"
    assert not sets_up(site, thief), "the device that she let in has a second factor of her account now"
    assert site.user(email)["TOTP"] is False


def test_a_device_that_was_let_in_ends_with_a_new_password(site):
    """She changes it from her app, which stays signed in: the app in her hand, and not every session of its name."""
    email, password, new = new_name(), new_password(), new_password()
    site.sign_up(email, password)
    visitor, _ = site.browse(email, password)
    own, thief = by_page(site, visitor, email, password), let_in(site, visitor)
    page = visitor.open("/oauth2/authorize", {
        "response_type": "urn:authgear:params:oauth:response-type:settings-action", "client_id": APP.client_id,
        "redirect_uri": BACK, "scope": SCOPE, "state": "s", "x_settings_action": "change_password",
        "id_token_hint": own["id_token"], "code_challenge": challenge_of(make_verifier()),
        "code_challenge_method": "S256"})
    assert isinstance(page, Page) and page.name == "settings-password", page
    done = visitor.submit(page, {"current_password": password, "password": new, "end_others": "true"})
    assert isinstance(done, Callback) and done.get("code"), done
    assert site.by_password(email, new).status_code == 200
    renew = {"grant_type": "refresh_token"}
    assert token(site, refresh_token=own["refresh_token"], **renew)["access_token"], "her app goes on"
    late = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "client_id": APP.client_id, "refresh_token": thief["refresh_token"], **renew})
    assert (late.status_code, late.json().get("error")) == (400, "invalid_grant"), "the device goes on as well"
