"""One-time codes by email, text message, call and WhatsApp, with the unchanged package."""

from __future__ import annotations

import pytest
from descope import AuthException, LoginOptions, SignUpOptions

from support.methods import BAD_CODE, EMAIL, PHONES, SMS, WRONG_CODE, check_problem, new_email, new_phone, refused


def is_masked(masked: str, address: str) -> bool:
    """Enough for its owner to know it, too little for anybody else."""
    return masked != address and "*" in masked and masked[0] == address[0]


def test_sign_up_by_email(project, client):
    """A code that a mail brought makes an account, with what was told about it."""
    email = new_email()
    masked = client.otp.sign_up(EMAIL, email, {"name": "Ana Abel", "givenName": "Ana", "familyName": "Abel"})
    assert is_masked(masked, email) and masked.endswith(email[email.rindex(".") :])
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    session, _ = project.tokens(answer)
    user = answer["user"]
    assert answer["firstSeen"] is True and answer["sessionToken"]["amr"] == ["email"]
    assert (user["name"], user["givenName"], user["familyName"]) == ("Ana Abel", "Ana", "Abel")
    assert user["email"] == email and user["verifiedEmail"] is True and user["loginIds"] == [email]
    assert client.validate_session(session)["userId"] == user["userId"]


def test_sign_in_again(project, client):
    """The same person, no longer seen for the first time."""
    first = project.sign_up()
    email = first["user"]["email"]
    assert is_masked(client.otp.sign_in(EMAIL, email), email)
    again = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    project.tokens(again)
    assert again["userId"] == first["userId"] and again["firstSeen"] is False
    assert again["sessionToken"]["jwt"] != first["sessionToken"]["jwt"]


@pytest.mark.parametrize("method", PHONES, ids=lambda method: method.name.lower())
def test_sign_up_and_in_by_phone(project, client, method):
    """Each way of sending reaches the gateway under its own name, and stands in `amr`."""
    phone, channel = new_phone(), method.name.lower()
    assert is_masked(client.otp.sign_up(method, phone, {"name": "Phil Phone"}), phone)
    message = project.texts.take(phone)
    assert message.headers["channel"] == channel
    answer = client.otp.verify_code(method, phone, message.code)
    project.tokens(answer)
    assert answer["sessionToken"]["amr"] == [channel]
    assert answer["user"]["phone"] == phone and answer["user"]["verifiedPhone"] is True
    client.otp.sign_in(method, phone)
    again = client.otp.verify_code(method, phone, project.texts.take(phone).code)
    assert again["userId"] == answer["userId"] and again["firstSeen"] is False


@pytest.mark.parametrize("method", [EMAIL, SMS], ids=["email", "sms"])
def test_sign_up_or_in(project, client, method):
    """One call for both: an account the first time, the same account the second time."""
    address, box = (new_email(), project.mail) if method is EMAIL else (new_phone(), project.texts)
    answers = []
    for _ in range(2):
        client.otp.sign_up_or_in(method, address)
        answers.append(client.otp.verify_code(method, address, box.take(address).code))
        project.tokens(answers[-1])
    assert [answer["firstSeen"] for answer in answers] == [True, False]
    assert answers[0]["userId"] == answers[1]["userId"]


def test_login_id_in_another_spelling(project, client):
    """An address is one address, however it is typed."""
    email = project.sign_up()["user"]["email"]
    client.otp.sign_in(EMAIL, email.upper())
    answer = client.otp.verify_code(EMAIL, f"{email[:3].upper()}{email[3:]}", project.mail.take(email).code)
    assert answer["user"]["loginIds"] == [email]


def test_sign_up_of_somebody_who_exists(project, client):
    """The answer is the same; the owner hears of it, and nobody gets a second account."""
    first = project.sign_up()
    email = first["user"]["email"]
    assert is_masked(client.otp.sign_up(EMAIL, email, {"name": "Somebody Else"}), email)
    message = project.mail.take(email)
    assert "already" in message.text.lower()
    assert client.me(first["refreshSessionToken"]["jwt"])["name"] == "Nora New"


def test_sign_in_of_somebody_who_does_not_exist(project, client):
    """The answer is the same; no code exists that could be right, and nothing is sent."""
    email = new_email()
    assert is_masked(client.otp.sign_in(EMAIL, email), email)
    refused(lambda: client.otp.verify_code(EMAIL, email, "123456"), WRONG_CODE)
    project.mail.nothing(email)
    assert project.mgmt.user.search_all(login_ids=[email])["users"] == []


