"""One click lets one device in, for what the page said: not the other apps, and not for more."""

from __future__ import annotations

import hashlib
import secrets
import time
import uuid

import pytest
import requests

from support.authgear_client import FULL_ACCESS, GRANT, Authgear, AuthgearFailed, encoded, signed
from support.configuration import MARIA, Client, secret_of
from support.devices import GRANT as DEVICE
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty
from support.server import Server

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
CIBA = "urn:openid:params:grant-type:ciba"
TOKEN = "urn:ietf:params:oauth:token-type:"
PAGES = "https://authgear.com/scopes/pre-authenticated-url"
USUAL = ["authorization_code", "refresh_token"]
SCREEN = Client("screen", None, "none", ("https://screen.example/back",), {
    "grant_types": [*USUAL, DEVICE], "scope": f"openid profile offline_access device_sso {PAGES}"})
TILL = Client("till", secret_of("till"), "client_secret_basic", ("https://till.example/back",), {
    "grant_types": [*USUAL, CIBA], "scope": f"openid profile offline_access device_sso {PAGES}"})
# Anybody can claim to be one of these.
BANK = Client("bank", None, "none", ("https://bank.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid email phone offline_access payments.write"})
DESK = Client("desk", None, "none", ("https://desk.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid email", "pre_authenticated_uris": ["https://desk.example"]})
APP_TO_APP = f"{GRANT}app2app-request"


def telephone(name: str) -> Client:
    return Client(name, None, "none", (f"com.example.{name}://host/path",), {
        "application_type": "native", "profile": "authgear", "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": [*USUAL, DEVICE, APP_TO_APP]})


