"""A directory gives no address to an account of its making whose user is of the tenant no more."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, auth, command, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("former"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def directory(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return next((each["code"] for each in reversed(sent) if each["to"] == to and each.get("code")), "000000")


def by_mail(own, login: str) -> requests.Response:
    """What a code answers that is sent to the address."""
    begun = auth(own, "otp/signin/email", {"loginId": login})
    return auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)}) if begun.ok else begun


class Person:
    """Whom the directory made, and who has made the account one's own: with a mailbox and a password."""

    def __init__(self, own, directory: Directory):
        number = next(numbers)
        self.own = own
        self.given, self.mailbox = f"person{number}@harbour.example", f"person{number}@private.example"
        self.resource = directory.make(self.given)
        session = by_mail(own, self.given).json()["refreshJwt"]
        begun = auth(own, "otp/update/email", {
            "loginId": self.given, "email": self.mailbox, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
        assert begun.status_code == 200, begun.text
        done = auth(own, "otp/verify/email", {
            "loginId": self.given, "code": code(own, self.mailbox)}, session)
        assert done.status_code == 200, done.text
        done = auth(own, "password/update", {"loginId": self.mailbox, "newPassword": PASSWORD}, session)
        assert done.status_code == 200, done.text
        self.id = done.json().get("user", {}).get("userId") or Management(own).user(self.mailbox)["userId"]

    def enters(self) -> bool:
        return auth(self.own, "password/signin", {"loginId": self.mailbox, "password": PASSWORD}).status_code == 200

    def names(self) -> list[str]:
        return sorted(Management(self.own).get(f"user?userId={self.id}").json()["user"]["loginIds"])


@pytest.fixture
def person(own, directory) -> Person:
    return Person(own, directory)


def leave_by_directory(directory: Directory, key: Management, person: Person) -> None:
    assert directory.patch(person.resource, active=False).status_code == 200


def leave_by_operator(directory: Directory, key: Management, person: Person) -> None:
    key.done("user/update/tenant/remove", {"loginId": person.mailbox, "tenantId": "harbour"})


LEAVING = {"deactivated": leave_by_directory, "taken out by a program": leave_by_operator}


def spies(own, directory: Directory, person: Person) -> bool:
    """Whether a mailbox of the organisation's opens the account, once the directory names it."""
    spy = f"spy{next(numbers)}@harbour.example"
    told = directory.patch(person.resource, emails=[{"value": spy, "primary": True}])
    assert told.status_code in (200, 403), told.text
    answer = by_mail(own, spy)
    return answer.status_code == 200 and answer.json()["user"]["userId"] == person.id


@pytest.mark.parametrize("way", LEAVING)
def test_who_is_of_the_tenant_no_more_is_in(own, key, directory, person, way):
    """The control: the account is the person's own."""
    LEAVING[way](directory, key, person)
    assert person.enters() and not key.user(person.mailbox)["userTenants"]


@pytest.mark.parametrize("way", LEAVING)
def test_the_directory_opens_no_account_of_a_former_member(own, key, directory, person, way):
    """The person takes the organisation's address out of the account, and the directory names another one."""
    LEAVING[way](directory, key, person)
    key.done("user/update/loginid", {"loginId": person.given})
    assert person.names() == [person.mailbox]
    assert not spies(own, directory, person), "the former organisation is the person"
    assert person.names() == [person.mailbox]


def test_nor_of_one_whom_it_takes_in_again(own, key, directory, person):
    """Who has made the account one's own keeps it so: the directory gave an address once, and it is gone."""
    leave_by_directory(directory, key, person)
    key.done("user/update/loginid", {"loginId": person.given})
    assert directory.patch(person.resource, active=True).status_code == 200
    assert not spies(own, directory, person), "the organisation is the person"


@pytest.mark.parametrize("way", LEAVING)
def test_nor_ends_it_what_the_person_opened_since(own, key, directory, person, way):
    LEAVING[way](directory, key, person)
    opened = auth(own, "password/signin", {"loginId": person.mailbox, "password": PASSWORD}).json()["refreshJwt"]
    assert auth(own, "refresh", bearer=opened).status_code == 200, "the control"
    assert directory.send("DELETE", f"/Users/{person.resource}").status_code == 204
    assert auth(own, "refresh", bearer=opened).status_code == 200


@pytest.mark.parametrize("way", LEAVING)
def test_nor_does_it_say_the_persons_name(own, key, directory, person, way):
    LEAVING[way](directory, key, person)
    assert directory.patch(person.resource, displayName="Thief").status_code == 200
    assert key.user(person.mailbox)["name"] != "Thief"
