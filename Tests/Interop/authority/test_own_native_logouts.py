"""An ID token that an app got before the provider signed its user out opens nothing afterwards."""

from __future__ import annotations

import secrets
import time

import pytest
import requests
from joserfc import jwt

from support.configuration import Client
from support.own_account import OwnAccounts, next_second
from support.told_provider import CLIENT_ID, SECRET

BACK = "https://app.example/back"
APP = Client("app", None, "none", (BACK,))
EVENT = "http://schemas.openid.net/event/backchannel-logout"


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        super().__init__(folder, clients=[APP], connections=[{
            "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET, "id": "trusted",
            "trust_email": True}])

    def signed(self, claims: dict, **header) -> str:
        now = int(time.time())
        claims = {"iss": self.told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300} | claims
        return jwt.encode({"alg": "RS256", "kid": "k1"} | header, claims, self.told._key)

    def begin(self, login: str) -> tuple[str, str]:
        """What the provider's sheet gave the app: its token, and what to finish with."""
        begun = self.call("oauth/native/start", {"provider": "trusted"})
        return begun["stateId"], self.signed({
            "nonce": begun["nonce"], "sub": login, "email": login, "email_verified": True,
            "auth_time": int(time.time())})

    def finish(self, state: str, token: str) -> requests.Response:
        return self.post("oauth/native/finish", {"provider": "trusted", "stateId": state, "idToken": token})

    def code(self, login: str) -> str:
        """As far as the code that an app exchanges."""
        self.told.token = {"sub": login, "email": login, "email_verified": True}
        self.told.userinfo = {"sub": login}
        visitor = self.visitor()
        answer = visitor.get(self.call(f"oauth/authorize?provider=trusted&redirectUrl={BACK}")["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return answer.headers["Location"].split("code=")[-1]

    def sign_out_there(self, login: str) -> None:
        token = self.signed({"sub": login, "jti": secrets.token_hex(8), "events": {EVENT: {}}}, typ="logout+jwt")
        answer = requests.post(f"{self.base}/federation/trusted/logout", data={"logout_token": token}, timeout=30)
        assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("native"), told)
    yield site
    site.close()


@pytest.fixture
def kim(site) -> str:
    login = f"kim{secrets.token_hex(4)}@all.example"
    assert site.finish(*site.begin(login)).status_code == 200
    next_second()
    return login


@pytest.mark.parametrize("when", ["never", "before the sheet", "meanwhile"])
def test_a_token_of_before_the_sign_out_opens_no_session(site, kim, when):
    if when == "before the sheet":
        site.sign_out_there(kim)
        next_second()
    held = site.begin(kim)
    if when == "meanwhile":
        next_second()
        site.sign_out_there(kim)
        next_second()
    answer = site.finish(*held)
    assert (answer.status_code == 200) == (when != "meanwhile"), answer.text[:200]


@pytest.mark.parametrize("ends", [False, True])
def test_a_code_of_before_the_sign_out_opens_no_session(site, kim, ends):
    """The same by a browser."""
    code = site.code(kim)
    if ends:
        next_second()
        site.sign_out_there(kim)
    assert (site.post("oauth/exchange", {"code": code}).status_code == 200) != ends
