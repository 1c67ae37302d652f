"""Addresses: who may add one to an account, whose it becomes, and what a squatter left behind."""

from __future__ import annotations

import pytest

from support.authenticator import Authenticator
from support.methods import USER_EXISTS, WRONG_CODE
from support.own_account import OwnAccounts, missing, new_name, new_password
from support.project import MANAGEMENT_KEY, PROJECT_ID


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("addresses"),
        roles=[{"name": "treasurer", "permissions": ["money.move"]}], tenants=[{"id": "acme", "name": "Acme"}])
    yield made
    made.close()


def names(site: OwnAccounts, refresh: str) -> set[str]:
    answer = site.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{refresh}")
    assert answer.status_code == 200, answer.text
    return set(answer.json()["loginIds"])


def exists(site: OwnAccounts, name: str) -> bool:
    answer = site.wire.post("/v2/mgmt/user/search", {"loginIds": [name]}, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
    return bool(answer.json()["users"])


def ask(site: OwnAccounts, login: str, address: str, refresh: str, **more) -> None:
    site.call("otp/update/email", {"loginId": login, "email": address, **more}, refresh)


def enter(site: OwnAccounts, login: str, address: str, refresh: str | None = None):
    """The code that was sent to the address."""
    return site.post("otp/verify/email", {"loginId": login, "code": site.code(address)}, refresh)


@pytest.mark.parametrize("guard", ["authenticator", "passkey", "role in the console", "disabled"])
def test_a_mailbox_takes_no_account_with_more_than_that(site, guard):
    """The merge of the methods, with her code read: an authenticator, a passkey and a console role need more."""
    victim, mallory = new_name("vera"), new_name("mallory")
    own = site.sign_up(victim)
    thief = site.sign_up(mallory)
    device = None
    if guard == "authenticator":
        site.add_authenticator(victim, own)
    elif guard == "passkey":
        device = Authenticator()
        site.add_passkey(victim, own, device)
    elif guard == "disabled":
        site.manage("user/update/status", {"loginId": victim, "status": "disabled"})
    else:
        site.manage("operator/update", {"loginId": victim, "role": "viewer"})
    for flag in ("addToLoginIDs", "onMergeUseExisting"):
        ask(site, mallory, victim, thief, **{flag: True})
        answer = enter(site, mallory, victim, thief)
        assert (answer.status_code, answer.json()["errorCode"]) == (400, USER_EXISTS), answer.text
    assert names(site, thief) == {mallory} and site.user(victim)["loginIds"] == [victim]
    if device:
        device.close()


def test_the_account_that_has_the_address_is_kept_only_by_a_setting(site):
    """`methods.merge_into_existing` is off: the flag leads nowhere, and without it the two become one."""
    victim, mallory = new_name("vera"), new_name("mallory")
    own, thief = site.sign_up(victim), site.sign_up(mallory)
    ask(site, mallory, victim, thief, onMergeUseExisting=True)
    answer = enter(site, mallory, victim, thief)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, USER_EXISTS)
    assert site.is_alive(own)
    ask(site, mallory, victim, thief, addToLoginIDs=True)
    assert enter(site, mallory, victim, thief).status_code == 200
    assert not site.is_alive(own)
    assert site.letters(victim)[-1]["kind"] == "accounts-merged", "she is told"


def test_a_merge_asks_what_the_account_has_by_then(site):
    """She sets up an authenticator between the message and its code."""
    victim, mallory = new_name("vera"), new_name("mallory")
    own, thief = site.sign_up(victim), site.sign_up(mallory)
    ask(site, mallory, victim, thief, addToLoginIDs=True)
    code = site.code(victim)
    site.add_authenticator(victim, own)
    answer = site.post("otp/verify/email", {"loginId": mallory, "code": code}, thief)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, USER_EXISTS)
    assert site.user(victim)["TOTP"]


def test_an_address_is_not_added_to_what_got_an_authenticator_meanwhile(site):
    """The thief of a session asked before; the user's new factor counts."""
    victim, mallory = new_name("vera"), new_name("mallory")
    own, password = site.sign_up(victim), new_password()
    site.call("password/update", {"loginId": victim, "newPassword": password}, own)
    thief = site.by_password(victim, password).json()["refreshJwt"]
    ask(site, victim, mallory, thief, addToLoginIDs=True)
    code = site.code(mallory)
    site.add_authenticator(victim, own)
    answer = site.post("otp/verify/email", {"loginId": victim, "code": code}, thief)
    assert missing(answer) == "second_factor"
    assert site.user(victim)["loginIds"] == [victim]


