"""What waits for one more step after a provider's word, or in a session: nothing of it lasts once that is gone."""

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
STRONG = "urn:keyturn:acr:mfa"
JOIN = {
    "name": "join", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "join", "link": {"connections": ["second"], "required": True}},
        {"name": "end", "done": True}]}
CARD = {
    "name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]}


class Site(OwnAccounts):
    def __init__(self, folder, told):
        self.told = told
        super().__init__(
            folder, clients=[APP], journeys=[JOIN, CARD],
            connections=[{
                "id": "second", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}],
            roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
        self.manage("connection/create", {
            "id": "trusted", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "trust_email": True})
        self.rp = RelyingParty(Provider(self.base), APP)

    def switch(self, on: bool) -> None:
        """The connection, as an operator does."""
        answer = self.wire.send("PATCH", "/v1/mgmt/connection/patch", {"id": "trusted", "enabled": on}, bearer=KEY)
        assert answer.status_code == 200, answer.text

    def says(self, subject: str, email: str | None = None) -> None:
        self.told.token = {"sub": subject} | ({"email": email, "email_verified": True} if email else {})
        self.told.userinfo = {"sub": subject}

    def through(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        while answer.is_redirect and not answer.headers["Location"].startswith(APP.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return visitor.follow(answer)

    def arrive(self, login: str, **more) -> tuple[Visitor, Page | Callback]:
        """At the provider, and back."""
        self.says(login, login)
        visitor = Visitor(self.base, self.issuer)
        return visitor, self.through(visitor, visitor.get(
            self.rp.provider.endpoint("authorization"),
            params=self.rp.request(connection="trusted", **more).parameters))

    def exchange(self, login: str) -> requests.Response:
        """A sign-in at the provider, by the methods' wire."""
        self.says(login, login)
        visitor, back = Visitor(self.base, self.issuer), APP.redirect_uri
        answer = visitor.get(self.call(f"oauth/authorize?provider=trusted&redirectUrl={back}", {})["url"])
        while answer.is_redirect and not answer.headers["Location"].startswith(back):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        return self.post("oauth/exchange", {"code": code})

    def set_up(self, visitor: Visitor, page: Page) -> Page | Callback:
        return visitor.submit(page, {next(iter(page.form.inputs)): self.totp(key_on(page))})

    def join(self, visitor: Visitor, page: Page, subject: str) -> Page | Callback:
        """The journey's step: an identity of somebody's own at the other provider is connected."""
        self.says(subject)
        form = page.form
        left = visitor.follow(visitor.post(form.action, data=form.filled({"connection": "second"})))
        if not isinstance(left, Page) or left.name != "departure":
            return left
        return self.through(visitor, visitor.get(left.soup.select_one("a.primary")["href"]))

    def opens(self, subject: str, login: str) -> bool:
        """Whether that identity leads into the account now."""
        self.says(subject)
        visitor = Visitor(self.base, self.issuer)
        self.through(visitor, visitor.get(
            self.rp.provider.endpoint("authorization"), params=self.rp.request(connection="second").parameters))
        page = visitor.open(f"{self.base}/settings")
        return page.name == "settings" and login in str(page.soup)


def key_on(page: Page) -> str:
    return page.soup.find(class_="key").get_text(strip=True).replace(" ", "")


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("waiting"), told)
    yield site
    site.close()


class Una(str):
    """A user with a password, to whose account an identity at a provider leads. Her browser shows her connections."""

    browser: Visitor
    page: Page


@pytest.fixture
def una(site) -> Una:
    site.switch(True)
    login = Una(f"una{secrets.token_hex(4)}@all.example")
    site.sign_up(login, PASSWORD)
    assert isinstance(site.arrive(login)[1], Callback)
    login.browser, login.page = site.browse(login, PASSWORD, "/settings/connections")
    return login


def nothing(site, una: Una) -> None:
    pass


def disconnected(site, una: Una) -> None:
    """By the user, in the settings."""
    form = next(form for form in una.page.forms if ("action", "unlink") in form.buttons)
    answer = una.browser.post(form.action, data=form.filled({}, button="unlink"))
    assert answer.status_code == 303 and "done=unlinked" in answer.headers["Location"], answer.text[:200]


def switched_off(site, una: Una) -> None:
    site.switch(False)


ENDS = [(nothing, True), (disconnected, False), (switched_off, False)]


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_reference_of_the_wire_sets_no_factor_up_by_what_is_gone(site, una, end, goes_on):
    """The account needs a second factor and has none: the reference for which the wire waits sets one up."""
    site.manage("user/update/role/add", {"loginId": una, "roleNames": ["auditor"]})
    waiting = site.exchange(una)
    assert waiting.status_code == 403 and waiting.json()["missing"] == "second_factor_setup", waiting.text
    reference = waiting.json()["pendingRef"]
    end(site, una)
    made = site.post("totp/update", {"loginId": una}, reference)
    opened = made.status_code == 200 and site.post(
        "totp/verify", {"loginId": una, "code": site.totp(made.json()["key"])}, reference).status_code == 200
    assert opened == goes_on, "a session by the provider's word"
    assert site.user(una)["TOTP"] == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_reference_of_the_wire_opens_no_session_by_what_is_gone(site, una, end, goes_on):
    """The factor was set up before the end, and its first code comes afterwards."""
    site.manage("user/update/role/add", {"loginId": una, "roleNames": ["auditor"]})
    reference = site.exchange(una).json()["pendingRef"]
    key = site.call("totp/update", {"loginId": una}, reference)["key"]
    end(site, una)
    answer = site.post("totp/verify", {"loginId": una, "code": site.totp(key)}, reference)
    assert (answer.status_code == 200) == goes_on, answer.status_code
    assert site.user(una)["TOTP"] == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_page_that_waits_sets_no_factor_up_by_what_is_gone(site, una, end, goes_on):
    visitor, page = site.arrive(una, acr_values=STRONG)
    assert isinstance(page, Page) and page.name == "totp-setup", page
    end(site, una)
    site.set_up(visitor, page)
    assert site.user(una)["TOTP"] == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_page_that_waits_connects_no_identity_by_what_is_gone(site, una, end, goes_on):
    visitor, page = site.arrive(una, journey="join")
    assert isinstance(page, Page) and page.name == "journey-step", page
    end(site, una)
    subject = secrets.token_hex(6)
    site.join(visitor, page, subject)
    assert site.opens(subject, una) == goes_on


def in_a_session(site, una: Una) -> Visitor:
    """A browser of whoever reads the mailbox once."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.submit(visitor.open(f"{site.base}/settings"), {"username": una}, button="code")
    assert visitor.submit(page, {"code": site.code(una)}).name == "settings"
    return visitor


def end_sessions(site, una: Una) -> None:
    """The other browser's, in her own, on the page of her sessions."""
    page = una.browser.open(f"{site.base}/settings/sessions")
    ids = [each["value"] for each in page.soup.select('input[name="id"]')]
    kinds = [each["value"] for each in page.soup.select('input[name="kind"]')]
    ended = [one for one, kind in zip(ids, kinds, strict=True) if kind == "session"]
    assert ended, kinds
    for one in ended:
        answer = una.browser.post(page.form.action, data={
            "csrf": page.form.values["csrf"], "action": "end", "kind": "session", "id": one})
        assert answer.status_code == 303, answer.text[:200]


def signed_out_everywhere(site, una: Una) -> None:
    site.manage("user/logout", {"loginId": una})


SESSION_ENDS = [(nothing, True), (end_sessions, False), (signed_out_everywhere, False)]


@pytest.mark.parametrize(("end", "goes_on"), SESSION_ENDS)
def test_a_page_that_waits_in_a_session_connects_no_identity_after_it(site, una, end, goes_on):
    visitor = in_a_session(site, una)
    page = site.rp.open(visitor, site.rp.request(journey="join"))
    assert isinstance(page, Page) and page.name == "journey-step", page
    end(site, una)
    subject = secrets.token_hex(6)
    site.join(visitor, page, subject)
    assert site.opens(subject, una) == goes_on


@pytest.mark.parametrize(("end", "goes_on"), SESSION_ENDS)
def test_a_page_that_waits_in_a_session_keeps_no_answer_after_it(site, una, end, goes_on):
    visitor = in_a_session(site, una)
    page = site.rp.open(visitor, site.rp.request(journey="card"))
    assert isinstance(page, Page) and page.name == "journey-step", page
    end(site, una)
    visitor.submit(page, {next(name for name in page.form.inputs if "card" in name): "4711"})
    assert (site.user(una)["customAttributes"].get("card") == "4711") == goes_on


@pytest.mark.parametrize(("end", "goes_on"), SESSION_ENDS)
def test_a_key_of_a_page_in_a_session_is_confirmed_by_no_wire_after_it(site, una, end, goes_on):
    """The page shows the key. Its first code may be typed elsewhere."""
    visitor = in_a_session(site, una)
    page = site.rp.open(visitor, site.rp.request(acr_values=STRONG))
    assert isinstance(page, Page) and page.name == "totp-setup", page
    end(site, una)
    site.post("totp/verify", {"loginId": una, "code": site.totp(key_on(page))})
    assert site.user(una)["TOTP"] == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_key_of_a_page_after_a_provider_is_confirmed_by_no_wire_by_what_is_gone(site, una, end, goes_on):
    visitor, page = site.arrive(una, acr_values=STRONG)
    assert isinstance(page, Page) and page.name == "totp-setup", page
    end(site, una)
    site.post("totp/verify", {"loginId": una, "code": site.totp(key_on(page))})
    assert not site.user(una)["TOTP"], "the page alone confirms it"
    if goes_on:
        site.set_up(visitor, page)
    assert site.user(una)["TOTP"] == goes_on
