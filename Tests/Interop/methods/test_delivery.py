"""Mails and text messages as they really arrive: encrypted, signed, in people's words, once."""

from __future__ import annotations

import json
import smtplib
import ssl
import subprocess

import pytest
from descope import LoginOptions

from support.certificates import Authority
from support.mail_server import MailServer
from support.methods import APP_PAGE, EMAIL, SMS, VOICE, new_email, new_phone
from support.project import Project
from support.server import binary


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


def test_words_of_ones_own(tmp_path):
    """The operator's template, with what the request sends along; another name is answered in the built-in words."""
    folder = tmp_path / "templates" / "welcome"
    folder.mkdir(parents=True)
    (folder / "code.en.txt").write_text("Subject: {{code}} for {{app}}\n\nAhoy {{options.name}}! {{code}}\n")
    (folder / "code.en.html").write_text("<p>Ahoy {{options.name}}! <b>{{code}}</b></p>\n")
    mails = MailServer(Authority(tmp_path / "authority"))
    project = Project(tmp_path / "project", mails, templates=str(tmp_path / "templates"))
    try:
        ask = {"loginId": new_email(), "loginOptions": {"templateId": "welcome"}}
        ask["loginOptions"]["templateOptions"] = {"name": "<i>Maria</i>"}
        assert project.wire.post("/v1/auth/otp/signup-in/email", ask).status_code == 200
        arrival = mails.next()
        code = mails.take(ask["loginId"]).code
        assert arrival.mail["Subject"] == f"{code} for Interop"
        text, page = (part.get_content() for part in arrival.mail.iter_parts())
        assert text.strip() == f"Ahoy <i>Maria</i>! {code}"
        assert page.strip() == f"<p>Ahoy &lt;i&gt;Maria&lt;/i&gt;! <b>{code}</b></p>"
        other = {"loginId": new_email(), "loginOptions": {"templateId": "nobody-knows\n"}}
        assert project.wire.post("/v1/auth/otp/signup-in/email", other).status_code == 200
        assert mails.take(other["loginId"]).subject == "Your code for Interop"
        assert "no such template" in project.server.log_text() and "nobody-knows" not in project.server.log_text()
    finally:
        project.close()
        mails.close()


def test_mistakes_in_templates_are_told_before_the_start(tmp_path):
    """With file and line, by the command that operators use."""
    folder = tmp_path / "templates" / "welcome"
    folder.mkdir(parents=True)
    (folder / "code.en.txt").write_text("Subject: x\n\nYour code:\n{{kode}}\n")
    (folder / "magic-link.en.sms.txt").write_text("Hello\n")
    config = tmp_path / "keyturn.json"
    config.write_text(json.dumps({"delivery": {"templates": str(tmp_path / "templates")}}))
    run = subprocess.run(
        [binary(), "config", "check", "--config", config], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 2
    assert "welcome/code.en.txt:4: there is no {{kode}} here" in run.stdout
    assert "welcome/magic-link.en.sms.txt: it lacks {{link}}" in run.stdout