PHONE, SHOP = telephone("phone"), telephone("shop")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("devices"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "clients": [client.entry() for client in (SCREEN, TILL, BANK, DESK, PHONE, SHOP)], "users": [MARIA.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


def at(site, client: Client) -> RelyingParty:
    return RelyingParty(site, client)


def by_device_code(site, maria, scope: str) -> dict:
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=30, data={"client_id": "screen", "scope": scope}).json()
    page = maria.visitor.submit(maria.visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert maria.visitor.submit(page, button="allow").name == "device-done"
    return at(site, SCREEN).accepted(
        at(site, SCREEN).post("token", {"grant_type": DEVICE, "device_code": device["device_code"]}))


def by_approval(site, maria, scope: str) -> dict:
    asked = requests.post(
        f"{site.base}/oauth2/bc-authorize", auth=(TILL.client_id, TILL.secret), timeout=30,
        data={"scope": scope, "login_hint": MARIA.login}).json()
    page = maria.visitor.open(f"{site.base}/settings/approvals")
    maria.visitor.submit(page, {"number": str(asked["number"])}, button="allow")
    return at(site, TILL).accepted(
        at(site, TILL).post("token", {"grant_type": CIBA, "auth_req_id": asked["auth_req_id"]}))


def share(site, client: Client, tokens: dict, **more) -> requests.Response:
    return at(site, client).post("token", {
        "grant_type": EXCHANGE, "audience": site.issuer, "subject_token": tokens["id_token"],
        "subject_token_type": TOKEN + "id_token", "actor_token": tokens["device_secret"],
        "actor_token_type": "urn:openid:params:token-type:device-secret"} | more)


SHARING = f"openid profile offline_access device_sso {PAGES}"


def test_an_app_in_which_she_signed_in_shares_that(site):
    """The control."""
    maria = at(site, SCREEN).sign_in(scope=SHARING, requested_claims={"ds_hash"})
    assert share(site, BANK, maria.tokens, scope="openid payments.write").status_code == 200


@pytest.mark.parametrize("way", [by_device_code, by_approval])
def test_a_device_that_was_let_in_opens_no_session_at_another_app(site, way):
    maria = at(site, SCREEN).sign_in()
    tokens = way(site, maria, SHARING)
    if "device_secret" not in tokens:
        return
    for client, more in (
        (BANK, {"scope": "openid email payments.write offline_access"}),
        (DESK, {"requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"}),
    ):
        answer = share(site, client, tokens, **more)
        assert answer.status_code == 400, f"{client.client_id}: {answer.json().get('scope')}"


@pytest.mark.parametrize("way", [by_device_code, by_approval])
def test_a_device_gets_no_more_by_a_refresh(site, way):
    """Nor is it another client's, nor is a secret or a page's pass made of it later."""
    maria = at(site, SCREEN).sign_in()
    tokens = way(site, maria, "openid offline_access")
    rp = at(site, SCREEN if way is by_device_code else TILL)
    for wider in ("openid profile", "openid device_sso", SHARING):
        assert rp.refresh(tokens["refresh_token"], scope=wider).json()["error"] == "invalid_scope", wider
    renewed = rp.accepted(rp.refresh(tokens["refresh_token"]))
    assert "device_secret" not in renewed and set(renewed["scope"].split()) == {"openid", "offline_access"}
    assert at(site, BANK).refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


def in_settings(site, tokens: dict, path: str):
    """A browser with a page of the settings, in the session of an app."""
    made = requests.post(
        f"{site.base}/oauth2/app_session_token", json={"refresh_token": tokens["refresh_token"]}, timeout=30)
    assert made.status_code == 200, made.text
    visitor = site.visitor()
    return visitor, visitor.open(site.endpoint("authorization"), {
        "response_type": "none", "client_id": "screen", "redirect_uri": f"{site.issuer}/settings/{path}",
        "scope": "openid", "prompt": "none", "login_hint":
            "https://authgear.com/login_hint?type=app_session_token&app_session_token="
            + made.json()["result"]["app_session_token"]})


@pytest.mark.parametrize(("path", "values"), [
    ("password", {"password": "a-thiefs-long-pass-word"}), ("profile", {"name": "Mallory", "action": "save"}),
    ("sessions", {"action": "end-others"}), ("sessions", {"action": "end", "kind": "app", "id": "screen"}),
    ("approvals", {"number": "42", "action": "allow"}),
])
def test_a_device_changes_nothing_in_the_settings(site, path, values):
    """It looks at them in the app's own session; the forms are hers."""
    maria = at(site, SCREEN).sign_in(scope="openid profile offline_access")
    visitor, page = in_settings(site, by_device_code(site, maria, "openid offline_access"), path)
    if page.name == f"settings-{path}" and page.forms:
        answer = visitor.post(page.form.action, data=page.form.values | values)
        assert answer.status_code == 400 or "/login?" in answer.headers["Location"], answer.headers
    else:
        assert page.name in ("login", f"settings-{path}"), page
    assert maria.visitor.open(f"{site.base}/settings").name == "settings"
    assert "Mallory" not in maria.visitor.get(f"{site.base}/settings/profile").text
    assert at(site, SCREEN).refresh(maria.refresh_token).status_code == 200, "her own app goes on"


def app_of(site, client: Client) -> Authgear:
    return Authgear(site.base, client.client_id, client.redirect_uri)


def signs_in(site, app: Authgear, client: Client) -> bool:
    """Whether an app's session signs another app in, by the key that it is bound to."""
    verifier, key_id, now = encoded(secrets.token_bytes(32)), str(uuid.uuid4()).upper(), int(time.time())
    challenge = encoded(hashlib.sha256(verifier.encode()).digest())
    header = {
        "typ": "vnd.authgear.app2app-request", "kid": key_id, "alg": "ES256",
        "jwk": {**app.proof_key.as_dict(private=False), "kid": key_id, "alg": "ES256"}}
    claims = {
        "iat": now, "exp": now + 60, "challenge": app.challenge("app2app_request"), "action": "setup",
        "device_info": {}}
    try:
        code = app.token(APP_TO_APP, {
            "client_id": client.client_id, "refresh_token": app.keychain.refresh_token,
            "jwt": signed(app.proof_key, header, claims), "redirect_uri": client.redirect_uri,
            "code_challenge": challenge, "code_challenge_method": "S256"}).json()["code"]
        return "refresh_token" in app_of(site, client)._redeem(code, verifier)
    except AuthgearFailed as failure:
        assert failure.status in (400, 403), failure
        return False


def let_in(site, visitor) -> Authgear:
    """A device of somebody else, which Maria let in; its tokens are bound to a key of its own."""
    thief = app_of(site, PHONE)
    asked = {"client_id": "phone", "scope": f"openid offline_access {FULL_ACCESS}"}
    device = thief.send("POST", f"{site.base}/oauth2/device_authorization", proves=False, data=asked).json()
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert visitor.submit(page, button="allow").name == "device-done"
    thief._keep(thief.token(DEVICE, {"device_code": device["device_code"]}).json())
    return thief


def test_a_device_that_was_let_in_signs_no_app_in(site):
    """The same from app to app, without a browser."""
    visitor, own = site.visitor(), app_of(site, PHONE)
    own.authenticate(visitor)
    assert signs_in(site, own, SHOP), "the control"
    assert not signs_in(site, let_in(site, visitor), SHOP)


def on_wire(site, app: Authgear, path: str, body: dict | None = None) -> requests.Response:
    """A call of the methods' wire, where an app's session counts by its key."""
    bearer = {"Authorization": f"Bearer {PROJECT_ID}:{app.keychain.refresh_token}"}
    return app.send("POST", f"{site.base}/v1/auth/{path}", headers=bearer, json=body or {})


def test_a_device_that_was_let_in_signs_her_out_nowhere_else(site):
    """As on the page of the sessions: who let it in is who ends the others."""
    visitor, own = site.visitor(), app_of(site, PHONE)
    own.authenticate(visitor)
    thief = let_in(site, visitor)
    answer = on_wire(site, thief, "logoutall")
    assert visitor.open(f"{site.base}/settings").name == "settings", f"{answer.status_code}: her browser is out"
    own.refresh()
    assert (answer.status_code, answer.json()["missing"]) == (403, "recent_sign_in"), answer.text
    assert on_wire(site, own, "logoutall").status_code == 200, "the control"
    assert visitor.open(f"{site.base}/settings").name == "login"


def test_a_device_that_was_let_in_changes_nothing_on_the_methods_wire(site):
    visitor = site.visitor()
    app_of(site, PHONE).authenticate(visitor)
    thief = let_in(site, visitor)
    for path, more in (
        ("password/update", {"newPassword": "a-thiefs-long-pass-word"}), ("totp/update", {}),
        ("otp/update/email", {"email": "thief@example.test", "addToLoginIDs": True}),
        ("otp/update/phone/sms", {"phone": "+351210000009", "addToLoginIDs": True}),
        ("magiclink/update/email", {"email": "thief@example.test", "addToLoginIDs": True}),
    ):
        answer = on_wire(site, thief, path, {"loginId": MARIA.login} | more)
        assert answer.status_code == 403 and answer.json()["missing"] == "recent_sign_in", f"{path}: {answer.text}"


def test_a_device_that_was_let_in_adds_no_key_of_its_own(site):
    """It would come back by a touch, long after."""
    visitor, own = site.visitor(), app_of(site, PHONE)
    own.authenticate(visitor)
    thief = let_in(site, visitor)
    with pytest.raises(AuthgearFailed) as failure:
        thief.enable_biometric()
    assert failure.value.error == "interaction_required"
    own.enable_biometric()
    own.authenticate_biometric()
