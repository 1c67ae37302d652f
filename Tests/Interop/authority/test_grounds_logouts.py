"""What waits after an organisation's word when it is taken back: by its directory, or by a sign-out at its provider."""

from __future__ import annotations

import secrets
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from joserfc import jwt

from support.configuration import Client, Person, secret_of
from support.directories import Directory
from support.own_account import OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
PASSWORD = "nine-blue-herons-abreast"
UNKNOWN = "E063011"
EVENT = "http://schemas.openid.net/event/backchannel-logout"
CARD = {
    "name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]}


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        super().__init__(
            folder, clients=[APP], journeys=[CARD], tenants=[{"id": "acme", "name": "Acme"}],
            connections=[{
                "id": "acme", "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer,
                "client_id": CLIENT_ID, "client_secret": SECRET}])
        self.rp = RelyingParty(Provider(self.base), APP)
        self.directory = Directory(self.server, self.manage("scim/token/create", {"tenantId": "acme"})["cleartext"])

    def says(self, login: str) -> None:
        self.told.token = {"sub": login, "email": login, "email_verified": True, "sid": f"s-{login}"}
        self.told.userinfo = {"sub": login}

    def through(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return visitor.follow(answer)

    def arrive(self, login: str, visitor: Visitor | None = None, **more) -> tuple[Visitor, Page | Callback]:
        self.says(login)
        visitor = visitor or Visitor(self.base, self.issuer)
        return visitor, self.through(visitor, visitor.get(
            self.rp.provider.endpoint("authorization"),
            params=self.rp.request(connection="acme", **more).parameters))

    def code(self, login: str) -> str:
        """Of a sign-in at the provider, by the methods' wire."""
        self.says(login)
        visitor, back = Visitor(self.base, self.issuer), APP.redirect_uri
        answer = visitor.get(self.call(f"sso/authorize?tenant=acme&redirectUrl={back}", {})["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(back):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def notify(self, login: str) -> None:
        """The provider signs the person out."""
        now = int(time.time())
        token = jwt.encode({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}, {
            "iss": self.told.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "jti": secrets.token_hex(8),
            "sub": login, "sid": f"s-{login}", "events": {EVENT: {}}}, self.told._key)
        answer = requests.post(f"{self.base}/federation/acme/logout", data={"logout_token": token}, timeout=30)
        assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("taken-back"), told)
    yield site
    site.close()


@pytest.fixture
def kim(site) -> str:
    """Whom the provider brought: the organisation's own user."""
    login = f"kim{secrets.token_hex(4)}@acme.example"
    assert isinstance(site.arrive(login)[1], Callback)
    return login


@pytest.fixture
def una(site) -> str:
    """With an account of her own, who has joined the organisation by signing in to it, and is in its directory."""
    login = f"una{secrets.token_hex(4)}@acme.example"
    site.manage("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    site.manage("user/password/set/active", {"loginId": login, "password": PASSWORD})
    visitor, page = site.arrive(login)
    assert isinstance(page, Page) and page.name == "login", page
    arrived = visitor.sign_in(page, Person("", login, PASSWORD))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    assert isinstance(site.arrive(login)[1], Callback), "the provider opens it now"
    return login


def test_a_code_of_the_wire_opens_nothing_for_whom_the_directory_deactivated(site, una):
    user = site.directory.make(una)
    fresh = site.code(una)
    assert site.post("saml/exchange", {"code": fresh}).status_code == 200, "the control"
    code = site.code(una)
    assert site.directory.patch(user, active=False).status_code == 200
    page = site.arrive(una)[1]
    assert isinstance(page, Page) and page.name == "login", "the provider lets her in no more"
    refused = site.post("saml/exchange", {"code": code})
    assert (refused.status_code, refused.json()["errorCode"]) == (400, UNKNOWN), refused.text


def test_a_page_opens_nothing_for_whom_the_directory_deactivated(site, una):
    user = site.directory.make(una)
    visitor, page = site.arrive(una, journey="card")
    assert isinstance(page, Page) and page.name == "journey-step", page
    assert site.directory.patch(user, active=False).status_code == 200
    field = next(name for name in page.form.inputs if "card" in name)
    arrived = visitor.submit(page, {field: "4711"})
    assert not isinstance(arrived, Callback) or not arrived.get("code"), arrived


@pytest.mark.parametrize("is_over", [False, True])
def test_a_page_that_waits_opens_no_session_after_a_sign_out_at_the_provider(site, kim, is_over):
    visitor, page = site.arrive(kim, journey="card")
    assert isinstance(page, Page) and page.name == "journey-step", page
    if is_over:
        site.notify(kim)
    field = next(name for name in page.form.inputs if "card" in name)
    arrived = visitor.submit(page, {field: "4711"})
    assert (isinstance(arrived, Callback) and bool(arrived.get("code"))) != is_over, arrived


@pytest.mark.parametrize("is_active", [True, False])
def test_an_identity_that_waits_joins_nobody_whom_the_directory_deactivated(site, is_active):
    """Her own account; she links the provider's word by signing in to it."""
    login = f"ria{secrets.token_hex(4)}@acme.example"
    site.manage("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    site.manage("user/password/set/active", {"loginId": login, "password": PASSWORD})
    user = site.directory.make(login)
    visitor, page = site.arrive(login)
    assert isinstance(page, Page) and page.name == "login", page
    if not is_active:
        assert site.directory.patch(user, active=False).status_code == 200
    visitor.sign_in(page, Person("", login, PASSWORD))
    tenants = [each["tenantId"] for each in site.user(login)["userTenants"]]
    assert tenants == (["acme"] if is_active else [])
    assert isinstance(site.arrive(login)[1], Callback) == is_active
