"""Requests written from the standard, and what a user does on the page of approvals."""

from __future__ import annotations

import requests

from support.browsing import check_page, fill_and_send
from support.configuration import MARIA

GRANT = "urn:openid:params:grant-type:ciba"


def metadata(site) -> dict:
    return requests.get(f"{site.issuer}/.well-known/openid-configuration", timeout=10).json()


def ask(site, client, **fields) -> dict:
    form = {"scope": "openid profile", "login_hint": MARIA.login, **fields}
    endpoint = metadata(site)["backchannel_authentication_endpoint"]
    answer = requests.post(endpoint, data=form, auth=client, timeout=10)
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store", answer.text
    body = answer.json()
    assert body["expires_in"] > 0 and body["interval"] == 5 and 10 <= body["number"] <= 99
    return body


def poll(site, client, request: dict) -> requests.Response:
    form = {"grant_type": GRANT, "auth_req_id": request["auth_req_id"]}
    return requests.post(metadata(site)["token_endpoint"], data=form, auth=client, timeout=10)


def open_approvals(page, site) -> None:
    page.goto(site.issuer + "/settings/approvals")
    if page.locator("body").get_attribute("data-page") == "login":
        fill_and_send(page)
    check_page(page, "settings-approvals")


def decide(page, site, action: str, number: int | str | None = None) -> None:
    """Decides the one request that waits."""
    open_approvals(page, site)
    if number is not None:
        page.locator("input[name=number]").fill(str(number))
    page.locator(f"button[value={action}]").click()
    check_page(page, "settings-approvals")
