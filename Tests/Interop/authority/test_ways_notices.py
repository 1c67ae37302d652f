"""What changes how a user signs in, and what she hears of it: a way in that goes, and one that comes."""

from __future__ import annotations

import hashlib
from itertools import count
from urllib.parse import urlencode

import pytest

from authority.test_users_device_keys import BANK, Somebody, app_of
from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, encoded
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page

_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("notices"), project={"usernames": True}, clients=[APP, BANK])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def kinds(site: OwnAccounts, email: str) -> list[str]:
    return [letter["kind"] for letter in site.letters(email)]


def form_of_identifiers(page: Page):
    return next(form for form in page.forms if "identifier" in form.inputs)


def begin(app: Authgear, visitor, action: str, login_id: str) -> Page:
    """The page of an action that changes a login ID."""
    app.refresh_id_token()
    page = visitor.open(app.document["authorization_endpoint"], {
        "response_type": "urn:authgear:params:oauth:response-type:settings-action", "client_id": app.client_id,
        "redirect_uri": app.redirect_uri, "scope": f"openid offline_access {FULL_ACCESS}", "prompt": "none",
        "code_challenge_method": "S256", "code_challenge": encoded(hashlib.sha256(b"v" * 50).digest()),
        "id_token_hint": app.id_token, "login_hint": app._app_session_hint(), "x_settings_action": action,
        "x_settings_action_query": urlencode({"q_login_id": login_id})})
    assert isinstance(page, Page) and page.name == "settings-identifiers", page
    return page


def test_a_user_name_that_another_one_replaces_is_told(site, vera):
    """By an app's action: she signed in with it, and its removal is told."""
    email, password = vera
    old, new = (f"vera{next(_numbers)}" for _ in range(2))
    browser, page = site.browse(email, password, "/settings/identifiers")
    form = form_of_identifiers(page)
    browser.post(form.action, data=form.filled({"identifier": old, "action": "add"}))
    assert site.by_password(old, password).status_code == 200
    app, thief = app_of(site, email, password), site.visitor()
    form = form_of_identifiers(begin(app, thief, "change_username", old))
    before = len(site.letters(email))
    thief.post(form.action, data=form.filled({"identifier": new, "action": "add"}))
    assert set(site.user(email)["loginIds"]) == {email, new}, "the control"
    assert len(site.letters(email)) > before, "her user name is gone without a word"


def test_an_address_that_another_one_replaces_is_told(site, vera):
    """The same action, for an address."""
    email, password = vera
    new = new_name("mallory")
    app, thief = Authgear(site.base, BANK.client_id, BANK.redirect_uri), site.visitor()
    app.authenticate(Somebody(site, email, password))
    form = form_of_identifiers(begin(app, thief, "change_email", email))
    page = thief.follow(thief.post(form.action, data=form.filled({"identifier": new, "action": "add"})))
    thief.send(page, {"code": site.code(new)})
    assert site.user(new)["loginIds"] == [new]
    assert "address-removed" in kinds(site, email) or "address-changed" in kinds(site, email)


def test_a_user_with_a_telephone_alone_is_told_after_a_thief_has_added_a_mailbox(site):
    """Text messages cost money, and a mailbox of the thief's is none of hers."""
    phone, password, mallory = f"+4915166{next(_numbers):06}", new_password(), new_name("mallory")
    site.call("otp/signup/sms", {"loginId": phone})
    session = site.call("otp/verify/sms", {"loginId": phone, "code": site.code(phone)})["refreshJwt"]
    site.call("password/update", {"loginId": phone, "newPassword": password}, session)
    assert kinds(site, phone)[-1] == "password-changed", "the control"
    stolen = site.by_password(phone, password).json()["refreshJwt"]
    site.call("otp/update/email", {"loginId": phone, "email": mallory}, stolen)
    stolen = site.call("otp/verify/email", {"loginId": phone, "code": site.code(mallory)}, stolen)["refreshJwt"]
    before = len(site.letters(phone))
    site.call("password/update", {"loginId": phone, "newPassword": new_password()}, stolen)
    assert kinds(site, mallory)[-1] == "password-changed"
    assert len(site.letters(phone)) > before, "her password is replaced without a word to her"


def test_an_account_that_is_deleted_is_told(site, vera):
    """A password is enough for it where there is no second factor, and afterwards there is nothing to come back to."""
    email, password = vera
    before = len(site.letters(email))
    thief, page = site.browse(email, password, "/settings/delete")
    after_sign_in = len(site.letters(email))
    page = thief.submit(page, {"confirm": "true"}, button="delete")
    assert page.name == "done" and site.by_password(email, password).status_code == 400, "the control"
    assert before <= after_sign_in < len(site.letters(email)), "her account is gone without a word"


