"""A client of the file that had another maker first: what this one was given is no own app's, also if the file trusts
it later than it names it."""

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
    """An operator, who is no owner, makes a client of another maker's, and a user agrees. The file names a client so,
    trusts it no further at first, and makes it an own app at a later start."""

    def __init__(self, folder):
        self.server = serve(folder)
        self.port = int(self.server.base.rsplit(":", 1)[1])
        oper = Operator(self.server, "oper")
        oper.enter()
        made = Management(self.server, oper.tokens()["access_token"]).post(
            "client/create", APP | {"redirect_uris": [CALLBACK]})
        assert made.status_code == 200, made.text
        self.partners = Operator(self.server, "nina").tokens(client_id="mobile", scope=SCOPE)["refresh_token"]
        self.before = self.opens_settings(self.partners)
        self.restart(folder, APP | {"redirect_uris": [OURS]})
        self.named = self.opens_settings(self.partners)
        self.restart(folder, APP | {"redirect_uris": [OURS], "first_party": True})

    def restart(self, folder, client: dict) -> None:
        assert self.server.stop() == 0
        configuration = json.loads(self.server.config.read_text())
        others = [each for each in configuration["clients"] if each["client_id"] != "mobile"]
        self.server = Server(folder, configuration | {"clients": [*others, client]}, port=self.port)

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
    made = Site(tmp_path_factory.mktemp("taken"))
    yield made
    assert made.server.stop() == 0


def test_the_own_app_opens_the_settings(site):
    """The control."""
    own = Operator(site.server, "nina").tokens(client_id="mobile", scope=SCOPE, redirect_uri=OURS)
    assert site.opens_settings(own["refresh_token"])


def test_another_makers_token_opens_no_settings(site):
    assert not site.before and not site.named, "the control: they are nothing of that maker's"
    assert not site.opens_settings(site.partners), "the maker is in the user's settings, and never had a yes to that"
