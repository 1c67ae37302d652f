"""A client `mobile` that an operator, who is no owner, makes for another maker, and that the file names later."""

from __future__ import annotations

import json
from urllib.parse import urlencode

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


class MobileClient:
    """A server with the other maker's client, and the refresh token of a user who agreed to it."""

    def __init__(self, folder):
        self.folder, self.server = folder, serve(folder)
        self.port = int(self.server.base.rsplit(":", 1)[1])
        oper = Operator(self.server, "oper")
        oper.enter()
        made = Management(self.server, oper.tokens()["access_token"]).post(
            "client/create", APP | {"redirect_uris": [CALLBACK]})
        assert made.status_code == 200, made.text
        self.partners = Operator(self.server, "nina").tokens(client_id="mobile", scope=SCOPE)["refresh_token"]
        assert not self.opens_settings(self.partners), "the control: they are nothing of that maker's"

    def name(self, **more) -> None:
        """The file has a client of that name from the next start on."""
        assert self.server.stop() == 0
        configuration = json.loads(self.server.config.read_text())
        others = [each for each in configuration["clients"] if each["client_id"] != "mobile"]
        clients = [*others, APP | {"redirect_uris": [OURS]} | more]
        self.server = Server(self.folder, configuration | {"clients": clients}, port=self.port)

    def own_token(self) -> str:
        """Of the file's client."""
        own = Operator(self.server, "nina")
        return own.tokens(client_id="mobile", scope=SCOPE, redirect_uri=OURS)["refresh_token"]

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
