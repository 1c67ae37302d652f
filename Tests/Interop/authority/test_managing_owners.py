"""The console always has an owner who can enter it."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from support.operators import PASSWORD, Management, Operator, person, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """One owner; the tests make others."""
    server = serve(tmp_path_factory.mktemp("owners"), users=[person("olga"), person("nina")])
    yield server
    assert server.stop() == 0


def appoint(own, key: Management, name: str) -> tuple[str, Management]:
    """A new owner, with the access token of a sign-in."""
    login = f"{name}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("operator/update", {"loginId": login, "role": "owner"})
    operator = Operator(own, name)
    operator.enter()
    return login, Management(own, operator.tokens()["access_token"])


def dismiss_others(key: Management, *kept: str) -> None:
    """Nobody else is an owner."""
    for each in key.get("operator/all").json()["operators"]:
        if each["role"] == "owner" and each["loginIds"][0] not in kept:
            key.done("operator/update", {"userId": each["userId"], "role": ""})


def owners(key: Management) -> list[str]:
    """Who may enter."""
    found = [each["loginIds"][0] for each in key.get("operator/all").json()["operators"] if each["role"] == "owner"]
    return [login for login in found if key.user(login)["status"] == "enabled"]


@pytest.mark.parametrize(("role", "status"), [
    ("", "disabled"), ("", "expired"), ("", "invited"), ("viewer", "disabled")])
def test_the_last_owner_who_can_enter_keeps_the_role(own, key, role, status):
    """An owner who may not sign in is none who could make another one."""
    login, token = appoint(own, key, f"first{next(numbers)}")
    other = f"second{next(numbers)}@example.com"
    key.done("user/create", {"loginId": other, "email": other, "verifiedEmail": True})
    key.done("operator/update", {"loginId": other, "role": "owner"})
    dismiss_others(key, login, other)
    key.done("user/update/status", {"loginId": other, "status": status})
    refused = token.post("operator/update", {"loginId": login, "role": role})
    left = owners(key)
    key.done("user/update/status", {"loginId": other, "status": "enabled"})
    assert (refused.status_code, left) == (400, [login]), f"{refused.status_code}: {left}"
    assert token.post("operator/update", {"loginId": login, "role": role}).status_code == 200, "with another one"
    key.done("user/delete", {"loginId": login})


@pytest.mark.parametrize(("path", "body", "turn"), [
    ("user/update/status", {"status": "disabled"}, 1), ("user/update/status", {"status": "disabled"}, 2),
    ("user/delete", {}, 1)])
def test_two_owners_who_lock_each_other_out_leave_one(own, key, path, body, turn):
    """At the same moment, each by a call that would be right alone."""
    pair = [appoint(own, key, f"rival{next(numbers)}") for _ in range(2)]
    logins = [login for login, _ in pair]
    dismiss_others(key, *logins)
    gate = threading.Barrier(2)
    answers = {}

    def go(me: int) -> None:
        gate.wait()
        answers[me] = pair[me][1].post(path, {"loginId": logins[1 - me]} | body).status_code

    threads = [threading.Thread(target=go, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [login for login in logins if key.get(f"user?loginId={login}").status_code == 200]
    found = {each["loginIds"][0]: each["role"] for each in key.get("operator/all").json()["operators"]}
    entering = [login for login in left if found.get(login) == "owner" and key.user(login)["status"] == "enabled"]
    assert len(entering) == 1, f"{answers}: {entering}"
