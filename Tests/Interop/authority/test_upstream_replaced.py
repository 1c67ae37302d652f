"""A sign-out at the provider ends what began there, whoever and whatever came to the same browser afterwards."""

from __future__ import annotations

import secrets
import time

import pytest
import requests
from joserfc import jwt

from support.configuration import JONAS, Client, Person, secret_of
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
    """Kim has identities at two providers, which know nothing of each other."""

    def __init__(self, folder, works: ToldProvider, private: ToldProvider):
        self.providers = {"work": works, "private": private}
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "connections": [{
                    "id": name, "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
                    "trust_email": True} for name, told in self.providers.items()],
                "clients": [client.entry() for client in (FIRST, SECOND)], "users": [KIM.entry(), JONAS.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def arrive(self, client: Client, visitor: Visitor, provider: str, **more) -> SignedIn:
        told = self.providers[provider]
        told.token = {
            "sub": f"kim-at-{provider}", "email": KIM.login, "email_verified": True, "sid": f"session-at-{provider}",
            "auth_time": int(time.time())}
        told.userinfo = {"sub": told.token["sub"]}
        rp = self.at(client)
        request = rp.request(scope="openid email", connection=provider, **more)
        answer = visitor.get(self.endpoint("authorization"), params=request.parameters)
        while answer.is_redirect and not answer.headers["Location"].startswith(client.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        callback = visitor.follow(answer)
        assert isinstance(callback, Callback) and callback.get("code"), callback
        return SignedIn(visitor, request, callback, rp.accepted(rp.redeem(callback, request)), {})

    def notify(self, provider: str, **claims) -> None:
        now, told = int(time.time()), self.providers[provider]
        token = jwt.encode({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}, {
            "iss": told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "jti": secrets.token_hex(8),
            "events": {EVENT: {}}} | claims, told._key)
        answer = requests.post(f"{self.base}/federation/{provider}/logout", data={"logout_token": token}, timeout=30)
        assert answer.status_code == 200, answer.text

    def goes_on(self, signed_in: SignedIn) -> bool:
        return self.is_good(signed_in.access_token)


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    private = ToldProvider()
    site = Site(tmp_path_factory.mktemp("providers"), told, private)
    yield site
    assert site.server.stop() == 0
    private.stop()


def nothing(site, kim: SignedIn) -> None:
    pass


def by_the_other_provider(site, kim: SignedIn) -> None:
    site.arrive(SECOND, kim.visitor, "private", prompt="login")


def by_another_user(site, kim: SignedIn) -> None:
    rp = site.at(SECOND)
    page = rp.open(kim.visitor, rp.request(prompt="select_account"))
    assert isinstance(page, Page) and page.name == "login", page
    assert isinstance(kim.visitor.sign_in(page, JONAS), Callback)


NOTICES = {"user": {"sub": "kim-at-work"}, "session": {"sid": "session-at-work"}}


@pytest.mark.parametrize("then", [nothing, by_the_other_provider, by_another_user], ids=lambda way: way.__name__)
@pytest.mark.parametrize("notice", NOTICES)
def test_the_apps_of_its_session_end_whoever_signed_in_there_since(site, then, notice):
    kim = site.arrive(FIRST, site.visitor(), "work")
    then(site, kim)
    assert site.goes_on(kim), "the control"
    site.notify("work", **NOTICES[notice])
    assert not site.goes_on(kim), "the provider signed the user out, and the app goes on"
    assert site.at(FIRST).refresh(kim.refresh_token).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("ends", [True, False])
def test_the_later_provider_ends_its_own_session(site, ends):
    kim = site.arrive(FIRST, site.visitor(), "work")
    later = site.arrive(SECOND, kim.visitor, "private", prompt="login")
    site.notify("private", sub="kim-at-private" if ends else "another")
    assert site.goes_on(later) != ends
    assert (kim.visitor.open(f"{site.base}/settings").name == "login") == ends


def test_a_sign_out_here_ends_what_both_opened(site):
    kim = site.arrive(FIRST, site.visitor(), "work")
    later = site.arrive(SECOND, kim.visitor, "private", prompt="login")
    kim.visitor.submit(kim.visitor.open(f"{site.base}/logout"))
    assert not site.goes_on(kim) and not site.goes_on(later)


def test_a_provider_that_names_anothers_session_ends_nothing(site):
    kim = site.arrive(FIRST, site.visitor(), "work")
    site.notify("private", sub="kim-at-work")
    site.notify("private", sid="session-at-work")
    assert site.goes_on(kim)
