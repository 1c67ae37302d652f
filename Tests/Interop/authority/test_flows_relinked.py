"""An organisation's user who disconnects the identity and connects another one: the account stays what it was."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import Client, secret_of
from support.own_account import OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
PASSWORD = "nine-blue-herons-abreast"


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        connection = {
            "tenant": "acme", "domains": ["acme.example"], "issuer": told.issuer, "client_id": CLIENT_ID,
            "client_secret": SECRET}
        super().__init__(
            folder, clients=[APP], tenants=[{"id": "acme", "name": "Acme", "require_sso": True}],
            connections=[connection | {"id": "acme"}, connection | {"id": "acme-new"}])

    def through(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return visitor.follow(answer)

    def arrive(self, login: str) -> Visitor:
        """A browser in which the organisation's provider vouched."""
        self.told.token = {"sub": login, "email": login, "email_verified": True}
        self.told.userinfo = {"sub": login}
        rp, visitor = RelyingParty(Provider(self.base), APP), Visitor(self.base, self.issuer)
        arrived = self.through(visitor, visitor.get(
            rp.provider.endpoint("authorization"), params=rp.request(connection="acme").parameters))
        assert isinstance(arrived, Callback) and arrived.get("code"), arrived
        return visitor

    def connections(self, visitor: Visitor) -> Page:
        page = visitor.open(f"{self.base}/settings/connections")
        assert isinstance(page, Page) and page.name == "settings-connections", page
        return page

    def unlink(self, visitor: Visitor) -> None:
        page = self.connections(visitor)
        form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
        answer = visitor.post(form.action, data=form.filled({}, button="unlink"))
        assert answer.status_code == 303, answer.text[:300]

    def link(self, visitor: Visitor, connection: str, subject: str) -> Page | Callback:
        self.told.token = {"sub": subject, "email": subject, "email_verified": True}
        self.told.userinfo = {"sub": subject}
        page = self.connections(visitor)
        form = next(form for form in page.forms if ("action", "link") in form.buttons)
        page = visitor.follow(visitor.post(form.action, data=form.filled({"id": connection}, button="link")))
        assert isinstance(page, Page) and page.name == "departure", page
        return self.through(visitor, visitor.get(page.soup.select_one("a.primary")["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("relinked"), told)
    yield site
    site.close()


@pytest.fixture
def kim(site) -> str:
    """Whom the organisation's provider brought, with a password of their own."""
    login = f"kim{secrets.token_hex(4)}@acme.example"
    site.arrive(login)
    site.manage("user/password/set/active", {"loginId": login, "password": PASSWORD})
    return login


@pytest.mark.parametrize(("connection", "subject"), [
    (None, "{}"), ("acme", "{}"), ("acme", "other-{}"), ("acme-new", "{}")])
def test_no_other_identity_of_the_organisations_makes_the_account_independent(site, kim, connection, subject):
    assert site.by_password(kim, PASSWORD).status_code in (400, 401, 403), "the organisation wants its own sign-in"
    visitor = site.arrive(kim)
    if connection:
        site.unlink(visitor)
        page = site.link(visitor, connection, subject.format(kim))
        assert isinstance(page, Page) and "done=linked" in page.url, page
    answer = site.by_password(kim, PASSWORD)
    assert answer.status_code in (400, 401, 403), f"in by the password: {answer.text[:200]}"
