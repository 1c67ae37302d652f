"""Links that sign in, with the unchanged package."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from descope import LoginOptions

from support.methods import APP_PAGE, EMAIL, SMS, SPENT_LINK, WHATSAPP, new_email, new_phone, refused


def test_sign_up_by_email(project, client):
    """The link leads to the app's page, which keeps its own query, and its token signs in."""
    email = new_email()
    masked = client.magiclink.sign_up(EMAIL, email, APP_PAGE, {"name": "Lia Link"})
    assert masked != email and "*" in masked
    message = project.mail.take(email)
    parts = urlsplit(message.link)
    assert message.link.startswith("https://app.example.com/arrived?")
    assert parse_qs(parts.query)["from"] == ["keyturn"] and set(parse_qs(parts.query)) == {"from", "t"}
    answer = client.magiclink.verify(message.token)
    project.tokens(answer)
    assert answer["firstSeen"] is True and answer["sessionToken"]["amr"] == ["email"]
    assert answer["user"]["verifiedEmail"] is True and answer["user"]["name"] == "Lia Link"


@pytest.mark.parametrize("method", [SMS, WHATSAPP], ids=["sms", "whatsapp"])
def test_sign_up_or_in_by_phone(project, client, method):
    phone = new_phone()
    answers = []
    for _ in range(2):
        client.magiclink.sign_up_or_in(method, phone, APP_PAGE)
        answers.append(client.magiclink.verify(project.texts.take(phone).token))
        project.tokens(answers[-1])
    assert answers[0]["userId"] == answers[1]["userId"] and [a["firstSeen"] for a in answers] == [True, False]
    assert answers[1]["user"]["verifiedPhone"] is True


def test_sign_in_and_spend_once(project, client):
    """A second use is refused, and so is a token that was never made."""
    email = project.sign_up()["user"]["email"]
    client.magiclink.sign_in(EMAIL, email, APP_PAGE)
    token = project.mail.take(email).token
    client.magiclink.verify(token)
    refused(lambda: client.magiclink.verify(token), *SPENT_LINK)
    for wrong in (token[:-1], f"{token}A", token[::-1], "tok", ""):
        refused(lambda wrong=wrong: client.magiclink.verify(wrong))


def test_sign_in_of_somebody_who_does_not_exist(project, client):
    email = new_email()
    assert "*" in client.magiclink.sign_in(EMAIL, email, APP_PAGE)
    project.mail.nothing(email)


def test_a_link_is_not_a_code(project, client):
    """Each proof is good for what it was made for."""
    email = project.sign_up()["user"]["email"]
    client.otp.sign_in(EMAIL, email)
    code = project.mail.take(email).code
    refused(lambda: client.magiclink.verify(code))
    client.magiclink.sign_in(EMAIL, email, APP_PAGE)
    token = project.mail.take(email).token
    refused(lambda: client.otp.verify_code(EMAIL, email, token))
    refused(lambda: client.enchantedlink.verify(token))
    client.magiclink.verify(token)


def test_without_an_address_to_come_back_to(project, client):
    """The link leads to a page of the server's own."""
    email = new_email()
    client.magiclink.sign_up_or_in(EMAIL, email, "")
    message = project.mail.take(email)
    assert message.link.startswith(f"{project.server.issuer}/link?")
    project.tokens(client.magiclink.verify(message.token))


@pytest.mark.parametrize(
    "address",
    [
        "https://stranger.example.net/",
        "https://app.example.com.stranger.example.net/",
        "https://app.example.com@stranger.example.net/",
        "javascript:alert(1)",
        "data:text/html,x",
        "//app.example.com",
        "nonsense",
    ],
)
def test_addresses_that_lead_nowhere_good(project, client, address):
    """Anybody may ask for a mail: its link takes nobody's token to a stranger."""
    email = new_email()
    refused(lambda: client.magiclink.sign_up_or_in(EMAIL, email, address))
    project.mail.nothing(email, 0.2)


def test_custom_claims(project, client):
    email = project.sign_up()["user"]["email"]
    client.magiclink.sign_in(EMAIL, email, APP_PAGE, LoginOptions(custom_claims={"a": {"b": [1, True, None]}}))
    answer = client.magiclink.verify(project.mail.take(email).token)
    assert answer["sessionToken"]["nsec"] == {"a": {"b": [1, True, None]}}


def test_update_email(near):
    """Verified by the link; without being told so, the old address goes on signing in."""
    first, client = near.sign_up(), near.client
    old, new, refresh = first["user"]["email"], new_email("moved"), first["refreshSessionToken"]["jwt"]
    client.magiclink.update_user_email(old, new, refresh)
    answer = client.magiclink.verify(near.mail.take(new).token)
    user = client.me(answer["refreshSessionToken"]["jwt"])
    assert user["userId"] == first["userId"] and user["email"] == new and user["loginIds"] == [old]


def test_update_phone(near):
    """On the path without a suffix, as this package has it."""
    first, client = near.sign_up(), near.client
    phone = new_phone()
    masked = client.magiclink.update_user_phone(SMS, first["user"]["email"], phone, first["refreshSessionToken"]["jwt"])
    assert "*" in masked
    answer = client.magiclink.verify(near.texts.take(phone).token)
    assert client.me(answer["refreshSessionToken"]["jwt"])["phone"] == phone
