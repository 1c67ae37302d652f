"""A provider's word for which a page waits: it counts no more once its identity or its connection is gone."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import Client, secret_of
from support.own_account import OwnAccounts
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider, RelyingParty
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
KEY = f"{PROJECT_ID}:{MANAGEMENT_KEY}"
PASSWORD = "nine-blue-herons-abreast"
CARD = {
    "name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]}


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        super().__init__(folder, clients=[APP], journeys=[CARD])
        self.manage("connection/create", {
            "id": "trusted", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "trust_email": True})
        self.rp = RelyingParty(Provider(self.base), APP)

    def switch(self, on: bool) -> None:
        """The connection, as an operator does."""
        answer = self.wire.send("PATCH", "/v1/mgmt/connection/patch", {"id": "trusted", "enabled": on}, bearer=KEY)
        assert answer.status_code == 200, answer.text

    def arrive(self, login: str, **more) -> tuple[Visitor, Page | Callback]:
        """At the provider, and back."""
        self.told.token = {"sub": login, "email": login, "email_verified": True}
        self.told.userinfo = {"sub": login}
        visitor = Visitor(self.base, self.issuer)
        answer = visitor.get(
            self.rp.provider.endpoint("authorization"),
            params=self.rp.request(connection="trusted", **more).parameters)
        while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return visitor, visitor.follow(answer)


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("waiting"), told)
    yield site
    site.close()


@pytest.fixture
def una(site) -> str:
    """A user with a password, to whose account an identity at a provider leads."""
    site.switch(True)
    login = f"una{secrets.token_hex(4)}@all.example"
    site.sign_up(login, PASSWORD)
    assert isinstance(site.arrive(login)[1], Callback)
    return login


def nothing(site, una: str) -> None:
    pass


def disconnected(site, una: str) -> None:
    """By the user, in the settings."""
    visitor, page = site.browse(una, PASSWORD, "/settings/connections")
    form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
    answer = visitor.post(form.action, data=form.filled({}, button="unlink"))
    assert answer.status_code == 303 and "done=unlinked" in answer.headers["Location"], answer.text[:200]


def disabled(site, una: str) -> None:
    site.manage("user/update/status", {"loginId": una, "status": "disabled"})


def switched_off(site, una: str) -> None:
    site.switch(False)


def signed_out(site, una: str) -> None:
    site.manage("user/logout", {"loginId": una})


ENDS = [
    (nothing, True), (disconnected, False), (disabled, False), (signed_out, False), (switched_off, False)]


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_page_that_waits_opens_no_session_by_what_is_gone(site, una, end, goes_on):
    visitor, page = site.arrive(una, journey="card")
    assert isinstance(page, Page) and page.name == "journey-step", page
    end(site, una)
    field = next(name for name in page.form.inputs if "card" in name)
    arrived = visitor.submit(page, {field: "4711"})
    assert (isinstance(arrived, Callback) and bool(arrived.get("code"))) == goes_on, arrived


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_code_of_the_wire_opens_no_session_by_what_is_gone(site, una, end, goes_on):
    site.told.token = {"sub": una, "email": una, "email_verified": True}
    site.told.userinfo = {"sub": una}
    visitor = Visitor(site.base, site.issuer)
    back = APP.redirect_uri
    answer = visitor.get(site.call(f"oauth/authorize?provider=trusted&redirectUrl={back}", {})["url"])
    while answer.is_redirect and not answer.headers["Location"].startswith(back):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
    end(site, una)
    assert (site.post("oauth/exchange", {"code": code}).status_code == 200) == goes_on
