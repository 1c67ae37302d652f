"""Who added an address to a robbed account gets messages about sign-ins too: their links do nothing once it is removed."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password, next_second

THIEF = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/120"}
THIEF_AGAIN = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("thieves"))
    yield made
    made.close()


def link(site: OwnAccounts, to: str) -> str:
    """In the newest message about a sign-in."""
    return [each for letter in site.letters(to) for each in letter.get("links", []) if "dispute" in each][-1]


@pytest.fixture
def robbed(site) -> tuple[str, str, str, str]:
    """Her address, the thief's, which is on her account, and the links that both got about the thief's second sign-in."""
    email, thief, password = new_name("ida"), new_name("thief"), new_password()
    site.sign_up(email, password)
    site.by_password(email, password)
    next_second()
    stolen = site.post("password/signin", {"loginId": email, "password": password}, headers=THIEF).json()["refreshJwt"]
    site.call("otp/update/email", {"loginId": email, "email": thief, "addToLoginIDs": True}, stolen)
    site.call("otp/verify/email", {"loginId": email, "code": site.code(thief)}, stolen)
    next_second()
    site.call("password/signin", {"loginId": email, "password": password}, headers=THIEF_AGAIN)
    links = link(site, email), link(site, thief)
    assert links[0] != links[1], "each reader has a link of their own"
    return email, thief, password, *links


def remove(site: OwnAccounts, login: str, password: str, address: str) -> None:
    visitor, page = site.browse(login, password, "/settings/identifiers")
    form = next(form for form in page.forms if address in form.filled({}).values())
    visitor.follow(visitor.post(form.action, data={**form.filled({}), "action": "remove"}))


def clean_up(site: OwnAccounts, email: str, password: str, thief: str) -> tuple[str, str]:
    """What an owner does who presses no link. Her new password, and the key of her authenticator app."""
    remove(site, email, password, thief)
    assert site.user(email)["loginIds"] == [email]
    refresh = site.signed_in_by_code(email)
    new = new_password()
    site.call("password/update", {"loginId": email, "newPassword": new}, refresh)
    key, _ = site.add_authenticator(email, site.signed_in_by_code(email))
    next_second()
    return new, key


def press(site: OwnAccounts, address: str) -> str:
    """Whether its page has a button, and what it says at the end."""
    reader = site.visitor()
    page = reader.open(address)
    return reader.submit(page).heading if page.forms else f"no button: {page.heading}"


def test_the_thiefs_link_does_nothing_after_the_owner_cleaned_up(site, robbed):
    email, thief, password, _, of_thief = robbed
    new, key = clean_up(site, email, password, thief)
    assert press(site, of_thief).startswith("no button")
    assert site.user(email)["loginIds"] == [email]
    answer = site.by_password(email, new)
    assert answer.status_code == 403 and answer.json()["missing"] == "second_factor", "password and factor are there"
    done = site.post(
        "totp/verify", {"loginId": email, "code": site.totp(key)}, answer.json()["pendingRef"])
    assert done.status_code == 200


def test_nor_does_a_form_that_was_open(site, robbed):
    email, thief, password, _, of_thief = robbed
    reader = site.visitor()
    page = reader.open(of_thief)
    assert page.forms, "the control: the address is on the account"
    new, _ = clean_up(site, email, password, thief)
    reader.submit(page)
    assert site.user(email)["loginIds"] == [email]
    assert site.by_password(email, new).json()["missing"] == "second_factor"


def test_the_owners_link_of_the_same_sign_in_works(site, robbed):
    email, thief, password, of_owner, _ = robbed
    remove(site, email, password, thief)
    assert not press(site, of_owner).startswith("no button")
    assert site.user(email)["loginIds"] == [email], "the thief's address does not come back"
    assert site.post("password/signin", {"loginId": email, "password": password}).status_code != 200


def test_the_owners_link_works_after_the_thief_removed_her_address(site, robbed):
    email, thief, password, of_owner, _ = robbed
    remove(site, thief, password, email)
    assert site.user(thief)["loginIds"] == [thief]
    assert not press(site, of_owner).startswith("no button")
    assert email in site.user(email)["loginIds"]


def test_the_owners_address_stays_where_she_added_it_again(site):
    """The thief had removed it before the sign-in whose message the thief alone got."""
    email, thief, password = new_name("ida"), new_name("thief"), new_password()
    site.sign_up(email, password)
    stolen = site.by_password(email, password).json()["refreshJwt"]
    next_second()
    site.call("otp/update/email", {"loginId": email, "email": thief, "addToLoginIDs": True}, stolen)
    site.call("otp/verify/email", {"loginId": email, "code": site.code(thief)}, stolen)
    next_second()
    remove(site, thief, password, email)
    next_second()
    site.call("password/signin", {"loginId": thief, "password": password}, headers=THIEF)
    of_thief = link(site, thief)
    next_second()
    session = site.by_password(thief, password).json()["refreshJwt"]
    site.call("otp/update/email", {"loginId": thief, "email": email, "addToLoginIDs": True}, session)
    site.call("otp/verify/email", {"loginId": thief, "code": site.code(email)}, session)
    next_second()
    new, _ = clean_up(site, email, password, thief)
    assert press(site, of_thief).startswith("no button")
    assert site.user(email)["loginIds"] == [email]
    assert site.by_password(email, new).json()["missing"] == "second_factor"
