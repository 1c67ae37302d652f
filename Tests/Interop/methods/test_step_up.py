"""Step-up and second factors: what they add to a session, and what they demand."""

from __future__ import annotations

import time

import pyotp
import pytest
from descope import AuthException, LoginOptions

from support.methods import APP_PAGE, EMAIL, SMS, new_email, new_phone, refused

STEP_UP, MFA = LoginOptions(stepup=True), LoginOptions(mfa=True)


def test_step_up_by_code(near):
    """`su` on the session, never on the refresh token; the person is the same."""
    project, client = near, near.client
    first = project.sign_up()
    email, (session, refresh) = first["user"]["email"], project.tokens(first)
    assert "su" not in client.validate_session(session)
    client.otp.sign_in(EMAIL, email, STEP_UP, refresh)
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    project.tokens(answer)
    assert answer["userId"] == first["userId"] and answer["sessionToken"]["su"] is True
    assert "su" not in answer["refreshSessionToken"]


def test_step_up_by_link(near):
    project, client = near, near.client
    first = project.sign_up()
    client.magiclink.sign_in(EMAIL, first["user"]["email"], APP_PAGE, STEP_UP, first["refreshSessionToken"]["jwt"])
    answer = client.magiclink.verify(project.mail.take(first["user"]["email"]).token)
    assert answer["sessionToken"]["su"] is True


def test_two_factors(near):
    """A password and then a code: both stand in `amr`, and `mfa`; a refresh keeps them."""
    (first, _), client = near.sign_up_with_password(), near.client
    email, (_, refresh) = first["user"]["loginIds"][0], near.tokens(first)
    client.otp.sign_in(EMAIL, email, MFA, refresh)
    answer = client.otp.verify_code(EMAIL, email, near.mail.take(email).code)
    _, refresh = near.tokens(answer)
    assert set(answer["sessionToken"]["amr"]) == {"pwd", "email", "mfa"}
    assert set(client.refresh_session(refresh)["sessionToken"]["amr"]) == {"pwd", "email", "mfa"}


def test_one_factor_twice(near):
    """The same thing again is not a second factor."""
    project, client = near, near.client
    first = project.sign_up()
    email, refresh = first["user"]["email"], first["refreshSessionToken"]["jwt"]
    client.otp.sign_in(EMAIL, email, MFA, refresh)
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    assert answer["sessionToken"]["amr"] == ["email"]


def test_three_factors(near):
    """Each is added to those before."""
    project, client = near, near.client
    first = project.sign_up()
    email, (_, refresh) = first["user"]["email"], project.tokens(first)
    phone = new_phone()
    client.otp.update_user_phone(SMS, email, phone, refresh, add_to_login_ids=True, mfa=True)
    answer = client.otp.verify_code(SMS, email, project.texts.take(phone).code)
    assert set(answer["sessionToken"]["amr"]) == {"email", "sms", "mfa"}
    _, refresh = project.tokens(answer)
    code = pyotp.TOTP(client.totp.update_user(email, refresh)["key"]).at(time.time())
    answer = client.totp.sign_in_code(email, code, MFA, refresh)
    assert set(answer["sessionToken"]["amr"]) == {"email", "sms", "totp", "mfa"}


@pytest.mark.parametrize("options", [STEP_UP, MFA], ids=["step-up", "mfa"])
def test_without_a_session(project, client, options):
    """The package demands a refresh token, and so does the server."""
    email = project.sign_up()["user"]["email"]
    with pytest.raises(AuthException):
        client.otp.sign_in(EMAIL, email, options)
    body = {"loginId": email, "loginOptions": {"stepup": options.stepup, "mfa": options.mfa}}
    answer = project.wire.post("/v1/auth/otp/signin/email", body)
    assert answer.status_code in (400, 401), f"status {answer.status_code}: {answer.text}"
    project.mail.nothing(email, 0.2)


def test_with_a_session_of_somebody_else(project, client):
    """Nobody steps up with another person's code, or lends a session to another person."""
    victim, mallory = project.sign_up(), project.sign_up()
    email = victim["user"]["email"]
    try:
        client.otp.sign_in(EMAIL, email, MFA, mallory["refreshSessionToken"]["jwt"])
    except AuthException as problem:
        assert problem.status_code in (400, 401, 403)
        return
    code = project.mail.take(email).code
    refused(lambda: client.otp.verify_code(EMAIL, email, code))


def test_with_a_session_that_is_over(project, client):
    first = project.sign_up()
    _, refresh = project.tokens(first)
    client.logout(refresh)
    refused(lambda: client.otp.sign_in(EMAIL, first["user"]["email"], STEP_UP, refresh), status=401)


def test_a_session_that_ends_before_the_code(project, client):
    """The code goes on from a session; without that session it does not step up."""
    first = project.sign_up()
    email, (_, refresh) = first["user"]["email"], project.tokens(first)
    client.otp.sign_in(EMAIL, email, MFA, refresh)
    client.logout(refresh)
    code = project.mail.take(email).code
    refused(lambda: client.otp.verify_code(EMAIL, email, code))


def test_step_up_with_custom_claims(near):
    """All options at once, as the sheet records them."""
    project, client = near, near.client
    email = new_email()
    _, refresh = project.tokens(project.sign_up(email))
    client.otp.sign_in(EMAIL, email, LoginOptions(stepup=True, custom_claims={"k": "v"}), refresh)
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    assert answer["sessionToken"]["su"] is True and answer["sessionToken"]["nsec"] == {"k": "v"}
