"""How long an organisation's word counts in a browser: what waits on a page does not bring it back after its end."""

from __future__ import annotations

import secrets
import sqlite3
import time

import pytest
import requests
from joserfc import jwt

from support.configuration import Client, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET
from support.totp import Codes
from support.visitor import Callback, Visitor

BACK = "https://app.example/back"
APP = Client("app", "a-secret-of-the-app-0123456789", "client_secret_basic", (BACK,))
EVENT = "http://schemas.openid.net/event/backchannel-logout"
MINUTE = 60


def dora(number: int) -> Person:
    """Of two organisations; one of them lets its people in by its own provider only."""
    login = f"dora{number}@strict.example"
    return Person(f"77777777-7777-4777-8777-77777777777{number}", login, "correct-horse-battery", {
        "email": login, "email_verified": True, "tenants": [{"id": "strict"}, {"id": "acme"}]})


TEAMS = {
    "name": "teams", "steps": [
        {"name": "proof", "prove": {}}, {"name": "team", "choose_tenant": True}, {"name": "end", "done": True}]}
DORAS = iter([dora(number) for number in range(8)])


class Site:
    def __init__(self, folder, told):
        self.told, self.folder = told, folder
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour"},
            "tenants": [{"id": "strict", "name": "Strict", "require_sso": True}, {"id": "acme", "name": "Acme"}],
            "connections": [{
                "id": "strict", "tenant": "strict", "domains": ["strict.example"], "issuer": told.issuer,
                "client_id": CLIENT_ID, "client_secret": SECRET}],
            "delivery": {"outbox": True}, "clients": [APP.entry()], "journeys": [TEAMS],
            "users": [dora(number).entry() for number in range(8)],
        }, log_level="error")
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def begin(self, visitor: Visitor, **more) -> Page | Callback:
        answer = visitor.get(f"{self.base}/oauth2/authorize", params={
            "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid email",
            "state": secrets.token_hex(4)} | more)
        while answer.is_redirect:
            target = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if not target.startswith((self.base, self.told.issuer)):
                return Callback.from_location(target)
            answer = visitor.get(target)
        return Page(answer)

    def arrive(self, person: Person, visitor: Visitor) -> Page | Callback:
        self.told.token = {"sub": person.login, "email": person.login, "email_verified": True, "sid": person.login}
        self.told.userinfo = {"sub": person.login}
        return self.begin(visitor, connection="strict")

    def is_in(self, visitor: Visitor) -> bool:
        """Whether the browser's session is one for which the organisation vouches."""
        silent = self.begin(visitor, prompt="none", connection="strict")
        assert isinstance(silent, Callback), silent
        return bool(silent.get("code"))

    def notify(self, person: Person) -> None:
        """The provider signs the person out."""
        now = int(time.time())
        token = jwt.encode({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}, {
            "iss": self.told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "jti": secrets.token_hex(8),
            "sub": person.login, "events": {EVENT: {}}}, self.told._key)
        answer = requests.post(
            f"{self.base}/federation/strict/logout", data={"logout_token": token}, timeout=30)
        assert answer.status_code == 200, answer.text

    def sessions(self, statement: str, person: Person, *values):
        with sqlite3.connect(self.folder / "keyturn.db", timeout=30) as database:
            return database.execute(f"{statement} WHERE user_id = ?", (*values, person.sub)).fetchone()


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("vouched"), told)
    yield site
    assert site.server.stop() == 0


