"""OpenID Connect CIBA Core 1.0 in poll mode: requests written from the standard, and a user at a real browser."""

from __future__ import annotations

import time

import requests

from support.browsing import check_page, fill_and_send
from support.configuration import MARIA
from support.tokens import payload_of

GRANT = "urn:openid:params:grant-type:ciba"


def metadata(site) -> dict:
    return requests.get(f"{site.issuer}/.well-known/openid-configuration", timeout=10).json()


def ask(site, till, **fields) -> dict:
    form = {"scope": "openid profile", "login_hint": MARIA.login, **fields}
    endpoint = metadata(site)["backchannel_authentication_endpoint"]
    answer = requests.post(endpoint, data=form, auth=till, timeout=10)
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert body["expires_in"] > 0 and body["interval"] == 5 and 10 <= body["number"] <= 99
    return body


def poll(site, till, request: dict) -> requests.Response:
    form = {"grant_type": GRANT, "auth_req_id": request["auth_req_id"]}
    return requests.post(metadata(site)["token_endpoint"], data=form, auth=till, timeout=10)


def open_approvals(page, site) -> None:
    page.goto(site.issuer + "/settings/approvals")
    if page.locator("body").get_attribute("data-page") == "login":
        fill_and_send(page)
    check_page(page, "settings-approvals")


def test_the_user_types_the_number_and_the_client_gets_tokens(site, till, page):
    request = ask(site, till, binding_message="Till <i>4</i>")
    assert poll(site, till, request).json()["error"] == "authorization_pending"
    open_approvals(page, site)
    shown = page.inner_text("main")
    assert "Harbour Till" in shown and "Till <i>4</i>" in shown
    page.locator("input[name=number]").fill(str(request["number"]))
    page.locator("button[value=allow]").click()
    check_page(page, "settings-approvals")
    time.sleep(request["interval"])
    answer = poll(site, till, request)
    assert answer.status_code == 200, answer.text
    claims = payload_of(answer.json()["id_token"])
    assert claims["aud"] == "till" and claims["iss"] == site.issuer
    assert poll(site, till, request).json()["error"] == "invalid_grant"


def test_the_user_refuses_without_a_number(site, till, page):
    request = ask(site, till)
    open_approvals(page, site)
    page.locator("button[value=deny]").click()
    check_page(page, "settings-approvals")
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
