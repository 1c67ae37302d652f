"""A tenant's provider speaks for its own domains alone: not for the address of another in a text that programs read in
more than one way."""

from __future__ import annotations

import base64
import email.utils
import hashlib
import secrets

import pytest
import requests

from support.configuration import ALL_SCOPES, Client
from support.own_account import APP, OwnAccounts, new_name
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback

BACK = "https://web.example/cb"
WEB = Client("web-app", None, "none", (BACK,), {"scope": ALL_SCOPES})
FOREIGN = "maria@acme.example"


@pytest.fixture(scope="module")
def own(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("lists"), clients=[APP, WEB], tenants=[{"id": "beta", "name": "Beta"}],
        connections=[{
            "id": "beta", "name": "Beta", "tenant": "beta", "issuer": told.issuer, "client_id": CLIENT_ID,
            "client_secret": SECRET, "domains": ["beta.example"]}])
    yield made
    made.close()


def hears(own: OwnAccounts, told, subject: str, address: str) -> dict | str:
    """What the client hears of who signs in with that address; else what the page says."""
    told.token = {"sub": subject, "email": address, "email_verified": True}
    told.userinfo = {"sub": subject}
    visitor, verifier = own.visitor(), secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": "web-app", "redirect_uri": BACK, "scope": "openid email", "state": "s",
        "code_challenge": challenge, "code_challenge_method": "S256", "connection": "beta"})
    if isinstance(page, Callback) and page.uri.startswith(told.issuer):
        page = visitor.follow(visitor.get(page.url))
    if isinstance(page, Page):
        return page.alert
    answer = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": page["code"], "redirect_uri": BACK, "client_id": "web-app",
        "code_verifier": verifier})
    token = answer.json()["access_token"]
    return requests.get(
        f"{own.base}/oauth2/userinfo", headers={"Authorization": f"Bearer {token}"}, timeout=20).json()


def test_the_providers_own_address_is_told(own, told):
    """The control."""
    assert hears(own, told, "one", "some.one+tag@beta.example")["email"] == "some.one+tag@beta.example"


def test_a_foreign_address_is_refused(own, told):
    """The control."""
    assert "does not belong to your organisation" in hears(own, told, "foreign", FOREIGN)


@pytest.mark.parametrize("address", [
    f"{FOREIGN},x@beta.example", f"<{FOREIGN}>x@beta.example", f"{FOREIGN} x@beta.example", f"{FOREIGN};x@beta.example",
    f"{FOREIGN}@beta.example", f"{FOREIGN} <x@beta.example", f'"{FOREIGN}" <x@beta.example', f"{FOREIGN}(@beta.example",
    f"({FOREIGN})@beta.example", f'"{FOREIGN}"@beta.example', f"[{FOREIGN}]@beta.example", f"x:{FOREIGN}@beta.example",
])
def test_a_foreign_address_before_an_own_one(own, told, address):
    said = hears(own, told, secrets.token_hex(4), address)
    assert isinstance(said, str) and "does not belong to your organisation" in said, (
        f"{said}; read by Python: {email.utils.getaddresses([address], strict=False)}")


@pytest.mark.parametrize("address", [
    f"{FOREIGN},x@beta.example", f"{FOREIGN}@beta.example", f'"{FOREIGN}"@beta.example', f"<{FOREIGN}>x@beta.example"])
def test_such_a_text_is_no_login_id(own, address):
    password = "Nine-blue-herons-fly!"
    plain = own.post("password/signup", {"loginId": new_name("maria"), "password": password})
    assert plain.status_code == 200, "the control"
    answer = own.post("password/signup", {"loginId": address, "password": password})
    assert answer.status_code == 400 and "loginId" in answer.text, answer.text
