"""Text messages through the operator's gateway, and every message in the outbox."""

from __future__ import annotations

import hashlib
import hmac
import json
import time

import requests

from support.text_gateway import TextGateway

PHONE = "+15551234567"


def test_a_text_message_is_posted_and_signed(start, closing):
    gateway = closing(TextGateway())
    identifier = start({"sms_webhook": {"url": gateway.url, "secret": "hush"}}).send(PHONE, "--channel", "sms")
    headers, body = gateway.next()
    signed = f"{headers['keyturn-timestamp']}.".encode() + body
    expected = hmac.new(b"hush", signed, hashlib.sha256).hexdigest()
    assert headers["keyturn-signature"] == f"v1={expected}"
    assert abs(int(headers["keyturn-timestamp"]) - time.time()) < 60
    assert headers["idempotency-key"] == identifier
    message = json.loads(body)
    assert (message["id"], message["channel"], message["to"]) == (identifier, "sms", PHONE)
    assert message["code"] == "000000" and "000000" in message["text"]


def test_a_gateway_that_is_down_is_asked_again_and_one_that_refuses_is_not(start, closing):
    gateway = closing(TextGateway())
    gateway.answers = [422, 204]
    sender = start({"sms_webhook": {"url": gateway.url, "secret": "hush"}})
    refused = sender.send(PHONE, "--channel", "sms")
    assert gateway.next()[0]["idempotency-key"] == refused
    taken = sender.send(PHONE, "--channel", "voice")
    headers, body = gateway.next()
    assert headers["idempotency-key"] == taken and "0, 0, 0" in json.loads(body)["text"]
    assert [(letter["id"], letter["reason"]) for letter in sender.dead()] == [(refused, "gateway 422")]


def test_the_outbox_shows_every_message_and_counts_as_delivery(start):
    sender = start({"outbox": True})
    mail = sender.send("andy@example.com")
    text = sender.send(PHONE, "--channel", "sms", "--locale", "de")
    messages = requests.get(f"{sender.base}/dev/outbox.json", timeout=10).json()
    assert [message["id"] for message in messages] == [mail, text]
    assert set(messages[0]) >= {"id", "channel", "to", "subject", "body", "code", "links", "created_at"}
    assert messages[0]["channel"] == "email" and messages[0]["subject"] == "Your code for Interop"
    assert messages[1] | {"body": "", "created_at": 0} == {
        "id": text, "kind": "code", "channel": "sms", "to": PHONE, "subject": "", "body": "", "code": "000000",
        "links": [], "created_at": 0,
    }
    page = requests.get(f"{sender.base}/dev/outbox", timeout=10)
    assert 'data-page="outbox"' in page.text and page.text.index(text) < page.text.index(mail)
    assert "no-store" in page.headers["Cache-Control"]
    deadline = time.monotonic() + 10
    while "keyturn_messages_sent 2" not in (metrics := requests.get(f"{sender.base}/metrics", timeout=10).text):
        assert time.monotonic() < deadline, metrics
        time.sleep(0.2)
    assert len(requests.get(f"{sender.base}/dev/outbox.json", timeout=10).json()) == 2


def test_there_is_no_outbox_unless_it_is_asked_for(start):
    sender = start({})
    sender.send("andy@example.com")
    for path in ["/dev/outbox", "/dev/outbox.json"]:
        assert requests.get(f"{sender.base}{path}", timeout=10).status_code == 404
    deadline = time.monotonic() + 10
    while not (letters := sender.dead()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert [letter["reason"] for letter in letters] == ["nothing is configured that sends email"]
