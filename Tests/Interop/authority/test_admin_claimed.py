"""A program calls an address of a stranger's account verified: in one call with other changes, and in vain."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import KEY, PASSWORD, PROJECT, Management, auth, serve
from support.pages import Page
from support.visitor import Visitor

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("claimed"), project={
        "id": PROJECT, "name": "Harbour", "management_keys": [KEY], "usernames": True})
    yield server
    assert server.stop() == 0


class Stranger:
    """Somebody with a user name and a password, who names another person's address and proves nothing."""

    def __init__(self, own, key: Management, kind: str = "email"):
        number = next(numbers)
        self.own, self.name = own, f"stranger{number}"
        self.address = f"colleague{number}@corp.example" if kind == "email" else f"+4915112345{number:03}"
        made = auth(own, "password/signup", {
            "loginId": self.address, "password": PASSWORD, "user": {kind: self.address}})
        assert made.status_code == 200, made.text
        self.user = made.json()["user"]["userId"]
        self.add_name()
        found = key.get(f"user?userId={self.user}").json()["user"]
        assert sorted(found["loginIds"]) == sorted([self.address, self.name]), found
        assert (found["verifiedEmail"], found["verifiedPhone"]) == (False, False)
        assert self.enters() == 200

    def add_name(self) -> None:
        """In the settings, a moment after the sign-in: a user name needs no proof."""
        browser = Visitor(self.own.base)
        page = browser.submit(
            browser.open(f"{self.own.base}/settings/identifiers"), {"username": self.address, "password": PASSWORD})
        assert isinstance(page, Page) and page.name == "settings-identifiers", page
        form = next(form for form in page.forms if "identifier" in form.values)
        browser.post(form.action, data=form.filled({"identifier": self.name}, "add"))

    def enters(self) -> int:
        """What the password answers that the stranger has chosen."""
        found = [auth(self.own, "password/signin", {"loginId": login, "password": PASSWORD}).status_code
                 for login in (self.name, self.address)]
        return min(found)


KEPT = {"with the login ID": True, "without the login ID": False}


@pytest.mark.parametrize("kind", ["email", "phone"])
@pytest.mark.parametrize("kept", KEPT)
def test_an_address_that_a_program_calls_verified_is_no_strangers(own, key, kept, kind):
    """Whether the same call leaves it a login ID or not: the account claimed it."""
    stranger = Stranger(own, key, kind)
    logins = [stranger.name, stranger.address] if KEPT[kept] else [stranger.name]
    verified = {"email": "verifiedEmail", "phone": "verifiedPhone"}[kind]
    key.done("user/update", {
        "userId": stranger.user, "additionalLoginIds": logins, kind: stranger.address, verified: True})
    found = key.get(f"user?userId={stranger.user}").json()["user"]
    assert found[verified] is True, "the control"
    assert stranger.enters() == 400, f"the stranger is in an account with the verified address {found[kind]}"


def test_such_a_stranger_becomes_no_owner(own, key):
    """The role wants proved addresses, and finds one."""
    stranger = Stranger(own, key)
    refused = key.post("operator/update", {"userId": stranger.user, "role": "owner"})
    assert refused.status_code == 400, "the control: nothing is proved"
    key.done("user/update", {
        "userId": stranger.user, "additionalLoginIds": [stranger.name], "email": stranger.address,
        "verifiedEmail": True})
    given = key.post("operator/update", {"userId": stranger.user, "role": "owner"})
    entering = stranger.enters()
    key.post("operator/update", {"userId": stranger.user, "role": ""})
    assert given.status_code == 400 or entering == 400, "a stranger's password opens an owner's account"


def events(key: Management, user: str) -> list[str]:
    return [each["action"] for each in key.done("audit/search", {"userIds": [user], "size": 100})["audits"]]


@pytest.mark.parametrize("way", ["update", "merge"])
def test_a_call_that_is_refused_takes_no_password_away(own, key, way):
    """The user has named an address, or none; the call does nothing, says so, and leaves no event."""
    number = next(numbers)
    name, address = f"honest{number}", f"honest{number}@home.example"
    made = auth(own, "password/signup", {"loginId": name, "password": PASSWORD, "user": {"email": address}})
    user = made.json()["user"]["userId"]
    if way == "update":
        refused = key.post("user/update", {
            "userId": user, "additionalLoginIds": [name, "nina@example.com"], "email": address,
            "verifiedEmail": True})
    else:
        key.done("operator/update", {"loginId": "oskar@example.com", "role": ""})
        refused = key.post("user/merge", {"loginId": name, "otherLoginId": "olga@example.com"})
        key.done("operator/update", {"loginId": "oskar@example.com", "role": "owner"})
    assert refused.status_code == 400, refused.text
    assert key.get(f"user?userId={user}").json()["user"]["verifiedEmail"] is False, "nothing is changed"
    entering = auth(own, "password/signin", {"loginId": name, "password": PASSWORD})
    assert entering.status_code == 200, f"the password is gone; events: {events(key, user)}"


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]
