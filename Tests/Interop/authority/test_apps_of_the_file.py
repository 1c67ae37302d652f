"""A client of the file takes the place of another maker's of its name: nothing that this one was given goes on there."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
import requests

from support.operators import CALLBACK, Management, Operator, serve
from support.server import Server
from support.visitor import Visitor

SCOPE = "openid offline_access email"
OURS = "https://mobile.example/back"
APP = {
    "client_id": "mobile", "token_endpoint_auth_method": "none", "application_type": "native", "scope": SCOPE,
    "grant_types": ["authorization_code", "refresh_token"],
}


class Site:
    """An operator, who is no owner, makes a client of another maker's, and a user agrees. The file has an own app of that
    name later, which users are not asked about."""

    def __init__(self, folder):
        self.server = serve(folder)
        oper = Operator(self.server, "oper")
        oper.enter()
        made = Management(self.server, oper.tokens()["access_token"]).post(
            "client/create", APP | {"redirect_uris": [CALLBACK]})
        assert made.status_code == 200, made.text
        self.partners = Operator(self.server, "nina").tokens(client_id="mobile", scope=SCOPE)["refresh_token"]
        self.before = self.opens_settings(self.partners)
        assert self.server.stop() == 0
        configuration = json.loads(self.server.config.read_text())
        configuration["clients"].append(APP | {"redirect_uris": [OURS], "first_party": True})
        self.server = Server(folder, configuration, port=int(self.server.base.rsplit(":", 1)[1]))

    def opens_settings(self, refresh: str) -> bool:
        """Whether an app with this token gets to the user's settings, in a session of the user's."""
        base = self.server.base
        made = requests.post(f"{base}/oauth2/app_session_token", json={"refresh_token": refresh}, timeout=20)
        if made.status_code != 200:
            return False
        hint = urlencode({"type": "app_session_token"} | made.json()["result"])
        return Visitor(base).open(f"{base}/oauth2/authorize", {
            "response_type": "none", "client_id": "mobile", "redirect_uri": f"{base}/settings", "scope": "openid",
            "prompt": "none", "login_hint": f"https://authgear.com/login_hint?{hint}"}).name == "settings"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(tmp_path_factory.mktemp("file"))
    yield made
    assert made.server.stop() == 0


def test_the_own_app_opens_the_settings(site):
    """The control."""
    own = Operator(site.server, "nina").tokens(client_id="mobile", scope=SCOPE, redirect_uri=OURS)
    assert site.opens_settings(own["refresh_token"])


def test_another_makers_token_opens_no_settings(site):
    assert not site.before, "the control: they are nothing of that maker's"
    assert not site.opens_settings(site.partners), "the maker is in the user's settings, and never had a yes to that"


def test_another_makers_token_is_not_renewed(site):
    renewed = requests.post(f"{site.server.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": "mobile", "refresh_token": site.partners})
    assert renewed.status_code == 400, "an own app's token, in the maker's hands"
