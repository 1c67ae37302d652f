"""What raises a session, in the hands of somebody who reads the mailbox once: it is worth what the reader has shown."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, missing, new_name, new_password


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("step-up"))
    yield made
    made.close()


@pytest.fixture
def otto(site):
    """A user with a password and an authenticator app: the name, and a session that has used both."""
    email, password = new_name("otto"), new_password()
    key, _ = site.add_authenticator(email, site.sign_up(email, password))
    reference = site.by_password(email, password).json()["pendingRef"]
    session = site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)["refreshJwt"]
    return email, session


def gained(site: OwnAccounts, login: str, answer) -> list[str]:
    """What an answer's session changes about how its user signs in."""
    if answer.status_code != 200:
        return []
    calls = {
        "totp/update": {"loginId": login},
        "otp/update/email": {"loginId": login, "email": new_name("mallory")},
        "webauthn/update/start": {"loginId": login, "origin": site.issuer},
        "password/update": {"loginId": login, "newPassword": new_password()},
    }
    session = answer.json()["refreshJwt"]
    return [path for path, body in calls.items() if site.post(path, body, session).status_code == 200]


@pytest.mark.parametrize("option", ["stepup", "mfa"])
def test_a_code_that_raises_a_session_is_worth_no_more_than_a_mailbox_elsewhere(site, otto, option):
    """The user asks for it, and the reader of the mailbox is faster. Without the session, the code is a sign-in's."""
    email, session = otto
    site.call("otp/signin/email", {"loginId": email})
    alone = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)})
    assert missing(alone) == "second_factor", "a sign-in by the mailbox alone"
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {option: True}}, session)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)})
    assert gained(site, email, answer) == []


@pytest.mark.parametrize("option", ["stepup", "mfa"])
def test_a_link_that_raises_a_session_is_worth_no_more_than_a_mailbox_elsewhere(site, otto, option):
    email, session = otto
    body = {"loginId": email, "loginOptions": {option: True}, "redirectUrl": f"{site.issuer}/link"}
    site.call("magiclink/signin/email", body, session)
    answer = site.post("magiclink/verify", {"token": site.tokens(email)[0]})
    assert gained(site, email, answer) == []


def test_a_code_at_a_new_address_is_worth_no_more_than_that_address_elsewhere(site, otto):
    """The user types another person's address by mistake, and wants the proof to count as a factor."""
    email, session = otto
    stranger = new_name("stranger")
    site.call("otp/update/email", {"loginId": email, "email": stranger, "mfa": True}, session)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(stranger)})
    assert gained(site, email, answer) == []


def test_a_code_raises_the_session_that_is_shown_with_it(site, otto):
    """The control: the client that asked shows its session."""
    email, session = otto
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"stepup": True}}, session)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}, session)
    assert len(gained(site, email, answer)) == 4


def test_another_users_session_beside_the_code_raises_nothing(site, otto):
    email, session = otto
    mallory = site.sign_up(new_name("mallory"))
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"mfa": True}}, session)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}, mallory)
    assert gained(site, email, answer) == []
