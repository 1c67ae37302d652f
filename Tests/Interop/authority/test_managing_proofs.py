"""A program, a command or an import says that an address is verified which a stranger's account never named."""

from __future__ import annotations

import json
from itertools import count

import pytest

from support.operators import KEY, PASSWORD, PROJECT, Management, auth, command, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("proofs"), project={
        "id": PROJECT, "name": "Harbour", "management_keys": [KEY], "usernames": True})
    yield server
    assert server.stop() == 0


class Squatter:
    """Somebody who signed up with a colleague's address and a password, and proved nothing."""

    def __init__(self, own):
        number = next(numbers)
        self.own, self.address = own, f"colleague{number}@corp.example"
        self.phone, self.later = f"+4915112345{number:03}", f"married{number}@corp.example"
        made = auth(own, "password/signup", {
            "loginId": self.address, "password": PASSWORD, "user": {"email": self.address}})
        assert made.status_code == 200, made.text
        self.user = made.json()["user"]["userId"]
        assert self.enters() == [self.address]

    def enters(self) -> list[str]:
        """By which names the squatter's password opens the account."""
        return [login for login in (self.address, self.phone, self.later) if auth(
            self.own, "password/signin", {"loginId": login, "password": PASSWORD}).status_code == 200]


def found(key: Management, user: str) -> dict:
    return key.get(f"user?userId={user}").json()["user"]


def imported(own, row: dict) -> None:
    file = own.folder / f"rows{next(numbers)}.jsonl"
    file.write_text(json.dumps(row) + "\n")
    command(own, "user", "import", str(file), "--on-conflict", "update")


def row(squatter: Squatter) -> dict:
    return {"sub": squatter.user, "login_ids": [squatter.address], "email": squatter.address,
            "phone_number": squatter.phone}


PROVING = {
    "calls": [
        lambda own, key, s: key.done("user/update/phone", {"loginId": s.address, "phone": s.phone, "verified": True}),
        lambda own, key, s: key.done("user/update/email", {"loginId": s.address, "email": s.address, "verified": True}),
    ],
    "patches": [
        lambda own, key, s: key.send("PATCH", "/v1/mgmt/user/patch", {
            "loginId": s.address, "phone": s.phone, "verifiedPhone": True}).raise_for_status(),
        lambda own, key, s: key.send("PATCH", "/v1/mgmt/user/patch", {
            "loginId": s.address, "verifiedEmail": True}).raise_for_status(),
    ],
    "commands": [
        lambda own, key, s: command(own, "user", "add-login-id", s.address, s.phone, "--verified"),
        lambda own, key, s: command(own, "user", "add-login-id", s.address, s.address, "--verified"),
    ],
    "rows": [
        lambda own, key, s: imported(own, row(s) | {"phone_number_verified": True}),
        lambda own, key, s: imported(own, row(s) | {"phone_number_verified": True, "email_verified": True}),
    ],
}


@pytest.mark.parametrize("way", PROVING)
def test_nothing_of_a_stranger_stays_when_a_telephone_is_called_verified_before_the_address(own, key, way):
    """The order of two words about one person: the second one alone would have put the stranger out."""
    squatter = Squatter(own)
    for step in PROVING[way]:
        step(own, key, squatter)
    known = found(key, squatter.user)
    assert (known["verifiedEmail"] or way == "commands") and squatter.address in known["loginIds"], "the control"
    assert squatter.enters() == [], f"the stranger is in the account of {squatter.address}"


@pytest.mark.parametrize("way", ["calls", "patches", "commands"])
def test_the_address_alone_puts_the_stranger_out(own, key, way):
    """The control."""
    squatter = Squatter(own)
    PROVING[way][1](own, key, squatter)
    assert found(key, squatter.user)["verifiedEmail"] is True, "it is proved now"
    assert squatter.enters() == []


def test_such_a_stranger_becomes_no_owner_by_a_telephone_and_an_address(own, key):
    squatter = Squatter(own)
    refused = key.post("operator/update", {"userId": squatter.user, "role": "owner"})
    assert refused.status_code == 400, "the control: nothing is proved"
    for step in PROVING["calls"]:
        step(own, key, squatter)
    given = key.post("operator/update", {"userId": squatter.user, "role": "owner"})
    entering = squatter.enters()
    key.post("operator/update", {"userId": squatter.user, "role": ""})
    assert given.status_code == 400 or not entering, "a stranger's password opens an owner's account"


def test_nothing_of_a_stranger_stays_when_another_address_takes_the_place_of_the_claimed_one(own, key):
    """A program moves the user on to a new address, and says that it is verified."""
    squatter = Squatter(own)
    key.done("user/update/email", {"loginId": squatter.address, "email": squatter.later, "verified": True})
    after = found(key, squatter.user)
    assert (after["email"], after["verifiedEmail"]) == (squatter.later, True), after
    assert squatter.enters() == [], f"the stranger is in an account with the verified address {squatter.later}"


def test_whoever_has_proved_an_address_keeps_the_password(own, key):
    """The control: who proved an address is nobody's stranger."""
    login, phone = f"honest{next(numbers)}@home.example", f"+4915112349{next(numbers):03}"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("user/update/phone", {"loginId": login, "phone": phone, "verified": True})
    assert auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).status_code == 200
