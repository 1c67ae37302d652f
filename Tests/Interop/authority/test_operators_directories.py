"""A tenant's directory and what an operator decided about its users, in another order or another spelling."""

from __future__ import annotations

import subprocess
from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, auth, command, serve
from support.server import binary

numbers = count(1)
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"


class Surely(Directory):
    """Whose changes are taken."""

    def patch(self, user: str, *operations: dict) -> None:
        changed = super().patch(user, *operations)
        assert changed.status_code == 200, changed.text

    def set(self, user: str, **values) -> None:
        self.patch(user, *({"op": "replace", "path": path, "value": value} for path, value in values.items()))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven a domain, `other` has not."""
    server = serve(tmp_path_factory.mktemp("directories"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Surely:
    return Surely(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


@pytest.fixture(scope="module")
def other(own, key) -> Surely:
    return Surely(own, key.done("scim/token/create", {"tenantId": "other"})["cleartext"])


def name() -> str:
    return f"user{next(numbers)}@harbour.example"


def members(key: Management, tenant: str) -> list[dict]:
    return key.send("POST", "/v2/mgmt/user/search", {"tenantIds": [tenant]}).json()["users"]


def enters_by_mail(own, login: str) -> bool:
    """Whether a code that is sent to the address opens a session."""
    if auth(own, "otp/signin/email", {"loginId": login}).status_code != 200:
        return False
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    codes = [each["code"] for each in sent if each["to"] == login and each.get("code")]
    return bool(codes) and auth(own, "otp/verify/email", {"loginId": login, "code": codes[-1]}).status_code == 200


MOVES = {
    "userName": lambda d, user, to: Directory.patch(d, user, userName=to),
    "emails": lambda d, user, to: Directory.patch(d, user, emails=[{"value": to, "primary": True}]),
    "PUT": lambda d, user, to: d.send("PUT", f"/Users/{user}", {"userName": to, "active": True}),
    "bulk": lambda d, user, to: d.send("POST", "/Bulk", {"Operations": [
        {"method": "PATCH", "path": f"/Users/{user}", "data": {"Operations": [
            {"op": "replace", "path": "userName", "value": to}]}}]}),
}


@pytest.mark.parametrize("way", MOVES)
def test_the_directory_gives_no_disabled_users_address_to_a_new_account(own, key, harbour, way):
    """Whom an operator disabled does not come back under the same address, because it was moved away first."""
    login, free = name(), name()
    user, control = harbour.make(login), harbour.make(free)
    assert enters_by_mail(own, login)
    key.done("user/update/status", {"loginId": login, "status": "disabled"})
    assert not enters_by_mail(own, login), "disabled is disabled"
    for each, former in [(control, free), (user, login)]:
        MOVES[way](harbour, each, f"moved-{former}")
        harbour.send("POST", "/Users", {"userName": former if way != "emails" else f"new-{former}",
                                        "emails": [{"value": former, "primary": True}]})
    assert enters_by_mail(own, free), "an address of a user who may sign in moves"
    assert not enters_by_mail(own, login), "the disabled person is in again, by the same mailbox"


@pytest.mark.parametrize("status", ["expired", "disabled"])
@pytest.mark.parametrize("steps", [(False, True), (True, False, True)])
def test_the_directory_ends_no_lock_of_an_operators(own, key, harbour, status, steps):
    """An account that expired waits for an operator, as a disabled one does."""
    login = name()
    user = harbour.make(login)
    key.done("user/update/status", {"loginId": login, "status": status})
    for step in steps:
        harbour.set(user, active=step)
    assert key.user(login)["status"] != "enabled" and not enters_by_mail(own, login), key.user(login)["status"]
    control = name()
    user = harbour.make(control)
    for step in steps:
        harbour.set(user, active=step)
    assert key.user(control)["status"] == "enabled" and enters_by_mail(own, control)


def test_an_expired_user_does_not_come_back_by_being_removed(key, harbour):
    login = name()
    user = harbour.make(login, externalId=login)
    key.done("user/update/status", {"loginId": login, "status": "expired"})
    harbour.set(user, active=False)
    assert harbour.send("DELETE", f"/Users/{user}").status_code == 204
    again = harbour.send("POST", "/Users", {"userName": login, "externalId": login})
    assert (again.status_code, again.json()["scimType"]) == (409, "uniqueness"), "the name is kept"
    assert key.user(login)["status"] != "enabled"


ENABLING = {
    "a text": lambda d, user: d.set(user, active="True"),
    "the whole name": lambda d, user: d.set(user, **{f"{USER}:active": True}),
    "no path": lambda d, user: d.patch(user, {"op": "Replace", "value": {"active": True}}),
    "added": lambda d, user: d.patch(user, {"op": "add", "path": "active", "value": True}),
    "removed": lambda d, user: d.patch(user, {"op": "remove", "path": "active"}, {
        "op": "add", "path": "active", "value": True}),
    "PUT": lambda d, user: d.send("PUT", f"/Users/{user}", {
        "userName": d.send("GET", f"/Users/{user}").json()["userName"], "active": True}),
    "bulk": lambda d, user: d.send("POST", "/Bulk", {"Operations": [
        {"method": "PATCH", "path": f"/Users/{user}", "data": {"Operations": [
            {"op": "replace", "path": "active", "value": True}]}}]}),
}


@pytest.mark.parametrize("way", ENABLING)
def test_no_spelling_of_active_enables_whom_an_operator_disabled(key, harbour, way):
    accounts = {}
    for is_disabled in (True, False):
        login = name()
        user = harbour.make(login)
        account = key.user(login)["userId"]
        if is_disabled:
            key.done("user/update/status", {"loginId": login, "status": "disabled"})
        harbour.set(user, active=False)
        ENABLING[way](harbour, user)
        assert harbour.send("GET", f"/Users/{user}").json()["active"] is True, "the directory said so"
        accounts[is_disabled] = key.get(f"user?userId={account}").json()["user"]["status"]
    assert accounts == {True: "disabled", False: "enabled"}


def test_a_disabled_user_without_a_login_id_does_not_come_back_by_being_removed_first(key, other):
    """The tenant has proven no domain; the name and the identifier of the directory are the same as before."""
    made = {"userName": "contact", "externalId": "c-1", "emails": [{"value": "contact@other.example"}]}
    user = other.send("POST", "/Users", made).json()["id"]
    account = members(key, "other")[0]["userId"]
    key.done("user/update/status", {"userId": account, "status": "disabled"})
    assert other.send("DELETE", f"/Users/{user}").status_code == 204
    assert key.get(f"user?userId={account}").json()["user"]["status"] == "disabled"
    assert other.send("POST", "/Users", made).status_code == 409, "the name is kept"
    enabled = [each for each in members(key, "other") if each["status"] == "enabled"]
    assert not enabled, "another account of the same person, which nobody disabled"


def test_a_group_gives_its_role_to_nobody_who_is_in_none(own, key, harbour):
    """However the membership ends, and under whatever name the user or the group comes back."""
    key.done("role/create", {"name": "keeper", "tenantId": "harbour"})
    logins = [name() for _ in range(4)]
    users = [harbour.make(login) for login in logins]
    body = {"displayName": "Keepers", "members": [{"value": user} for user in users]}
    group = harbour.send("POST", "/Groups", body).json()["id"]
    command(own, "scim", "group", "map", "Keepers", "--role", "keeper", "--tenant", "harbour")
    roles = lambda login: [each["roleNames"] for each in key.user(login)["userTenants"]]
    assert [roles(login) for login in logins] == [[["keeper"]]] * 4
    harbour.send("PATCH", f"/Groups/{group}", {"Operations": [
        {"op": "remove", "path": f'members[value eq "{users[0]}"]'}]})
    assert harbour.send("DELETE", f"/Users/{users[1]}").status_code == 204
    harbour.make(logins[1])
    harbour.set(users[2], active=False)
    harbour.send("PATCH", f"/Groups/{group}", {"Operations": [
        {"op": "remove", "path": "members", "value": [{"value": users[2]}]}]})
    harbour.set(users[2], active=True)
    assert [roles(login) for login in logins] == [[[]], [[]], [[]], [["keeper"]]]
    assert harbour.send("DELETE", f"/Groups/{group}").status_code == 204
    assert roles(logins[3]) == [[]]
    assert harbour.send("POST", "/Groups", body | {"members": [{"value": users[3]}]}).status_code == 201
    assert roles(logins[3]) == [[]], "a group of the old name is another group"


def test_a_role_of_another_tenant_is_no_groups(own, key, harbour):
    key.done("role/create", {"name": "foreign", "tenantId": "other"})
    key.done("role/create", {"name": "projects"})
    harbour.send("POST", "/Groups", {"displayName": "Wishes"})
    for role in ("foreign", "projects"):
        done = subprocess.run(
            [binary(), "scim", "group", "map", "Wishes", "--role", role, "--tenant", "harbour",
             "--config", own.config, "--database", f"sqlite:{own.folder / 'keyturn.db'}"],
            capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode != 0 and "has no role" in done.stderr, done.stderr
    key.done("role/create", {"name": "harbours", "tenantId": "harbour"})
    command(own, "scim", "group", "map", "Wishes", "--role", "harbours", "--tenant", "harbour")


def test_a_user_of_two_tenants_is_neither_directorys(own, key, harbour):
    """What was the first one's own is not any more, from the moment that another tenant has the user too."""
    login = name()
    user = harbour.make(login)
    key.done("user/update/tenant/add", {"loginId": login, "tenantId": "other"})
    before = key.user(login)
    harbour.set(user, userName=name(), displayName="Theirs")
    harbour.set(user, active=False)
    harbour.send("DELETE", f"/Users/{user}")
    after = key.user(login)
    assert [after[each] for each in ("userId", "loginIds", "name", "status", "email")] == [
        before[each] for each in ("userId", "loginIds", "name", "status", "email")]
    assert [each["tenantId"] for each in after["userTenants"]] == ["other"] and enters_by_mail(own, login)


