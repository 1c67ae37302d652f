"""What a browser has let in, and nobody has fetched yet, when that browser goes on and everything else ends."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import Person
from support.own_account import APP, OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.visitor import Visitor

PASSWORD, OTHER = "nine-blue-herons-abreast", "ten-grey-herons-afloat"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("kept"), project={"approval": {"seconds": 120}})
    yield made
    made.close()


@pytest.fixture
def una(site) -> str:
    login = f"una{secrets.token_hex(4)}@example.test"
    site.sign_up(login, PASSWORD)
    return login


def nothing(own: Visitor) -> None:
    pass


def others_ended(own: Visitor) -> None:
    """All other sessions, on the page of her sessions."""
    page = own.open("/settings/sessions")
    assert page.name == "settings-sessions", page
    answer = own.post(page.form.action, data={"csrf": page.form.values["csrf"], "action": "end-others"})
    assert answer.status_code == 303, answer.text[:300]


def new_password_alone(own: Visitor) -> None:
    """The other sessions go on, and nothing that could become one does."""
    new_password(own, ends_others=False)


def new_password(own: Visitor, ends_others: bool = True) -> None:
    page = own.open("/settings/password")
    answer = own.post(page.form.action, data={
        "csrf": page.form.values["csrf"], "action": "save", "current_password": PASSWORD, "password": OTHER,
        **({"end_others": "true"} if ends_others else {})})
    assert answer.status_code == 303, answer.text[:300]


def is_let_in(desk: Visitor, page: Page) -> bool:
    arrived = desk.submit(page, button="refresh")
    return isinstance(arrived, Page) and arrived.name == "settings"


@pytest.mark.parametrize(("end", "goes_on"), [(nothing, True), (others_ended, False), (new_password, False)])
def test_a_desk_that_she_approved_by_mistake_stays_out(site, una, end, goes_on):
    """The stranger at the desk waits until she has made an end of everything but her own browser."""
    own, _ = site.browse(una, PASSWORD)
    other, _ = site.browse(una, PASSWORD)
    desk, page, number = site.ask_for_approval(una)
    assert site.approve(own, number).url.endswith("?done=allowed")
    end(own)
    assert own.open("/settings").name == "settings", "her own browser goes on"
    assert (other.open("/settings").name == "settings") == goes_on, "the control"
    assert is_let_in(desk, page) == goes_on


def test_a_desk_stays_out_after_a_new_password_that_ends_no_session(site, una):
    """As a code or a link does that was sent before."""
    own, _ = site.browse(una, PASSWORD)
    desk, page, number = site.ask_for_approval(una)
    assert site.approve(own, number).url.endswith("?done=allowed")
    new_password_alone(own)
    assert own.open("/settings").name == "settings", "her own browser goes on"
    assert not is_let_in(desk, page)


@pytest.mark.parametrize(("end", "goes_on"), [(nothing, True), (others_ended, False)])
def test_a_desk_that_her_app_approved_stays_out(site, una, end, goes_on):
    """She ends all other sessions on the page of the settings that her app shows."""
    site.browse(una, PASSWORD)
    refresh = RelyingParty(Provider(site.base), APP).sign_in(
        site.visitor(), Person("", una, PASSWORD), scope="openid offline_access").refresh_token
    desk, page, number = site.ask_for_approval(una)
    shown = {"refresh_token": refresh}
    (waiting,) = requests.post(f"{site.base}/v1/approvals", json=shown, timeout=20).json()["approvals"]
    decided = requests.post(f"{site.base}/v1/approvals", timeout=20, json=shown | {
        "id": waiting["id"], "action": "approve", "number": int(number)})
    assert decided.status_code == 204, decided.text
    app = site.visitor()
    assert site.open_as_app(app, site.app_session_token(refresh), "/settings/sessions").name == "settings-sessions"
    end(app)
    assert is_let_in(desk, page) == goes_on
