"""What the package does when an answer is lost or there are too many requests, and how the server bears it."""

from __future__ import annotations

import pytest
from descope import AuthException, RateLimitException

from support.gateway import Gateway, Spoiled
from support.methods import APP_PAGE, EMAIL, SMS, new_email, new_phone, slowed_down

LOST_BEFORE = Spoiled(503, reaches_server=False)
LOST_AFTER = Spoiled(503, reaches_server=True)
SENDS_MAX = 40


@pytest.fixture
def gateway(project):
    gateway = Gateway(project.base)
    yield gateway
    gateway.close()


@pytest.fixture
def far_client(project, gateway):
    """The package, behind the gateway."""
    return project.new_client(base=gateway.base)


def test_503_is_retried(project, gateway, far_client):
    """The request did not arrive: the second one does."""
    email = new_email()
    gateway.next_answers.append(LOST_BEFORE)
    far_client.otp.sign_up_or_in(EMAIL, email)
    assert len(gateway.paths) == 2
    project.tokens(far_client.otp.verify_code(EMAIL, email, project.mail.take(email).code))


def test_refresh_whose_answer_was_lost(project, gateway, far_client):
    """The server has refreshed; the package asks again with the old token, and the session goes on."""
    first = project.sign_up()
    session, refresh = project.tokens(first)
    far_client.validate_session(session)
    gateway.next_answers.append(LOST_AFTER)
    answer = far_client.refresh_session(refresh)
    assert answer["sessionToken"]["sub"] == first["userId"] and gateway.paths.count("/v1/auth/refresh") == 2
    far_client.refresh_session(answer["refreshSessionToken"]["jwt"])


def test_sign_up_whose_answer_was_lost(project, gateway, far_client):
    """Asked twice: whichever of the codes arrives is good."""
    email = new_email()
    gateway.next_answers.append(LOST_AFTER)
    far_client.otp.sign_up(EMAIL, email, {"name": "Rita Retry"})
    message = project.mail.take(email)
    project.tokens(far_client.otp.verify_code(EMAIL, email, message.code))


def test_logout_whose_answer_was_lost(project, gateway, far_client):
    """Leaving twice is no success and no harm."""
    _, refresh = project.tokens(project.sign_up())
    gateway.next_answers.append(LOST_AFTER)
    try:
        far_client.logout(refresh)
    except AuthException as problem:
        assert problem.status_code == 401
    with pytest.raises(AuthException):
        far_client.refresh_session(refresh)


def test_rate_limit_of_a_balancer(gateway, far_client):
    """The package's own reading of the header field; nothing is retried."""
    body = b'{"errorCode":"E130429","errorDescription":"slow down"}'
    gateway.next_answers.append(Spoiled(429, False, (("Retry-After", "7"),), body))
    with pytest.raises(RateLimitException) as caught:
        far_client.otp.sign_up_or_in(EMAIL, new_email())
    assert caught.value.status_code == "E130429" and caught.value.rate_limit_parameters == {"Retry-After": 7}
    assert len(gateway.paths) == 1


def test_rate_limit_of_the_server(project, client):
    """Too many messages to one person: the exception of the package, with when to come back; others go on."""
    email, codes = new_email(), []
    while len(codes) < SENDS_MAX:
        try:
            client.otp.sign_up_or_in(EMAIL, email)
        except RateLimitException:
            break
        codes.append(project.mail.take(email).code)
    assert 3 <= len(codes) < SENDS_MAX, f"{len(codes)} messages to one person"
    assert slowed_down(lambda: client.otp.sign_up_or_in(EMAIL, email)) <= 3_600
    slowed_down(lambda: client.magiclink.sign_up_or_in(EMAIL, email, APP_PAGE))
    client.otp.sign_up_or_in(EMAIL, new_email())
    project.tokens(client.otp.verify_code(EMAIL, email, codes[-1]))


def test_attack_90_text_messages_are_limited_too(client):
    """Sooner or later, for one number."""
    phone = new_phone()
    with pytest.raises(RateLimitException) as caught:
        for _ in range(SENDS_MAX):
            client.otp.sign_up_or_in(SMS, phone)
    assert caught.value.rate_limit_parameters["Retry-After"] > 0