def test_an_owner_whom_a_directory_takes_in_leaves_it_as_she_was(own, key, harbour):
    login = name()
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("operator/update", {"loginId": login, "role": "owner"})
    refresh = auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).json()["refreshJwt"]
    before = key.user(login)
    batch = harbour.send("POST", "/Bulk", {"Operations": [
        {"method": "POST", "path": "/Users", "bulkId": "o", "data": {"userName": login, "displayName": "Theirs"}},
        {"method": "PATCH", "path": "/Users/bulkId:o", "data": {"Operations": [
            {"op": "replace", "value": {"active": False, "userName": "theirs", "displayName": "Theirs"}}]}},
        {"method": "DELETE", "path": "/Users/bulkId:o"}]})
    assert [each["status"] for each in batch.json()["Operations"]] == ["201", "200", "204"], batch.text
    assert key.user(login) == before
    assert auth(own, "refresh", bearer=refresh).status_code == 200
    roles = {each["loginIds"][0]: each["role"] for each in key.get("operator/all").json()["operators"]}
    assert roles[login] == "owner"


def proves_an_address_of_her_own(own, key: Management, account: str, login: str, private: str) -> None:
    """By a code, in a session of her own; a password opens it."""
    key.done("user/password/set/active", {"loginId": login, "password": PASSWORD})
    session = auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).json()["refreshJwt"]
    added = auth(own, "otp/update/email", {"loginId": login, "email": private, "addToLoginIDs": True}, session)
    assert added.status_code == 200, added.text
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == private and each.get("code")][-1]
    proved = auth(own, "otp/verify/email", {"loginId": login, "code": code}, session)
    assert proved.status_code == 200, proved.text
    assert private in key.get(f"user?userId={account}").json()["user"]["loginIds"]


