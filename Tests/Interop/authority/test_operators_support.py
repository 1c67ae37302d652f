"""What the role support makes of a user's status, step by step: no row gives it more than restoring access."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, serve

numbers = count(1)
STRANGERS_PASSWORD = "Seven-grey-herons-1!"
LOCKS = ["disabled", "expired"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("support"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("oper", "sue")}
    for one in entered.values():
        one.enter()
    return entered


def name() -> str:
    return f"person{next(numbers)}@example.com"


def enters(own, login: str, password: str = PASSWORD) -> bool:
    return auth(own, "password/signin", {"loginId": login, "password": password}).status_code == 200


def proves(own, login: str) -> requests.Response:
    """The owner of the mailbox reads a code and enters it."""
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    return auth(own, "otp/verify/email", {"loginId": login, "code": code})


def invited(key: Management) -> str:
    login = name()
    key.done("user/create", {
        "loginId": login, "email": login, "password": PASSWORD, "invite": True, "sendMail": False})
    return login


@pytest.mark.parametrize("lock", LOCKS)
def test_support_accepts_no_invitation_by_two_calls(own, key, tokens, lock):
    """Disabled and enabled again, an invited user is still one who proved no address."""
    login = invited(key)
    assert not enters(own, login)
    first = tokens["sue"].post("user/update/status", {"loginId": login, "status": lock})
    second = tokens["sue"].post("user/update/status", {"loginId": login, "status": "enabled"})
    assert not enters(own, login), f"{first.status_code}, {second.status_code}: {key.user(login)['status']}"
    control = invited(key)
    assert tokens["oper"].post("user/update/status", {"loginId": control, "status": "enabled"}).status_code == 200
    assert enters(own, control), "accepting an invitation is an operator's"


def test_support_accepts_no_invitation_by_two_forms(own, key, people):
    login = invited(key)
    user = key.user(login)["userId"]
    for action in ("disable", "enable"):
        people["sue"].send(
            f"/admin/users/user?id={user}", {"id": user, "action": action}, to="/admin/users/user/sessions")
    assert not enters(own, login), key.user(login)["status"]


def test_support_makes_no_strangers_account_an_invited_one(own, tokens):
    """Whoever typed in an address that is not theirs loses password and sessions when its owner proves it. Invited
    accounts are an operator's, and keep them."""
    victim, control = name(), name()
    for login in (victim, control):
        made = auth(own, "password/signup", {
            "loginId": login, "password": STRANGERS_PASSWORD, "user": {"email": login}})
        assert made.status_code == 200, made.text
    changed = tokens["sue"].post("user/update/status", {"loginId": victim, "status": "invited"})
    for login in (control, victim):
        assert proves(own, login).status_code == 200, login
    assert not enters(own, control, STRANGERS_PASSWORD), "what a stranger set up is gone"
    assert not enters(own, victim, STRANGERS_PASSWORD), f"{changed.status_code}: the stranger is in her account"


@pytest.mark.parametrize("steps", [["invited"], ["disabled", "invited"], ["expired", "invited"]])
def test_support_invites_nobody(key, tokens, steps):
    """An invitation is a new account's, and making those is an operator's."""
    login = name()
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    for step in steps:
        last = tokens["sue"].post("user/update/status", {"loginId": login, "status": step})
    assert last.status_code == 403 and key.user(login)["status"] != "invited", last.text
    assert tokens["oper"].post("user/update/status", {"loginId": login, "status": "invited"}).status_code == 200


@pytest.mark.parametrize("lock", LOCKS)
def test_support_restores_who_was_in_before(own, key, tokens, lock):
    """The control of all that: a lock is set and taken off again."""
    login = name()
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    for status, is_in in [(lock, False), ("enabled", True)]:
        assert tokens["sue"].post("user/update/status", {"loginId": login, "status": status}).status_code == 200
        assert enters(own, login) == is_in


def test_an_invitation_leads_to_this_server_alone(own, tokens):
    """An operator's link with an address that only looks like it."""
    host = own.issuer.removeprefix("http://")
    for url in [
        "https://evil.example/", f"http://{host}@evil.example/", f"http://{host}.evil.example/", "//evil.example/",
        f"http://{host}\\@evil.example/", f"http://evil.example/{host}", f"http://evil.example#{own.issuer}",
        "javascript:alert(1)", f"https://{host}/", f"http://{host}%2eevil.example/", f" {own.issuer}/",
    ]:
        login = name()
        tokens["oper"].post("user/create", {"loginId": login, "email": login, "invite": True, "inviteUrl": url})
        sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
        assert not [each for each in sent if each["to"] == login], url
    login = name()
    made = tokens["oper"].post("user/create", {
        "loginId": login, "email": login, "invite": True, "inviteUrl": f"{own.issuer}/welcome"})
    assert made.status_code == 200, made.text


def test_an_operator_makes_no_test_user_and_no_session(key, tokens):
    """The codes of test users are told: they are sessions without a sign-in."""
    for body in [{"test": True}, {"test": True, "verifiedEmail": True}, {"test": "true"}]:
        refused = tokens["oper"].post("user/create", {"loginId": name()} | body)
        assert refused.status_code in (400, 403), f"{body}: {refused.text}"
    for path in ("user/create/test", "tests/generate/otp", "user/signin/embeddedlink", "auth/signin"):
        assert tokens["oper"].post(path, {"loginId": "nina@example.com"}).status_code == 401, path
    assert tokens["oper"].post("user/create", {"loginId": name()}).status_code == 200
    made = key.done("user/create/test", {"loginId": "test@example.com", "email": "test@example.com"})["user"]
    assert made["test"] is True


@pytest.mark.parametrize(("path", "body"), [
    ("user/password/set/active", {"password": STRANGERS_PASSWORD}), ("user/update/role/add", {"roleNames": []}),
    ("user/update/tenant/add", {"tenantId": "harbour"}), ("user/delete", {}), ("user/merge", {"otherLoginId": "x"}),
    ("operator/update", {"role": "viewer"}), ("scim/token/create", {"tenantId": "harbour"}),
    ("tenant/create", {"name": "mine"}), ("client/create", {"client_id": "mine"}), ("user/create", {"loginId": "mine"}),
])
def test_no_spelling_of_a_path_is_another_row(tokens, path, body):
    """Case, a slash more, a dot, an encoded letter: no row, or the same one."""
    first = path[0]
    for spelled in (path.upper(), f"{path}/", f"./{path}", f"/{path}", f"%{ord(first):02x}{path[1:]}", f"{path};x=1",
                    f"{path}?loginId=nina@example.com"):
        answer = tokens["sue"].post(spelled, {"loginId": "nina@example.com"} | body)
        assert answer.status_code in (400, 403, 404, 405), f"{spelled}: {answer.status_code} {answer.text}"
    assert tokens["sue"].post(path, {"loginId": "nina@example.com"} | body).status_code == 403
