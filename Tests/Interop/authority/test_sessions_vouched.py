"""What a user adds in a session for which an organisation vouches makes the organisation's word last no longer."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.authenticator import Authenticator
from support.configuration import Client
from support.own_account import OwnAccounts
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Visitor

BACK = "https://app.example/back"
APP = Client("app", None, "none", (BACK,))
PASSWORD = "nine-blue-herons-abreast"
MINUTE = 60


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        super().__init__(
            folder, clients=[APP], tenants=[{"id": "acme", "name": "Acme", "require_sso": True}], connections=[{
                "id": "acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
                "client_id": CLIENT_ID, "client_secret": SECRET}])

    def arrive(self, login: str, options: dict | None = None, shown: str | None = None) -> dict:
        """A session by the organisation's provider."""
        self.told.token = {"sub": login, "email": login, "email_verified": True}
        self.told.userinfo = {"sub": login}
        visitor = Visitor(self.base, self.issuer)
        answer = visitor.get(
            self.call(f"sso/authorize?tenant=acme&redirectUrl={BACK}", options or {}, shown)["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        return self.call("sso/exchange", {"code": code}, shown)

    def sessions(self, statement: str, session: dict, *values):
        with sqlite3.connect(self.folder / "keyturn.db", timeout=30) as database:
            return database.execute(
                f"{statement} WHERE user_id = ?", (*values, payload_of(session["sessionJwt"])["sub"])).fetchone()


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("vouching"), told)
    yield site
    site.close()


@pytest.fixture
def kim(site) -> tuple[str, dict]:
    """Somebody of the organisation: name, and a session that is over in a minute."""
    login = f"kim{secrets.token_hex(4)}@acme.example"
    session = site.arrive(login)
    assert set(payload_of(session["sessionJwt"])["tenants"]) == {"acme"}
    site.sessions("UPDATE grant_ SET absolute_expires_at = ?", session, int(time.time()) + MINUTE)
    return login, session


def an_address(site, login: str, session: dict) -> requests.Response:
    mine = f"mine{secrets.token_hex(4)}@private.example"
    site.call("otp/update/email", {"loginId": login, "email": mine, "addToLoginIDs": True}, session["refreshJwt"])
    return site.post("otp/verify/email", {"loginId": login, "code": site.code(mine)}, session["refreshJwt"])


def an_authenticator(site, login: str, session: dict) -> requests.Response:
    key = site.call("totp/update", {"loginId": login}, session["refreshJwt"])["key"]
    return site.post("totp/verify", {"loginId": login, "code": site.totp(key)}, session["refreshJwt"])


def a_step_up_by_an_authenticator(site, login: str, session: dict) -> requests.Response:
    """It was there before; the session goes on with it."""
    key = site.call("totp/update", {"loginId": login}, session["refreshJwt"])["key"]
    site.call("totp/verify", {"loginId": login, "code": site.totp(key)}, session["refreshJwt"])
    site.sessions("UPDATE grant_ SET absolute_expires_at = ?", session, int(time.time()) + MINUTE)
    body = {"loginId": login, "code": site.totp(key), "loginOptions": {"stepup": True}}
    return site.post("totp/verify", body, session["refreshJwt"])


def a_step_up_by_a_passkey(site, login: str, session: dict) -> requests.Response:
    with Authenticator() as device:
        site.add_passkey(login, session["refreshJwt"], device)
        started = site.call(
            "webauthn/signin/start",
            {"loginId": login, "origin": site.issuer, "loginOptions": {"stepup": True}}, session["refreshJwt"])
        shown = device.get(json.loads(started["options"]), origin=site.issuer)
        return site.post(
            "webauthn/signin/finish", {"transactionId": started["transactionId"], "response": json.dumps(shown)},
            session["refreshJwt"])


WAYS = [an_address, an_authenticator, a_step_up_by_an_authenticator, a_step_up_by_a_passkey]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_added_makes_the_word_last_no_longer(site, kim, way):
    """Who is not let in at the organisation any more would go on in its tenant, by what the session itself added."""
    login, session = kim
    answer = way(site, login, session)
    assert answer.status_code == 200, answer.text
    raised = answer.json()
    claims = payload_of(raised["sessionJwt"])
    ends = site.sessions("SELECT max(absolute_expires_at) FROM grant_", session)[0]
    assert "acme" not in claims.get("tenants", {}) or ends <= int(time.time()) + MINUTE, "longer, without its provider"


def test_the_organisations_own_word_lasts_anew(site, kim):
    """The control."""
    login, session = kim
    raised = site.arrive(login, {"stepup": True}, session["refreshJwt"])
    assert set(payload_of(raised["sessionJwt"])["tenants"]) == {"acme"}
    assert site.sessions("SELECT max(absolute_expires_at) FROM grant_", session)[0] > int(time.time()) + MINUTE
