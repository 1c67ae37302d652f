"""A thief takes an address out of an account and claims it for another one, unproved: a dispute brings it back."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password, next_second
from support.project import MANAGEMENT_KEY, PROJECT_ID

THIEF = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/120"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("claims"))
    yield made
    made.close()


def claimed(site: OwnAccounts, email: str) -> None:
    site.call("password/signup", {"loginId": email, "password": new_password(), "user": {"email": email}})


def asked_for(site: OwnAccounts, email: str) -> None:
    site.call("otp/signup/email", {"loginId": email})


def not_claimed(site: OwnAccounts, email: str) -> None:
    """The control."""


def rob(site: OwnAccounts) -> tuple[str, str, str]:
    """Her address, whose account it is, and the link in the message about the thief's sign-in."""
    email, thief, password = new_name("ida"), new_name("thief"), new_password()
    site.sign_up(email, password)
    user = site.user(email)["userId"]
    site.by_password(email, password)
    next_second()
    before = len(site.letters(email))
    stolen = site.post("password/signin", {"loginId": email, "password": password}, headers=THIEF).json()["refreshJwt"]
    link = next(link for each in site.letters(email)[before:] for link in each["links"] if "dispute" in link)
    site.call("otp/update/email", {"loginId": email, "email": thief, "addToLoginIDs": True}, stolen)
    site.call("otp/verify/email", {"loginId": email, "code": site.code(thief)}, stolen)
    browser, page = site.browse(thief, password, "/settings/identifiers")
    form = next(form for form in page.forms if email in form.filled({}).values())
    browser.follow(browser.post(form.action, data={**form.filled({}), "action": "remove"}))
    assert site.user(thief)["loginIds"] == [thief], "the control: her address is gone"
    next_second()
    return email, user, link


@pytest.mark.parametrize("claims", [not_claimed, asked_for, claimed], ids=lambda each: each.__name__)
def test_the_address_comes_back_to_its_account(site, claims):
    email, user, link = rob(site)
    claims(site, email)
    reader = site.visitor()
    reader.submit(reader.open(link))
    assert site.user(email)["userId"] == user
    assert site.user(email)["loginIds"] == [email]
    site.call("otp/signin/email", {"loginId": email})
    site.by_code(email)
    assert site.user(email)["userId"] == user


def as_a_login_id(site: OwnAccounts, email: str) -> str:
    site.call("otp/signup-in/email", {"loginId": email})
    site.by_code(email)
    return email


def as_a_contact(site: OwnAccounts, email: str) -> str:
    """By a user who signs in otherwise."""
    name = f"name-{email.split('@')[0]}"
    refresh = site.call("password/signup", {"loginId": name, "password": new_password()})["refreshJwt"]
    site.call("otp/update/email", {"loginId": name, "email": email}, refresh)
    site.call("otp/verify/email", {"loginId": name, "code": site.code(email)}, refresh)
    return name


def said_by_an_operator(site: OwnAccounts, email: str) -> str:
    name = f"said-{email.split('@')[0]}"
    site.manage("user/create", {"loginId": name, "email": email, "verifiedEmail": True})
    return name


@pytest.mark.parametrize("proved", [as_a_login_id, as_a_contact, said_by_an_operator], ids=lambda each: each.__name__)
def test_one_that_another_person_has_proved_meanwhile_stays_there(site, proved):
    email, user, link = rob(site)
    other = site.user(proved(site, email))
    assert other["userId"] != user and other["email"] == email and other["verifiedEmail"]
    next_second()
    reader = site.visitor()
    assert "ended" in reader.submit(reader.open(link)).heading
    robbed = site.wire.send("GET", f"/v1/mgmt/user?userId={user}", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}").json()["user"]
    assert robbed["loginIds"] == [] and not robbed.get("email"), robbed
    assert site.user(other["loginIds"][0])["email"] == email
