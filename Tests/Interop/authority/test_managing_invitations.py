"""Invited users who sign in by a user name: only the owner of the mailbox, or an operator, accepts for them."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, serve

numbers = count(1)
LOCKS = ["disabled", "expired"]
CONTACTS = {"a contact": True, "no contact": False}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("invitations"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("oper", "sue")}
    for one in entered.values():
        one.enter()
    return entered


def invited(key: Management, has_contact: bool) -> str:
    """An operator's invitation, with a password that counts once it is accepted."""
    login = f"guest{next(numbers)}"
    contact = {"email": f"{login}@example.com"} if has_contact else {}
    key.done("user/create", {
        "loginId": login, "password": PASSWORD, "invite": True, "sendMail": False} | contact)
    return login


def enters(own, login: str) -> bool:
    answer = auth(own, "password/signin", {"loginId": login, "password": PASSWORD})
    assert answer.status_code in (200, 400, 401, 403), answer.text
    return answer.status_code == 200


@pytest.mark.parametrize(("lock", "contact"), [
    ("disabled", "a contact"), ("disabled", "no contact"), ("expired", "a contact")])
def test_support_accepts_no_invitation_by_two_calls(own, key, tokens, lock, contact):
    login = invited(key, CONTACTS[contact])
    assert not enters(own, login), "the password waits for the proof"
    refused = tokens["sue"].post("user/update/status", {"loginId": login, "status": "enabled"})
    assert refused.status_code == 403, "at once it is not support's"
    steps = [tokens["sue"].post("user/update/status", {"loginId": login, "status": step}).status_code
             for step in (lock, "enabled")]
    assert not enters(own, login), f"{steps}: {key.user(login)['status']}"


@pytest.mark.parametrize("contact", CONTACTS)
def test_support_accepts_no_invitation_by_two_forms(own, key, people, contact):
    login = invited(key, CONTACTS[contact])
    user = key.user(login)["userId"]
    for action in ("disable", "enable"):
        people["sue"].send(
            f"/admin/users/user?id={user}", {"id": user, "action": action}, to="/admin/users/user/sessions")
    assert not enters(own, login), key.user(login)["status"]


@pytest.mark.parametrize("contact", CONTACTS)
def test_an_operator_accepts_an_invitation(own, key, tokens, contact):
    """The control, and what takes a lock off."""
    login = invited(key, CONTACTS[contact])
    assert tokens["oper"].post("user/update/status", {"loginId": login, "status": "enabled"}).status_code == 200
    assert enters(own, login)
    for status, is_in in [("disabled", False), ("enabled", True)]:
        assert tokens["oper"].post("user/update/status", {"loginId": login, "status": status}).status_code == 200
        assert enters(own, login) == is_in


def test_the_owner_of_the_mailbox_accepts_an_invitation(own, key):
    """By a code that goes to the contact."""
    login = invited(key, has_contact=True)
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == f"{login}@example.com" and each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": login, "code": code}).status_code == 200
    assert key.user(login)["status"] == "enabled"


def test_no_call_of_supports_leads_an_invitation_elsewhere(own, key, tokens):
    """Another message, a reset, another address: nothing goes but to the address that the operator named."""
    login = invited(key, has_contact=True)
    user = key.user(login)["userId"]
    for path, body in [
        ("user/invite", {"email": "thief@evil.example", "inviteUrl": "https://evil.example/"}),
        ("user/password/reset", {"email": "thief@evil.example"}),
        ("user/update/email", {"email": "thief@evil.example"}),
        ("user/password/set/active", {"password": PASSWORD}), ("user/update/loginid", {"newLoginId": "thief"}),
    ]:
        tokens["sue"].post(path, {"loginId": login} | body)
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    assert not [each for each in sent if each["to"] == "thief@evil.example"]
    invitations = [each for each in sent if each["to"] == f"{login}@example.com"]
    assert invitations and all(link.startswith(own.issuer) for each in invitations for link in each.get("links", []))
    found = key.get(f"user?userId={user}").json()["user"]
    assert (found["loginIds"], found["status"]) == ([login], "invited")


def test_an_expired_or_disabled_invitation_is_accepted_by_no_code(own, key, tokens):
    """Whoever reads the mailbox, the lock is the operators'."""
    for lock in LOCKS:
        login = invited(key, has_contact=True)
        begun = auth(own, "otp/signin/email", {"loginId": login})
        assert begun.status_code == 200, begun.text
        sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
        code = [each["code"] for each in sent if each["to"] == f"{login}@example.com" and each.get("code")][-1]
        assert tokens["sue"].post("user/update/status", {"loginId": login, "status": lock}).status_code == 200
        refused = auth(own, "otp/verify/email", {"loginId": login, "code": code})
        assert refused.status_code in (400, 401, 403), refused.text
        assert key.user(login)["status"] == lock and not enters(own, login)
