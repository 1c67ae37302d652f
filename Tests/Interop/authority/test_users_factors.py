"""The second factor of an account, on ways that lead around it: older sessions, half of a sign-in, another user's."""

from __future__ import annotations

import json

import pytest
import requests

from support.authenticator import Authenticator
from support.methods import WRONG_CODE
from support.own_account import BAD_TOKEN, OwnAccounts, missing, new_name, new_password
from support.project import PROJECT_ID


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("factors"))
    yield made
    made.close()


@pytest.fixture
def otto(site):
    """A user with a password and an authenticator app: name, password, key, and a session that has used it."""
    email, password = new_name("otto"), new_password()
    key, session = site.add_authenticator(email, site.sign_up(email, password))
    return email, password, key, session


def half(site: OwnAccounts, email: str, password: str) -> str:
    """What a stolen password gets: the reference of a sign-in that waits."""
    refused = site.by_password(email, password)
    assert missing(refused) == "second_factor"
    return refused.json()["pendingRef"]


def test_a_session_from_before_the_authenticator_does_not_remove_it(site):
    """A password and a mailbox were two factors until then. The wire refuses that session, and so must the settings."""
    email, password = new_name("otto"), new_password()
    site.sign_up(email, password)
    first = site.by_password(email, password).json()["refreshJwt"]
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"mfa": True}}, first)
    thief = site.by_code(email, first)
    key, own = site.add_authenticator(email, site.signed_in_by_code(email))
    assert missing(site.post("totp/update", {"loginId": email}, thief)) == "second_factor"
    browser = site.visitor()
    page = site.open_as_app(browser, site.app_session_token(thief), "/settings/authenticators")
    browser.submit(page, button="remove")
    assert site.user(email)["TOTP"], "the authenticator was removed without it"
    browser = site.visitor()
    page = site.open_as_app(browser, site.app_session_token(own), "/settings/authenticators")
    browser.submit(page, button="remove")
    assert not site.user(email)["TOTP"], "the session that used it may"


@pytest.mark.parametrize("path", ["/settings/password", "/settings/identifiers", "/settings/delete"])
def test_a_session_of_the_password_from_before_the_authenticator_reaches_nothing(site, path):
    email, password = new_name("otto"), new_password()
    own = site.sign_up(email, password)
    browser, _ = site.browse(email, password)
    site.add_authenticator(email, own)
    page = browser.open(path)
    if path == "/settings/identifiers":
        assert page.name == "settings-identifiers"
        form = next(form for form in page.forms if "identifier" in form.inputs)
        answer = browser.post(form.action, data=form.filled({"identifier": new_name("mallory"), "action": "add"}))
        page = browser.follow(answer)
    assert page.name == "code", page


def test_half_a_sign_in_is_no_session(site, otto):
    """The reference opens the second factor, and nothing else."""
    email, password, key, session = otto
    calls = {
        "password/update": {"loginId": email, "newPassword": new_password()},
        "otp/update/email": {"loginId": email, "email": new_name("mallory")},
        "webauthn/update/start": {"loginId": email, "origin": site.issuer},
        "otp/signin/email": {"loginId": email, "loginOptions": {"mfa": True}},
        "refresh": {}, "logoutall": {}, "tenant/select": {"tenant": "acme"},
    }
    for path, body in calls.items():
        answer = site.post(path, body, half(site, email, password))
        assert answer.status_code == 401, f"{path}: {answer.status_code} {answer.text[:200]}"
    reference = half(site, email, password)
    assert missing(site.post("totp/update", {"loginId": email}, reference)) == "second_factor"
    made = requests.post(f"{site.base}/oauth2/app_session_token", json={"refresh_token": reference}, timeout=20)
    assert (made.status_code, made.json()["error"]["reason"]) == (403, "InvalidGrant")
    assert site.is_alive(session)
    done = site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)
    assert site.is_alive(done["refreshJwt"])


