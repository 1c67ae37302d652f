"""One app signs another one in, and opens a page signed in: the requests of Authgear's SDK, written from its wire."""

from __future__ import annotations

import hashlib
import secrets
import time
import uuid
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from joserfc.jwk import ECKey

from support.authgear_client import FULL_ACCESS, GRANT, Authgear, AuthgearFailed, encoded, payload, signed
from support.configuration import JONAS, MARIA, Client
from support.server import Server
from support.visitor import Visitor

SCOPE = f"openid offline_access {FULL_ACCESS} device_sso https://authgear.com/scopes/pre-authenticated-url"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
APP_TO_APP = f"{GRANT}app2app-request"
PAGE = "https://app.example.test/orders?open=1"


def app(client_id: str, grant_types: list[str]) -> Client:
    return Client(
        client_id,
        None,
        "none",
        (f"com.example.{client_id}://host/path",),
        {"application_type": "native", "profile": "authgear", "scope": SCOPE, "grant_types": grant_types},
    )


USUAL = ["authorization_code", "refresh_token"]
SPA = Client(
    "spa",
    None,
    "none",
    ("https://app.example.test/callback",),
    {
        "grant_types": [*USUAL, EXCHANGE],
        "pre_authenticated_uris": ["https://app.example.test"],
        "profile": "authgear",
        "scope": f"openid email offline_access {FULL_ACCESS}",
    },
)
CONFIGURATION = {
    "clients": [
        app("bank", [*USUAL, APP_TO_APP]).entry(),
        app("shop", [*USUAL, APP_TO_APP]).entry(),
        app("plain", USUAL).entry(),
        SPA.entry(),
    ],
    "users": [MARIA.entry(), JONAS.entry()],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("authgear-apps"), CONFIGURATION, log_level="trace")
    yield server
    assert server.stop() == 0


class Device:
    """An app with a key of its own beside the proof's."""

    def __init__(self, site, client_id: str):
        self.app = Authgear(site.base, client_id, f"com.example.{client_id}://host/path")
        self.key = ECKey.generate_key("P-256")

    def request(self, challenge: str, key: ECKey | None = None, **changes) -> str:
        key = key or self.key
        key_id = str(uuid.uuid4()).upper()
        now = int(time.time())
        header = {
            "typ": "vnd.authgear.app2app-request", "kid": key_id, "alg": "ES256",
            "jwk": {**key.as_dict(private=False), "kid": key_id, "alg": "ES256"},
        }  # fmt: skip
        claims = {"iat": now, "exp": now + 60, "challenge": challenge, "action": "setup", "device_info": {}}
        return signed(key, header, {**claims, **changes})

    def challenge(self) -> str:
        parts = urlsplit(self.app.document["authorization_endpoint"])
        answer = self.app.send(
            "POST", f"{parts.scheme}://{parts.netloc}/oauth2/challenge", json={"purpose": "app2app_request"}
        )
        assert answer.status_code == 200
        return answer.json()["result"]["token"]

    def sign_in(self, visitor: Visitor) -> dict:
        code, verifier = self.app._ask(visitor, {"scope": SCOPE, "dpop_jkt": self.app.proof_key.thumbprint()})
        answer = self.app.token(
            "authorization_code",
            {
                "code": code, "redirect_uri": self.app.redirect_uri, "code_verifier": verifier,
                "x_device_info": self.app.device_info, "x_app2app_device_key_jwt": self.request(self.challenge()),
            },
        ).json()  # fmt: skip
        self.app._keep(answer)
        return answer

    def approve(self, client_id: str, challenge: str, jwt: str, redirect_uri: str | None = None) -> dict:
        """The wire has the asking app's name in the form of the app that is signed in."""
        return self.app.token(
            APP_TO_APP,
            {
                "client_id": client_id, "refresh_token": self.app.keychain.refresh_token, "jwt": jwt,
                "redirect_uri": redirect_uri or f"com.example.{client_id}://host/path",
                "code_challenge": challenge, "code_challenge_method": "S256",
            },
        ).json()  # fmt: skip


@pytest.fixture
def visitor(site):
    return Visitor(site.base, site.issuer)


@pytest.fixture
def bank(site, visitor):
    device = Device(site, "bank")
    device.answer = device.sign_in(visitor)
    return device


def pkce() -> tuple[str, str]:
    verifier = encoded(secrets.token_bytes(32))
    return verifier, encoded(hashlib.sha256(verifier.encode()).digest())


