"""An organisation wants its own sign-in from now on: what an app that was signed in before still opens."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
import uuid

import pytest

from support.authgear_client import FULL_ACCESS, GRANT, Authgear, AuthgearFailed, encoded, signed
from support.configuration import MARIA, Client
from support.operators import Management
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET

APP_TO_APP = f"{GRANT}app2app-request"


def telephone(name: str) -> Client:
    return Client(name, None, "none", (f"com.example.{name}://host/path",), {
        "application_type": "native", "profile": "authgear", "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": ["authorization_code", "refresh_token", APP_TO_APP]})


PHONE, SHOP = telephone("phone"), telephone("shop")


class Site(Provider):
    def __init__(self, folder, told):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
                "tenants": [{"id": "acme", "name": "Acme"}],
                "connections": [{
                    "id": "acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
                    "client_id": CLIENT_ID, "client_secret": SECRET}],
                "delivery": {"outbox": True}, "clients": [PHONE.entry(), SHOP.entry()],
                "users": [MARIA.entry() | {"tenants": [{"id": "acme"}]}],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def wants_its_own(self, wanted: bool) -> None:
        answer = self.key.send("PATCH", "/v1/mgmt/tenant/patch", {"id": "acme", "enforceSSO": wanted})
        assert answer.status_code == 200, answer.text

    def app(self, client: Client = PHONE) -> Authgear:
        return Authgear(self.base, client.client_id, client.redirect_uri)


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("strict"), told)
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def app(site):
    site.wants_its_own(False)
    app = site.app()
    app.authenticate(site.visitor())
    yield app
    site.wants_its_own(False)


def opens_pages(site, app: Authgear, refresh_token: str | None = None) -> bool:
    """A page of the settings in a browser that knows nobody."""
    made = app.send("POST", f"{site.base}/oauth2/app_session_token", json={
        "refresh_token": refresh_token or app.keychain.refresh_token})
    if made.status_code != 200:
        return False
    page = site.visitor().open(site.endpoint("authorization"), {
        "response_type": "none", "client_id": "phone", "redirect_uri": f"{site.issuer}/settings/password",
        "scope": "openid", "prompt": "none", "login_hint":
            "https://authgear.com/login_hint?type=app_session_token&app_session_token="
            + made.json()["result"]["app_session_token"]})
    assert isinstance(page, Page)
    return page.name.startswith("settings")


def signs_app_in(site, app: Authgear, refresh_token: str | None = None) -> bool:
    """Another app, by the key that this one's session is bound to."""
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
            "client_id": SHOP.client_id, "refresh_token": refresh_token or app.keychain.refresh_token,
            "jwt": signed(app.proof_key, header, claims), "redirect_uri": SHOP.redirect_uri,
            "code_challenge": challenge, "code_challenge_method": "S256"}).json()["code"]
        return "refresh_token" in site.app(SHOP)._redeem(code, verifier)
    except AuthgearFailed as failure:
        assert failure.status in (400, 401, 403), failure
        return False


WAYS = [opens_pages, signs_app_in]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("wanted", [False, True])
def test_an_app_of_before_opens_no_session(site, app, way, wanted):
    site.wants_its_own(wanted)
    assert way(site, app) == (not wanted)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_token_of_before_opens_none_either(site, app, way):
    """It was replaced long ago, and somebody found it."""
    old = app.keychain.refresh_token
    for _ in range(3):
        app.refresh()
    with sqlite3.connect(site.server.folder / "keyturn.db", timeout=30) as database:
        database.execute(
            "UPDATE grant_ SET rotated_at = rotated_at - 7200, rotations = '' WHERE rotated_at IS NOT NULL")
    if old != app.keychain.refresh_token:
        assert not way(site, app, old)
    assert way(site, app), "the control"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_copy_of_the_token_opens_none_without_the_key(site, app, way):
    thief = site.app()
    thief.keychain.refresh_token = app.keychain.refresh_token
    assert not way(site, thief)
    assert way(site, app), "the control"
