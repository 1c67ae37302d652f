"""A sign-out at the provider: what it ends after the user has signed in again here, and whose it does not end."""

from __future__ import annotations

import secrets
import time

import pyotp
import pytest
import requests
from joserfc import jwt

from support.configuration import Client, Person, secret_of
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

EVENT = "http://schemas.openid.net/event/backchannel-logout"
USUAL = {"grant_types": ["authorization_code", "refresh_token"], "scope": "openid email offline_access"}
FIRST = Client("first", secret_of("first"), "client_secret_basic", ("https://first.example/back",), USUAL)
SECOND = Client("second", secret_of("second"), "client_secret_basic", ("https://second.example/back",), USUAL)
KIM = Person(
    "88888888-8888-4888-8888-888888888888", "kim@all.example", "correct-horse-battery",
    {"email": "kim@all.example", "email_verified": True})


class Site(Provider):
    def __init__(self, folder, told: ToldProvider):
        connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.told = told
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "connections": [connection | {"id": "trusted", "trust_email": True}, connection | {"id": "other"}],
                "clients": [client.entry() for client in (FIRST, SECOND)], "users": [KIM.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def arrive(self, client: Client, visitor: Visitor, who: str = "kim", **more) -> SignedIn:
        """Kim, or somebody new, signs in at the provider, for an app."""
        self.told.token = {
            "sub": who, "email": f"{who}@all.example", "email_verified": True, "sid": "at-the-provider",
            "auth_time": int(time.time())}
        self.told.userinfo = {"sub": who}
        rp = self.at(client)
        request = rp.request(scope="openid email", connection="trusted", **more)
        answer = visitor.get(self.endpoint("authorization"), params=request.parameters)
        while answer.is_redirect and not answer.headers["Location"].startswith(client.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        callback = visitor.follow(answer)
        assert isinstance(callback, Callback) and callback.get("code"), callback
        return SignedIn(visitor, request, callback, rp.accepted(rp.redeem(callback, request)), {})

    def notify(self, connection: str = "trusted", **claims) -> None:
        """The provider's notice."""
        now = int(time.time())
        token = jwt.encode({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}, {
            "iss": self.told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "jti": secrets.token_hex(8),
            "events": {EVENT: {}}} | claims, self.told._key)
        answer = requests.post(
            f"{self.base}/federation/{connection}/logout", data={"logout_token": token}, timeout=30)
        assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("logouts"), told)
    yield site
    assert site.server.stop() == 0


def not_at_all(site, kim: SignedIn) -> None:
    pass


def at_the_provider(site, kim: SignedIn) -> None:
    site.arrive(SECOND, kim.visitor, prompt="login")


def by_the_password(site, kim: SignedIn) -> None:
    rp = site.at(SECOND)
    page = rp.open(kim.visitor, rp.request(prompt="login"))
    assert isinstance(page, Page) and page.name == "login", page
    assert isinstance(kim.visitor.sign_in(page, KIM), Callback)


AGAIN = [not_at_all, at_the_provider, by_the_password]
NOTICES = {"user": {"sub": "kim"}, "session": {"sid": "at-the-provider"}}


@pytest.mark.parametrize("again", AGAIN, ids=lambda way: way.__name__)
@pytest.mark.parametrize("notice", NOTICES)
def test_the_apps_that_came_of_it_end(site, again, notice):
    """A session of the provider's opened them; that the user has shown a factor here since makes them no others."""
    kim = site.arrive(FIRST, site.visitor())
    again(site, kim)
    assert site.is_good(kim.access_token)
    site.notify(**NOTICES[notice])
    assert not site.is_good(kim.access_token), "the provider signed the user out, and the app goes on"
    assert site.at(FIRST).refresh(kim.refresh_token).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("notice", [
    {"sub": "another"}, {"sid": "another"}, {"sub": "kim", "sid": "another"}, {"sub": "Kim"}])
def test_another_s_notice_ends_nothing(site, notice):
    kim = site.arrive(FIRST, site.visitor())
    site.notify(**notice)
    site.notify("other", sub="kim")
    assert site.is_good(kim.access_token)
    assert kim.visitor.open(f"{site.base}/settings").name == "settings"


def test_a_session_that_a_second_factor_raised_ends(site):
    """The provider opened it. An authenticator app that is set up in it makes it stronger, and nobody else's."""
    who = f"leo{secrets.token_hex(3)}"
    leo = site.arrive(FIRST, site.visitor(), who)
    rp = site.at(SECOND)
    request = rp.request(scope="openid email", acr_values="urn:keyturn:acr:mfa")
    page = rp.open(leo.visitor, request)
    assert isinstance(page, Page) and page.name == "totp-setup", page
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    page = leo.visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(key).now()})
    callback = leo.visitor.submit(page) if isinstance(page, Page) else page
    assert isinstance(callback, Callback) and callback.get("code"), callback
    tokens = rp.accepted(rp.redeem(callback, request))
    site.notify(sub=who)
    assert leo.visitor.open(f"{site.base}/settings").name == "login", "the provider signed the user out"
    assert not site.is_good(leo.access_token) and not site.is_good(tokens["access_token"])
