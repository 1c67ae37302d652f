"""A till names a customer by an address: nobody answers for it who never proved it (OpenID Connect CIBA Core §7.1)."""

from __future__ import annotations

import pytest
import requests

from support.configuration import MARIA, Client, Person, secret_of
from support.project import PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty
from support.server import Server

CIBA = "urn:openid:params:grant-type:ciba"
TILL = Client(
    "till", secret_of("till"), "client_secret_basic", ("https://till.example/back",),
    {"grant_types": ["authorization_code", "refresh_token", CIBA]},
)
APP = Client("app", None, "none", ("https://app.example/back",))
CLAIMED = "nina@example.test"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("hints"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "clients": [TILL.entry(), APP.entry()], "users": [MARIA.entry()],
        },
    )
    yield Provider(server.base)
    assert server.stop() == 0


def ask(site, hint: str) -> dict:
    answer = requests.post(
        f"{site.base}/oauth2/bc-authorize", auth=(TILL.client_id, TILL.secret), timeout=30,
        data={"scope": "openid", "login_hint": hint})
    assert answer.status_code == 200, answer.text
    return answer.json()


def waiting(site, refresh_token: str) -> list[dict]:
    answer = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": refresh_token}, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["approvals"]


def test_who_proved_the_address_is_asked(site):
    maria = RelyingParty(site, APP).sign_in(scope="openid offline_access")
    ask(site, MARIA.login)
    assert len(waiting(site, maria.refresh_token)) == 1


def test_who_only_claimed_the_address_is_not_asked(site):
    """The till would take the thief for who has the address."""
    thief = Person("", CLAIMED, "a-thiefs-long-pass-word")
    made = Wire(site.base).post("/v1/auth/password/signup", {
        "loginId": CLAIMED, "password": thief.password, "user": {"email": CLAIMED}})
    assert made.status_code == 200 and made.json()["user"]["verifiedEmail"] is False, made.text
    app = RelyingParty(site, APP).sign_in(person=thief, scope="openid offline_access email")
    assert "email" not in site.userinfo(app.access_token).json(), "apps do not hear the address"
    request = ask(site, CLAIMED)
    for one in waiting(site, app.refresh_token):
        requests.post(f"{site.base}/v1/approvals", timeout=30, json={
            "refresh_token": app.refresh_token, "id": one["id"], "action": "approve", "number": request["number"]})
    answer = requests.post(
        f"{site.base}/oauth2/token", auth=(TILL.client_id, TILL.secret), timeout=30,
        data={"grant_type": CIBA, "auth_req_id": request["auth_req_id"]})
    assert answer.status_code == 400 and answer.json()["error"] == "authorization_pending", "the till got tokens"
