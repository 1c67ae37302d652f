"""A mailbox that is read once gives no account away that has a password: a merge is not undone, as a sign-in can be."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password

TELEPHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1"}
USER_EXISTS = "E062107"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("merges"))
    yield made
    made.close()


@pytest.fixture
def vera(site) -> str:
    """Her login ID. She signed up on another device."""
    login = new_name("vera")
    site.call("otp/signup/email", {"loginId": login})
    session = site.call("otp/verify/email", {"loginId": login, "code": site.code(login)}, headers=TELEPHONE)
    site.call("password/update", {"loginId": login, "newPassword": new_password()}, session["refreshJwt"])
    return login


def this_was_not_me(site: OwnAccounts, login: str) -> None:
    link = [letter["links"][0] for letter in site.letters(login) if letter["kind"] == "new-sign-in"][-1]
    reader = site.visitor()
    reader.submit(reader.open(link))


def merge(site: OwnAccounts, mallory: str, victim: str):
    own = site.add_authenticator(mallory, site.sign_up(mallory))[1]
    site.call("otp/update/email", {"loginId": mallory, "email": victim, "addToLoginIDs": True}, own)
    return site.post("otp/verify/email", {"loginId": mallory, "code": site.code(victim)}, own)


def test_a_thief_who_signed_in_goes_again(site, vera):
    """The control: she says of the sign-in that it was not hers."""
    site.call("otp/signin/email", {"loginId": vera})
    site.add_authenticator(vera, site.by_code(vera))
    site.call("otp/signin/email", {"loginId": vera})
    answer = site.post("otp/verify/email", {"loginId": vera, "code": site.code(vera)})
    assert answer.status_code == 403 and answer.json()["missing"] == "second_factor", "she is out"
    this_was_not_me(site, vera)
    site.call("otp/signin/email", {"loginId": vera})
    assert site.is_alive(site.by_code(vera)), "she is in again"


def test_a_thief_takes_no_account_with_a_password_into_an_own_one(site, vera):
    mallory = new_name("mallory")
    answer = merge(site, mallory, vera)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, USER_EXISTS), answer.text
    assert site.user(vera)["loginIds"] == [vera] and site.user(mallory)["loginIds"] == [mallory]


def test_an_account_that_has_its_mailbox_alone_goes_with_it(site):
    """The control: nothing else opens it, and both mailboxes are told."""
    vera, mallory = new_name("vera"), new_name("mallory")
    site.sign_up(vera)
    assert merge(site, mallory, vera).status_code == 200
    assert site.letters(vera)[-1]["kind"] == "accounts-merged"
