"""An app asks for a sign-in at an organisation: however the request comes, no other session answers it."""

from __future__ import annotations

import pytest
import requests

from support.configuration import Client, Person, secret_of
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:"
PAGES = "https://authgear.com/scopes/pre-authenticated-url"
SHARED = f"openid profile offline_access device_sso {PAGES}"
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
PHONE = Client("phone", None, "none", ("https://phone.example/back",), {"grant_types": USUAL, "scope": SHARED})
DESK = Client("desk", None, "none", ("https://desk.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile", "pre_authenticated_uris": ["https://desk.example"]})
# Of two organisations; one of them lets its people in by its own provider only.
DORA = Person(
    "77777777-7777-4777-8777-777777777777", "dora@strict.example", "correct-horse-battery",
    {"email": "dora@strict.example", "email_verified": True, "tenants": [{"id": "strict"}, {"id": "acme"}]})


class Site(Provider):
    def __init__(self, folder, told):
        connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour"},
            "tenants": [{"id": "strict", "name": "Strict", "require_sso": True}, {"id": "acme", "name": "Acme"}],
            "connections": [connection | {"id": "strict", "tenant": "strict", "domains": ["strict.example"]}],
            "clients": [client.entry() for client in (APP, PHONE, DESK)], "users": [DORA.entry()]}, log_level="error")
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def direct(self, visitor: Visitor, **asked: str) -> Callback | Page:
        return self.at(APP).open(visitor, self.at(APP).request(**asked))

    def pushed(self, visitor: Visitor, **asked: str) -> Callback | Page:
        """The same request, which the app pushed."""
        kept = self.at(APP).post("pushed_authorization_request", self.at(APP).request(**asked).parameters)
        assert kept.status_code == 201, kept.text
        return visitor.open(
            self.endpoint("authorization"), {"client_id": "app", "request_uri": kept.json()["request_uri"]})

    def opened(self, phone: SignedIn) -> Visitor:
        """The browser in which her app opens a page of the desk's, signed in."""
        made = self.at(DESK).post("token", {
            "grant_type": EXCHANGE, "audience": self.issuer, "subject_token": phone.id_token,
            "subject_token_type": TOKEN + "id_token", "actor_token": phone.tokens["device_secret"],
            "actor_token_type": "urn:openid:params:token-type:device-secret",
            "requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"}).json()
        visitor = self.visitor()
        assert visitor.get(self.endpoint("authorization"), params={
            "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
            "response_mode": "cookie", "client_id": "desk", "redirect_uri": "https://desk.example/start",
            "prompt": "none", "id_token_hint": made["id_token"],
            "x_pre_authenticated_url_token": made["access_token"]}).is_redirect
        return visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("asked"), told)
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def dora(site) -> Visitor:
    """By her password: her organisation has not let her in."""
    return site.at(APP).sign_in(person=DORA).visitor


WAYS = ["direct", "pushed"]


@pytest.mark.parametrize("way", WAYS)
def test_who_does_not_ask_is_answered(site, dora, way):
    answer = getattr(site, way)(dora, prompt="none")
    assert isinstance(answer, Callback) and answer.get("code")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["connection", "x_oauth_provider_alias"])
def test_a_password_s_session_is_not_the_organisation_s(site, dora, way, name):
    answer = getattr(site, way)(dora, prompt="none", **{name: "strict"})
    assert isinstance(answer, Callback) and answer.get("error") == "login_required", "answered by a password"


@pytest.mark.parametrize("way", WAYS)
def test_a_new_browser_is_led_to_the_organisation(site, told, way):
    """Straight to its provider, past the page that asks for a password."""
    request = site.at(APP).request(connection="strict")
    sent, visitor = request.parameters, site.visitor()
    if way == "pushed":
        kept = site.at(APP).post("pushed_authorization_request", sent)
        sent = {"client_id": "app", "request_uri": kept.json()["request_uri"]}
    answer = visitor.get(site.endpoint("authorization"), params=sent)
    while answer.is_redirect and not answer.headers["Location"].startswith(told.issuer):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    assert answer.is_redirect, "shown the usual page"


def test_a_page_that_an_app_opened_is_not_the_organisation_s(site):
    phone = site.at(PHONE).sign_in(person=DORA, scope=SHARED, requested_claims={"ds_hash"})
    rp = site.at(DESK)
    silent = rp.open(site.opened(phone), rp.request(prompt="none"))
    assert isinstance(silent, Callback) and silent.get("code"), "the control"
    silent = rp.open(site.opened(phone), rp.request(prompt="none", connection="strict"))
    assert isinstance(silent, Callback) and silent.get("error") == "login_required", "answered by a password"
