"""No client is named like a service: tokens for the service would be meant for the client, which would exchange them."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets

import pytest
import requests

from support.operators import KEY, PROJECT, Management, Operator, serve
from support.visitor import Callback

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
API, LEDGER, BACK = "https://api.example", "https://ledger.example", "https://handy.example/cb"
CLIENT = {
    "redirect_uris": [BACK], "token_endpoint_auth_method": "client_secret_post",
    "grant_types": ["authorization_code", "refresh_token", EXCHANGE], "scope": "openid profile email offline_access",
}


def claims(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("named"), project={
        "id": PROJECT, "name": "Harbour", "management_keys": [KEY], "resources": [API, LEDGER]})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def oper(own) -> Management:
    one = Operator(own, "oper")
    one.enter()
    return Management(own, one.tokens()["access_token"])


def register(oper: Management, name: str) -> str:
    return oper.done("client/create", CLIENT | {"client_id": name})["client_secret"]


def sign_in(server, name: str, client: str, secret: str, **more) -> tuple[str, str]:
    """The victim's one click; what the page said, and the access token."""
    one = Operator(server, name)
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    page = one.browser.open(f"{server.base}/oauth2/authorize", {
        "client_id": client, "response_type": "code", "redirect_uri": BACK, "scope": "openid profile", "state": "s",
        "code_challenge": challenge, "code_challenge_method": "S256"} | more)
    page = one.browser.submit(page, {"username": f"{name}@example.com", "password": one.password})
    said = page.soup.get_text(" ", strip=True)
    page = one.walk(page)
    assert isinstance(page, Callback) and page.get("code"), page
    answer = requests.post(f"{server.base}/oauth2/token", data={
        "grant_type": "authorization_code", "code": page["code"], "redirect_uri": BACK, "client_id": client,
        "client_secret": secret, "code_verifier": verifier}, timeout=20)
    return said, answer.json()["access_token"]


def exchange(server, client: str, secret: str, token: str, **more) -> requests.Response:
    return requests.post(f"{server.base}/oauth2/token", data={
        "grant_type": EXCHANGE, "client_id": client, "client_secret": secret, "subject_token": token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token"} | more, timeout=20)


@pytest.fixture(scope="module")
def handy(own, oper) -> tuple[str, str]:
    """An app of another maker's, and the token of a user who agreed to it: its page named one service."""
    secret = register(oper, "handy")
    said, token = sign_in(own, "nina", "handy", secret, resource=API)
    assert API in said and LEDGER not in said and API in claims(token)["aud"]
    return secret, token


def test_neither_the_app_nor_another_backend_leads_to_another_service(own, oper, handy):
    """The control."""
    secret, token = handy
    assert exchange(own, "handy", secret, token, resource=LEDGER).json()["error"] == "invalid_target"
    other = register(oper, "control")
    assert exchange(own, "control", other, token, resource=LEDGER).json()["error"] == "unauthorized_client"
    seen = requests.post(f"{own.base}/oauth2/introspect", timeout=20, data={
        "token": token, "client_id": "control", "client_secret": other})
    assert seen.json() == {"active": False}


@pytest.mark.parametrize("name", ["issuer", API, LEDGER, "https://later.example", "urn:later:service", "api://later"])
def test_no_client_is_named_like_a_service(own, oper, name):
    answer = oper.post("client/create", CLIENT | {"client_id": own.issuer if name == "issuer" else name})
    assert answer.status_code == 400 and "address" in answer.text, answer.text
