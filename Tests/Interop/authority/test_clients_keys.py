"""A refresh token that is bound to a key is worth nothing without it, on whatever way it is shown."""

from __future__ import annotations

import pytest
import requests
from joserfc.jwk import ECKey

from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import MARIA, Client
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.visitor import Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:"
SCOPE = f"openid offline_access {FULL_ACCESS} device_sso"
PLAIN = "openid profile offline_access device_sso"
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", None, "none", ("com.example.app://host/path",), {
    "application_type": "native", "profile": "authgear", "scope": SCOPE, "grant_types": USUAL})
OTHER = Client("other", None, "none", ("https://other.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile offline_access"})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("keys"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "clients": [APP.entry(), OTHER.entry()], "users": [MARIA.entry()],
        },
        log_level="error",
    )
    yield server
    assert server.stop() == 0


class App(Authgear):
    """An app whose refresh token is bound to its key, and a thief's copy of what it stores."""

    def __init__(self, site, key: ECKey | None = None):
        super().__init__(site.base, "app", APP.redirect_uri, proof_key=key)
        self.site = site
        self.secret = ""

    def sign_in(self) -> App:
        code, verifier = self._ask(
            Visitor(self.site.base), {"scope": SCOPE, "dpop_jkt": self.proof_key.thumbprint()})
        answer = self._redeem(code, verifier)
        self._keep(answer)
        self.secret = answer["device_secret"]
        return self

    def copied(self, key: ECKey | None = None) -> App:
        thief = App(self.site, key)
        thief.keychain.refresh_token, thief.secret, thief.id_token = (
            self.keychain.refresh_token, self.secret, self.id_token)
        return thief

    def show(self, path: str, **more) -> requests.Response:
        return self.send("POST", self.site.base + path, json={"refresh_token": self.keychain.refresh_token}, **more)

    def shares(self, **more) -> requests.Response:
        return self.send("POST", self.document["token_endpoint"], data={
            "grant_type": EXCHANGE, "client_id": "other", "audience": self.site.issuer,
            "scope": "openid offline_access", "subject_token": self.id_token,
            "subject_token_type": TOKEN + "id_token", "actor_token": self.secret,
            "actor_token_type": "urn:openid:params:token-type:device-secret"}, **more)


@pytest.fixture
def app(site):
    return App(site).sign_in()


@pytest.mark.parametrize("path", ["/oauth2/app_session_token", "/v1/approvals"])
def test_a_copy_opens_nothing(app, path):
    """Neither without a proof nor with one of another key."""
    for answer in (app.show(path, proves=False), app.copied().show(path)):
        assert answer.status_code in (400, 401, 403), f"{answer.status_code} {answer.text[:200]}"
    assert app.show(path).status_code == 200, "the control"


def test_a_copy_opens_nothing_on_the_methods_wire(site, app):
    """A first-party app's session counts there by its key alone."""
    wire, bearer = Wire(site.base), f"{PROJECT_ID}:{app.keychain.refresh_token}"
    for method, path in (
        ("GET", "me"), ("POST", "refresh"), ("POST", "logout"), ("POST", "logoutall"), ("POST", "totp/update"),
    ):
        answer = wire.send(method, f"/v1/auth/{path}", {"loginId": MARIA.login}, bearer=bearer)
        assert answer.status_code == 401, f"{path}: {answer.status_code}"
    answer = app.send("GET", f"{site.base}/v1/auth/me", headers={"Authorization": f"Bearer {bearer}"})
    assert answer.status_code == 200, "the control"


def test_a_copy_gets_no_tokens_and_signs_the_owner_not_out(app):
    for thief in (app.copied(), app.copied()):
        with pytest.raises(AuthgearFailed) as failure:
            thief.refresh()
        assert failure.value.error == "invalid_grant"
    with pytest.raises(AuthgearFailed):
        app.copied().token("refresh_token", {"refresh_token": app.keychain.refresh_token}, proves=False)
    app.refresh()
    assert app.fetch_user_info().sub == MARIA.sub


def test_a_copied_device_secret_signs_no_other_app_in(app):
    for answer in (app.shares(proves=False), app.copied().shares()):
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_dpop_proof")
    ask = app.shares()
    if ask.status_code == 400 and ask.json()["error"] == "use_dpop_nonce":
        nonce = ask.headers["DPoP-Nonce"]
        url = app.document["token_endpoint"]
        ask = app.shares(proves=False, headers={"DPoP": app.proof("POST", url, nonce=nonce)})
    assert ask.status_code == 200, ask.text
    assert ask.json()["token_type"] == "DPoP"
    renewed = requests.post(app.document["token_endpoint"], timeout=30, data={
        "grant_type": "refresh_token", "client_id": "other", "refresh_token": ask.json()["refresh_token"]})
    assert renewed.status_code == 400, "the second app's session is bound to the same key"


def test_a_page_of_the_settings_is_the_app_s_own(site, app):
    """Its pass counts once, and for this app."""
    address = app.settings_address()
    first, second = Visitor(site.base), Visitor(site.base)
    assert first.open(address).name == "settings"
    assert second.open(address).name == "login", "it was used"
    foreign = app.settings_address().replace("client_id=app&", "client_id=other&")
    page = Visitor(site.base).open(foreign)
    assert isinstance(page, Page) and page.name != "settings"