@pytest.mark.parametrize("method", ["magiclink", "enchantedlink"])
def test_a_click_of_the_owner_gives_her_account_to_nobody(site, method):
    """The attacker asks for the link, and she opens it."""
    victim, mallory = new_name("vera"), new_name("mallory")
    own, thief = site.sign_up(victim), site.sign_up(mallory)
    body = {"loginId": mallory, "email": victim, "addToLoginIDs": True, "redirectUrl": f"{site.issuer}/link"}
    site.call(f"{method}/update/email", body, thief)
    answers = [site.post(f"{method}/verify", {"token": token}) for token in site.tokens(victim)]
    assert all(answer.status_code in (400, 401) for answer in answers), [answer.text for answer in answers]
    assert names(site, thief) == {mallory} and names(site, own) == {victim}


def test_a_squatters_account_holds_nothing_of_the_squatter_afterwards(site):
    """Password, passkey, authenticator, sessions, codes on their way, contacts and other names."""
    email, password, mallory = new_name("nora"), new_password(), new_name("mallory")
    phone = "+4915199988877"
    squatter = site.call("password/signup", {
        "loginId": email, "password": password, "user": {"email": email, "phone": phone, "name": "Nora"}})["refreshJwt"]
    browser, page = site.browse(email, password)
    assert page.name == "settings"
    ask(site, email, mallory, squatter, addToLoginIDs=True)
    late = site.code(mallory)
    with Authenticator() as device:
        site.add_passkey(email, squatter, device)
        site.call("otp/signup-in/email", {"loginId": email})
        owner = site.by_code(email)
        assert not site.is_alive(squatter)
        assert browser.open("/settings").name == "login"
        assert site.by_password(email, password).status_code in (400, 401)
        answer = site.post("otp/verify/email", {"loginId": email, "code": late}, squatter)
        assert answer.json()["errorCode"] == WRONG_CODE
        user = site.user(email)
        assert user["loginIds"] == [email] and not user["phone"] and not user["webauthn"] and not user["password"]
    assert names(site, owner) == {email}


def test_an_account_that_only_claimed_her_address_loses_it_when_she_proves_it(site):
    """The attacker proved a number of the attacker's own, under her address as the name."""
    victim, phone = new_name("vera"), "+4915177766655"
    site.call("otp/signup/sms", {"loginId": victim, "user": {"phone": phone, "email": victim}})
    thief = site.call("otp/verify/sms", {"loginId": victim, "code": site.code(phone)})["refreshJwt"]
    assert site.is_alive(thief) and site.user(victim)["verifiedEmail"] is False
    site.call("otp/signup-in/email", {"loginId": victim})
    owner = site.by_code(victim)
    assert names(site, owner) == {victim} and not site.user(victim)["phone"]
    assert victim not in names(site, thief), "the account of the number goes on without her address"
    before = len(site.letters(phone))
    site.call("otp/signin/sms", {"loginId": victim})
    assert len(site.letters(phone)) == before, "no code of hers goes to that number"


def test_the_last_way_in_stays(site):
    """Settings remove no address without which its user could not come back."""
    email = new_name("lara")
    session = site.sign_up(email)
    browser = site.visitor()
    page = site.open_as_app(browser, site.app_session_token(session), "/settings/identifiers")
    assert page.name == "settings-identifiers"
    csrf = page.forms[0].values["csrf"]
    answer = browser.post(page.forms[0].action, data={
        "csrf": csrf, "action": "remove", "kind": "email", "value": email})
    assert answer.status_code == 422, answer.status_code
    assert site.user(email)["loginIds"] == [email]


def test_a_new_address_is_proved_before_it_counts(site):
    """Nothing changes without the code, and a code of another address does not count."""
    email, other = new_name("lara"), new_name("lara")
    session = site.sign_up(email)
    ask(site, email, other, session, addToLoginIDs=True)
    assert names(site, session) == {email} and not exists(site, other)
    refused = site.post("otp/verify/email", {"loginId": email, "code": "000000"}, session)
    assert refused.json()["errorCode"] == WRONG_CODE
    assert enter(site, other, other, session).json()["errorCode"] == WRONG_CODE
    assert enter(site, email, other, session).status_code == 200
    assert set(site.user(email)["loginIds"]) == {email, other}
    assert site.letters(email)[-1]["kind"] == "address-changed", "the old address is told"
