"""Commands on the database of a running server: what they end is over at the next request; whom they give a role."""

from __future__ import annotations

import json
import subprocess
import threading

import pytest
import requests

from support.operators import KEY, PASSWORD, Management, Operator, auth, serve
from support.server import binary

STRANGERS_PASSWORD = "Seven-grey-herons-1!"
SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("commands"))
    yield server
    assert server.stop() == 0


def command(own, *arguments: str, fails: bool = False, text: str | None = None) -> str:
    done = subprocess.run(
        [binary(), *arguments, "--config", own.config, "--database", f"sqlite:{own.folder / 'keyturn.db'}"],
        capture_output=True, text=True, timeout=60, check=False, input=text)
    assert (done.returncode != 0) == fails, done.stderr + done.stdout
    return done.stdout + done.stderr


def hire(own, key: Management, name: str, role: str) -> Operator:
    login = f"{name}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("operator/update", {"loginId": login, "role": role})
    one = Operator(own, name)
    one.enter()
    return one


def roles(key: Management) -> dict[str, str]:
    return {each["loginIds"][0]: each["role"] for each in key.get("operator/all").json()["operators"]}


@pytest.mark.parametrize(("name", "arguments", "console", "call"), [
    ("fired", ["operator", "remove", "fired@example.com"], 403, 403),
    ("kept-out", ["user", "disable", "kept-out@example.com"], 303, 401),
    ("ended", ["user", "end-sessions", "ended@example.com"], 303, 401),
    ("removed", ["user", "delete", "removed@example.com"], 303, 401),
    ("lowered", ["operator", "grant", "lowered@example.com", "--role", "viewer"], 200, 403),
])
def test_a_command_about_an_operator_counts_at_the_next_request(own, key, name, arguments, console, call):
    one = hire(own, key, name, "owner")
    token = Management(own, one.tokens()["access_token"])
    change = lambda: token.post("operator/update", {"loginId": "nina@example.com", "role": ""})
    assert change().status_code == 200
    command(own, *arguments)
    assert change().status_code == call
    assert one.browser.get(f"{own.base}/admin").status_code == console


def test_a_command_gives_no_role_to_a_stranger_who_claimed_an_address(own, key):
    """As in the console: whoever types a colleague's address means the colleague, not who signed up with it."""
    name = "colleague@example.com"
    signed_up = auth(own, "password/signup", {
        "loginId": name, "password": STRANGERS_PASSWORD, "user": {"email": name}})
    assert signed_up.status_code == 200 and not key.user(name)["verifiedEmail"]
    assert key.post("operator/update", {"loginId": name, "role": "owner"}).status_code == 400
    key.done("user/create", {"loginId": "proved@example.com", "email": "proved@example.com", "verifiedEmail": True})
    command(own, "operator", "grant", "proved@example.com", "--role", "viewer")
    assert roles(key)["proved@example.com"] == "viewer"
    try:
        command(own, "operator", "grant", name, "--role", "owner", fails=True)
        assert name not in roles(key)
    finally:
        key.done("user/delete", {"loginId": name})


def test_whom_a_command_disabled_no_directory_enables(own, key):
    command(own, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    made = json.loads(command(own, "scim", "token", "create", "--tenant", "harbour", "--json"))
    send = lambda method, path, body=None: requests.request(
        method, f"{own.base}/scim/v2{path}", data=body and json.dumps(body), timeout=20,
        headers={"Authorization": f"Bearer {made['token']}", "Content-Type": "application/scim+json"})
    active = lambda user, value: send("PATCH", f"/Users/{user}", {"Operations": [
        {"op": "replace", "path": "active", "value": value}]})
    states = []
    for name, steps in [("one", []), ("two", ["disable"]), ("three", [False, "enable", "disable"])]:
        login = f"{name}@harbour.example"
        user = send("POST", "/Users", {"userName": login}).json()["id"]
        for step in [*steps, False, True]:
            if isinstance(step, bool):
                assert active(user, step).status_code == 200
            else:
                command(own, "user", step, login)
        states.append(key.user(login)["status"])
    assert states == ["enabled", "disabled", "disabled"]
    tokens = json.loads(command(own, "scim", "token", "list", "--tenant", "harbour", "--json"))
    command(own, "scim", "token", "revoke", tokens[0]["id"], "--tenant", "harbour")
    assert send("GET", "/Users").status_code == 401


def test_a_command_that_ends_a_users_sessions_ends_who_acts_as_the_operator(own, key):
    key.done("permission/create", {"name": "Impersonate"})
    key.done("role/create", {"name": "stand-in", "permissionNames": ["Impersonate"]})
    one = hire(own, key, "acting", "operator")
    key.done("user/update/role/add", {"loginId": "acting@example.com", "roleNames": ["stand-in"]})
    user = key.user("nina@example.com")["userId"]
    page = one.send(f"/admin/users/user/change?id={user}", {"id": user, "action": "impersonate"})
    refresh = next(word for word in page.text.replace("<", " ").replace(">", " ").split() if word.startswith("eyJ"))
    assert auth(own, "refresh", bearer=refresh).status_code == 200
    command(own, "user", "end-sessions", "acting@example.com")
    assert auth(own, "refresh", bearer=refresh).status_code == 401


def test_two_owners_who_dismiss_each_other_leave_one(own, key):
    """The last owner keeps the role, also if two go at the same moment."""
    others = [login for login, role in roles(key).items() if role == "owner"]
    command(own, "user", "enable", "kept-out@example.com")
    first, second = hire(own, key, "castor", "owner"), hire(own, key, "pollux", "owner")
    for login in others:
        key.done("operator/update", {"loginId": login, "role": "viewer"})
    calls = [(Management(own, first.tokens()["access_token"]), "pollux@example.com"),
             (Management(own, second.tokens()["access_token"]), "castor@example.com")]
    ready = threading.Barrier(2)
    statuses: list[int] = []

    def dismiss(token: Management, login: str) -> None:
        ready.wait()
        statuses.append(token.post("operator/update", {"loginId": login, "role": ""}).status_code)

    threads = [threading.Thread(target=dismiss, args=each) for each in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [login for login, role in roles(key).items() if role == "owner"]
    for login in others:
        command(own, "operator", "grant", login, "--role", "owner")
    assert len(left) == 1 and 200 in statuses, (left, statuses)


def test_what_a_user_is_given_of_oneself_has_no_secret(own, key):
    """The copy of one's data, and the list of users that an operator takes along."""
    made = key.done("user/create", {
        "loginId": "secretive@example.com", "email": "secretive@example.com", "verifiedEmail": True,
        "password": STRANGERS_PASSWORD, "seed": SEED})["user"]["userId"]
    access = key.done("accesskey/create", {"name": "own", "userId": made})["cleartext"]
    code = auth(own, "otp/signin/email", {"loginId": "secretive@example.com"})
    assert code.status_code == 200
    shown = command(own, "user", "data", "secretive@example.com")
    assert "secretive@example.com" in shown
    for secret in (STRANGERS_PASSWORD, SEED, access, KEY, "$argon2", "$scrypt", "epoch"):
        assert secret not in shown, secret
