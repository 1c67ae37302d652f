"""A client that registered itself, and the operator's own API: its tokens are for the API after a page named it."""

from __future__ import annotations

import base64
import json

import pytest
import requests

from support.configuration import Client
from support.own_account import APP, DEVICE_GRANT, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback

API, NAME, SECRET = "https://api.example.test", "Bank API", "the-api-keeps-this-to-itself-long"
SERVICE = Client(
    "api", SECRET, "client_secret_basic", (), {"grant_types": [], "resources": [API], "client_name": NAME})
BACK = "https://others.example/back"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    accounts = OwnAccounts(
        tmp_path_factory.mktemp("apis"), clients=[APP, SERVICE], registration={"enabled": True, "clients_max": 100})
    yield accounts
    accounts.close()


@pytest.fixture
def maria(own):
    login, password = new_name("maria"), new_password()
    own.sign_up(login, password)
    return own.browse(login, password)[0]


class Stranger:
    """A public client that registered itself."""

    def __init__(self, own: OwnAccounts):
        self.own = own
        made = requests.post(f"{own.base}/oauth2/register", timeout=30, json={
            "redirect_uris": [BACK], "client_name": "Others", "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT], "scope": "openid"})
        assert made.status_code == 201, made.text
        self.client_id = made.json()["client_id"]
        self.verifier = make_verifier()

    def ask(self, visitor, **more: str) -> Page | Callback:
        return visitor.open("/oauth2/authorize", {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": BACK, "scope": "openid", "state": "s",
            "code_challenge": challenge_of(self.verifier), "code_challenge_method": "S256", **more})

    def post(self, path: str, **form: str) -> requests.Response:
        return requests.post(f"{self.own.base}{path}", data={"client_id": self.client_id, **form}, timeout=30)

    def redeem(self, callback: Callback, **more: str) -> requests.Response:
        return self.post(
            "/oauth2/token", grant_type="authorization_code", code=callback["code"], redirect_uri=BACK,
            code_verifier=self.verifier, **more)

    def refresh(self, answer: requests.Response, **more: str) -> requests.Response:
        return self.post(
            "/oauth2/token", grant_type="refresh_token", refresh_token=answer.json()["refresh_token"], **more)

    def agreed(self, visitor, **more: str) -> Callback:
        """After a yes on the page."""
        page = self.ask(visitor, **more)
        assert isinstance(page, Page) and page.name == "consent", page
        callback = visitor.submit(page)
        assert isinstance(callback, Callback) and callback.get("code"), callback
        return callback


@pytest.fixture
def stranger(own):
    return Stranger(own)


def takes(own: OwnAccounts, answer: requests.Response) -> bool:
    """Whether the API takes the token of an answer: by its audience, and by what the server tells the API."""
    assert answer.status_code == 200, answer.text
    token = answer.json()["access_token"]
    body = token.split(".")[1]
    audience = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["aud"]
    told = requests.post(
        f"{own.base}/oauth2/introspect", auth=(SERVICE.client_id, SECRET), data={"token": token}, timeout=30).json()
    named = API in ([audience] if isinstance(audience, str) else audience)
    assert told["active"] == named, told
    return named


def refused(answer: requests.Response) -> bool:
    return (answer.status_code, answer.json().get("error")) == (400, "invalid_target")


def names_the_api(page: Page) -> bool:
    """The name alone is not enough: any app could have one like it."""
    text = page.soup.get_text(" ")
    return NAME in text and API in text


def test_a_token_that_nothing_was_named_for_is_not_the_api_s(own, maria, stranger):
    assert not takes(own, stranger.redeem(stranger.agreed(maria)))


def test_the_page_names_the_api_and_a_yes_is_remembered(own, maria, stranger):
    """The control: this is the way on which a token for the API is right."""
    assert not names_the_api(stranger.ask(maria))
    page = stranger.ask(maria, resource=API)
    assert page.name == "consent" and names_the_api(page)
    answer = stranger.redeem(maria.submit(page))
    assert takes(own, answer)
    silent = stranger.ask(maria, resource=API, prompt="none")
    assert isinstance(silent, Callback) and silent.get("code"), silent
    assert takes(own, stranger.redeem(silent))
    assert takes(own, stranger.refresh(answer, resource=API))
    assert names_the_api(maria.open("/settings/sessions")), "she sees it later, too"


def test_a_no_leaves_the_api_out(own, maria, stranger):
    page = stranger.ask(maria, resource=API)
    no = maria.submit(page, button="deny")
    assert isinstance(no, Callback) and no["error"] == "access_denied"
    assert not takes(own, stranger.redeem(stranger.agreed(maria)))


def test_an_earlier_yes_named_no_api(own, maria, stranger):
    stranger.agreed(maria)
    control = stranger.ask(maria, prompt="none")
    assert isinstance(control, Callback) and control.get("code")
    silent = stranger.ask(maria, resource=API, prompt="none")
    assert isinstance(silent, Callback) and silent["error"] == "consent_required", silent
    assert names_the_api(stranger.ask(maria, resource=API)), "she is asked again"


def test_the_api_is_named_only_when_the_code_is_redeemed(own, maria, stranger):
    callback = stranger.agreed(maria)
    assert refused(stranger.redeem(callback, resource=API))
    assert not takes(own, stranger.redeem(callback)), "the code was not spent"


def test_the_api_is_named_only_at_a_refresh(own, maria, stranger):
    answer = stranger.redeem(stranger.agreed(maria))
    for _ in range(2):
        assert refused(stranger.refresh(answer, resource=API))
    assert not takes(own, stranger.refresh(answer)), "the refresh token was not spent, and the grant stays"


def let_in(visitor, code: str) -> Page:
    page = visitor.submit(visitor.open("/device"), {"user_code": code})
    assert isinstance(page, Page) and page.name == "device", page
    return page


def test_a_device_s_page_names_the_api(own, maria, stranger):
    asked = stranger.post("/oauth2/device_authorization", scope="openid", resource=API).json()
    page = let_in(maria, asked["user_code"])
    assert names_the_api(page)
    maria.submit(page, button="allow")
    answer = stranger.post("/oauth2/token", grant_type=DEVICE_GRANT, device_code=asked["device_code"])
    assert takes(own, answer)


def test_a_device_names_the_api_only_afterwards(own, maria, stranger):
    asked = stranger.post("/oauth2/device_authorization", scope="openid").json()
    page = let_in(maria, asked["user_code"])
    assert not names_the_api(page)
    maria.submit(page, button="allow")
    assert refused(stranger.post(
        "/oauth2/token", grant_type=DEVICE_GRANT, device_code=asked["device_code"], resource=API))
    asked = stranger.post("/oauth2/device_authorization", scope="openid").json()
    page = let_in(maria, asked["user_code"])
    assert not names_the_api(page)
    maria.submit(page, button="allow")
    answer = stranger.post("/oauth2/token", grant_type=DEVICE_GRANT, device_code=asked["device_code"])
    assert not takes(own, answer), "the control"
    assert refused(stranger.refresh(answer, resource=API))
