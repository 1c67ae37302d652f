"""Whom an operator disabled stays out, by whichever of several names directory and provider know the person."""

from __future__ import annotations

from itertools import count

import pytest

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, Management, serve
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
        tmp_path_factory.mktemp("names"), clients=[ADMIN, APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


class Person:
    """Somebody of the organisation, who has not been here yet. The provider says all of the person's names."""

    def __init__(self, own, told: ToldProvider):
        number = next(numbers)
        self.own, self.told = own, told
        self.subject, self.name = f"s-{number}", f"person-{number}"
        self.address, self.work = f"{self.name}@harbour.example", f"work-{number}@harbour.example"

    def is_in(self) -> bool:
        """Whether a sign-in at the tenant's provider opens a session."""
        self.told.token = {
            "sub": self.subject, "preferred_username": self.name, "email": self.address, "email_verified": True}
        self.told.userinfo = {"sub": self.subject}
        visitor = Visitor(self.own.base)
        departure = visitor.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
            "connection": "corp"})
        assert isinstance(departure, Callback) and departure.uri.startswith(self.told.issuer), departure
        arrived = visitor.follow(visitor.get(departure.url))
        return isinstance(arrived, Callback) and arrived.get("code") is not None


def both(person: Person) -> list[dict]:
    return [{"value": person.work, "primary": True}, {"value": person.address}]


# What the directory has of the person, and what it says after an operator disabled the user.
KNOWN = {
    "the user name": lambda p: {"userName": p.name},
    "a second address": lambda p: {"userName": f"x-{p.name}", "emails": both(p)},
}
AFTERWARDS = {
    "nothing": lambda d, p, user: None,
    "another resource by the externalId": lambda d, p, user: d.send("POST", "/Users", {
        "userName": f"y-{p.name}", "externalId": p.subject}),
    "another resource by the user name": lambda d, p, user: d.send("POST", "/Users", {"userName": p.name}),
    "another resource by the address": lambda d, p, user: d.send("POST", "/Users", {"userName": p.address}),
    "without the second address": lambda d, p, user: d.patch(user, emails=both(p)[:1]),
}


@pytest.mark.parametrize("known", KNOWN)
def test_who_is_not_disabled_is_in(own, told, harbour, known):
    """The control."""
    person = Person(own, told)
    harbour.send("POST", "/Users", KNOWN[known](person)).raise_for_status()
    assert person.is_in()


@pytest.mark.parametrize("afterwards", AFTERWARDS)
@pytest.mark.parametrize("known", KNOWN)
def test_a_disabled_user_does_not_come_back_by_another_name_of_the_person(own, told, key, harbour, known, afterwards):
    person = Person(own, told)
    made = harbour.send("POST", "/Users", KNOWN[known](person) | {"displayName": person.name})
    assert made.status_code == 201, made.text
    users = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]}).json()["users"]
    user = next(each["userId"] for each in users if each["name"] == person.name)
    key.done("user/update/status", {"userId": user, "status": "disabled"})
    AFTERWARDS[afterwards](harbour, person, made.json()["id"])
    assert not person.is_in(), "a person whom an operator disabled is in, with another account"
