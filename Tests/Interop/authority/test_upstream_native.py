"""Sign-ins with a provider's own sheet: an app brings the ID token, and no browser stands between."""

from __future__ import annotations

import secrets
import time

import pytest
import requests
from joserfc import jwt

from support.configuration import Client
from support.own_account import OwnAccounts
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Visitor

BACK = "https://app.example/back"
APP = Client("app", None, "none", (BACK,))


class Site(OwnAccounts):
    def __init__(self, folder, told):
        connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.told = told
        super().__init__(
            folder, clients=[APP], tenants=[{"id": "acme", "name": "Acme"}], connections=[
                connection | {"id": "trusted", "trust_email": True}, connection | {"id": "anyone"},
                connection | {"id": "acme", "tenant": "acme", "domains": ["acme.example"]}])

    def begin(self, provider: str = "trusted", options: dict | None = None, shown: str | None = None) -> dict:
        return self.call("oauth/native/start", {"provider": provider, "loginOptions": options or {}}, shown)

    def token(self, begun: dict, login: str, **more) -> str:
        now = int(time.time())
        claims = {
            "iss": self.told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": begun["nonce"],
            "sub": login, "email": login, "email_verified": True} | more
        return jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self.told._key)

    def finish(self, begun: dict, token: str, provider: str = "trusted", shown: str | None = None):
        return self.post("oauth/native/finish", {
            "provider": provider, "stateId": begun["stateId"], "idToken": token}, shown)

    def sign_in(self, login: str, **more) -> requests.Response:
        begun = self.begin()
        return self.finish(begun, self.token(begun, login, **more))

    def in_a_browser(self, login: str) -> requests.Response:
        """The same user by an address of ours, to the exchange."""
        self.told.token = {"sub": login, "email": login, "email_verified": True}
        self.told.userinfo = {"sub": login}
        visitor = Visitor(self.base, self.issuer)
        answer = visitor.get(self.call(f"oauth/authorize?provider=trusted&redirectUrl={BACK}")["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = answer.headers.get("Location", "").split("code=")[-1]
        return self.post("oauth/exchange", {"code": code})


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("native"), told)
    yield site
    site.close()


def somebody() -> str:
    return f"u{secrets.token_hex(4)}@all.example"


@pytest.mark.parametrize("role", [None, "viewer"])
@pytest.mark.parametrize("way", ["native", "browser"])
def test_an_invitation_of_an_operator_is_accepted_by_no_provider(site, way, role):
    """Without a role it is, which is the control."""
    login = somebody()
    assert site.sign_in(login).status_code == 200
    if role:
        site.manage("operator/update", {"loginId": login, "role": role})
    site.manage("user/update/status", {"loginId": login, "status": "invited"})
    answer = site.sign_in(login) if way == "native" else site.in_a_browser(login)
    accepted = site.user(login)["status"] != "invited"
    assert accepted == (role is None), f"{answer.status_code}: the provider's word accepted the invitation"
    assert (answer.status_code == 200) == (role is None), answer.text[:200]


@pytest.mark.parametrize("flaw", [
    {"nonce": "another"}, {"nonce": None}, {"aud": "another"}, {"aud": [CLIENT_ID, "another"]}, {"exp": 1},
    {"iss": "https://evil.example"}, {"sub": ""}])
def test_a_token_for_something_else_signs_nobody_in(site, flaw):
    begun, login = site.begin(), somebody()
    claims = {name: value for name, value in flaw.items() if value is not None}
    token = site.token(begun, login, **claims)
    if flaw.get("nonce", "") is None:
        token = site.token(begun | {"nonce": ""}, login)
    assert site.finish(begun, token).status_code in (400, 401), flaw
    assert site.finish(begun, site.token(begun, login)).status_code in (400, 401), "it was used up"
    assert site.sign_in(login).status_code == 200, "the control"


def test_a_state_is_for_its_own_provider_and_once(site):
    begun, login = site.begin(), somebody()
    assert site.finish(begun, site.token(begun, login), "anyone").status_code in (400, 401)
    assert site.finish(begun, site.token(begun, login)).status_code == 200
    assert site.finish(begun, site.token(begun, login)).status_code in (400, 401)


def test_an_organisation_s_provider_has_no_sheet(site):
    """Its users come by its own page, where its directory and its own rules are asked."""
    answer = site.post("oauth/native/start", {"provider": "acme"})
    assert answer.status_code == 400 and "nonce" not in answer.json()
    begun, login = site.begin(), f"u{secrets.token_hex(4)}@acme.example"
    assert site.finish(begun, site.token(begun, login), "acme").status_code in (400, 401)


def test_another_users_token_raises_no_session(site):
    own, other = somebody(), somebody()
    shown = site.sign_in(own).json()["refreshJwt"]
    begun = site.begin(options={"stepup": True}, shown=shown)
    answer = site.finish(begun, site.token(begun, other), shown=shown)
    assert answer.status_code == 400 and "refreshJwt" not in answer.json()
    begun = site.begin(options={"stepup": True}, shown=shown)
    assert site.finish(begun, site.token(begun, own), shown=shown).status_code == 200, "the control"


@pytest.mark.parametrize("shown", [False, True])
def test_a_token_without_the_session_that_asked_has_none_of_its_factors(site, shown):
    login = somebody()
    _, strong = site.add_authenticator(login, site.sign_in(login).json()["refreshJwt"])
    begun = site.begin(options={"stepup": True}, shown=strong)
    answer = site.finish(begun, site.token(begun, login), shown=strong if shown else None)
    raised = answer.json().get("refreshJwt")
    changed = raised and site.post(
        "password/update", {"loginId": login, "newPassword": f"nine-blue-herons-{secrets.token_hex(4)}"}, raised)
    if shown:
        assert changed.status_code == 200, "the control"
    elif changed:
        assert changed.status_code == 403, "a provider's word alone set a password beside an authenticator"
