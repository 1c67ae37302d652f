"""Each act of an operator, of a program and of a directory is written down, with who did it."""

from __future__ import annotations

import time
from itertools import count

import pytest

from support.directories import Directory
from support.operators import CALLBACK, KEY, PASSWORD, Management, Operator, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("audit"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper", "vera")}
    for one in entered.values():
        one.enter()
    return entered


@pytest.fixture(scope="module")
def clerk(key) -> None:
    key.done("role/create", {"name": "clerk"})


def until(find) -> list[dict]:
    """Events are written a moment after the answer."""
    for _ in range(20):
        found = find()
        if found:
            break
        time.sleep(0.1)
    return found


def written(key: Management, actor: str, action: str, holds=lambda event: True) -> list[dict]:
    """The events of an act."""
    return until(lambda: [
        each for each in key.done("audit/search", {"size": 500})["audits"]
        if each["data"].get("actor") == actor and each["action"] == action and holds(each)])


ACTS = [
    ("user/update/status", {"status": "disabled"}, "user.status"),
    ("user/update/role/add", {"roleNames": ["clerk"]}, "user.roles"),
    ("user/update/tenant/add", {"tenantId": "harbour"}, "user.tenants"),
    ("user/update/tenant/remove", {"tenantId": "other"}, "user.tenants"),
    ("user/logout", {}, "user.logged_out"),
    ("user/password/set/active", {"password": "Seven-grey-herons-1!"}, "password.changed"),
    ("user/password/reset", {"expire": True}, "password.expired"),
    ("user/password/reset", {}, "password.reset_sent"),
    ("user/delete", {}, "user.deleted"),
]


@pytest.mark.parametrize(("caller", "act"), [*(("operator", act) for act in range(len(ACTS))), ("program", 0),
                                             ("program", 5)])
def test_what_is_done_to_a_user_is_written_down(key, tokens, clerk, caller, act):
    path, body, action = ACTS[act]
    login = f"person{next(numbers)}@example.com"
    user = key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "other"}]})["user"]["userId"]
    named = {"loginId": login} if path.startswith("user/password/") else {"userId": user}
    done = (tokens["oper"] if caller == "operator" else key).post(path, named | body)
    assert done.status_code == 200, done.text
    actor = key.user("oper@example.com")["userId"] if caller == "operator" else "management:"
    found = until(lambda: [each for each in key.done("audit/search", {"userIds": [user]})["audits"]
                           if each["action"] == action])
    actors = {each["data"].get("actor", "nobody") for each in found}
    assert any(each.startswith(actor) for each in actors), f"{action}: {actors}"
    assert not any(KEY in str(each) for each in found)


def test_a_password_that_a_program_expires_is_written_down(key):
    login = f"person{next(numbers)}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("user/password/expire", {"loginId": login})
    user = key.user(login)["userId"]
    found = until(lambda: [each for each in key.done("audit/search", {"userIds": [user]})["audits"]
                           if each["action"] == "password.expired"])
    assert len(found) == 1 and found[0]["data"]["actor"].startswith("management:"), found


@pytest.mark.parametrize(("path", "body", "action"), [
    ("client/create", {"client_id": "audited", "redirect_uris": [CALLBACK]}, "client.registered"),
    ("tenant/create", {"id": "audited", "name": "Audited"}, "tenant.created"),
    ("role/create", {"name": "audited"}, "role.created"),
    ("permission/create", {"name": "audited"}, "permission.created"),
    ("scim/token/create", {"tenantId": "harbour"}, "scim.token_made"),
    ("signing-key/rotate", {"alg": "ES256"}, "signing_key.added"),
    ("message/test", {"to": "ann@example.com", "channel": "email"}, "message.tested"),
])
def test_what_is_done_to_the_project_is_written_down(key, tokens, path, body, action):
    done = tokens["oper"].post(path, body)
    assert done.status_code == 200, done.text
    assert written(key, key.user("oper@example.com")["userId"], action)


def test_a_role_in_the_console_is_written_down_with_the_one_before(key, tokens):
    """Given, changed and taken."""
    user, owner = (key.user(f"{name}@example.com")["userId"] for name in ("nina", "olga"))
    for role in ("viewer", "support", ""):
        assert tokens["olga"].post("operator/update", {"userId": user, "role": role}).status_code == 200
    assert len(written(key, owner, "operator.removed", lambda each: each["userId"] == user)) == 1
    assert len(written(key, owner, "operator.granted", lambda each: each["userId"] == user)) == 2


def test_a_directory_is_named_by_its_token(own, key):
    made = key.done("scim/token/create", {"tenantId": "harbour"})
    directory = Directory(own, made["cleartext"])
    user = directory.make(f"kim{next(numbers)}")
    assert directory.patch(user, active=False).status_code == 200
    assert directory.send("DELETE", f"/Users/{user}").status_code == 204
    for action in ("scim.user_created", "scim.user_deactivated", "scim.user_removed"):
        assert written(key, f"scim:{made['token']['id']}", action), action
    assert made["cleartext"] not in str(key.done("audit/search", {"size": 500}))


def test_nobody_writes_or_removes_what_is_written_down(key, tokens):
    """There is no call for it; reading it is a viewer's."""
    assert tokens["vera"].post("audit/search", {"size": 1}).status_code == 200
    for bearer in (tokens["olga"], key):
        for method, path in [("DELETE", "audit"), ("POST", "audit"), ("POST", "audit/delete"), ("POST", "audit/create"),
                             ("PUT", "audit/search"), ("DELETE", "audit/search")]:
            answer = bearer.send(method, f"/v1/mgmt/{path}", {"size": 1})
            assert answer.status_code in (404, 405), f"{method} {path}: {answer.status_code}"
