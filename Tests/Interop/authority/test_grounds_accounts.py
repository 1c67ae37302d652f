"""What was begun before an account was there, or before it was deleted, opens nothing of the next one of the name."""

from __future__ import annotations

import json

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, new_name, new_password
from support.project import PROJECT_ID

CARD = {
    "name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("waiting"), project={"approval": {"seconds": 120}}, journeys=[CARD])
    yield made
    made.close()


@pytest.fixture
def ana() -> tuple[str, str]:
    return new_name("ana"), new_password()


def by_any_passkey(site, device: Authenticator):
    """A sign-in in which the device says whose it is."""
    started = site.call("webauthn/signin/start", {"loginId": "", "origin": site.issuer})
    options = json.loads(started["options"])
    held = next(iter(device.credentials()), None)
    shown = device.get(options, credential=held["id"] if isinstance(held, dict) else held, origin=site.issuer)
    return site.post(
        "webauthn/signin/finish", {"transactionId": started["transactionId"], "response": json.dumps(shown)})


@pytest.mark.parametrize("owner_comes", [False, True])
def test_an_authenticator_of_a_stranger_signs_up_nobody_who_came_first(site, ana, owner_comes):
    key = site.call("totp/signup", {"loginId": ana[0]})["key"]
    if owner_comes:
        site.sign_up(*ana)
    answer = site.post("totp/verify", {"loginId": ana[0], "code": site.totp(key)})
    assert (answer.status_code == 200) != owner_comes, answer.text
    if owner_comes:
        assert not site.user(ana[0])["TOTP"] and site.by_password(*ana).status_code == 200


@pytest.mark.parametrize("owner_comes", [False, True])
def test_a_passkey_of_a_stranger_signs_up_nobody_who_came_first(site, ana, owner_comes):
    with Authenticator() as device:
        started = site.call("webauthn/signup/start", {"user": {"loginId": ana[0]}, "origin": site.issuer})
        made = device.create(json.loads(started["options"]), origin=site.issuer)
        if owner_comes:
            site.sign_up(*ana)
        answer = site.post("webauthn/signup/finish", {
            "transactionId": started["transactionId"], "response": json.dumps(made)})
        assert (answer.status_code == 200) != owner_comes, answer.text
        assert site.user(ana[0])["webauthn"] != owner_comes
        assert (by_any_passkey(site, device).status_code == 200) != owner_comes


@pytest.mark.parametrize("is_new", [False, True])
def test_half_a_sign_in_ends_with_the_account(site, ana, is_new):
    key, _ = site.add_authenticator(ana[0], site.sign_up(*ana))
    reference = site.by_password(*ana).json()["pendingRef"]
    if is_new:
        site.manage("user/delete", {"loginId": ana[0]})
        site.sign_up(*ana)
    answer = site.post("totp/verify", {"loginId": ana[0], "code": site.totp(key)}, reference)
    assert (answer.status_code == 200) != is_new, answer.text


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("way", ["code", "link"])
def test_a_message_of_before_is_nothing_of_the_next_account(site, ana, way, is_new):
    """Codes and links are for the account that asked for them, not for the address alone."""
    site.sign_up(*ana)
    if way == "code":
        site.call("otp/signin/email", {"loginId": ana[0]})
        path, body = "otp/verify/email", {"loginId": ana[0], "code": site.code(ana[0])}
    else:
        site.call("magiclink/signin/email", {"loginId": ana[0]})
        path, body = "magiclink/verify", {"token": site.tokens(ana[0])[0]}
    if is_new:
        site.manage("user/delete", {"loginId": ana[0]})
        site.call("password/signup", {"loginId": ana[0], "password": ana[1]})
    answer = site.post(path, body)
    assert (answer.status_code == 200) != is_new, answer.text


def test_a_passkey_of_a_deleted_account_opens_nothing_of_the_next_one(site, ana):
    own = site.sign_up(*ana)
    with Authenticator() as device:
        site.add_passkey(ana[0], own, device)
        assert by_any_passkey(site, device).status_code == 200, "the control"
        site.manage("user/delete", {"loginId": ana[0]})
        site.sign_up(*ana)
        assert by_any_passkey(site, device).status_code != 200


def test_a_desk_that_waits_gets_no_session_of_the_next_account(site, ana):
    site.sign_up(*ana)
    phone, _ = site.browse(*ana)
    desk, page, number = site.ask_for_approval(ana[0])
    assert site.approve(phone, number).url.endswith("?done=allowed")
    site.manage("user/delete", {"loginId": ana[0]})
    site.sign_up(*ana)
    page = desk.submit(page, button="refresh")
    assert page.name != "settings" and desk.open("/settings").name == "login", page


@pytest.mark.parametrize("by_approval", [False, True])
def test_a_session_of_an_approval_answers_no_step_of_a_journey(site, ana, by_approval):
    """The account's attributes are its owner's to change, not those of whoever sits at the other device."""
    site.sign_up(*ana)
    if by_approval:
        phone, _ = site.browse(*ana)
        visitor, page, number = site.ask_for_approval(ana[0])
        site.approve(phone, number)
        assert visitor.submit(page, button="refresh").name == "settings"
    else:
        visitor, _ = site.browse(*ana)
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": "harbour-app", "redirect_uri": "http://127.0.0.1/callback",
        "scope": "openid", "code_challenge": "a" * 43, "code_challenge_method": "S256", "journey": "card"})
    if getattr(page, "name", None) == "journey-step":
        field = next(name for name in page.form.inputs if "card" in name)
        visitor.send(page, {field: "4711"})
    assert (site.user(ana[0]).get("customAttributes", {}).get("card") == "4711") != by_approval


def test_the_sessions_page_ends_nothing_of_another_user(site, ana):
    """By whatever identifier the form names."""
    own = site.sign_up(*ana)
    mallory = (new_name("mallory"), new_password())
    site.sign_up(*mallory)
    browser, _ = site.browse(*ana)
    thief, _ = site.browse(*mallory)
    other, _ = site.browse(*mallory)
    page = thief.open("/settings/sessions")
    mine = next(form for form in page.forms if form.values.get("kind") == "session")
    seen = site.browse(*ana)[0].open("/settings/sessions").forms
    theirs, app = (next(form for form in seen if form.values.get("kind") == kind) for kind in ("session", "grant"))
    for kind, name in (("session", theirs.values["id"]), ("grant", app.values["id"]), ("app", PROJECT_ID)):
        thief.post(mine.action, data=mine.filled({"kind": kind, "id": name}, button="end"))
    assert browser.open("/settings").name == "settings" and site.is_alive(own)
    thief.post(mine.action, data=mine.filled({}, button="end"))
    assert other.open("/settings").name == "login", "the control"
