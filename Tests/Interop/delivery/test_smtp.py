"""Mails through a real mail server: aiosmtpd, with and without TLS, with an account and without."""

from __future__ import annotations

import email.utils
import queue
import time

import pytest

from support.certificates import Authority
from support.mail_server import MailServer

FROM = "Grüße von Keyturn <no-reply@example.com>"


def smtp(server: MailServer, **more) -> dict:
    """The `delivery` that sends through a mail server."""
    return {"smtp": server.configuration(**({"from": FROM} | more))}


def test_the_mail_itself(start, closing):
    """Headers, both parts, the code; every line in measure and in ASCII."""
    mails = closing(MailServer(security="none"))
    identifier = start(smtp(mails)).send("andy@example.com", "--locale", "de")
    mail, content, envelope = mails.next()
    assert envelope.mail_from == "no-reply@example.com"
    assert envelope.rcpt_tos == ["andy@example.com"]
    assert mail["From"] == FROM
    assert mail["To"] == "andy@example.com"
    assert mail["Subject"] == "Ihr Code für Interop"
    assert mail["Message-ID"] == f"<{identifier}@example.com>"
    assert abs(email.utils.parsedate_to_datetime(mail["Date"]).timestamp() - time.time()) < 60
    assert mail["Auto-Submitted"] == "auto-generated"
    assert not mail.defects
    text, page = mail.iter_parts()
    assert (text.get_content_type(), page.get_content_type()) == ("text/plain", "text/html")
    assert "000000" in text.get_content() and "Geben Sie diesen Code" in text.get_content()
    assert "000000" in page.get_content() and "http" not in page.get_content().replace("http-equiv", "")
    assert all(len(line) <= 78 for line in content.split(b"\r\n"))
    assert content.isascii()


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_tls_with_an_account(start, closing, authority, security):
    """Nothing is said to the mail server before the certificate is good, and the account's password is right."""
    mails = closing(MailServer(authority, security))
    start(smtp(mails)).send("andy@example.com")
    mail, _, _ = mails.next()
    assert mail["To"] == "andy@example.com"
    assert [right for _, right in mails.logins] == [True]


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize("fault", ["unknown authority", "other name"])
def test_a_wrong_certificate_gets_nothing(start, closing, authority, tmp_path, security, fault):
    shown = authority if fault == "unknown authority" else Authority(tmp_path / "other", "elsewhere.example")
    trusted = Authority(tmp_path / "trusted") if fault == "unknown authority" else shown
    mails = closing(MailServer(shown, security))
    sender = start(smtp(mails, ca_file=str(trusted.ca_file)))
    sender.send("andy@example.com")
    deadline = time.monotonic() + 20
    while "smtp tls refused" not in sender.log_text():
        assert time.monotonic() < deadline, sender.log_tail()
        time.sleep(0.2)
    assert mails.logins == [] and mails.arrived.empty()


def test_a_wrong_password_is_tried_again_and_never_logged(start, closing, authority):
    mails = closing(MailServer(authority))
    sender = start(smtp(mails, password="wrong-wrong"))
    sender.send("andy@example.com")
    deadline = time.monotonic() + 20
    while "smtp 535 after AUTH" not in (log := sender.log_text()):
        assert time.monotonic() < deadline, sender.log_tail()
        time.sleep(0.2)
    assert mails.arrived.empty() and [right for _, right in mails.logins] == [False]
    for secret in ["wrong-wrong", "andy@example.com", " 000000"]:
        assert secret not in log
    assert sender.dead() == []


def test_a_refused_recipient_is_a_dead_letter(start, closing):
    mails = closing(MailServer(security="none"))
    mails.refuse = "550 nobody of that name"
    sender = start(smtp(mails))
    identifier = sender.send("andy@example.com")
    deadline = time.monotonic() + 20
    while not (letters := sender.dead()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert [(letter["id"], letter["reason"]) for letter in letters] == [(identifier, "smtp 550 after RCPT TO")]


def test_a_mail_whose_fate_is_unknown_comes_again_as_the_same_mail(start, closing):
    """The mail server has it, and the connection is gone before it says so."""
    mails = closing(MailServer(security="none"))
    mails.accept_and_vanish = 1
    start(smtp(mails)).send("andy@example.com")
    (first, one, _), (second, two, _) = mails.next(), mails.next()
    assert first["Message-ID"] == second["Message-ID"]
    assert one == two


def test_what_waits_survives_a_kill(start, closing):
    """Queued while no server runs, sent by the next one."""
    mails = closing(MailServer(security="none"))
    sender = start(smtp(mails))
    sender.kill()
    identifiers = {sender.send("andy@example.com") for _ in range(3)}
    start(smtp(mails))
    arrived = {mails.next()[0]["Message-ID"].strip("<>").split("@")[0] for _ in identifiers}
    assert arrived == identifiers


def test_two_servers_on_one_queue_send_each_mail_once(start, closing, tmp_path):
    mails = closing(MailServer(security="none"))
    first = start(smtp(mails))
    start(smtp(mails))
    identifiers = [first.send("andy@example.com") for _ in range(8)]
    arrived = [mails.next()[0]["Message-ID"].strip("<>").split("@")[0] for _ in identifiers]
    assert sorted(arrived) == sorted(identifiers)
    with pytest.raises(queue.Empty):
        mails.next(3)
