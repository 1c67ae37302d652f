"""What a session that another device let in does to the user's other devices, on every way in."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import requests

from authority.test_users_device_keys import Somebody
from support.authgear_client import FULL_ACCESS, Authgear
from support.configuration import ALL_SCOPES, Client
from support.devices import GRANT as DEVICE_GRANT
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.pages import Page
from support.project import PROJECT_ID
from support.tim_client import TIM, Device, KeyServiceFailed

GRANTS = ["authorization_code", "refresh_token", DEVICE_GRANT]
BANK = Client(
    "harbour-bank", None, "none", ("com.example.harbour://host/path",),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}", "grant_types": GRANTS,
    },
)
PIN_APP = Client(
    "tim-app", None, "none", ("http://127.0.0.1/callback",),
    {"application_type": "native", "profile": "tim", "scope": ALL_SCOPES, "client_name": "Pin", "grant_types": GRANTS})
FLOW = {
    "name": "welcome", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}}, {"name": "end", "done": True}]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("let-in"), clients=[APP, BANK, PIN_APP],
        project={"approval": {"seconds": 120}, "sign_up": "invited"}, journeys=[FLOW],
        key_service={"enabled": True, "realms": ["harbour"]})
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.manage("user/create", {"loginId": email, "email": email, "verifiedEmail": True})
    site.manage("user/password/set/active", {"loginId": email, "password": password})
    return email, password


def let_in(site: OwnAccounts, vera: tuple[str, str], client: str = APP.client_id, scope: str = "openid") -> dict:
    """The tokens of an attacker's device that the user let in by one click."""
    asked = requests.post(
        f"{site.base}/oauth2/device_authorization", data={"client_id": client, "scope": scope}, timeout=20).json()
    own, _ = site.browse(*vera)
    assert site.decide(own, asked).name == "device-done"
    answer = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "grant_type": DEVICE_GRANT, "device_code": asked["device_code"], "client_id": client})
    assert answer.status_code == 200, answer.text
    return answer.json()


def approvals(site: OwnAccounts, refresh_token: str, **more) -> requests.Response:
    return requests.post(f"{site.base}/v1/approvals", json={"refresh_token": refresh_token, **more}, timeout=20)


# Requests for approval.


@pytest.mark.parametrize("word", ["deny", "not_me"])
def test_a_device_that_was_let_in_refuses_no_request_for_her(site, vera, word):
    """She waits at a desk. "Not me" also hides the next hour's requests from her."""
    tokens = let_in(site, vera, scope="openid offline_access")
    own, _ = site.browse(*vera)
    desk, page, number = site.ask_for_approval(vera[0])
    waiting = approvals(site, tokens["refresh_token"]).json()["approvals"][0]["id"]
    approvals(site, tokens["refresh_token"], id=waiting, action=word)
    phone = own.open("/settings/approvals")
    assert ("action", "allow") in [button for form in phone.forms for button in form.buttons], "she is not asked"
    own.submit(phone, {"number": number}, button="allow")
    assert desk.submit(page, button="refresh").name == "settings"


def test_a_device_that_was_let_in_refuses_no_request_on_the_page(site, vera):
    """The same in a browser, and she does there."""
    token = site.app_session_token(let_in(site, vera, scope="openid offline_access")["refresh_token"])
    own, _ = site.browse(*vera)
    desk, page, _ = site.ask_for_approval(vera[0])
    thief = site.visitor()
    for visitor, is_allowed in [(thief, False), (own, True)]:
        shown = (
            visitor.open("/settings/approvals") if is_allowed
            else site.open_as_app(visitor, token, "/settings/approvals"))
        assert shown.name == "settings-approvals", shown
        arrived = visitor.submit(shown, button="deny")
        assert arrived.name == ("settings-approvals" if is_allowed else "login")
    assert desk.submit(page, button="refresh").name == "approval"
    assert own.open("/settings/approvals").forms == []


def test_an_old_session_says_nothing_to_requests_for_approval(site, vera):
    """Neither no nor yes."""
    app = app_of(site, vera)
    desk, page, number = site.ask_for_approval(vera[0])

    def say(**more) -> requests.Response:
        return app.send("POST", f"{site.issuer}/v1/approvals", json={
            "refresh_token": app.keychain.refresh_token, **more})

    waiting = say().json()["approvals"][0]["id"]
    site.age(vera[0])
    for action in ("not_me", "approve"):
        assert say(id=waiting, action=action, number=int(number)).status_code == 401
    own, _ = site.browse(*vera)
    site.approve(own, number)
    assert desk.submit(page, button="refresh").name == "settings", "the control"


# Keys that the user's other devices need.


def app_of(site: OwnAccounts, vera: tuple[str, str]) -> Authgear:
    app = Authgear(site.issuer, BANK.client_id, BANK.redirect_uri)
    app.authenticate(Somebody(site, *vera))
    return app


