"""A link about a sign-in of before opens no account that is another person's since: what a stranger left is void."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password, next_second
from support.visitor import Visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("disputes"))
    yield made
    made.close()


def remove_address(site: OwnAccounts, browser: Visitor, email: str) -> None:
    page = browser.open("/settings/identifiers")
    assert page.name == "settings-identifiers", page
    answer = browser.post(page.forms[0].action, data={
        "csrf": page.forms[0].values["csrf"], "action": "remove", "kind": "email", "value": email})
    assert answer.status_code in (302, 303), answer.status_code


def squat(site: OwnAccounts) -> tuple[str, str, str]:
    """A stranger has an account with her address, and for a while with a mailbox of one's own, whose reader is told of a
    sign-in: her address, that mailbox, and the link."""
    hers, mine, password = new_name("nora"), new_name("mallory"), new_password()
    session = site.call("password/signup", {"loginId": hers, "password": password, "user": {"email": hers}})
    session = session["refreshJwt"]
    site.call("otp/update/email", {
        "loginId": hers, "email": mine, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    site.call("otp/verify/email", {"loginId": hers, "code": site.code(mine)}, session)
    next_second()
    browser, page = site.browse(hers, password)
    assert page.name == "settings", page
    link = [letter["links"][0] for letter in site.letters(mine) if letter["kind"] == "new-sign-in"][-1]
    remove_address(site, browser, mine)
    return hers, mine, link


def dispute(site: OwnAccounts, link: str) -> None:
    reader = site.visitor()
    page = reader.open(link)
    if page.forms:
        reader.submit(page)


def reaches(site: OwnAccounts, mine: str, hers: str) -> bool:
    """Whether a code to the mailbox opens her account."""
    if site.post("otp/signin/email", {"loginId": mine}).status_code != 200:
        return False
    codes = [letter["code"] for letter in site.letters(mine) if letter.get("code")]
    answer = site.post("otp/verify/email", {"loginId": mine, "code": codes[-1]})
    return answer.status_code == 200 and hers in answer.json()["user"]["loginIds"]


def test_a_squatters_link_opens_no_account_of_whom_the_address_is(site):
    """She proves her address, and sets up a password and an authenticator: the account is hers."""
    hers, mine, link = squat(site)
    next_second()
    password = new_password()
    site.sign_up(hers, password)
    site.add_authenticator(hers, site.by_password(hers, password).json()["refreshJwt"])
    assert not reaches(site, mine, hers), "the control: nothing of the stranger's is left"
    dispute(site, link)
    assert not reaches(site, mine, hers), "the stranger is her"
    assert site.by_password(hers, password).status_code != 400, "what she set up is gone"


def test_a_link_of_ones_own_brings_an_address_back(site):
    """The control: a thief took it out of the account."""
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    next_second()
    thief, page = site.browse(email, password)
    assert page.name == "settings", page
    link = [letter["links"][0] for letter in site.letters(email) if letter["kind"] == "new-sign-in"][-1]
    session = site.by_password(email, password).json()["refreshJwt"]
    theirs = new_name("thief")
    site.call("otp/update/email", {
        "loginId": email, "email": theirs, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    site.call("otp/verify/email", {"loginId": email, "code": site.code(theirs)}, session)
    remove_address(site, thief, email)
    assert not reaches(site, email, email)
    dispute(site, link)
    assert reaches(site, email, email)
