"""The methods' wire tells no login ID that is an address which the user has not proved."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password
from support.project import PROJECT_ID


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    site = OwnAccounts(tmp_path_factory.mktemp("own"))
    yield site
    site.close()


def me(own, refresh: str) -> dict:
    return own.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{refresh}").json()


def test_a_proved_address_and_a_user_name_are_told(own):
    """The control."""
    login, name = new_name("own"), new_name("user").split("@")[0]
    refresh = own.sign_up(login)
    assert me(own, refresh)["loginIds"] == [login]
    answer = own.call("password/signup", {"loginId": name, "password": new_password()})
    assert answer["user"]["loginIds"] == [name]


def test_an_unproved_address_is_told_nowhere(own):
    victim = new_name("ceo")
    answer = own.call("password/signup", {
        "loginId": victim, "password": new_password(), "user": {"email": victim, "name": victim}})
    assert victim not in str(answer["user"])
    assert victim not in str(me(own, answer["refreshJwt"]))
    assert own.user(victim)["loginIds"] == [victim], "the operator sees it, and the user signs in by it"


def test_nor_beside_a_proved_address(own):
    victim, mine = new_name("ceo"), new_name("thief")
    own.call("otp/signup/email", {"loginId": victim, "user": {"email": mine}})
    answer = own.call("otp/verify/email", {"loginId": victim, "code": own.code(mine)})
    assert answer["user"]["verifiedEmail"] and answer["user"]["email"] == mine
    assert victim not in str(answer["user"])
    assert victim not in str(me(own, answer["refreshJwt"]))


def test_nor_one_that_another_account_has_proved(own):
    owner, contact = new_name("owner"), new_name("contact")
    refresh = own.sign_up(owner)
    own.call("otp/update/email", {"loginId": owner, "email": contact}, refresh)
    own.call("otp/verify/email", {"loginId": owner, "code": own.code(contact)}, refresh)
    assert own.user(owner)["email"] == contact and own.user(owner)["verifiedEmail"], "the control"
    answer = own.post("password/signup", {"loginId": contact, "password": new_password()})
    assert contact not in str(answer.json().get("user"))
