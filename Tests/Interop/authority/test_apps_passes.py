"""A page that an app opens signed in: which request of which program the pass of that browser answers."""

from __future__ import annotations

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, secret_of
from support.operators import aged
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.visitor import Callback, Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:"
PAGES = "https://authgear.com/scopes/pre-authenticated-url"
SHARED = f"openid profile offline_access device_sso {PAGES}"
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", None, "none", ("https://app.example/back",), {"grant_types": USUAL, "scope": SHARED})
# One entry for the web application and the app on the desktop.
DESK = Client(
    "desk", None, "none", ("https://desk.example/back", "com.example.desk:/back", "http://127.0.0.1/back"), {
        "grant_types": [*USUAL, EXCHANGE], "scope": f"openid profile email keyturn:management {SHARED}",
        "application_type": "native", "pre_authenticated_uris": ["https://desk.example"]})
SIDE = Client("side", None, "none", ("https://side.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile", "pre_authenticated_uris": ["https://side.example"]})
PARTNER = Client("partner", secret_of("partner"), "client_secret_basic", ("https://partner.example/back",), {
    "first_party": False, "grant_types": USUAL})


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "clients": [client.entry() for client in (APP, DESK, SIDE, PARTNER)],
                "users": [MARIA.entry(), JONAS.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def made(self, client: Client, maria: SignedIn) -> dict:
        answer = self.at(client).post("token", {
            "grant_type": EXCHANGE, "audience": self.issuer, "subject_token": maria.id_token,
            "subject_token_type": TOKEN + "id_token", "actor_token": maria.tokens["device_secret"],
            "actor_token_type": "urn:openid:params:token-type:device-secret",
            "requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def lead(self, visitor: Visitor, client: Client, made: dict, **more) -> requests.Response:
        return visitor.get(self.endpoint("authorization"), params={
            "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
            "response_mode": "cookie", "client_id": client.client_id,
            "redirect_uri": f"https://{client.client_id}.example/start", "prompt": "none",
            "id_token_hint": made["id_token"], "x_pre_authenticated_url_token": made["access_token"]} | more)

    def opened(self, maria: SignedIn, client: Client = DESK) -> Visitor:
        visitor = self.visitor()
        assert self.lead(visitor, client, self.made(client, maria)).is_redirect
        return visitor

    def code(self, visitor: Visitor, client: Client = DESK, **more) -> str | None:
        answer = self.at(client).open(visitor, self.at(client).request(**{"scope": "openid"} | more))
        return answer.get("code") if isinstance(answer, Callback) else None


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("passes"))
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def maria(site):
    return site.at(APP).sign_in(scope=SHARED, requested_claims={"ds_hash"})


def test_the_web_application_s_own_request_is_answered(site, maria):
    """The control of all others."""
    assert site.code(site.opened(maria), prompt="none")


@pytest.mark.parametrize("address", ["com.example.desk:/back", "http://127.0.0.1:4711/back"])
@pytest.mark.parametrize("prompt", [None, "none"])
def test_a_program_that_nothing_shows_is_not_answered_by_the_pass(site, maria, address, prompt):
    """Any program of the machine can listen there. Where a signed-in browser would answer, she is asked on a page."""
    visitor = site.opened(maria)
    request = site.at(DESK).request(scope="openid profile", redirect_uri=address, prompt=prompt)
    answer = site.at(DESK).open(visitor, request)
    if isinstance(answer, Callback) and answer.get("code"):
        got = site.at(DESK).redeem(answer, request)
        raise AssertionError(f"a code by the pass alone, and for it: {got.status_code} {got.json().get('scope')}")
    browser = site.at(APP).sign_in().visitor
    page = site.at(DESK).open(browser, site.at(DESK).request(redirect_uri=address))
    assert isinstance(page, Page) and page.name == "continue", "the control: a signed-in browser asks"


def test_a_pass_is_for_its_own_web_application(site, maria):
    visitor = site.opened(maria)
    for client in (APP, SIDE, PARTNER):
        assert site.code(visitor, client, prompt="none") is None, client.client_id
    assert site.code(visitor, prompt="none"), "the control"


def test_a_pass_answers_once(site, maria):
    visitor = site.opened(maria)
    assert site.code(visitor, prompt="none")
    assert site.code(visitor, prompt="none") is None


@pytest.mark.parametrize("more", [
    {"prompt": "login"}, {"prompt": "consent"}, {"prompt": "select_account"},
    {"acr_values": "urn:keyturn:acr:mfa"}, {"scope": "openid keyturn:management"},
    {"claims": f'{{"id_token":{{"sub":{{"value":"{JONAS.sub}"}}}}}}'},
    {"claims": '{"id_token":{"acr":{"essential":true,"values":["urn:keyturn:acr:mfa"]}}}'},
])
def test_a_pass_does_not_stand_for_what_she_would_be_asked(site, maria, more):
    visitor = site.opened(maria)
    assert site.code(visitor, **more) is None


def test_a_pass_is_as_old_as_the_app_s_sign_in(site, maria):
    visitor = site.opened(maria)
    with aged(site.server, 601):
        assert site.code(visitor, max_age="600") is None
    assert site.code(visitor, max_age="600"), "the control"


def test_no_lasting_right_comes_of_a_pass(site, maria):
    visitor, rp = site.opened(maria), site.at(DESK)
    request = rp.request(scope=SHARED, prompt="none")
    tokens = rp.accepted(rp.redeem(rp.open(visitor, request), request))
    assert "device_secret" not in tokens and not {"device_sso", PAGES} & set(tokens["scope"].split())


def test_a_pass_leads_to_no_page_of_others_and_opens_nothing_here(site, maria):
    made, visitor = site.made(DESK, maria), site.visitor()
    for address in ("https://evil.example/start", "https://desk.example.evil.example/", "http://desk.example/start"):
        assert site.lead(visitor, DESK, made, redirect_uri=address).status_code == 400, address
    assert site.lead(visitor, DESK, made).is_redirect
    assert visitor.open(f"{site.base}/settings").name == "login", "no session of this server"


def test_another_browser_s_pass_and_another_client_s_token_count_nowhere(site, maria):
    made = site.made(DESK, maria)
    jonas = site.at(APP).sign_in(person=JONAS).visitor
    assert site.lead(jonas, DESK, made).status_code == 409, "she is somebody else"
    stranger = site.visitor()
    site.lead(stranger, SIDE, site.made(DESK, maria))
    assert site.code(stranger, SIDE, prompt="none") is None
    spent = site.visitor()
    site.lead(spent, DESK, made)
    assert site.code(spent, prompt="none") is None, "the token was used"


@pytest.mark.parametrize("end", ["revoked", "signed out everywhere"])
def test_a_code_of_a_pass_ends_with_the_app(site, maria, end):
    visitor, rp = site.opened(maria), site.at(DESK)
    request = rp.request(prompt="none")
    answer = rp.open(visitor, request)
    assert isinstance(answer, Callback) and answer.get("code")
    if end == "revoked":
        site.at(APP).revoke(maria.refresh_token)
    else:
        page = maria.visitor.open(f"{site.base}/settings/sessions")
        maria.visitor.post(page.form.action, data=page.form.values | {"action": "end", "kind": "app", "id": "app"})
    assert rp.redeem(answer, request).json()["error"] == "invalid_grant"
