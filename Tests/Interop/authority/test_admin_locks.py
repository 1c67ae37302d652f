"""Whom an operator disabled, or a directory deactivated, stays out: also under other names, and without the domain."""

from __future__ import annotations

from itertools import count
from urllib.parse import quote

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, Management, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post",
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("locks"), clients=[ADMIN, APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


def found(key: Management, shown: str) -> list[dict]:
    users = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]}).json()["users"]
    return [each for each in users if each["name"] == shown]


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


def by_mail(own, login: str) -> requests.Response:
    begun = auth(own, "otp/signin/email", {"loginId": login})
    return auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)}) if begun.ok else begun


class Person:
    """Somebody whom the directory made, and who has not been here yet."""

    def __init__(self, own, told: ToldProvider, key: Management, harbour: Directory, has_address: bool):
        number = next(numbers)
        self.own, self.told, self.key, self.harbour = own, told, key, harbour
        self.address, self.subject = f"person{number}@harbour.example", f"s-{number}"
        self.name, self.shown = self.address if has_address else f"person-{number}", f"Person {number}"
        self.resource = harbour.make(self.name, externalId=self.subject, displayName=self.shown)
        self.user = found(key, self.shown)[0]["userId"]

    def is_in(self, says_address: bool = True) -> bool:
        """Whether a sign-in at the tenant's provider opens a session."""
        self.told.token = {"sub": self.subject}
        if says_address:
            self.told.token |= {"email": self.address, "email_verified": True}
        self.told.userinfo = {"sub": self.subject}
        visitor = Visitor(self.own.base)
        departure = visitor.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
            "connection": "corp"})
        assert isinstance(departure, Callback) and departure.uri.startswith(self.told.issuer), departure
        arrived = visitor.follow(visitor.get(departure.url))
        return isinstance(arrived, Callback) and arrived.get("code") is not None

    def disable(self) -> None:
        self.key.done("user/update/status", {"userId": self.user, "status": "disabled"})

    def rename(self, way: str) -> None:
        names = {"userName": f"gone-{self.resource}", "externalId": f"gone-{self.subject}"}
        if way == "PATCH":
            self.harbour.patch(self.resource, **names)
        elif way == "PUT":
            self.harbour.send("PUT", f"/Users/{self.resource}", names | {"displayName": self.shown})
        else:
            self.harbour.send("POST", "/Bulk", {"Operations": [{
                "method": "PATCH", "path": f"/Users/{self.resource}",
                "data": {"Operations": [{"op": "replace", "value": names}]}}]})

    def make_again(self, name: str) -> None:
        self.harbour.send("POST", "/Users", {"userName": name, "externalId": self.subject, "displayName": self.shown})


@pytest.fixture
def made(own, told, key, harbour):
    return lambda has_address: Person(own, told, key, harbour, has_address)


@pytest.mark.parametrize("has_address", [True, False])
def test_who_is_not_disabled_is_in(made, has_address):
    """The control."""
    assert made(has_address).is_in()


@pytest.mark.parametrize("has_address", [True, False])
def test_a_disabled_user_does_not_come_back_as_another_resource_of_the_same_names(made, has_address):
    person = made(has_address)
    person.disable()
    person.make_again(person.name)
    assert not person.is_in()
    person.harbour.send("DELETE", f"/Users/{person.resource}")
    person.make_again(person.name)
    assert not person.is_in(), "the resource stays, and its names are taken"


@pytest.mark.parametrize("is_removed", [False, True])
@pytest.mark.parametrize("way", ["PATCH", "PUT", "Bulk"])
def test_a_disabled_user_does_not_come_back_after_the_resource_has_other_names(made, way, is_removed):
    """The directory gives the resource other names, and makes one with those that are free now."""
    person = made(False)
    person.disable()
    if is_removed:
        person.harbour.send("DELETE", f"/Users/{person.resource}")
    person.rename(way)
    person.make_again(person.name)
    assert not person.is_in(), "the directory undoes what an operator did"


@pytest.mark.parametrize("says_address", [True, False])
def test_a_disabled_user_with_a_login_id_does_not_come_back_by_the_providers_identifier(made, says_address):
    """The new resource names no address; the provider says the one of the disabled account, or none."""
    person = made(True)
    person.disable()
    person.rename("PATCH")
    person.make_again(f"plain-{person.subject}")
    assert not person.is_in(says_address), "a disabled person is in, with another account"


ENDS = {
    "deactivated": lambda d, user: d.patch(user, active=False),
    "removed": lambda d, user: d.send("DELETE", f"/Users/{user}"),
}


def test_a_group_that_comes_back_under_its_name_gives_no_role(own, key, harbour):
    key.done("role/create", {"name": "keeper", "tenantId": "harbour"})
    login, roles = f"k{next(numbers)}@harbour.example", lambda: key.user(login)["userTenants"][0]["roleNames"]
    user = harbour.make(login)
    body = {"displayName": "Keepers", "members": [{"value": user}]}
    group = harbour.send("POST", "/Groups", body).json()["id"]
    command(own, "scim", "group", "map", "Keepers", "--role", "keeper", "--tenant", "harbour")
    assert roles() == ["keeper"]
    assert harbour.send("DELETE", f"/Groups/{group}").status_code == 204
    assert roles() == []
    assert harbour.send("POST", "/Groups", body).status_code == 201
    assert roles() == []
