"""OpenID Connect CIBA Core 1.0: requests written from the standard, and a user at a real browser."""

from __future__ import annotations

import secrets
import time

import requests

from support.backchannel import ask, decide, metadata, open_approvals, poll
from support.configuration import MARIA
from support.tokens import payload_of


def test_the_user_types_the_number_and_the_client_gets_tokens(site, till, page):
    request = ask(site, till, binding_message="Till <i>4</i>")
    assert poll(site, till, request).json()["error"] == "authorization_pending"
    open_approvals(page, site)
    shown = page.inner_text("main")
    assert "Harbour Till" in shown and "Till <i>4</i>" in shown
    decide(page, site, "allow", request["number"])
    time.sleep(request["interval"])
    answer = poll(site, till, request)
    assert answer.status_code == 200, answer.text
    claims = payload_of(answer.json()["id_token"])
    assert claims["aud"] == "till" and claims["iss"] == site.issuer
    # The answer may have been lost: the same refresh token comes again.
    again = poll(site, till, request)
    assert again.status_code == 200 and again.json().get("refresh_token") == answer.json().get("refresh_token")


def test_the_user_refuses_without_a_number(site, till, page):
    request = ask(site, till)
    decide(page, site, "deny")
    assert poll(site, till, request).json()["error"] == "access_denied"


def test_a_wrong_number_refuses(site, till, page):
    request = ask(site, till)
    open_approvals(page, site)
    page.locator("input[name=number]").fill("43" if request["number"] == 42 else "42")
    page.locator("button[value=allow]").click()
    page.locator("[role=alert]").wait_for()
    assert poll(site, till, request).json()["error"] == "access_denied"


def test_an_unknown_user_looks_like_any_other(site, till):
    request = ask(site, till, login_hint="unknown@example.com", requested_expiry="30")
    assert request["expires_in"] == 30
    assert poll(site, till, request).json()["error"] == "authorization_pending"


def test_a_client_in_ping_mode_is_notified_and_then_asks(site, pager, notified, page):
    assert metadata(site)["backchannel_token_delivery_modes_supported"] == ["poll", "ping"]
    token = secrets.token_urlsafe(24)
    notified.failures = 1
    request = ask(site, pager, client_notification_token=token)
    decide(page, site, "allow", request["number"])
    notified.wait(request)
    deadline = time.monotonic() + 60
    while notified.count(request) < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    assert notified.count(request) == 2, "it is sent again after a 503"
    arrived = notified.wait(request)
    assert arrived.method == "POST" and arrived.path == "/decided"
    assert arrived.headers["authorization"] == f"Bearer {token}"
    assert arrived.headers["content-type"] == "application/json"
    answer = poll(site, pager, request)
    assert answer.status_code == 200 and payload_of(answer.json()["id_token"])["aud"] == "pager"


def test_a_client_in_ping_mode_hears_of_a_refusal(site, pager, notified, page):
    request = ask(site, pager, client_notification_token=secrets.token_urlsafe(24))
    decide(page, site, "deny")
    notified.wait(request)
    assert poll(site, pager, request).json()["error"] == "access_denied"


def test_ping_mode_needs_a_bearer_token(site, pager):
    endpoint = metadata(site)["backchannel_authentication_endpoint"]
    for token in (None, "", "a b", "a" * 1025, "ä"):
        form = {"scope": "openid", "login_hint": MARIA.login}
        if token is not None:
            form["client_notification_token"] = token
        answer = requests.post(endpoint, data=form, auth=pager, timeout=10)
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_request", token


def test_the_push_service_is_told_without_the_number(site, till, pushes, page):
    request = ask(site, till, binding_message="Till 7")
    push = pushes.wait(lambda push: push.get("binding_message") == "Till 7")
    assert push["channel"] == "push" and push["to"] == MARIA.sub and push["kind"] == "sign-in-requested"
    assert push["client_name"] == "Harbour Till" and push["links"] == [f"{site.issuer}/settings/approvals"]
    assert "number" not in push and push.get("code") is None
    open_approvals(page, site)
    assert page.locator(f"input[name=id][value='{push['request']}']").count() == 1
    decide(page, site, "deny")
    assert poll(site, till, request).json()["error"] == "access_denied"
    letters = requests.get(f"{site.issuer}/dev/outbox.json", timeout=10).json()
    assert "push" in str(letters)
