"""How long the word of an organisation that wants its own sign-in counts: no other factor renews it."""

from __future__ import annotations

import secrets
import sqlite3
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

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

    def end_of(self, session: dict) -> int:
        """When the last session of the user is over."""
        with sqlite3.connect(self.folder / "keyturn.db", timeout=30) as database:
            return database.execute(
                "SELECT max(absolute_expires_at) FROM grant_ WHERE user_id = ?",
                (payload_of(session["sessionJwt"])["sub"],)).fetchone()[0]

    def shorten(self, session: dict) -> None:
        """As if the session had been opened so long ago that it is over in a minute."""
        with sqlite3.connect(self.folder / "keyturn.db", timeout=30) as database:
            database.execute(
                "UPDATE grant_ SET absolute_expires_at = ? WHERE user_id = ?",
                (int(time.time()) + MINUTE, payload_of(session["sessionJwt"])["sub"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("vouching"), told)
    yield site
    site.close()


@pytest.fixture
def kim(site) -> tuple[str, dict]:
    """Somebody of the organisation, with a password of their own: name, session."""
    login = f"kim{secrets.token_hex(4)}@acme.example"
    session = site.arrive(login)
    assert set(payload_of(session["sessionJwt"])["tenants"]) == {"acme"}
    site.manage("user/password/set/active", {"loginId": login, "password": PASSWORD})
    return login, site.arrive(login)


def by_password(site, login: str, shown: str | None) -> requests.Response:
    options = {"loginOptions": {"stepup": True}} if shown else {}
    return site.post("password/signin", {"loginId": login, "password": PASSWORD} | options, shown)


def by_code(site, login: str, shown: str | None) -> requests.Response:
    options = {"loginOptions": {"stepup": True}} if shown else {}
    started = site.post("otp/signin/email", {"loginId": login} | options, shown)
    if started.status_code != 200:
        return started
    return site.post("otp/verify/email", {"loginId": login, "code": site.code(login)}, shown)


WAYS = [by_password, by_code]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_other_factor_opens_a_session(site, kim, way):
    """The organisation wants its own sign-in."""
    assert way(site, kim[0], None).status_code in (400, 401, 403)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_other_factor_makes_the_organisations_word_last_longer(site, kim, way):
    """Its provider said it once. Who is not let in there any more would go on by the own password for good."""
    login, session = kim
    site.shorten(session)
    raised = way(site, login, session["refreshJwt"])
    if raised.status_code == 200 and "acme" in payload_of(raised.json()["sessionJwt"]).get("tenants", {}):
        assert site.end_of(raised.json()) <= int(time.time()) + MINUTE, "a new session, by a password, for months"


def test_the_organisations_own_word_does(site, kim):
    """The control."""
    login, session = kim
    site.shorten(session)
    raised = site.arrive(login, {"stepup": True}, session["refreshJwt"])
    assert set(payload_of(raised["sessionJwt"])["tenants"]) == {"acme"}
    assert site.end_of(raised) > int(time.time()) + MINUTE
