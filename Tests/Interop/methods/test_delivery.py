"""Mails and text messages as they really arrive: encrypted, signed, in people's words, once."""

from __future__ import annotations

import smtplib
import ssl

import pytest
from descope import LoginOptions

from support.mail_server import MailServer
from support.methods import APP_PAGE, EMAIL, SMS, VOICE, new_email, new_phone


def test_mail(project, client):
    """A mail that no filter need fear: sender, identifier, plain text, and the code alone in it."""
    email = new_email()
    client.otp.sign_up_or_in(EMAIL, email)
    message = project.mail.take(email)
    assert message.headers["from"] == "Interop <hello@mail.example.com>" and message.headers["to"] == email
    assert message.headers["message-id"].endswith("@mail.example.com>") and "mime-version" in message.headers
    assert message.headers.get("auto-submitted") == "auto-generated"
    assert "Interop" in message.subject + message.text
    envelope_sender, recipients = next(each for each in project.mail.envelopes if each[1] == [email])
    assert envelope_sender == "hello@mail.example.com"
    project.mail.nothing(email)


def test_language(project, client):
    """In the language that the app asks for; in English where nobody speaks it."""
    email = project.sign_up()["user"]["email"]
    texts = []
    for locale in ("de-AT", "xx-unknown"):
        client.otp.sign_in(EMAIL, email, LoginOptions(locale=locale))
        texts.append(project.mail.take(email).text)
    assert "Code" in texts[0] and ("Minuten" in texts[0] or "gültig" in texts[0])
    assert "minutes" in texts[1]


def test_text_message(project, client):
    """What a gateway needs; the code bound to where it may be typed."""
    phone = new_phone()
    client.otp.sign_up_or_in(SMS, phone)
    message = project.texts.take(phone)
    posted = next(each for each in project.texts.posted if each["to"] == phone)
    assert posted["code"] == message.code and posted["kind"] == "code" and posted["channel"] == "sms"
    assert message.text.splitlines()[-1].startswith("@") and message.text.endswith(f"#{message.code}")


def test_call(project, client):
    """Read out: the digits one by one."""
    phone = new_phone()
    client.otp.sign_up_or_in(VOICE, phone)
    project.texts.take(phone)
    posted = next(each for each in project.texts.posted if each["to"] == phone)
    spoken = [character for character in posted["text"] if character.isdigit()]
    assert posted["channel"] == "voice" and posted["code"] not in posted["text"]
    assert "".join(spoken).startswith(posted["code"]) or posted["code"] in "".join(spoken)


def test_outbox(project, client):
    """For developers: the same code and the same link, without a mail program."""
    email, phone = new_email(), new_phone()
    client.otp.sign_up_or_in(EMAIL, email)
    client.magiclink.sign_up_or_in(SMS, phone, APP_PAGE)
    code, link = project.mail.take(email).code, project.texts.take(phone).link
    mail = next(each for each in project.outbox() if each["to"] == email)
    text = next(each for each in project.outbox() if each["to"] == phone)
    assert (mail["code"], mail["channel"], text["channel"]) == (code, "email", "sms") and text["links"] == [link]


def test_outbox_alone(quiet_project):
    """A server without a mail server: the code is in the outbox, and signs in."""
    email = new_email()
    quiet_project.client.otp.sign_up(EMAIL, email, {"name": "Otto Outbox"})
    code = next(each for each in quiet_project.outbox() if each["to"] == email)["code"]
    quiet_project.tokens(quiet_project.client.otp.verify_code(EMAIL, email, code))


def test_outbox_has_no_decoys(project, client):
    """Nothing in it was meant for nobody."""
    email = new_email()
    client.otp.sign_in(EMAIL, email)
    assert email not in str(project.outbox())


def test_this_mail_server_is_strict(project):
    """Whether the fixture is worth anything: it takes nothing without encryption or password."""
    server: MailServer = project.mail
    for prepare in (lambda _: None, lambda plain: plain.starttls(context=trusting())):
        with smtplib.SMTP("127.0.0.1", server.port, timeout=5) as plain:
            prepare(plain)
            with pytest.raises((smtplib.SMTPSenderRefused, smtplib.SMTPResponseException)):
                plain.sendmail("a@example.com", ["b@example.com"], "Subject: x\r\n\r\nx")


def trusting():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_attack_113_names_cannot_write_headers(project, client):
    """Line breaks in what becomes part of a mail: one mail, to one person."""
    email = new_email()
    evil = "Eve\r\nBcc: other@example.com\r\n\r\nhttps://evil.example.com/?t=x"
    client.otp.sign_up(EMAIL, email, {"name": evil, "givenName": evil})
    message = project.mail.take(email)
    assert "bcc" not in message.headers and "evil.example.com" not in message.text
    assert [each[1] for each in project.mail.envelopes if email in each[1]] == [[email]]


def test_attack_113_template_options_are_no_markup(project, client):
    """What an app puts into a message is text of a bounded length, or is left out."""
    email = project.sign_up()["user"]["email"]
    options = LoginOptions(template_options={"appName": "<img src=x>\r\nBcc: x@example.com" + "a" * 5_000})
    try:
        client.otp.sign_in(EMAIL, email, options)
    except Exception as problem:
        assert "E011" in str(problem)
        return
    message = project.mail.take(email)
    assert "bcc" not in message.headers and len(message.text) < 8_000 and message.code
