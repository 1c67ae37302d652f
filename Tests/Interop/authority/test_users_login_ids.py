"""A login ID that nobody proved, and its owner: what of the account that was there goes along, and who hears of it."""

from __future__ import annotations

from itertools import count

import pytest

from support.own_account import OwnAccounts, new_name, new_password
from support.tokens import payload_of

_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("names"), project={"usernames": True},
        roles=[{"name": "clerk", "permissions": ["books.write"]}], tenants=[{"id": "acme", "name": "Acme"}])
    yield made
    made.close()


@pytest.fixture
def gina(site) -> tuple[str, str, str]:
    """A user who proved a number, under an address that is another person's: name, number, password.

    The operator gave her a role and a tenant.
    """
    login, phone, password = new_name("typed-wrong"), f"+4915177{next(_numbers):06}", new_password()
    site.call("otp/signup/sms", {"loginId": login, "user": {"phone": phone, "name": "Gina"}})
    session = site.call("otp/verify/sms", {"loginId": login, "code": site.code(phone)})["refreshJwt"]
    site.call("password/update", {"loginId": login, "newPassword": password}, session)
    assert site.user(login)["verifiedPhone"] is True
    site.manage("user/update/role/add", {"loginId": login, "roleNames": ["clerk"]})
    site.manage("user/update/tenant/add", {"loginId": login, "tenantId": "acme"})
    return login, phone, password


def test_the_owner_of_a_login_id_gets_no_role_of_who_proved_another_address(site, gina):
    """The role was given to the person behind the number."""
    login = gina[0]
    site.call("otp/signin/email", {"loginId": login})
    answer = site.call("otp/verify/email", {"loginId": login, "code": site.code(login)})
    claims = payload_of(answer["sessionJwt"])
    assert not claims.get("roles") and not claims.get("tenants"), f"another person has {claims.get('roles')}"


def test_who_proved_another_address_hears_that_the_login_id_goes(site, gina):
    """Password and sessions end by somebody else's code."""
    login, phone, password = gina
    before = len(site.letters(phone))
    site.call("otp/signin/email", {"loginId": login})
    site.by_code(login)
    is_still_hers = site.by_password(login, password).status_code == 200
    assert is_still_hers or len(site.letters(phone)) > before, "her way in is gone without a word"


def test_a_user_name_that_goes_is_told(site):
    """It signs in with the password, like an address, whose removal is told."""
    email, password, name = new_name("vera"), new_password(), f"vera{next(_numbers)}"
    site.sign_up(email, password)
    browser, page = site.browse(email, password, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    browser.post(form.action, data=form.filled({"identifier": name, "action": "add"}))
    assert site.by_password(name, password).status_code == 200
    before = len(site.letters(email))
    browser.post(form.action, data={
        "csrf": form.values["csrf"], "action": "remove", "kind": "username", "value": name})
    assert site.user(email)["loginIds"] == [email]
    assert len(site.letters(email)) > before, "her user name is gone without a word"


def test_a_strangers_wish_ends_no_session(site):
    """Whoever types her address may ask for a link, and says nothing about her sessions by that."""
    email = new_name("vera")
    own = site.sign_up(email)
    options = {"revokeOtherSessions": True}
    site.call("magiclink/signin/email", {
        "loginId": email, "redirectUrl": f"{site.issuer}/link", "loginOptions": options})
    site.post("magiclink/verify", {"token": site.tokens(email)[0]})
    assert site.is_alive(own), "an anonymous caller ended all sessions of the user"


def test_the_users_own_wish_ends_the_other_sessions(site):
    """The control: with the password, and with a code that a session asked for."""
    email, password = new_name("vera"), new_password()
    first = site.sign_up(email, password)
    body = {"loginId": email, "password": password, "loginOptions": {"revokeOtherSessions": True}}
    second = site.call("password/signin", body)["refreshJwt"]
    assert not site.is_alive(first) and site.is_alive(second)
    options = {"stepup": True, "revokeOtherSessions": True}
    third = site.by_password(email, password).json()["refreshJwt"]
    site.call("otp/signin/email", {"loginId": email, "loginOptions": options}, third)
    raised = site.by_code(email, third)
    assert not site.is_alive(second) and site.is_alive(raised)
