"""A refresh token that its client reads says when it ends: what is inside it opens nothing by itself, before or after."""

from __future__ import annotations

import base64
import json
import time
from urllib.parse import urlencode

import pytest
import requests

from support.configuration import MARIA, Client
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback

APP = Client("tim-app", None, "none", ("http://127.0.0.1/callback",), {
    "application_type": "native", "profile": "tim", "scope": "openid profile offline_access",
    "grant_types": ["authorization_code", "refresh_token"]})


IDLE = 8


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder, {"dev": True, "project": {"name": "Harbour", "refresh_token_idle_seconds": IDLE},
                     "clients": [APP.entry()], "users": [MARIA.entry()]},
            log_level="error")
        super().__init__(self.server.base)
        self.app = RelyingParty(self, APP)

    def app_session(self, token: str) -> requests.Response:
        return requests.post(f"{self.base}/oauth2/app_session_token", json={"refresh_token": token}, timeout=30)

    def enter(self, token: str):
        """The page that a browser gets with an app session token."""
        hint = urlencode({"type": "app_session_token", "app_session_token": token})
        return self.visitor().open(self.endpoint("authorization"), {
            "response_type": "none", "client_id": "tim-app", "redirect_uri": f"{self.issuer}/settings",
            "scope": "openid", "prompt": "none", "login_hint": f"https://authgear.com/login_hint?{hint}"})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("readable"))
    yield site
    assert site.server.stop() == 0


def content(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.fixture(scope="module")
def old(site) -> dict:
    """A copy of Maria's token from the beginning, which is over; her app has renewed the session since, and goes on."""
    signed_in = site.app.sign_in(scope="openid profile offline_access")
    first = present = signed_in.refresh_token
    while content(first)["exp"] >= time.time():
        time.sleep(3)
        present = site.app.accepted(site.app.refresh(present))["refresh_token"]
    return {"first": first, "inside": content(first)["rt"], "now": present}


def test_the_token_of_now_opens_a_page(site, old):
    made = site.app_session(old["now"])
    assert made.status_code == 200, made.text
    assert site.enter(made.json()["result"]["app_session_token"]).name == "settings"


def test_a_token_that_is_over_renews_and_opens_nothing(site, old):
    for token in (old["first"], old["inside"]):
        assert site.app.refresh(token).json()["error"] == "invalid_grant"
    assert site.app_session(old["first"]).status_code in (401, 403)


def test_what_was_inside_a_token_that_is_over_opens_no_page(site, old):
    made = site.app_session(old["inside"])
    if made.status_code == 200:
        page = site.enter(made.json()["result"]["app_session_token"])
        assert not isinstance(page, Callback) and page.name != "settings", "her settings, by a token that is over"
    assert made.status_code in (401, 403), "an app session by a token that is over"


def test_what_was_inside_a_token_that_is_over_sees_no_approvals(site, old):
    answer = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": old["inside"]}, timeout=30)
    assert answer.status_code in (400, 401, 403), "her approvals, by a token that is over"
