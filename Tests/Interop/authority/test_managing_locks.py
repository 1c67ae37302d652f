"""Whom an operator disabled stays out, though the tenant's directory goes on: by another call or account."""

from __future__ import annotations

import json
import subprocess
from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, Operator, auth, command, serve
from support.server import binary
from support.tokens import payload_of

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven a domain, `other` has not."""
    server = serve(tmp_path_factory.mktemp("locks"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def sue(own) -> Operator:
    operator = Operator(own, "sue")
    operator.enter()
    return operator


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


@pytest.fixture(scope="module")
def other(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "other"})["cleartext"])


def name(domain: str = "harbour") -> str:
    return f"user{next(numbers)}@{domain}.example"


def by_mail(own, login: str, kind: str = "signin") -> requests.Response:
    begun = auth(own, f"otp/{kind}/email", {"loginId": login})
    if not begun.ok:
        return begun
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    return auth(own, "otp/verify/email", {"loginId": login, "code": code})


def tenants(own, login: str) -> list[str]:
    """Of a session that a code opens; none, if it opens none."""
    answer = by_mail(own, login)
    assert answer.status_code in (200, 400, 401, 403), answer.text
    return list(payload_of(answer.json()["sessionJwt"]).get("tenants") or {}) if answer.ok else []


def shell(key: Management, tenant: str, shown: str) -> dict:
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": [tenant]}).json()["users"]
    return next(each for each in found if each["name"] == shown)


def file(own, row: dict) -> str:
    path = own.folder / f"rows{next(numbers)}.jsonl"
    path.write_text(json.dumps(row) + "\n")
    return str(path)


AGAIN = {
    "status": lambda own, key, sue, user, login: key.done("user/update/status", {
        "userId": user, "status": "disabled"}),
    "expired": lambda own, key, sue, user, login: key.done("user/update/status", {
        "userId": user, "status": "expired"}),
    "patch": lambda own, key, sue, user, login: key.send("PATCH", "/v1/mgmt/user/patch", {
        "userId": user, "status": "disabled"}).raise_for_status(),
    "update": lambda own, key, sue, user, login: key.done("user/update", {
        "userId": user, "loginId": login, "status": "disabled"}),
    "console": lambda own, key, sue, user, login: sue.send(
        f"/admin/users/user?id={user}", {"id": user, "action": "disable"},
        to="/admin/users/user/sessions").raise_for_status(),
    "command": lambda own, key, sue, user, login: command(own, "user", "disable", user),
    "import": lambda own, key, sue, user, login: command(
        own, "user", "import", file(own, {
            "sub": user, "login_ids": [login], "email": login, "email_verified": True, "status": "disabled"}),
        "--on-conflict", "update"),
}


@pytest.mark.parametrize("way", AGAIN)
def test_whoever_disables_again_whom_the_directory_deactivated_decides(own, key, sue, harbour, way):
    """From then on it is not the directory that lets the user in."""
    login = name()
    resource = harbour.make(login)
    user = key.user(login)["userId"]
    assert harbour.patch(resource, active=False).status_code == 200
    status = lambda: key.get(f"user?userId={user}").json()["user"]["status"]
    assert status() == "disabled"
    AGAIN[way](own, key, sue, user, login)
    assert harbour.patch(resource, active=True).status_code == 200
    assert status() == ("expired" if way == "expired" else "disabled")


def test_whom_nobody_disabled_again_the_directory_lets_in(own, key, harbour):
    """The control of what stands above."""
    login = name()
    resource = harbour.make(login)
    for active in (False, True):
        assert harbour.patch(resource, active=active).status_code == 200
    assert tenants(own, login) == ["harbour"]


def test_a_disabled_user_does_not_come_back_as_the_account_that_the_person_made_since(own, key, harbour):
    """The directory's account had no login ID, because somebody claimed the address: the lock is of the person."""
    outcome = {}
    for is_disabled in (False, True):
        login = name()
        claimed = auth(own, "password/signup", {"loginId": login, "password": PASSWORD, "user": {"email": login}})
        assert claimed.status_code == 200, claimed.text
        resource = harbour.make(login, displayName=f"Shell {login}")
        made = shell(key, "harbour", f"Shell {login}")
        assert made["loginIds"] == []
        if is_disabled:
            key.done("user/update/status", {"userId": made["userId"], "status": "disabled"})
        assert tenants(own, login) == []
        assert harbour.patch(resource, displayName="As every night").status_code == 200
        outcome[is_disabled] = tenants(own, login)
    assert outcome == {False: ["harbour"], True: []}


