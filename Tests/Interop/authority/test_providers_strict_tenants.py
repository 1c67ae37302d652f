"""A tenant that wants its own sign-in is entered by that alone: a password leads on without it, on every way in."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import Client, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Callback, Visitor

BACK = "https://app.example/back"
APP = Client("app", "a-secret-of-the-app-0123456789", "client_secret_basic", (BACK,))
# Of two organisations; one of them lets its people in by its own provider only.
DORA = Person(
    "77777777-7777-4777-8777-777777777777", "dora@strict.example", "correct-horse-battery",
    {"email": "dora@strict.example", "email_verified": True,
     "tenants": [{"id": "strict", "roles": ["admin"]}, {"id": "acme"}, {"id": "globex"}]},
)
TEAMS = {
    "name": "teams", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}},
        {"name": "team", "choose_tenant": True}, {"name": "end", "done": True}]}


class Site:
    def __init__(self, folder, provider):
        connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.provider = provider
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour"},
            "tenants": [
                {"id": "strict", "name": "Strict", "require_sso": True}, {"id": "acme", "name": "Acme"},
                {"id": "globex", "name": "Globex"}],
            "roles": [{"name": "admin", "permissions": ["write"]}],
            "connections": [
                connection | {"id": "strict", "tenant": "strict", "domains": ["strict.example"]},
                connection | {"id": "acme", "tenant": "acme", "domains": ["acme.example"]},
            ],
            "journeys": [TEAMS], "delivery": {"outbox": True}, "clients": [APP.entry()], "users": [DORA.entry()],
        })
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def follow(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        while answer.is_redirect:
            target = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if not target.startswith((self.base, self.provider.issuer)):
                return Callback.from_location(target)
            answer = visitor.get(target)
        return Page(answer)

    def begin(self, visitor: Visitor, **more) -> Page | Callback:
        return self.follow(visitor, visitor.get(f"{self.base}/oauth2/authorize", params={
            "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid email",
            "state": secrets.token_hex(4)} | more))

    def told(self, arrival: Page | Callback) -> dict:
        assert isinstance(arrival, Callback) and arrival.get("code"), arrival
        answer = requests.post(
            f"{self.base}/oauth2/token", auth=(APP.client_id, APP.secret), timeout=30,
            data={"grant_type": "authorization_code", "code": arrival["code"], "redirect_uri": BACK})
        return payload_of(answer.json()["id_token"])

    def by_provider(self, visitor: Visitor) -> Page | Callback:
        """Dora at her organisation's provider; the account was hers before, so she shows a password once."""
        token = {"sub": "dora", "email": DORA.login, "email_verified": True}
        self.provider.token, self.provider.userinfo = token, {"sub": "dora"}
        return self.begin(visitor, connection="strict", journey="teams")


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("strict"), told)
    yield site
    assert site.server.stop() == 0


def by_password(site) -> Visitor:
    visitor = Visitor(site.base)
    assert site.told(visitor.sign_in(site.begin(visitor), DORA))["sub"] == DORA.sub
    return visitor


def test_a_password_opens_a_session_without_the_tenant(site):
    """The methods' wire."""
    session = site.wire.post("/v1/auth/password/signin", {"loginId": DORA.login, "password": DORA.password}).json()
    assert set(payload_of(session["sessionJwt"])["tenants"]) == {"acme", "globex"}
    chosen = site.wire.post(
        "/v1/auth/tenant/select", {"tenant": "strict"}, bearer=f"{PROJECT_ID}:{session['refreshJwt']}")
    if chosen.status_code == 200:
        claims = payload_of(chosen.json()["sessionJwt"])
        assert claims.get("dct") != "strict" and "strict" not in claims["tenants"]
    other = site.wire.post(
        "/v1/auth/tenant/select", {"tenant": "acme"}, bearer=f"{PROJECT_ID}:{session['refreshJwt']}")
    assert payload_of(other.json()["sessionJwt"])["dct"] == "acme", "the control"


@pytest.mark.parametrize("tenant", ["acme", "strict"])
def test_a_journey_after_a_password_offers_no_such_tenant(site, tenant):
    """Neither on the page nor by a form that somebody changed."""
    visitor = Visitor(site.base)
    page = visitor.sign_in(site.begin(visitor, journey="teams"), DORA)
    assert isinstance(page, Page) and page.name == "journey-step", page
    arrival = visitor.follow(visitor.post(page.form.action, data=page.form.values | {"tenant": tenant}))
    chosen = site.told(arrival).get("dct") if isinstance(arrival, Callback) else None
    assert chosen == (tenant if tenant == "acme" else None)


def test_a_password_s_session_answers_no_request_for_the_tenant_s_connection(site):
    """The app asks for a sign-in at the organisation; this browser has seen none."""
    visitor = by_password(site)
    silent = site.begin(visitor, prompt="none")
    assert isinstance(silent, Callback) and silent.get("code"), "the control"
    silent = site.begin(visitor, prompt="none", connection="acme")
    assert isinstance(silent, Callback) and silent.get("code"), "an organisation that takes any sign-in"
    silent = site.begin(visitor, prompt="none", connection="strict")
    assert isinstance(silent, Callback) and silent.get("error") == "login_required", "answered by a password"


def test_her_organisations_provider_does_open_it(site):
    """The control of all of them: she joins it once, and chooses it."""
    visitor = Visitor(site.base)
    page = site.by_provider(visitor)
    if isinstance(page, Page) and page.name == "login":
        visitor.sign_in(page, DORA)
        visitor = Visitor(site.base)
        page = site.by_provider(visitor)
    assert isinstance(page, Page) and page.name == "journey-step", page
    assert site.told(visitor.submit(page, button="strict"))["dct"] == "strict"
    silent = site.begin(visitor, prompt="none", connection="strict")
    assert isinstance(silent, Callback) and silent.get("code")