def test_half_a_sign_in_is_completed_once(site, otto):
    email, password, key, _ = otto
    reference = half(site, email, password)
    site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)
    again = site.post("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)
    assert (again.status_code, again.json()["errorCode"]) == (401, BAD_TOKEN)


def test_half_a_sign_in_is_not_completed_by_another_user(site, otto):
    email, password, key, _ = otto
    mallory, other = new_name("mallory"), new_password()
    own_key, _ = site.add_authenticator(mallory, site.sign_up(mallory, other))
    reference = half(site, email, password)
    answer = site.post("totp/verify", {"loginId": mallory, "code": site.totp(own_key)}, reference)
    assert answer.status_code == 400 and "refreshJwt" not in answer.json(), answer.text
    with Authenticator() as device:
        site.add_passkey(mallory, site.call(
            "totp/verify", {"loginId": mallory, "code": site.totp(own_key)}, half(site, mallory, other))["refreshJwt"],
            device)
        started = site.call("webauthn/signin/start", {"loginId": mallory, "origin": site.issuer}, reference)
        shown = device.get(json.loads(started["options"]), origin=site.issuer)
        body = {"transactionId": started["transactionId"], "response": json.dumps(shown)}
        # It signs its own user in, as without the reference.
        answer = site.call("webauthn/signin/finish", body, reference)
        assert answer["user"]["loginIds"] == [mallory]


@pytest.mark.parametrize("end", ["sign-out everywhere", "new password", "disabled"])
def test_half_a_sign_in_ends_with_everything_else(site, otto, end):
    email, password, key, session = otto
    reference = half(site, email, password)
    if end == "sign-out everywhere":
        site.call("logoutall", {}, session)
    elif end == "new password":
        site.call("password/update", {"loginId": email, "newPassword": new_password()}, session)
    else:
        site.manage("user/update/status", {"loginId": email, "status": "disabled"})
        site.manage("user/update/status", {"loginId": email, "status": "enabled"})
    answer = site.post("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)
    assert (answer.status_code, answer.json()["errorCode"]) == (401, BAD_TOKEN)


def test_a_password_replaces_no_password_beside_an_authenticator(site, otto):
    """`password/replace` is a sign-in by the password alone."""
    email, password, _, session = otto
    body = {"loginId": email, "oldPassword": password, "newPassword": new_password()}
    assert missing(site.post("password/replace", body)) == "second_factor"
    assert site.is_alive(session) and missing(site.by_password(email, password)) == "second_factor"
    other, old = new_name("ned"), new_password()
    site.sign_up(other, old)
    site.call("password/replace", {"loginId": other, "oldPassword": old, "newPassword": new_password()})


def test_a_mailbox_sets_no_password_beside_an_authenticator_on_the_pages(site, otto):
    """The page of a forgotten password asks for the authenticator before the new password."""
    email, password, key, _ = otto
    browser = site.visitor()
    page = browser.open("/settings")
    page = browser.open(f"/login/reset?transaction={page.form.values['transaction']}")
    page = browser.submit(page, {"username": email})
    page = browser.submit(page, {"code": site.code(email)})
    assert page.name == "code" and "password" not in page.form.inputs, page
    page = browser.submit(page, {"code": site.totp(key)})
    assert "password" in page.form.inputs, page


def test_an_authenticator_that_waits_ends_with_the_session_that_began_it(site):
    """A stolen session begins one, and its user signs out everywhere before the first code."""
    email, password = new_name("otto"), new_password()
    own = site.sign_up(email, password)
    thief = site.by_password(email, password).json()["refreshJwt"]
    key = site.call("totp/update", {"loginId": email}, thief)["key"]
    site.call("logoutall", {}, own)
    refused = site.post("totp/verify", {"loginId": email, "code": site.totp(key)})
    assert (refused.status_code, refused.json()["errorCode"]) == (400, WRONG_CODE)
    assert not site.user(email)["TOTP"]
    with Authenticator() as device:
        thief = site.by_password(email, password).json()["refreshJwt"]
        started = site.call("webauthn/update/start", {"loginId": email, "origin": site.issuer}, thief)
        made = device.create(json.loads(started["options"]), origin=site.issuer)
        site.call("logoutall", {}, site.signed_in_by_code(email))
        body = {"transactionId": started["transactionId"], "response": json.dumps(made)}
        assert site.post("webauthn/update/finish", body).status_code == 401


def test_an_authenticator_that_waits_ends_with_a_new_passkey(site):
    """It was begun in a session that might, and does not show the factor that the account has by now."""
    email, password = new_name("otto"), new_password()
    own = site.sign_up(email, password)
    thief = site.by_password(email, password).json()["refreshJwt"]
    key = site.call("totp/update", {"loginId": email}, thief)["key"]
    browser, page = site.browse(email, password, "/settings/authenticators")
    page = browser.submit(page, button="add")
    typed = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    with Authenticator() as device:
        site.add_passkey(email, own, device)
    refused = site.post("totp/verify", {"loginId": email, "code": site.totp(key)}, thief)
    assert (refused.status_code, refused.json()["errorCode"]) == (400, WRONG_CODE)
    browser.submit(page, {"code": site.totp(typed)})
    assert not site.user(email)["TOTP"]


def test_another_users_code_raises_no_session(site, otto):
    email, _, key, session = otto
    mallory = new_name("mallory")
    own = site.sign_up(mallory)
    body = {"loginId": email, "code": site.totp(key), "loginOptions": {"mfa": True}}
    answer = site.post("totp/verify", body, own)
    assert answer.status_code == 400 and "refreshJwt" not in answer.json(), answer.text


def test_an_old_session_changes_nothing_about_the_sign_in(site):
    """A stolen refresh token of a day ago."""
    email, password = new_name("otto"), new_password()
    own = site.sign_up(email, password)
    calls = {
        "password/update": {"loginId": email, "newPassword": new_password()},
        "otp/update/email": {"loginId": email, "email": new_name("mallory")},
        "otp/update/phone/sms": {"loginId": email, "phone": "+4915112345678"},
        "magiclink/update/email": {"loginId": email, "email": new_name("mallory")},
        "enchantedlink/update/email": {"loginId": email, "email": new_name("mallory")},
        "webauthn/update/start": {"loginId": email, "origin": site.issuer},
        "totp/update": {"loginId": email},
    }
    site.age(email)
    for path, body in calls.items():
        assert missing(site.post(path, body, own)) == "recent_sign_in", path
    page = site.settings_of_app(own, "/settings/password")
    assert page.name == "login", page
    fresh = site.by_password(email, password).json()["refreshJwt"]
    for path in ("webauthn/update/start", "totp/update", "password/update"):
        site.call(path, calls[path], fresh)
    assert site.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{fresh}").status_code == 200


def test_who_loses_a_factor_by_the_link_about_a_sign_in_is_told(site):
    """The link undoes what came since the sign-in, for whoever reads the mailbox: never in silence."""
    email, password = new_name("otto"), new_password()
    own = site.sign_up(email, password)
    site.browse(email, password)
    link = next(letter["links"][0] for letter in site.letters(email) if letter["kind"] == "new-sign-in")
    site.add_authenticator(email, own)
    before = len(site.letters(email))
    thief = site.visitor()
    page = thief.submit(thief.open(link))
    assert page.name == "dispute" and not page.forms, page
    assert site.by_password(email, password).status_code == 400
    told = [letter["kind"] for letter in site.letters(email)[before:]]
    assert told == ["authenticator-removed"]