def test_a_disabled_user_does_not_come_back_when_the_domain_is_proven(own, key, other):
    """The accounts of the directory and of the people are joined then; not those of whom an operator disabled."""
    outcome, logins = {}, {False: name("late"), True: name("late")}
    for is_disabled, login in logins.items():
        other.make(login, displayName=f"Shell {login}")
        if is_disabled:
            key.done("user/update/status", {
                "userId": shell(key, "other", f"Shell {login}")["userId"], "status": "disabled"})
        assert by_mail(own, login, "signup").status_code == 200
    command(own, "tenant", "domain", "add", "late.example", "--tenant", "other", "--trust")
    outcome = {is_disabled: tenants(own, login) for is_disabled, login in logins.items()}
    assert outcome == {False: ["other"], True: []}


@pytest.mark.parametrize("change", [{"displayName": "As every night"}, {"title": "Cook"}])
def test_who_was_removed_while_disabled_is_not_active_by_another_change(own, key, harbour, change):
    """The resource of the removed user stays, inactive, until the directory says that the person is active."""
    login = name()
    resource = harbour.make(login)
    key.done("user/update/status", {"loginId": login, "status": "disabled"})
    assert harbour.send("DELETE", f"/Users/{resource}").status_code == 204
    assert harbour.send("POST", "/Users", {"userName": login}).status_code == 409, "the name is kept"
    shown = harbour.send("GET", f"/Users/{resource}").json()["active"]
    assert harbour.patch(resource, **change).status_code == 200
    key.done("user/update/status", {"loginId": login, "status": "enabled"})
    assert (shown, tenants(own, login)) == (False, [])


def deactivated(own, key: Management, harbour: Directory) -> tuple[str, str]:
    """Somebody with an account of their own, whom the directory has deactivated."""
    login = name()
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    resource = harbour.make(login)
    assert tenants(own, login) == ["harbour"]
    assert harbour.patch(resource, active=False).status_code == 200
    assert tenants(own, login) == []
    return login, resource


@pytest.mark.parametrize("arguments", [
    lambda own, login: ["user", "assign", login, "--tenant", "harbour"],
    lambda own, login: ["user", "import", file(own, {
        "login_ids": [login], "email": login, "email_verified": True, "tenants": [{"id": "harbour"}]}),
        "--on-conflict", "update"],
], ids=["assign", "import"])
def test_no_command_brings_back_whom_the_directory_deactivated(own, key, harbour, arguments):
    """Neither by the machine: the membership is the directory's to say."""
    login, resource = deactivated(own, key, harbour)
    done = subprocess.run(
        [binary(), *arguments(own, login), "--config", own.config, "--database",
         f"sqlite:{own.folder / 'keyturn.db'}"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert tenants(own, login) == []
    assert harbour.patch(resource, active=True).status_code == 200
    assert tenants(own, login) == ["harbour"]


def test_a_bound_key_ends_with_what_the_directory_says(own, key, harbour):
    """Of a member who is deactivated it has the tenant no longer; of an account that the directory holds, nothing."""
    login, resource = name(), None
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    held = name()
    resources = {each: harbour.make(each) for each in (login, held)}
    made = {each: key.done("accesskey/create", {
        "name": each, "userId": key.user(each)["userId"]})["cleartext"] for each in (login, held)}
    exchange = lambda each: auth(own, "accesskey/exchange", {}, made[each])
    for each in (login, held):
        assert list(payload_of(exchange(each).json()["sessionJwt"])["tenants"]) == ["harbour"]
        assert harbour.patch(resources[each], active=False).status_code == 200
    assert not payload_of(exchange(login).json()["sessionJwt"]).get("tenants")
    assert exchange(held).status_code == 401
