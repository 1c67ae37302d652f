"""A client of Trifork Identity Manager, as its wire demands one: what it sends, what it insists on, what it keeps.

Nothing of ours is in here. It discovers below its realm's address before every sign-in, takes HTTP 200 alone for a yes,
maps the key service's status codes, and wants JWTs with a text `sub` for both tokens.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlencode

import requests
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from support.secrets_seen import remember
from support.visitor import Visitor

REQUIRED = (
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "jwks_uri",
    "response_types_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
)
TIMEOUT_SECONDS = 30


class KeyServiceFailed(Exception):
    """One of `badPassword`, `keyLocked`, `keyMissing`, `unableToCreateKey`, `unableToDecode`, `unknown`."""

    def __init__(self, kind: str, status: int):
        super().__init__(f"{kind} ({status})")
        self.kind = kind


class AuthFailed(Exception):
    """One of `refreshTokenExpired`, `failedToGetRequiredDataInToken`, `failedToGetRefreshToken`, `appAuthFailed`."""

    def __init__(self, kind: str, detail: str = ""):
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


@dataclass
class Key:
    """What the key service hands out."""

    key_id: str
    key: str
    long_secret: str | None


@dataclass
class Device:
    """What is kept on the telephone: a text in an ordinary store each, and long secrets behind a touch."""

    items: dict[str, str] = field(default_factory=dict)
    biometric: dict[str, str] = field(default_factory=dict)


def jwt(text: str | None) -> dict:
    """The second part of a token, as such a client looks into it: no signature, a text `sub`."""
    parts = (text or "").split(".")
    if len(parts) < 3:
        raise AuthFailed("failedToGetRequiredDataInToken", "not three segments")
    payload = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    if not isinstance(payload.get("sub"), str):
        raise AuthFailed("failedToGetRequiredDataInToken", "no text sub")
    return payload


class TIM:
    """The application: its configuration, its device, and the session that lives in memory."""

    def __init__(self, base: str, realm: str, client_id: str, redirect_uri: str, scope: str, device: Device):
        self.realm_base = f"{base}/auth/realms/{realm}"
        self.client_id, self.redirect_uri, self.scope, self.device = client_id, redirect_uri, scope, device
        self.session: dict | None = None
        self.traffic: list[tuple[str, str]] = []

    # The key service: no cookies, no authentication, a flat object of texts.

    def ask(self, endpoint: str, body: dict[str, str]) -> Key:
        for name in ("secret", "longsecret"):
            remember(f"key service {name}", body.get(name))
        self.traffic.append(("POST", f"keyservice/v1/{endpoint}"))
        answer = requests.post(f"{self.realm_base}/keyservice/v1/{endpoint}", json=body, timeout=TIMEOUT_SECONDS)
        if answer.status_code != 200:
            kinds = {401: "badPassword", 204: "keyLocked", 403: "keyLocked", 404: "keyMissing", 500: "unableToCreateKey"}
            raise KeyServiceFailed(kinds.get(answer.status_code, "unknown"), answer.status_code)
        try:
            json_ = answer.json()
            key = Key(json_["keyid"], json_["key"], json_.get("longsecret"))
        except (ValueError, KeyError) as error:
            raise KeyServiceFailed("unableToDecode", 200) from error
        remember("data key", key.key)
        remember("long secret", key.long_secret)
        return key

    # Encryption: nonce ‖ ciphertext ‖ tag under the service's key, nothing beside it.

    @staticmethod
    def encrypt(key: Key, text: str) -> str:
        nonce = secrets.token_bytes(12)
        return base64.b64encode(nonce + AESGCM(base64.b64decode(key.key)).encrypt(nonce, text.encode(), None)).decode()

    @staticmethod
    def decrypt(key: Key, stored: str) -> str:
        data = base64.b64decode(stored)
        return AESGCM(base64.b64decode(key.key)).decrypt(data[:12], data[12:], None).decode()

    # OpenID Connect, as AppAuth speaks it.

    def discover(self) -> dict:
        self.traffic.append(("GET", ".well-known/openid-configuration"))
        answer = requests.get(f"{self.realm_base}/.well-known/openid-configuration", timeout=TIMEOUT_SECONDS)
        assert answer.status_code == 200, answer.text
        document = answer.json()
        assert all(document.get(name) for name in REQUIRED), document
        # OpenID Connect Discovery §4.3: it names the address that it was fetched below.
        assert document["issuer"] == self.realm_base, document["issuer"]
        return document

    def sign_in(self, visitor: Visitor) -> None:
        """With a browser, a password and a code."""
        document = self.discover()
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        state = secrets.token_urlsafe(32)
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": self.scope,
            "state": state,
            "nonce": secrets.token_urlsafe(32),
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            # What apps with an app switch add.
            "enable_app_switch": "true",
            "app_switch_os": "android",
        }
        callback = visitor.authorize(document["authorization_endpoint"], query)
        assert callback["state"] == state
        assert callback.get("iss") == document["issuer"], "RFC 9207 §2.4"
        self.take(
            document,
            {
                "grant_type": "authorization_code",
                "redirect_uri": self.redirect_uri,
                "code": callback["code"],
                "code_verifier": verifier,
                "client_id": self.client_id,
            },
        )

    def silent_sign_in(self, refresh_token: str) -> None:
        """With a token that was stored: discovery anew, the scopes anew, the additional parameters as well."""
        document = self.discover()
        form = {"grant_type": "refresh_token", "scope": self.scope, "refresh_token": refresh_token}
        self.take(document, form | {"enable_app_switch": "true", "client_id": self.client_id})

    def refresh(self) -> None:
        """In the session: what came is used, and not written down."""
        form = {"grant_type": "refresh_token", "refresh_token": self.session["refresh_token"]}
        self.take(self.session["document"], form | {"client_id": self.client_id})

    def take(self, document: dict, form: dict[str, str]) -> None:
        self.traffic.append(("POST", "token"))
        answer = requests.post(
            document["token_endpoint"],
            data=urlencode(form),
            headers={"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"},
            timeout=TIMEOUT_SECONDS,
        )
        if answer.status_code != 200:
            error = answer.json().get("error") if answer.status_code < 500 else None
            raise AuthFailed("refreshTokenExpired" if error == "invalid_grant" else "appAuthFailed", answer.text)
        tokens = answer.json()
        for name in ("access_token", "refresh_token", "id_token"):
            remember(name.replace("_", " "), tokens.get(name))
        if not tokens.get("refresh_token"):
            raise AuthFailed("failedToGetRefreshToken")
        subject = jwt(tokens["access_token"])["sub"]
        assert jwt(tokens["refresh_token"])["sub"] == subject
        for name in ("access_token", "refresh_token"):
            assert jwt(tokens[name])["iss"] == document["issuer"], name
        if tokens.get("id_token"):
            claims = jwt(tokens["id_token"])
            assert claims["iss"] == document["issuer"]
            assert self.client_id in (claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]])
        self.session = tokens | {"document": document, "user": subject}

    # Storage.

    def store_with_new_password(self, pin: str) -> None:
        user = self.session["user"]
        key = self.ask("createkey", {"secret": pin})
        assert key.long_secret, "responseHasNoLongSecret"
        self.device.items[f"refreshToken_{user}"] = self.encrypt(key, self.session["refresh_token"])
        self.device.biometric.pop(self.device.items.get(f"keyId_{user}", ""), None)
        self.device.items[f"keyId_{user}"] = key.key_id

    def enable_biometric(self, pin: str, user: str) -> None:
        key = self.ask("key", {"secret": pin, "keyid": self.device.items[f"keyId_{user}"]})
        assert key.long_secret, "responseHasNoLongSecret"
        self.device.biometric[key.key_id] = key.long_secret

    def login_with_password(self, pin: str, user: str, *, stores_new: bool) -> None:
        secret = {"secret": pin}
        self.login(secret, user, stores_new)

    def login_with_biometric(self, user: str, *, stores_new: bool) -> None:
        secret = {"longsecret": self.device.biometric[self.device.items[f"keyId_{user}"]]}
        self.login(secret, user, stores_new)

    def login(self, secret: dict[str, str], user: str, stores_new: bool) -> None:
        body = secret | {"keyid": self.device.items[f"keyId_{user}"]}
        key = self.ask("key", body)
        try:
            token = self.decrypt(key, self.device.items[f"refreshToken_{user}"])
        except InvalidTag as error:
            raise AuthFailed("failedToDecryptData") from error
        self.silent_sign_in(token)
        if stores_new:
            key = self.ask("key", body)
            self.device.items[f"refreshToken_{user}"] = self.encrypt(key, self.session["refresh_token"])

    def logout(self) -> None:
        """Forgets what is in memory, as the library does: nobody is told."""
        self.session = None