@pytest.mark.parametrize("change", [{"displayName": "Renamed"}, {"active": False}, {"userName": "other name"}])
def test_a_directory_takes_no_address_elsewhere_that_its_user_proved(own, key, harbour, change):
    """The login ID of the organisation follows the directory, as it follows a provider; others are the user's own."""
    login, private = name(), f"private{next(numbers)}@example.com"
    user = harbour.make(login)
    account = key.user(login)["userId"]
    proves_an_address_of_her_own(own, key, account, login, private)
    harbour.set(user, **change)
    after = key.get(f"user?userId={account}").json()["user"]
    assert private in after["loginIds"], f"{after['loginIds']}, {after['email']}"
    assert enters_by_mail(own, private)


def test_a_directory_removes_no_account_that_its_user_enters_by_an_address_of_her_own(own, key, harbour, other):
    """With the domain proven it does not: neither it does without."""
    kept = {}
    for directory, login in [(harbour, name()), (other, "nobody")]:
        private = f"private{next(numbers)}@example.com"
        user = directory.make(login, displayName=f"Hers {private}")
        account = next(each["userId"] for each in members(key, "harbour" if directory is harbour else "other")
                       if each["name"] == f"Hers {private}")
        added = key.post("user/update", {"userId": account, "additionalLoginIds": [private], "displayName": "Hers",
                                         "loginId": login if directory is harbour else private})
        assert enters_by_mail(own, private), added.text
        assert directory.send("DELETE", f"/Users/{user}").status_code == 204
        kept[login] = enters_by_mail(own, private)
    assert all(kept.values()), kept