def with_authenticator(site: OwnAccounts, email: str, password: str):
    """A browser that set an authenticator app up, and the recovery codes that it was shown."""
    browser, page = site.browse(email, password, "/settings/authenticators")
    page = browser.submit(page, button="add")
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    page = browser.submit(page, {"code": site.totp(key)})
    assert page.name == "recovery-codes", page
    return browser, key, recovery_codes(page)


def recovery_codes(page: Page) -> list[str]:
    shown = [tag.get_text(strip=True) for tag in page.soup.find_all("code")]
    return [text for text in shown if text.count("-") == 2]


def test_new_recovery_codes_are_told(site, vera):
    """Those before are void, and each new one stands for the authenticator app."""
    email = vera[0]
    browser, _, old = with_authenticator(site, *vera)
    assert "authenticator-added" in kinds(site, email), "an authenticator is told"
    before = len(site.letters(email))
    page = browser.open("/settings/authenticators")
    form = next(form for form in page.forms if ("action", "renew-codes") in form.buttons)
    page = browser.follow(browser.post(form.action, data=form.filled(button="renew-codes")))
    assert page.name == "recovery-codes" and not set(recovery_codes(page)) & set(old), "the control"
    assert len(site.letters(email)) > before, "ten new second factors without a word"


def test_a_passkey_that_is_switched_on_again_is_told(site, vera):
    """She switched it off because the telephone is gone. A password is enough to switch it on."""
    email, password = vera
    with Authenticator() as device:
        site.add_passkey(email, site.signed_in_by_code(email), device)
        own = site.by_passkey(email, device).json()["refreshJwt"]
        hers = site.visitor()
        switch(site, hers, site.open_as_app(hers, site.app_session_token(own), "/settings/passkeys"), "off")
        assert not site.user(email)["webauthn"] and "passkey-removed" in kinds(site, email)
        before = len(site.letters(email))
        thief, page = site.browse(email, password, "/settings/passkeys")
        came = len(site.letters(email)) - before
        switch(site, thief, page, "on")
        assert site.by_passkey(email, device).status_code == 200, "the control"
    assert len(site.letters(email)) > before + came, "a way in came back without a word"


def switch(site: OwnAccounts, browser, page: Page, action: str) -> None:
    csrf = next(form.values["csrf"] for form in page.forms if "csrf" in form.values)
    passkey = page.soup.find(attrs={"data-passkey-id": True})["data-passkey-id"]
    browser.post(f"{site.base}/settings/passkeys", data={"csrf": csrf, "action": action, "id": passkey})


def by_recovery_code(site: OwnAccounts, email: str, password: str, code: str) -> Page:
    """A browser that has lost the authenticator app."""
    browser, page = site.browse(email, password)
    page = browser.submit(browser.submit(page, button="other"), button="recovery")
    assert page.name == "recovery", page
    return browser.submit(page, {"code": code})


def test_recovery_codes_go_with_the_authenticator_that_they_stand_for(site, vera):
    """She replaces it, as a client of the methods does. The settings remove them with it."""
    email, password = vera
    _, key, codes = with_authenticator(site, *vera)
    assert by_recovery_code(site, email, password, codes[0]).name == "settings", "the control"
    reference = site.by_password(email, password).json()["pendingRef"]
    session = site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)["refreshJwt"]
    site.add_authenticator(email, session)
    assert by_recovery_code(site, email, password, codes[1]).name == "recovery", "a code of the one before"


def test_a_recovery_code_counts_once(site, vera):
    email, password = vera
    _, _, codes = with_authenticator(site, *vera)
    assert by_recovery_code(site, email, password, codes[0]).name == "settings"
    assert by_recovery_code(site, email, password, codes[0]).name == "recovery"


def test_a_code_of_the_authenticator_counts_once_on_all_ways(site, vera):
    """On the page, and then on the wire."""
    email, password = vera
    _, key, _ = with_authenticator(site, *vera)
    browser, page = site.browse(email, password)
    code = site.totp(key)
    assert browser.submit(page, {"code": code}).name == "settings"
    reference = site.by_password(email, password).json()["pendingRef"]
    answer = site.post("totp/verify", {"loginId": email, "code": code}, reference)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, "E061102")