def pin_of(site: OwnAccounts, vera: tuple[str, str]) -> tuple[TIM, str]:
    """Her telephone, and the name of the key that its PIN opens."""
    app = TIM(site.issuer, "harbour", PIN_APP.client_id, PIN_APP.redirect_uri, "openid profile", Device())
    app.sign_in(Somebody(site, *vera))
    answer = keys(site, app.session["access_token"], "POST", "createkey", json={"secret": "1234"})
    assert answer.status_code == 200, answer.text
    return app, answer.json()["keyid"]


def keys(site: OwnAccounts, token: str, method: str, path: str, **options) -> requests.Response:
    return requests.request(
        method, f"{site.base}/auth/realms/harbour/keyservice/v1/{path}",
        headers={"Authorization": f"Bearer {token}"}, timeout=20, **options)


def test_a_device_that_was_let_in_removes_no_key_of_her_other_devices(site, vera):
    """Without it, the PIN of her telephone opens nothing."""
    app, key = pin_of(site, vera)
    thief = let_in(site, vera, PIN_APP.client_id, "openid profile")["access_token"]
    keys(site, thief, "DELETE", f"keys/{key}")
    try:
        app.ask("key", {"secret": "1234", "keyid": key})
    except KeyServiceFailed as failure:
        pytest.fail(f"her PIN opens nothing any more: {failure}")


def test_who_removes_a_key_is_its_user(site, vera):
    """The control, and another user's token."""
    app, key = pin_of(site, vera)
    other = new_name("mallory")
    site.manage("user/create", {"loginId": other, "email": other, "verifiedEmail": True})
    password = new_password()
    site.manage("user/password/set/active", {"loginId": other, "password": password})
    mallory, _ = pin_of(site, (other, password))
    assert keys(site, mallory.session["access_token"], "DELETE", f"keys/{key}").status_code == 404
    assert app.ask("key", {"secret": "1234", "keyid": key}).key_id == key
    assert keys(site, app.session["access_token"], "DELETE", f"keys/{key}").status_code == 204


def test_a_device_that_was_let_in_removes_no_fingerprint(site, vera):
    """She removes it on the same page."""
    app = app_of(site, vera)
    app.enable_biometric()
    tokens = let_in(site, vera, BANK.client_id, f"openid offline_access {FULL_ACCESS}")
    thief, own = site.visitor(), site.browse(*vera)[0]
    token = site.app_session_token(tokens["refresh_token"])
    shown = open_as_bank(site, thief, token, "/settings/sessions")
    for visitor, page, is_hers in [(thief, shown, False), (own, own.open("/settings/sessions"), True)]:
        csrf = next(form.values["csrf"] for form in page.forms if "csrf" in form.values)
        visitor.post(f"{site.base}/settings/sessions", data={
            "csrf": csrf, "action": "end", "kind": "key", "id": app.keychain.biometric_key_id})
        if not is_hers:
            app.authenticate_biometric()
    letters = [letter["kind"] for letter in site.letters(vera[0])]
    assert letters[-1].startswith("biometric-key-removed"), letters


def open_as_bank(site: OwnAccounts, visitor, token: str, path: str) -> Page:
    hint = urlencode({"type": "app_session_token", "app_session_token": token})
    page = visitor.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "redirect_uri": site.issuer + path, "scope": "openid",
        "prompt": "none", "login_hint": f"https://authgear.com/login_hint?{hint}"})
    assert page.name == "settings-sessions", page
    return page


# A flow hands a session of the methods out.


def flow(site: OwnAccounts, visitor, sign_in) -> dict:
    page = sign_in(visitor, visitor.open(f"/login/{PROJECT_ID}", {"flow": "welcome"}))
    assert page.name == "flow-end", page
    answer = visitor.send(page)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_flow_makes_no_own_session_of_an_approval(site, vera):
    """The user approves the flow of an attacker's view."""
    email, password = vera
    phone, _ = site.browse(*vera)

    def by_approval(visitor, page):
        page = by_name(visitor, page)
        page = visitor.submit(page, {"username": email}, button="approval")
        number = page.soup.select_one(".number strong").get_text(strip=True)
        site.approve(phone, number)
        return visitor.submit(page, button="refresh")

    def by_password(visitor, page):
        return visitor.submit(by_name(visitor, page), {"username": email, "password": password})

    def by_name(visitor, page):
        return page if ("action", "approval") in page.form.buttons else visitor.submit(page, {"username": email})

    body = {"loginId": email, "newPassword": new_password()}
    answer = site.post("password/update", body, flow(site, site.visitor(), by_approval)["refreshJwt"])
    assert missing(answer) == "recent_sign_in"
    answer = site.post("password/update", body, flow(site, site.visitor(), by_password)["refreshJwt"])
    assert answer.status_code == 200, "the control"