class Browser:
    """In which Dora signed in at her organisation; a page may wait for the authenticator that she has since."""

    def __init__(self, site):
        self.site, self.dora = site, next(DORAS)
        first = Visitor(site.base)
        page = site.arrive(self.dora, first)
        if isinstance(page, Page):
            assert page.name == "login", page
            first.sign_in(page, self.dora)
        self.visitor = Visitor(site.base)
        arrived = site.arrive(self.dora, self.visitor)
        assert isinstance(arrived, Callback) and arrived.get("code"), arrived
        assert site.is_in(self.visitor)

    def wait(self) -> Browser:
        """For the code."""
        self.add_authenticator()
        self.waiting = self.site.begin(self.visitor)
        assert isinstance(self.waiting, Page) and self.waiting.name == "code", self.waiting
        return self

    def add_authenticator(self) -> None:
        wire = self.site.wire
        opened = wire.post("/v1/auth/password/signin", {
            "loginId": self.dora.login, "password": self.dora.password}).json()
        bearer = f"{PROJECT_ID}:{opened['refreshJwt']}"
        key = wire.post("/v1/auth/totp/update", {"loginId": self.dora.login}, bearer=bearer).json()["key"]
        self.codes = Codes(key)
        done = wire.post("/v1/auth/totp/verify", {"loginId": self.dora.login, "code": self.code()}, bearer=bearer)
        assert done.status_code == 200, done.text

    def code(self) -> str:
        return self.codes.next()

    def sign_in_by_password(self) -> None:
        """In another tab."""
        page = self.visitor.sign_in(self.site.begin(self.visitor, prompt="login"), self.dora)
        assert isinstance(page, Page) and page.name == "code", page
        arrived = self.visitor.submit(page, {"code": self.code()})
        assert isinstance(arrived, Callback) and arrived.get("code"), arrived

    def go_on(self) -> Page | Callback:
        """On the page that waits."""
        return self.visitor.submit(self.waiting, {"code": self.code()})


def test_the_authenticator_is_added_to_the_organisations_word(site):
    """The control: the session goes on as long as it would have."""
    browser = Browser(site).wait()
    arrived = browser.go_on()
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    assert site.is_in(browser.visitor)


def test_a_password_alone_is_not_the_organisations_word(site):
    browser = Browser(site).wait()
    browser.sign_in_by_password()
    assert not site.is_in(browser.visitor)


def test_a_page_that_waits_is_over_with_the_session(site):
    browser = Browser(site).wait()
    site.notify(browser.dora)
    assert not isinstance(browser.go_on(), Callback)
    assert browser.visitor.open(f"{site.base}/settings").name == "login"


def test_a_page_that_waits_does_not_bring_back_what_the_provider_ended(site):
    """The organisation signed Dora out. Her password opens a session here, and none of the organisation's."""
    browser = Browser(site).wait()
    site.notify(browser.dora)
    browser.sign_in_by_password()
    assert not site.is_in(browser.visitor)
    browser.go_on()
    assert not site.is_in(browser.visitor), "signed out at the organisation, and in again without it"


def test_a_page_that_waits_makes_the_organisations_word_last_no_longer(site):
    browser = Browser(site).wait()
    site.sessions("UPDATE session SET expires_at = ?", browser.dora, int(time.time()) + MINUTE)
    browser.sign_in_by_password()
    browser.go_on()
    ends = site.sessions("SELECT max(expires_at) FROM session", browser.dora)[0]
    assert not site.is_in(browser.visitor) or ends <= int(time.time()) + MINUTE, "two weeks more, by the password"


def test_a_journey_that_waits_makes_the_organisations_word_last_no_longer(site):
    """The same without an authenticator: the page asks for the tenant."""
    browser = Browser(site)
    page = site.begin(browser.visitor, journey="teams")
    assert isinstance(page, Page) and page.name == "journey-step", page
    site.sessions("UPDATE session SET expires_at = ?", browser.dora, int(time.time()) + MINUTE)
    arrived = browser.visitor.sign_in(site.begin(browser.visitor, prompt="login"), browser.dora)
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    assert not site.is_in(browser.visitor)
    browser.visitor.submit(page, button="strict")
    ends = site.sessions("SELECT max(expires_at) FROM session", browser.dora)[0]
    assert not site.is_in(browser.visitor) or ends <= int(time.time()) + MINUTE, "two weeks more, by the password"
