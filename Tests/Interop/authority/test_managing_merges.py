"""A person whom a directory has twice, and whose accounts become one: each role has a source, or ends."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import Management, auth, command, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven a domain, and a group of its directory leads to a role."""
    server = serve(tmp_path_factory.mktemp("merges"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


@pytest.fixture(scope="module")
def keepers(own, key, harbour) -> str:
    """The group, whose members have the role `keeper`."""
    key.done("role/create", {"name": "keeper", "tenantId": "harbour"})
    group = harbour.send("POST", "/Groups", {"displayName": "Keepers"}).json()["id"]
    command(own, "scim", "group", "map", "Keepers", "--role", "keeper", "--tenant", "harbour")
    return group


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


def session(own, login: str) -> str:
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    answer = auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)})
    assert answer.status_code == 200, answer.text
    return answer.json()["refreshJwt"]


def by_user(own, key: Management, kept: str, other: str) -> None:
    """The user proves the address of the second account in a session of the first one."""
    shown = session(own, kept)
    begun = auth(own, "otp/update/email", {"loginId": kept, "email": other, "addToLoginIDs": True}, shown)
    assert begun.status_code == 200, begun.text
    done = auth(own, "otp/verify/email", {"loginId": kept, "code": code(own, other)}, shown)
    assert done.status_code == 200, done.text


def by_program(own, key: Management, kept: str, other: str) -> None:
    key.done("user/merge", {"loginId": kept, "otherLoginId": other})


def roles(key: Management, login: str) -> list[str]:
    return [role for each in key.user(login)["userTenants"] for role in each["roleNames"]]


class Twice:
    """An ordinary account and one in the group, of one person."""

    def __init__(self, key: Management, harbour: Directory, keepers: str, *, is_known: bool):
        number = next(numbers)
        self.plain, self.keeper = f"ann{number}@harbour.example", f"ann{number}-admin@harbour.example"
        self.harbour, self.keepers = harbour, keepers
        if is_known:
            harbour.make(self.plain)
        else:
            key.done("user/create", {"loginId": self.plain, "email": self.plain, "verifiedEmail": True})
        self.resource = harbour.make(self.keeper)
        self.send("add", "members", [{"value": self.resource}])
        assert roles(key, self.keeper) == ["keeper"]

    def send(self, op: str, path: str, value: object = None) -> None:
        operation = {"op": op, "path": path} | ({} if value is None else {"value": value})
        self.harbour.send("PATCH", f"/Groups/{self.keepers}", {"Operations": [operation]})

    def ends(self, way: str) -> None:
        """The organisation takes the person's second account out of the group, or away."""
        if way == "the group":
            self.send("remove", f'members[value eq "{self.resource}"]')
        else:
            self.harbour.send("DELETE", f"/Users/{self.resource}")


MERGING = {"the user": by_user, "a program": by_program}


@pytest.mark.parametrize("way", ["the group", "the user"])
@pytest.mark.parametrize("merging", MERGING)
@pytest.mark.parametrize("is_known", [False, True])
def test_a_role_of_a_group_ends_with_the_group_after_a_merge(own, key, harbour, keepers, merging, way, is_known):
    """Whether the directory has the account that stays, too."""
    ann = Twice(key, harbour, keepers, is_known=is_known)
    MERGING[merging](own, key, ann.plain, ann.keeper)
    assert ann.keeper in key.user(ann.plain)["loginIds"], "the control: one account"
    ann.ends(way)
    assert roles(key, ann.plain) == [], "a role that no group gives any more"


@pytest.mark.parametrize("way", ["the group", "the user"])
def test_a_role_of_a_group_ends_with_the_group(own, key, harbour, keepers, way):
    """The control: without a merge."""
    ann = Twice(key, harbour, keepers, is_known=True)
    account = key.user(ann.keeper)["userId"]
    ann.ends(way)
    answer = key.get(f"user?userId={account}")
    assert answer.status_code != 200 or roles(key, ann.keeper) == []


@pytest.mark.parametrize("merging", MERGING)
def test_who_was_deactivated_does_not_come_back_by_a_second_account(own, key, harbour, merging):
    """The directory deactivated the account that stays; the other one, which goes into it, is active."""
    bob = f"bob{next(numbers)}"
    plain, other, private = f"{bob}@harbour.example", f"{bob}-2@harbour.example", f"{bob}@home.example"
    user = harbour.make(plain)
    harbour.make(other)
    shown = session(own, plain)
    auth(own, "otp/update/email", {"loginId": plain, "email": private, "addToLoginIDs": True}, shown)
    assert auth(own, "otp/verify/email", {"loginId": plain, "code": code(own, private)}, shown).status_code == 200
    assert harbour.patch(user, active=False).status_code == 200
    assert (key.user(private)["status"], key.user(private)["userTenants"]) == ("enabled", [])
    MERGING[merging](own, key, private, other)
    assert other in key.user(private)["loginIds"], "the control: one account"
    assert key.user(private)["userTenants"] == [], "the organisation deactivated the person"
