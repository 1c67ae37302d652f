"""A thief disputes a sign-in, so that the account has no password any more: a code to a mailbox gives it away no sooner."""

from __future__ import annotations

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, new_name, new_password, next_second

PHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1"}
LAPTOP = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("merges"))
    yield made
    made.close()


def dispute(site: OwnAccounts, address: str, number: int = 0) -> bool:
    """By the link of a message at an address; whether it has a button."""
    letters = [each for each in site.letters(address) if each["kind"] == "new-sign-in"]
    reader = site.visitor()
    page = reader.open(letters[number]["links"][0])
    if page.forms:
        reader.submit(page)
        next_second()
    return bool(page.forms)


@pytest.fixture
def thief(site) -> tuple[str, str]:
    """The thief's own account, with a passkey, and its session."""
    name, device = new_name("mallory"), Authenticator()
    site.add_passkey(name, site.sign_up(name, new_password()), device)
    return name, site.by_passkey(name, device).json()["refreshJwt"]


def take(site: OwnAccounts, thief: tuple[str, str], address: str, code: str | None = None) -> tuple[int, str]:
    """The thief's account takes in the one that has an address."""
    name, refresh = thief
    if code is None:
        site.call("otp/update/email", {"loginId": name, "email": address, "addToLoginIDs": True}, refresh)
    answer = site.post("otp/verify/email", {"loginId": name, "code": code or site.code(address)}, refresh)
    return answer.status_code, answer.json().get("errorCode", "")


def entered(site: OwnAccounts, way: str, email: str, password: str) -> str:
    """A thief's session of the account, to which it adds an address of the thief's; that address."""
    added = new_name("thief")
    if way == "password":
        session = site.post("password/signin", {"loginId": email, "password": password}, headers=PHONE)
    else:
        site.call("otp/signin/email", {"loginId": email})
        session = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}, headers=PHONE)
    session = session.json()["refreshJwt"]
    next_second()
    site.call("otp/update/email", {"loginId": email, "email": added, "addToLoginIDs": True}, session)
    site.call("otp/verify/email", {"loginId": email, "code": site.code(added)}, session)
    next_second()
    site.call("otp/signin/email", {"loginId": added})
    site.call("otp/verify/email", {"loginId": added, "code": site.code(added)}, headers=LAPTOP)
    return added


@pytest.mark.parametrize("disputed", [False, True], ids=["the control", "disputed"])
@pytest.mark.parametrize("way", ["password", "code"])
def test_by_the_thiefs_own_link(site, thief, way, disputed):
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    user = site.user(email)["userId"]
    site.by_password(email, password)
    next_second()
    added = entered(site, way, email, password)
    if disputed:
        assert dispute(site, added), "the thief's address is on the account"
        assert site.by_password(email, password).status_code != 200, "the control: the password is gone"
    assert take(site, thief, added) == (400, "E062107")
    assert site.user(email)["userId"] == user
    assert dispute(site, email), "the owner's link still works"
    assert site.user(email)["userId"] == user and site.user(email)["loginIds"] == [email]
    site.signed_in_by_code(email)


@pytest.mark.parametrize("disputed", [False, True], ids=["the control", "disputed"])
@pytest.mark.parametrize("has_passkey", [False, True], ids=["password", "password and passkey"])
def test_by_an_old_link_in_a_mailbox_that_was_read_once(site, thief, has_passkey, disputed):
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    user = site.user(email)["userId"]
    site.by_password(email, password)
    next_second()
    session = site.post("password/signin", {"loginId": email, "password": password}, headers=LAPTOP).json()["refreshJwt"]
    next_second()
    if has_passkey:
        site.add_passkey(email, session, Authenticator())
        next_second()
    site.call("otp/update/email", {"loginId": thief[0], "email": email, "addToLoginIDs": True}, thief[1])
    code = site.code(email)
    if disputed:
        assert dispute(site, email)
    assert take(site, thief, email, code) == (400, "E062107")
    assert site.user(email)["userId"] == user


def test_one_with_neither_a_password_nor_a_factor_is_taken_in(site, thief):
    """The control: that the two are one person's is what the code says."""
    email = new_name("vera")
    site.sign_up(email)
    assert take(site, thief, email)[0] == 200
    assert thief[0] in site.user(email)["loginIds"]
