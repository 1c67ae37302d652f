"""What an approval on another device is worth: the user may have approved an attacker's request."""

from __future__ import annotations

import pytest
import requests

from attacks.test_operators import ADMIN, KEY, PASSWORD, enter
from support.authenticator import Authenticator
from support.devices import GRANT as DEVICE_GRANT
from support.own_account import OwnAccounts, new_name, new_password
from support.pages import Page
from support.server import Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("approvals"), project={"approval": {"seconds": 120}})
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    """A user with a proved address and a password."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def session_of_approval(site: OwnAccounts, email: str, password: str):
    """The browser that approved, and the one that got a session by that."""
    phone, _ = site.browse(email, password)
    desk, page, number = site.ask_for_approval(email)
    site.approve(phone, number)
    page = desk.submit(page, button="refresh")
    assert page.name == "settings", page
    return phone, desk


def is_signed_in(visitor) -> bool:
    return visitor.open("/settings").name == "settings"


def test_a_device_that_was_let_in_adds_no_authenticator(site, vera):
    """One click on an attacker's code gives the attacker a session, and must not give the account."""
    page = site.browse(*vera, "/settings/authenticators")[1]
    assert ("action", "add") in page.form.buttons, "the user's own browser may"
    victim, _ = site.browse(*vera)
    device = site.begin_device()
    assert site.decide(victim, device).name == "device-done"
    thief = site.visitor()
    token = site.app_session_token(site.collect(device).json()["refresh_token"])
    page = site.open_as_app(thief, token, "/settings/authenticators")
    assert page.name == "settings-authenticators", page
    assert thief.submit(page, button="add").name == "login", "an approval alone set up an authenticator"


@pytest.mark.parametrize("path", ["/settings/password", "/settings/delete"])
def test_a_device_that_was_let_in_does_not_take_the_account(site, vera, path):
    own, page = site.browse(*vera, path)
    assert page.name == path.strip("/").replace("/", "-"), f"the user's own browser may: {page}"
    device = site.begin_device()
    assert site.decide(own, device).name == "device-done"
    page = site.settings_of_app(site.collect(device).json()["refresh_token"], path)
    assert page.name == "login", f"an approval alone opened {page}"


def test_a_device_that_was_let_in_approves_no_other_sign_in(site, vera):
    """One click would lead to any number of sessions."""
    own, _ = site.browse(*vera)
    device = site.begin_device()
    site.decide(own, device)
    refresh = {"refresh_token": site.collect(device).json()["refresh_token"]}
    desk, page, number = site.ask_for_approval(vera[0])
    listed = requests.post(f"{site.base}/v1/approvals", json=refresh, timeout=20)
    if listed.status_code == 200:
        (waiting,) = listed.json()["approvals"]
        decision = {"id": waiting["id"], "action": "approve", "number": int(number)}
        requests.post(f"{site.base}/v1/approvals", json=refresh | decision, timeout=20)
    assert desk.submit(page, button="refresh").name == "approval"
    site.approve(own, number)
    assert is_signed_in(desk) or desk.submit(page, button="refresh").name == "settings"


def test_a_device_that_an_owner_let_in_administers_nothing(tmp_path):
    """The console asks for a sign-in of the owner's own; so does its interface."""
    server = Server(tmp_path, {
        "issuer": "auto", "project": {"name": "Harbour", "management_keys": [KEY]},
        "clients": [ADMIN | {"grant_types": [*ADMIN["grant_types"], DEVICE_GRANT]}],
        "users": [{
            "email": "olga@example.com", "email_verified": True, "password": PASSWORD, "name": "olga",
            "console_role": "owner",
        }],
    })
    olga, client = enter(server, "olga"), {"client_id": "keyturn-cli"}
    device = requests.post(
        f"{server.base}/oauth2/device_authorization", data={"scope": "openid keyturn:management", **client}, timeout=20
    ).json()
    page = olga.submit(olga.open(device["verification_uri_complete"]))
    assert page.name == "device" and olga.submit(page, button="allow").name == "device-done"
    answer = requests.post(
        f"{server.base}/oauth2/token", timeout=20,
        data={"grant_type": DEVICE_GRANT, "device_code": device["device_code"], **client})
    assert answer.status_code == 200, answer.text
    made = requests.post(
        f"{server.base}/v1/mgmt/user/create", json={"loginId": "eve@example.com", "email": "eve@example.com"},
        headers={"Authorization": f"Bearer {answer.json()['access_token']}"}, timeout=20)
    assert made.status_code == 401, f"an owner's click administers: {made.status_code}"
    assert server.stop() == 0