def test_code_is_spent_once(project, client):
    email = new_email()
    client.otp.sign_up_or_in(EMAIL, email)
    code = project.mail.take(email).code
    client.otp.verify_code(EMAIL, email, code)
    refused(lambda: client.otp.verify_code(EMAIL, email, code), *BAD_CODE)


def test_code_of_somebody_else(project, client):
    """A code is bound to whom it was sent, and to the way."""
    first, second, phone = new_email(), new_email(), new_phone()
    client.otp.sign_up_or_in(EMAIL, first)
    client.otp.sign_up_or_in(EMAIL, second)
    client.otp.sign_up_or_in(SMS, phone)
    code = project.mail.take(first).code
    refused(lambda: client.otp.verify_code(EMAIL, second, code), *BAD_CODE)
    refused(lambda: client.otp.verify_code(SMS, phone, code), *BAD_CODE)
    client.otp.verify_code(EMAIL, first, code)


def test_an_earlier_code_outlives_a_later_one(project, client):
    """Mails overtake each other: the first code is as good as the second."""
    email = project.sign_up()["user"]["email"]
    client.otp.sign_in(EMAIL, email)
    earlier = project.mail.take(email).code
    client.otp.sign_in(EMAIL, email)
    project.mail.take(email)
    project.tokens(client.otp.verify_code(EMAIL, email, earlier))


def test_custom_claims_are_not_trusted(project, client):
    """What an app asks for stands under `nsec`, wherever it may be asked for, and survives a refresh."""
    email = new_email()
    client.otp.sign_up(EMAIL, email, {}, SignUpOptions(custom_claims={"plan": "gold", "sub": "U-other"}))
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    project.tokens(answer)
    assert answer["sessionToken"]["nsec"] == {"plan": "gold", "sub": "U-other"} and "plan" not in answer["sessionToken"]
    client.otp.sign_in(EMAIL, email, LoginOptions(custom_claims={"roles": ["admin"]}))
    again = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    assert again["sessionToken"]["nsec"] == {"roles": ["admin"]} and again["roles"] == []
    refreshed = client.refresh_session(again["refreshSessionToken"]["jwt"])
    assert refreshed["sessionToken"]["nsec"] == {"roles": ["admin"]}


def test_revoke_other_sessions(project, client):
    """Whoever asks for it is alone afterwards."""
    first = project.sign_up()
    email, refresh = first["user"]["email"], first["refreshSessionToken"]["jwt"]
    client.otp.sign_in(EMAIL, email, LoginOptions(revoke_other_sessions=True))
    client.me(refresh)
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    refused(lambda: client.refresh_session(refresh), status=401)
    client.refresh_session(answer["refreshSessionToken"]["jwt"])


def test_update_email(project, client):
    """The new address counts when its owner has the code, and not before."""
    first = project.sign_up()
    old, new, refresh = first["user"]["email"], new_email("moved"), first["refreshSessionToken"]["jwt"]
    assert is_masked(client.otp.update_user_email(old, new, refresh, add_to_login_ids=True), new)
    assert client.me(refresh)["email"] == old
    answer = client.otp.verify_code(EMAIL, old, project.mail.take(new).code)
    user = client.me(answer["refreshSessionToken"]["jwt"])
    assert user["userId"] == first["userId"] and user["email"] == new and user["verifiedEmail"] is True
    assert sorted(user["loginIds"]) == sorted([old, new])


def test_update_phone(project, client):
    """A phone beside an email address; without being told so, it does not sign in."""
    first = project.sign_up()
    email, phone, refresh = first["user"]["email"], new_phone(), first["refreshSessionToken"]["jwt"]
    assert is_masked(client.otp.update_user_phone(SMS, email, phone, refresh), phone)
    answer = client.otp.verify_code(SMS, email, project.texts.take(phone).code)
    user = client.me(answer["refreshSessionToken"]["jwt"])
    assert user["phone"] == phone and user["verifiedPhone"] is True and user["loginIds"] == [email]


@pytest.mark.parametrize(("path", "login"), [("email", "not-an-address"), ("sms", "12"), ("voice", "a@example.com")])
def test_addresses_that_cannot_be_reached(project, client, path, login):
    """Nobody signs up where no code can arrive: the package says so, and so does the server."""
    with pytest.raises(AuthException):
        client.otp.sign_up(EMAIL, "not-an-address")
    answer = project.wire.post(f"/v1/auth/otp/signup/{path}", {"loginId": login, "user": {}})
    assert answer.status_code == 400, answer.text
    check_problem(answer.json())
