"""What ends with what, for those who hold tokens: sign-outs by link, old tokens, shared and derived sessions."""

from __future__ import annotations

import sqlite3
import time
from urllib.parse import urlencode

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, secret_of
from support.devices import GRANT as DEVICE
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.visitor import Callback, Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:"
PAGES = "https://authgear.com/scopes/pre-authenticated-url"
SHARED = f"openid profile offline_access device_sso {PAGES}"
BACK = ("https://app.example/back",)
OUT = ["https://app.example/out"]
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", None, "none", BACK, {
    "grant_types": [*USUAL, DEVICE, EXCHANGE], "scope": SHARED, "post_logout_redirect_uris": OUT})
OTHER = Client("other", secret_of("other"), "client_secret_basic", BACK, {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile offline_access", "post_logout_redirect_uris": OUT})
DESK = Client("desk", None, "none", ("https://desk.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile", "pre_authenticated_uris": ["https://desk.example"]})


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "clients": [client.entry() for client in (APP, OTHER, DESK)], "users": [MARIA.entry(), JONAS.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def sign_out(self, visitor: Visitor, **asked: str) -> requests.Response:
        return visitor.get(self.endpoint("end_session"), params=asked)

    def is_in(self, visitor: Visitor) -> bool:
        return visitor.open(f"{self.base}/settings").name == "settings"

    def share(self, client: Client, signed_in: SignedIn, **more) -> requests.Response:
        return self.at(client).post("token", {
            "grant_type": EXCHANGE, "audience": self.issuer, "subject_token": signed_in.id_token,
            "subject_token_type": TOKEN + "id_token", "actor_token": signed_in.tokens["device_secret"],
            "actor_token_type": "urn:openid:params:token-type:device-secret"} | more)

    def app_session(self, refresh_token: str) -> requests.Response:
        return requests.post(
            f"{self.base}/oauth2/app_session_token", json={"refresh_token": refresh_token}, timeout=30)

    def open_in_app(self, visitor: Visitor, refresh_token: str, path: str = "/settings") -> Page | Callback:
        made = self.app_session(refresh_token)
        assert made.status_code == 200, made.text
        hint = urlencode({"type": "app_session_token", **{
            "app_session_token": made.json()["result"]["app_session_token"]}})
        return visitor.open(self.endpoint("authorization"), {
            "response_type": "none", "client_id": "app", "redirect_uri": self.issuer + path, "scope": "openid",
            "prompt": "none", "login_hint": f"https://authgear.com/login_hint?{hint}"})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("ends"))
    yield site
    assert site.server.stop() == 0


def sharing(site, **more) -> SignedIn:
    return site.at(APP).sign_in(scope=SHARED, requested_claims={"ds_hash"}, **more)


@pytest.fixture
def maria(site):
    return sharing(site)


def device_of(site, visitor: Visitor) -> dict:
    """The tokens of a device whose code Maria typed for somebody else."""
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=30,
        data={"client_id": "app", "scope": "openid offline_access"}).json()
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert visitor.submit(page, button="allow").name == "device-done"
    answer = site.at(APP).post("token", {"grant_type": DEVICE, "device_code": device["device_code"]})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_her_own_apps_token_signs_her_browser_out(site, maria):
    """The control of what follows."""
    answer = site.sign_out(maria.visitor, id_token_hint=maria.id_token, post_logout_redirect_uri=OUT[0])
    assert answer.is_redirect and answer.headers["Location"].startswith(OUT[0])
    assert not site.is_in(maria.visitor)


def test_another_users_token_signs_her_browser_not_out(site, maria):
    jonas = site.at(APP).sign_in(person=JONAS)
    answer = site.sign_out(maria.visitor, id_token_hint=jonas.id_token, post_logout_redirect_uri=OUT[0])
    assert not answer.is_redirect and site.is_in(maria.visitor), "she is asked"


def test_another_session_s_token_signs_her_browser_not_out(site, maria):
    elsewhere = sharing(site)
    answer = site.sign_out(maria.visitor, id_token_hint=elsewhere.id_token)
    assert not answer.is_redirect and site.is_in(maria.visitor) and site.is_in(elsewhere.visitor)


def test_a_device_that_she_let_in_signs_her_browser_not_out(site, maria):
    """It ends no other session by any page; its ID token in a link is no more than that."""
    thief = device_of(site, maria.visitor)
    answer = site.sign_out(maria.visitor, id_token_hint=thief["id_token"])
    assert site.is_in(maria.visitor), "signed out by a link of the device's"
    assert not answer.is_redirect and "logout" in answer.text
    assert site.is_good(maria.access_token)


def test_exchanged_tokens_end_with_a_sign_out(site):
    """Offline access goes on; what was made of an access token of before does not."""
    signed_in = site.at(OTHER).sign_in(scope="openid profile offline_access")
    form = {"grant_type": EXCHANGE, "subject_token_type": TOKEN + "access_token", "scope": "openid"}
    less = site.at(OTHER).post("token", form | {"subject_token": signed_in.access_token}).json()["access_token"]
    assert site.is_good(less)
    site.sign_out(signed_in.visitor, id_token_hint=signed_in.id_token)
    assert not site.is_good(less) and not site.is_good(signed_in.access_token)
    late = site.at(OTHER).post("token", form | {"subject_token": signed_in.access_token})
    assert (late.status_code, late.json()["error"]) == (400, "invalid_request")
    for _ in range(30):
        fresh = site.at(OTHER).accepted(site.at(OTHER).refresh(signed_in.refresh_token))
        if site.is_good(fresh["access_token"]):
            return
        # A token of the second in which she signed out is one of before.
        time.sleep(0.1)
    raise AssertionError("offline access does not go on")


def test_a_shared_sign_in_without_offline_access_ends_with_the_browser(site):
    first = site.at(APP).sign_in(scope="openid profile device_sso", requested_claims={"ds_hash"})
    second = site.share(OTHER, first, scope="openid profile offline_access")
    assert second.status_code == 200 and "offline_access" not in second.json()["scope"].split()
    site.sign_out(first.visitor, id_token_hint=first.id_token)
    assert not site.is_good(second.json()["access_token"])
    if "refresh_token" in second.json():
        assert site.at(OTHER).refresh(second.json()["refresh_token"]).json()["error"] == "invalid_grant"
    assert site.share(OTHER, first, scope="openid").json()["error"] == "invalid_grant"


def test_what_comes_of_a_shared_sign_in_shares_nothing_on(site, maria):
    """The second app's ID token and the first one's secret are no pair, and it has no secret of its own."""
    second = site.share(OTHER, maria, scope="openid profile device_sso offline_access").json()
    assert "device_secret" not in second and "device_sso" not in second["scope"].split()
    answer = site.at(DESK).post("token", {
        "grant_type": EXCHANGE, "audience": site.issuer, "subject_token": second["id_token"],
        "subject_token_type": TOKEN + "id_token", "actor_token": maria.tokens["device_secret"],
        "actor_token_type": "urn:openid:params:token-type:device-secret"})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def opened_page(site, maria) -> Visitor:
    """A browser that the app led to a page of the desk, signed in."""
    made = site.share(
        DESK, maria, requested_token_type="urn:authgear:params:oauth:token-type:pre-authenticated-url-token")
    assert made.status_code == 200, made.text
    visitor = site.visitor()
    opened = visitor.get(site.endpoint("authorization"), params={
        "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
        "response_mode": "cookie", "client_id": "desk", "redirect_uri": "https://desk.example/start", "prompt": "none",
        "id_token_hint": made.json()["id_token"], "x_pre_authenticated_url_token": made.json()["access_token"]})
    assert opened.is_redirect
    return visitor


@pytest.mark.parametrize("ends", [False, True])
def test_a_page_that_an_app_opened_is_over_with_the_app(site, maria, ends):
    visitor, desk = opened_page(site, maria), site.at(DESK)
    if ends:
        assert site.at(APP).revoke(maria.refresh_token).status_code == 200
    request = desk.request(prompt="none", scope="openid profile")
    answer = desk.open(visitor, request)
    if ends:
        assert isinstance(answer, Callback) and answer["error"] == "login_required"
        return
    got = desk.accepted(desk.redeem(answer, request))
    again = desk.open(visitor, desk.request(prompt="none"))
    assert isinstance(again, Callback) and again["error"] == "login_required", "one answer, and no session"
    site.at(APP).revoke(maria.refresh_token)
    assert not site.is_good(got["access_token"])


def test_a_page_in_an_apps_session_is_a_sign_in_to_nothing(site, maria):
    """It reaches the settings: no app, no device, no console."""
    visitor = site.visitor()
    assert site.open_in_app(visitor, maria.refresh_token).name == "settings"
    for client in (APP, OTHER, DESK):
        silent = site.at(client).open(visitor, site.at(client).request(prompt="none"))
        assert isinstance(silent, Callback) and silent["error"] == "login_required", client.client_id
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=30, data={"client_id": "app", "scope": "openid"}).json()
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    if page.name == "device":
        page = visitor.submit(page, button="allow")
    assert page.name == "login", page
    assert site.at(APP).revoke(maria.refresh_token).status_code == 200
    assert visitor.open(f"{site.base}/settings").name == "login", "it ends with the app"


def test_a_refresh_token_of_before_opens_nothing(site, maria):
    """Somebody found the one that was replaced long ago: no page in the app's session, and no approval."""
    app, tokens = site.at(APP), [maria.refresh_token]
    for _ in range(3):
        tokens.append(app.accepted(app.refresh(tokens[-1]))["refresh_token"])
    with sqlite3.connect(site.server.folder / "keyturn.db", timeout=30) as database:
        database.execute(
            "UPDATE grant_ SET rotated_at = rotated_at - 7200, rotations = '' WHERE rotated_at IS NOT NULL")
    for old in tokens[:-1]:
        assert site.app_session(old).status_code in (401, 403), "an app session by an old token"
        listed = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": old}, timeout=30)
        assert listed.status_code in (400, 401, 403), "approvals by an old token"
    assert site.app_session(tokens[-1]).status_code == 200