def test_a_session_of_an_approval_lets_no_device_in(site, vera):
    """Otherwise one approval leads to any number of sessions, which outlive it."""
    phone, desk = session_of_approval(site, *vera)
    device = site.begin_device()
    assert site.decide(phone, device).name == "device-done"
    assert site.collect(device).status_code == 200, "a sign-in of the user's own may"
    device = site.begin_device()
    page = desk.submit(desk.open(device["verification_uri_complete"]))
    if page.name == "device":
        desk.submit(page, button="allow")
    assert site.collect(device).json().get("error") == "authorization_pending"


def test_a_session_of_an_approval_approves_nothing(site, vera):
    phone, desk = session_of_approval(site, *vera)
    other, page, number = site.ask_for_approval(vera[0])
    assert site.approve(desk, number).name == "login"
    assert other.submit(page, button="refresh").name == "approval"
    site.approve(phone, number)
    assert other.submit(page, button="refresh").name == "settings"


def test_a_session_of_an_approval_ends_no_other_session(site, vera):
    """The user's own browsers stay signed in."""
    phone, desk = session_of_approval(site, *vera)
    other, _ = site.browse(*vera)
    for visitor, is_allowed in [(desk, False), (phone, True)]:
        page = visitor.open("/settings/sessions")
        form = next((form for form in page.forms if ("action", "end-others") in form.buttons), None)
        if form:
            visitor.post(form.action, data=form.filled(button="end-others"))
        assert is_signed_in(other) == (not is_allowed), f"{'the user' if is_allowed else 'the approved session'}"


def test_a_session_of_an_approval_changes_no_name(site, vera):
    phone, desk = session_of_approval(site, *vera)
    for visitor, name in [(desk, "Mallory"), (phone, "Vera")]:
        page = visitor.open("/settings/profile")
        visitor.send(page, {"name": name})
        assert site.user(vera[0])["name"] == ("" if name == "Mallory" else "Vera")


def test_an_approval_shows_the_factor_that_the_account_has(site, vera):
    """A stolen password opens no session for others beside a passkey, as on every other way."""
    email, password = vera
    with Authenticator() as device:
        site.add_passkey(email, site.signed_in_by_code(email), device)
        phone, page = site.browse(email, password)
        assert page.name == "settings", page
        desk, waiting, number = site.ask_for_approval(email)
        page = site.approve(phone, number)
        assert isinstance(page, Page) and page.name in ("login", "methods"), f"the password alone approved: {page}"
        assert desk.submit(waiting, button="refresh").name == "approval"


def test_an_old_sign_in_approves_nothing(site, vera):
    phone, _ = site.browse(*vera)
    site.age(vera[0])
    desk, page, number = site.ask_for_approval(vera[0])
    assert site.approve(phone, number).name == "login"
    assert desk.submit(page, button="refresh").name == "approval"


def test_an_approval_is_void_after_a_sign_out_everywhere(site, vera):
    phone, _ = site.browse(*vera)
    desk, page, number = site.ask_for_approval(vera[0])
    assert site.approve(phone, number).url.endswith("?done=allowed")
    site.call("logoutall", {}, site.signed_in_by_code(vera[0]))
    assert desk.submit(page, button="refresh").name == "approval"
    assert not is_signed_in(desk)
