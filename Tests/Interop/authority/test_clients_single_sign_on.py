"""An organisation, a role or the account itself wants more from now on: a session of before opens no new one, by
whichever way."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import requests

from support.configuration import MARIA, Client, secret_of
from support.devices import GRANT as DEVICE
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.totp import Codes
from support.visitor import Callback, Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
CIBA = "urn:openid:params:grant-type:ciba"
TOKEN = "urn:ietf:params:oauth:token-type:"
SHARED = "openid profile offline_access device_sso https://authgear.com/scopes/pre-authenticated-url"
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", None, "none", ("https://app.example/back",), {"grant_types": [*USUAL, DEVICE], "scope": SHARED})
OTHER = Client("other", secret_of("other"), "client_secret_basic", ("https://other.example/back",), {
    "grant_types": [*USUAL, EXCHANGE, CIBA], "scope": "openid profile offline_access"})
DESK = Client("desk", None, "none", ("https://desk.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile", "pre_authenticated_uris": ["https://desk.example"]})


class Site(Provider):
    def __init__(self, folder, told):
        self.server = Server(
            folder,
            {
                "project": {
                    "id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY],
                    "approval": {"seconds": 120}},
                "tenants": [{"id": "acme", "name": "Acme"}],
                "roles": [{"name": "treasurer", "second_factor": "required"}],
                "connections": [{
                    "id": "acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
                    "client_id": CLIENT_ID, "client_secret": SECRET}],
                "delivery": {"outbox": True}, "clients": [client.entry() for client in (APP, OTHER, DESK)],
                "users": [MARIA.entry() | {"tenants": [{"id": "acme"}]}],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.wire = Wire(self.base)

    def wants_its_own(self, wanted: bool) -> None:
        self.manage("PATCH", "tenant/patch", {"id": "acme", "enforceSSO": wanted})

    def is_treasurer(self, wanted: bool) -> None:
        """Whether Maria has a role that wants two factors."""
        self.manage("POST", f"user/update/role/{'add' if wanted else 'remove'}", {
            "loginId": MARIA.login, "roleNames": ["treasurer"]})

    def manage(self, method: str, path: str, body: dict) -> dict:
        answer = self.wire.send(method, f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("single-sign-on"), told)
    yield site
    assert site.server.stop() == 0


def by_page(site, maria: SignedIn) -> bool:
    """Another app, in her browser."""
    answer = site.at(OTHER).open(maria.visitor, site.at(OTHER).request(prompt="none"))
    assert isinstance(answer, Callback)
    return bool(answer.get("code"))


def by_device_code(site, maria: SignedIn) -> bool:
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=30, data={"client_id": "app", "scope": "openid"}).json()
    page = maria.visitor.submit(maria.visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    if page.name == "device":
        maria.visitor.submit(page, button="allow")
    answer = site.at(APP).post("token", {"grant_type": DEVICE, "device_code": device["device_code"]})
    return answer.status_code == 200


def shared(site, client: Client, maria: SignedIn, **more) -> requests.Response:
    return site.at(client).post("token", {
        "grant_type": EXCHANGE, "audience": site.issuer, "subject_token": maria.id_token,
        "subject_token_type": TOKEN + "id_token", "actor_token": maria.tokens["device_secret"],
        "actor_token_type": "urn:openid:params:token-type:device-secret"} | more)


def by_device_secret(site, maria: SignedIn) -> bool:
    return shared(site, OTHER, maria, scope="openid").status_code == 200


def by_opened_page(site, maria: SignedIn) -> bool:
    made = shared(
        site, DESK, maria,
        requested_token_type="urn:authgear:params:oauth:token-type:pre-authenticated-url-token")
    if made.status_code != 200:
        return False
    visitor, desk = site.visitor(), site.at(DESK)
    visitor.get(site.endpoint("authorization"), params={
        "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
        "response_mode": "cookie", "client_id": "desk", "redirect_uri": "https://desk.example/start", "prompt": "none",
        "id_token_hint": made.json()["id_token"], "x_pre_authenticated_url_token": made.json()["access_token"]})
    request = desk.request(prompt="none")
    answer = desk.open(visitor, request)
    return isinstance(answer, Callback) and bool(answer.get("code")) and desk.redeem(answer, request).status_code == 200


def by_backchannel(site, maria: SignedIn) -> bool:
    asked = site.at(OTHER)
    request = requests.post(
        f"{site.base}/oauth2/bc-authorize", auth=(OTHER.client_id, OTHER.secret), timeout=30,
        data={"scope": "openid", "login_hint": MARIA.login}).json()
    listed = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": maria.refresh_token}, timeout=30)
    for one in listed.json().get("approvals", []):
        requests.post(f"{site.base}/v1/approvals", timeout=30, json={
            "refresh_token": maria.refresh_token, "id": one["id"], "action": "approve", "number": request["number"]})
    answer = asked.post("token", {"grant_type": CIBA, "auth_req_id": request["auth_req_id"]})
    return answer.status_code == 200


def by_approval_in_a_browser(site, maria: SignedIn) -> bool:
    desk = site.visitor()
    page = desk.submit(desk.open(f"{site.base}/settings"), {"username": MARIA.login}, button="approval")
    assert isinstance(page, Page) and page.name == "approval", page
    number = int(page.soup.select_one(".number strong").get_text(strip=True))
    listed = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": maria.refresh_token}, timeout=30)
    for one in listed.json().get("approvals", []):
        requests.post(f"{site.base}/v1/approvals", timeout=30, json={
            "refresh_token": maria.refresh_token, "id": one["id"], "action": "approve", "number": number})
    return desk.submit(page, button="refresh").name == "settings"


WAYS = [by_page, by_device_code, by_device_secret, by_opened_page, by_backchannel, by_approval_in_a_browser]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_session_of_before_opens_no_new_one(site, way):
    site.wants_its_own(False)
    maria = site.at(APP).sign_in(scope=SHARED, requested_claims={"ds_hash"})
    assert way(site, maria), "the control"
    site.wants_its_own(True)
    assert not way(site, maria), "a new session by one that is not enough"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_session_of_one_factor_opens_no_new_one_when_a_role_wants_two(site, way):
    site.wants_its_own(False)
    maria = site.at(APP).sign_in(scope=SHARED, requested_claims={"ds_hash"})
    site.is_treasurer(True)
    try:
        assert not way(site, maria), "a new session of one factor"
    finally:
        site.is_treasurer(False)
    assert way(site, maria), "the control"


def test_a_browser_of_one_factor_is_asked_for_the_authenticator_that_came_since(site):
    """For the code alone while the password is recent, and only once."""
    site.wants_its_own(False)
    maria = site.at(APP).sign_in(scope=SHARED, requested_claims={"ds_hash"})
    opened = site.wire.post(
        "/v1/auth/password/signin", {"loginId": MARIA.login, "password": MARIA.password}, bearer=PROJECT_ID).json()
    bearer = f"{PROJECT_ID}:{opened['refreshJwt']}"
    key = site.wire.post("/v1/auth/totp/update", {"loginId": MARIA.login}, bearer=bearer).json()["key"]
    codes = Codes(key)
    done = site.wire.post(
        "/v1/auth/totp/verify", {"loginId": MARIA.login, "code": codes.next()}, bearer=bearer)
    assert done.status_code == 200, done.text
    try:
        other = site.at(OTHER)
        silent = other.open(maria.visitor, other.request(prompt="none"))
        assert isinstance(silent, Callback) and silent.get("error") == "login_required", silent
        request = other.request()
        page = other.open(maria.visitor, request)
        assert isinstance(page, Page) and page.name == "code", page
        answer = maria.visitor.submit(page, {"code": codes.next()})
        while isinstance(answer, Page):
            answer = maria.visitor.submit(answer, button="allow")
        tokens = other.redeem(answer, request).json()
        assert {"pwd", "otp", "mfa"} <= set(payload_of(tokens["id_token"])["amr"])
        assert by_page(site, maria), "the browser has shown both"
    finally:
        site.manage("POST", "user/totp/delete", {"loginId": MARIA.login})


def test_a_password_is_not_enough_either(site):
    """What the rule above is about."""
    site.wants_its_own(True)
    visitor = Visitor(site.base)
    page = visitor.open(site.endpoint("authorization") + "?" + urlencode(site.at(OTHER).request().parameters))
    page = visitor.sign_in(page, MARIA)
    assert isinstance(page, Page) and page.name == "login", page