def test_an_app_signs_another_one_in(site, bank):
    verifier, challenge = pkce()
    answer = bank.approve("shop", challenge, bank.request(bank.challenge()))
    assert set(answer) == {"code"}
    shop = Authgear(site.base, "shop", "com.example.shop://host/path")
    with pytest.raises(AuthgearFailed) as failure:
        shop._redeem(answer["code"], pkce()[0])
    assert failure.value.error == "invalid_grant"
    tokens = shop._redeem(answer["code"], verifier)
    assert payload(tokens["id_token"])["sub"] == MARIA.sub and payload(tokens["id_token"])["aud"] == "shop"
    shop._keep(tokens)
    assert shop.fetch_user_info().sub == MARIA.sub


def test_requests_of_other_keys_and_for_other_apps_are_refused(bank):
    _, challenge = pkce()
    jwt = bank.request(bank.challenge())
    assert bank.approve("shop", challenge, jwt)["code"]
    other = ECKey.generate_key("P-256")
    for bad in (
        jwt,
        bank.request(bank.challenge(), other),
        bank.request(bank.challenge(), action="authenticate"),
        bank.request("garbage"),
        bank.request(bank.challenge(), exp=int(time.time()) - 3600),
    ):
        with pytest.raises(AuthgearFailed) as failure:
            bank.approve("shop", challenge, bad)
        assert failure.value.error == "invalid_grant"
    with pytest.raises(AuthgearFailed) as failure:
        bank.approve("plain", challenge, bank.request(bank.challenge()))
    assert failure.value.error == "unauthorized_client"
    with pytest.raises(AuthgearFailed) as failure:
        bank.approve("shop", challenge, bank.request(bank.challenge()), "com.example.evil://host/path")
    assert failure.value.error == "invalid_request"


def exchange(bank, **changes) -> requests.Response:
    fields = {
        "client_id": "spa",
        "requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "subject_token": bank.answer["id_token"],
        "actor_token_type": "urn:x-oath:params:oauth:token-type:device-secret",
        "actor_token": bank.answer["device_secret"],
        "audience": bank.app.endpoint,
    }
    return bank.app.token(EXCHANGE, {**fields, **changes})


def test_a_page_opens_signed_in(site, bank):
    grant = exchange(bank, audience=site.issuer).json()
    assert {"access_token", "token_type", "issued_token_type", "expires_in", "device_secret", "id_token"} <= set(grant)
    browser = Visitor(site.base, site.issuer)
    opened = browser.get(
        bank.app.document["authorization_endpoint"],
        params={
            "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
            "response_mode": "cookie", "client_id": "spa", "redirect_uri": PAGE, "prompt": "none",
            "id_token_hint": grant["id_token"], "x_pre_authenticated_url_token": grant["access_token"],
            "state": "s1",
        },
    )  # fmt: skip
    assert opened.headers["Location"] == f"{PAGE}&state=s1"
    verifier, challenge = pkce()
    asked = browser.get(
        bank.app.document["authorization_endpoint"],
        params={
            "response_type": "code", "client_id": "spa", "redirect_uri": "https://app.example.test/callback",
            "scope": "openid email", "prompt": "none", "code_challenge": challenge, "code_challenge_method": "S256",
        },
    )  # fmt: skip
    code = parse_qs(urlsplit(asked.headers["Location"]).query)["code"][0]
    answer = requests.post(
        bank.app.document["token_endpoint"],
        data={
            "grant_type": "authorization_code", "client_id": "spa", "code": code, "code_verifier": verifier,
            "redirect_uri": "https://app.example.test/callback",
        },
        timeout=30,
    )  # fmt: skip
    assert answer.status_code == 200 and payload(answer.json()["id_token"])["sub"] == MARIA.sub


def test_attack_01_a_page_of_another_origin_does_not_open(site, bank):
    grant = exchange(bank, audience=site.issuer).json()
    refused = Visitor(site.base, site.issuer).get(
        bank.app.document["authorization_endpoint"],
        params={
            "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
            "response_mode": "cookie", "client_id": "spa", "redirect_uri": "https://evil.example.test/",
            "prompt": "none", "id_token_hint": grant["id_token"],
            "x_pre_authenticated_url_token": grant["access_token"],
        },
    )  # fmt: skip
    assert refused.status_code == 400 and "Location" not in refused.headers
