"""A user without an account gets one by a passkey or an identity of their own: what an earlier user of the device set up to
sign in with opens none of it, as where the account comes of an address."""

from __future__ import annotations

import json
import secrets

import pytest
import requests

from support.authenticator import Authenticator
from support.authgear_client import Authgear
from support.guests import BANK, add_address, device_key, guest, settings
from support.own_account import APP, OwnAccounts, new_name, next_second
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(tmp_path_factory.mktemp("guests"), clients=[APP, BANK], connections=[
        {"id": word, "name": word, "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        for word in ("social", "other")])
    yield made
    made.close()


def through(visitor: Visitor, answer: requests.Response) -> Page | Callback:
    """Over the provider, which asks nothing, back to a page or to the app."""
    while answer.is_redirect and "://host/" not in answer.headers["Location"]:
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    return visitor.follow(answer)


def depart(visitor: Visitor, page: Page, at: str = "social") -> Page | Callback:
    """By the button of a provider."""
    button = next(each for each in page.soup.select("a.provider") if at in each["href"])
    return through(visitor, visitor.get(button["href"]))


def says(told, subject: str) -> None:
    told.token, told.userinfo = {"sub": subject}, {"sub": subject}


def link(site: OwnAccounts, told, app: Authgear, subject: str, at: str = "social") -> None:
    """An own identity at a provider, linked in the settings."""
    says(told, subject)
    visitor, page = settings(site, app, "/settings/connections")
    form = next(
        form for form in page.forms if ("action", "link") in form.buttons and form.values.get("id", at) == at)
    page = visitor.follow(visitor.post(form.action, data=form.filled({"id": at}, button="link")))
    assert through(visitor, visitor.get(page.soup.select_one("a.primary")["href"])).url.endswith("?done=linked")


def add_passkey(site: OwnAccounts, app: Authgear, device: Authenticator) -> None:
    visitor, page = settings(site, app, "/settings/passkeys")
    made = device.create(json.loads(page.soup.find(id="passkey")["data-options"]), origin=site.issuer)
    answer = visitor.post(f"{site.base}/settings/passkeys", data={
        "csrf": page.forms[0].values["csrf"], "action": "add", "passkey": json.dumps(made)})
    assert "done=added" in answer.headers.get("Location", "")


def enters(site: OwnAccounts, visitor: Visitor, page: Page, device: Authenticator) -> Page | Callback:
    shown = device.get(json.loads(page.soup.find(id="passkey")["data-options"]), origin=site.issuer)
    values = page.form.values | {"action": "passkey", "passkey": json.dumps(shown)}
    return visitor.follow(visitor.post(page.form.action, data=values))


def shown(own: Visitor) -> str:
    """What the settings say of the user's addresses; they let nobody in without a sign-in."""
    return own.open("/settings/identifiers").response.text


def an_identity(site: OwnAccounts, told, app: Authgear):
    """What an earlier user of the device leaves; what opens an account by it."""
    subject = f"mallory{secrets.token_hex(4)}"
    link(site, told, app, subject)

    def enter() -> str:
        says(told, subject)
        own = site.visitor()
        page = own.open("/settings")
        depart(own, page)
        return shown(own)

    return enter


def a_browser(site: OwnAccounts, told, app: Authgear):
    """That was signed in by the identity before."""
    subject = f"mallory{secrets.token_hex(4)}"
    link(site, told, app, subject)
    own = site.visitor()
    page = own.open("/settings")
    depart(own, page)
    assert own.open("/settings").name == "settings", "the control"
    return lambda: shown(own)


def with_a_passkey(site: OwnAccounts, told, app: Authgear):
    """What she sets up for herself, and how she is promoted by it."""
    device = Authenticator()
    add_passkey(site, app, device)
    return lambda visitor, page: enters(site, visitor, page, device)


def with_an_identity(site: OwnAccounts, told, app: Authgear):
    subject = f"vera{secrets.token_hex(4)}"
    link(site, told, app, subject, at="other")

    def promote(visitor: Visitor, page: Page) -> Page | Callback:
        says(told, subject)
        arrived = depart(visitor, page, at="other")
        # She came from another site: the page asks whether she goes on.
        return visitor.submit(arrived) if isinstance(arrived, Page) and arrived.name == "continue" else arrived

    return promote


WAYS = [with_a_passkey, with_an_identity]
LEFT = [an_identity, a_browser, device_key]


def has_account(site: OwnAccounts, app: Authgear, promote) -> str:
    """She is promoted by her own way, and adds her address afterwards."""
    next_second()
    page, finish = app.begin_promotion(visitor := site.visitor())
    arrived = promote(visitor, page)
    assert isinstance(arrived, Callback) and not finish(arrived["code"]).is_anonymous, "the control: an account"
    email = new_name("vera")
    add_address(site, app, email)
    assert site.user(email)["loginIds"] == [email], "the control: it is hers"
    return email


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("left", LEFT, ids=lambda left: left.__name__)
def test_what_an_earlier_user_of_the_device_set_up_opens_no_account(site, told, left, way):
    app = guest(site)
    enter = left(site, told, app)
    next_second()
    app.authenticate_anonymously()
    email = has_account(site, app, way(site, told, app))
    assert email not in enter(), "the earlier user of the device is in her account"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_her_own_way_opens_it(site, told, way):
    """The control: what she signed in by stays."""
    app = guest(site)
    enter = way(site, told, app)
    email = has_account(site, app, enter)
    own = site.visitor()
    enter(own, own.open("/settings"))
    assert email in shown(own)
