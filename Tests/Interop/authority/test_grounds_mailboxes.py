"""A code or a link from a mailbox that was typed, and waits for one more step, when the address leaves the account."""

from __future__ import annotations

import secrets

import pyotp
import pytest

from support.configuration import Client, secret_of
from support.directories import Directory
from support.messages import Message, token_of
from support.operators import command
from support.own_account import OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.visitor import Callback, Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
PASSWORD, NEW_PASSWORD = "nine-blue-herons-abreast", "ten-green-herons-asleep"
STRONG = "urn:keyturn:acr:mfa"
CARD = {
    "name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]}


class Una:
    """With a password, and two addresses; somebody reads the mailbox of the former one."""

    def __init__(self, site):
        self.site = site
        self.email, self.former = (f"{word}{secrets.token_hex(4)}@example.test" for word in ("una", "old"))
        own = site.sign_up(self.email, PASSWORD)
        site.call("otp/update/email", {"loginId": self.email, "email": self.former, "addToLoginIDs": True}, own)
        site.call("otp/verify/email", {"loginId": self.email, "code": site.code(self.former)}, own)
        self.browser, page = site.browse(self.email, PASSWORD, "/settings/identifiers")
        assert page.name == "settings-identifiers", page
        self.csrf = page.forms[0].values["csrf"]

    def remove(self, way: str) -> None:
        if way == "herself":
            answer = self.browser.post("/settings/identifiers", data={
                "csrf": self.csrf, "action": "remove", "kind": "email", "value": self.former})
            assert answer.status_code == 303, answer.text[:200]
        elif way == "the operator":
            self.site.manage("user/update", {
                "loginId": self.email, "email": self.email, "verifiedEmail": True, "additionalLoginIds": []})
        assert (self.former in self.site.user(self.email)["loginIds"]) == (way == "nobody")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("mailboxes"), clients=[APP], journeys=[CARD],
        tenants=[{"id": "acme", "name": "Acme"}],
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    command(made.server, "tenant", "domain", "add", "acme.example", "--tenant", "acme", "--trust")
    made.directory = Directory(made.server, made.manage("scim/token/create", {"tenantId": "acme"})["cleartext"])
    yield made
    made.close()


@pytest.fixture
def una(site) -> Una:
    return Una(site)


WAYS = [("nobody", True), ("herself", False), ("the operator", False)]


def begin(site, una: Una, **more) -> tuple[Visitor, Page | Callback]:
    """An app's request, which a code to the former address answers."""
    visitor, rp = Visitor(site.base, site.issuer), RelyingParty(Provider(site.base), APP)
    page = visitor.submit(rp.open(visitor, rp.request(**more)), {"username": una.former}, button="code")
    assert page.name == "code", page
    return visitor, visitor.submit(page, {"code": site.code(una.former)})


def ask_for_a_reset(site, address: str) -> tuple[Visitor, Page]:
    """The page for the new password."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.open(f"{site.base}/settings")
    page = visitor.open(page.soup.find("a", href=lambda href: href and "/login/reset" in href)["href"])
    page = visitor.submit(page, {"username": address})
    assert page.name == "code", page
    page = visitor.submit(page, {"code": site.code(address)})
    assert page.name == "password-new", page
    return visitor, page


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_reset_that_waits_for_the_new_password_sets_none(site, una, way, goes_on):
    visitor, page = ask_for_a_reset(site, una.former)
    una.remove(way)
    visitor.submit(page, {"password": NEW_PASSWORD})
    assert (site.by_password(una.email, NEW_PASSWORD).status_code == 200) == goes_on
    assert (site.by_password(una.email, PASSWORD).status_code == 200) != goes_on


@pytest.mark.parametrize("is_renamed", [False, True])
def test_a_reset_that_waits_sets_none_after_the_directory_moved_the_address(site, is_renamed):
    """The organisation's own user has another address by now; the former mailbox is a colleague's."""
    former, present = (f"kim{secrets.token_hex(4)}@acme.example" for _ in range(2))
    user = site.directory.make(former)
    site.manage("user/password/set/active", {"loginId": former, "password": PASSWORD})
    visitor, page = ask_for_a_reset(site, former)
    if is_renamed:
        assert site.directory.patch(user, userName=present).status_code == 200
        assert site.user(present)["loginIds"] == [present]
    visitor.submit(page, {"password": NEW_PASSWORD})
    login = present if is_renamed else former
    assert (site.by_password(login, NEW_PASSWORD).status_code == 200) != is_renamed


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_page_that_waits_opens_no_session(site, una, way, goes_on):
    visitor, page = begin(site, una, journey="card")
    assert isinstance(page, Page) and page.name == "journey-step", page
    una.remove(way)
    field = next(name for name in page.form.inputs if "card" in name)
    arrived = visitor.submit(page, {field: "4711"})
    assert (isinstance(arrived, Callback) and bool(arrived.get("code"))) == goes_on, arrived


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_page_that_waits_sets_no_factor_up(site, una, way, goes_on):
    visitor, page = begin(site, una, acr_values=STRONG)
    assert isinstance(page, Page) and page.name == "totp-setup", page
    una.remove(way)
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(key).now()})
    assert site.user(una.email)["TOTP"] == goes_on


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_reference_of_the_wire_opens_no_session(site, una, way, goes_on):
    site.manage("user/update/role/add", {"loginId": una.email, "roleNames": ["auditor"]})
    site.call("otp/signin/email", {"loginId": una.former})
    waiting = site.post("otp/verify/email", {"loginId": una.former, "code": site.code(una.former)})
    assert waiting.status_code == 403 and waiting.json()["missing"] == "second_factor_setup", waiting.text
    reference = waiting.json()["pendingRef"]
    una.remove(way)
    made = site.post("totp/update", {"loginId": una.email}, reference)
    opened = made.status_code == 200 and site.post(
        "totp/verify", {"loginId": una.email, "code": site.totp(made.json()["key"])}, reference).status_code == 200
    assert opened == goes_on


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_numbered_link_that_was_opened_is_collected_by_nobody(site, una, way, goes_on):
    started = site.call("enchantedlink/signin/email", {"loginId": una.former})
    letter = site.letters(una.former)[-1]
    link = Message(una.former, letter["subject"], letter["body"]).numbered()[started["linkId"]]
    site.call("enchantedlink/verify", {"token": token_of(link)})
    una.remove(way)
    answer = site.post("enchantedlink/pending-session", {"pendingRef": started["pendingRef"]})
    assert (answer.status_code == 200) == goes_on, answer.status_code


@pytest.mark.parametrize(("way", "goes_on"), WAYS)
def test_a_magic_link_opens_nothing(site, una, way, goes_on):
    site.call("magiclink/signin/email", {"loginId": una.former})
    token = site.tokens(una.former)[-1]
    una.remove(way)
    assert (site.post("magiclink/verify", {"token": token}).status_code == 200) == goes_on
