"""A client of Authgear, as its wire demands one: what its SDK for iOS sends, what it insists on, what it keeps.

Nothing of the server's is in here. It sends a DPoP proof without `ath` and without a nonce wherever that SDK does, presents
its access token as a bearer's all the same, and decodes UserInfo as strictly as that SDK.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
import uuid
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

import requests
from joserfc import jwk, jws
from joserfc.jwk import ECKey, RSAKey

from support.secrets_seen import remember
from support.visitor import Visitor

FULL_ACCESS = "https://authgear.com/scopes/full-access"
CLAIM = "https://authgear.com/claims/user/"
GRANT = "urn:authgear:params:oauth:grant-type:"
ENDPOINTS = (
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "revocation_endpoint",
    "end_session_endpoint",
)
TEXTS = (
    "email", "phone_number", "preferred_username", "family_name", "given_name", "middle_name", "name", "nickname",
    "picture", "profile", "website", "gender", "birthdate", "zoneinfo", "locale",
)  # fmt: skip
TIMEOUT_SECONDS = 30
DEVICE_INFO = {
    "ios": {
        "uname": {"machine": "iPhone15,2", "sysname": "Darwin", "release": "23.0", "nodename": "phone", "version": "1"},
        "UIDevice": {"name": "Maria's iPhone", "systemName": "iOS", "systemVersion": "17.0", "model": "iPhone"},
        "NSProcessInfo": {"isMacCatalystApp": False, "isiOSAppOnMac": False},
        "NSBundle": {"CFBundleIdentifier": "com.example.harbour"},
    }
}


class AuthgearFailed(Exception):
    """The answer was no: an OAuth error, or a status that nobody expected."""

    def __init__(self, answer: requests.Response):
        try:
            body = answer.json()
        except ValueError:
            body = {}
        self.error, self.description, self.status = body.get("error"), body.get("error_description"), answer.status_code
        super().__init__(f"{self.status} {self.error}: {self.description}")


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def payload(token: str) -> dict:
    """What a token says; such a client looks at no signature."""
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(key: jwk.Key, header: dict, claims: dict) -> str:
    return jws.serialize_compact(header, json.dumps(claims), key, algorithms=["ES256", "RS256"])


@dataclass
class UserInfo:
    """What the SDK's decoder makes of UserInfo. What it force-unwraps must be there, and of its type."""

    sub: str
    is_anonymous: bool
    is_verified: bool
    can_reauthenticate: bool
    custom_attributes: dict
    members: dict

    @classmethod
    def decode(cls, body: dict) -> UserInfo:
        booleans = [body[CLAIM + name] for name in ("is_anonymous", "is_verified", "can_reauthenticate")]
        assert all(isinstance(value, bool) for value in booleans), body
        assert isinstance(body["sub"], str) and isinstance(body["custom_attributes"], dict), body
        for name in TEXTS:
            assert isinstance(body.get(name, ""), str), f"{name} of {body}"
        for name in ("email_verified", "phone_number_verified"):
            assert isinstance(body.get(name, True), bool), f"{name} of {body}"
        assert isinstance(body.get("address", {}), dict), body
        return cls(body["sub"], *booleans, body["custom_attributes"], body)


@dataclass
class Keychain:
    """What the device keeps."""

    refresh_token: str | None = None
    biometric_key_id: str | None = None
    anonymous_key_id: str | None = None
    keys: dict[str, jwk.Key] = field(default_factory=dict)


class Authgear:
    """The container: its configuration, the device's keychain, and what lives in memory."""

    def __init__(
        self, endpoint: str, client_id: str, redirect_uri: str, *, keychain: Keychain | None = None,
        proof_key: jwk.Key | None = None,
    ):  # fmt: skip
        self.endpoint, self.client_id, self.redirect_uri = endpoint, client_id, redirect_uri
        self.keychain = keychain or Keychain()
        self.proof_key = proof_key or ECKey.generate_key("P-256")
        self.access_token: str | None = None
        self.id_token: str | None = None
        self.state = "AUTHENTICATED" if self.keychain.refresh_token else "NO_SESSION"
        # The answers, oldest first.
        self.answers: list[requests.Response] = []
        self._document: dict | None = None

    # Every request.

    def proof(self, method: str, url: str, **changes) -> str:
        """A proof without `ath` and `nonce`."""
        algorithm = "RS256" if isinstance(self.proof_key, RSAKey) else "ES256"
        public = self.proof_key.as_dict(private=False)
        now = int(time.time())
        claims = {"iat": now, "exp": now + 60, "jti": str(uuid.uuid4()).upper(), "htm": method, "htu": url.split("?")[0]}
        header = {"typ": "dpop+jwt", "alg": algorithm, "kid": str(uuid.uuid4()).upper(), "jwk": public}
        return signed(self.proof_key, header, {**claims, **changes})

    def send(self, method: str, url: str, *, proves: bool = True, headers: dict | None = None, **options):
        headers = dict(headers or {})
        if proves:
            headers["DPoP"] = self.proof(method, url)
        answer = requests.request(
            method, url, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False, **options
        )
        self.answers.append(answer)
        return answer

    @property
    def document(self) -> dict:
        if self._document is None:
            answer = self.send("GET", f"{self.endpoint}/.well-known/openid-configuration")
            assert answer.status_code == 200
            self._document = {name: answer.json()[name] for name in ENDPOINTS}
        return self._document

    def token(self, grant: str, fields: dict, *, proves: bool = True, bearer: str | None = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        answer = self.send(
            "POST", self.document["token_endpoint"], proves=proves, headers=headers,
            data={"grant_type": grant, "client_id": self.client_id, **fields},
        )  # fmt: skip
        if answer.status_code != 200:
            raise AuthgearFailed(answer)
        return answer

    @property
    def device_info(self) -> str:
        return encoded(json.dumps({"ios": DEVICE_INFO["ios"]}).encode())

    # Signing in.

    def _ask(self, visitor: Visitor, fields: dict) -> tuple[str, str]:
        """Opens the page; the code that comes back, and the verifier."""
        verifier = encoded(secrets.token_bytes(32))
        remember("code verifier", verifier)
        callback = visitor.authorize(
            self.document["authorization_endpoint"],
            {
                "response_type": "code",
                "client_id": self.client_id,
                "redirect_uri": self.redirect_uri,
                "x_platform": "ios",
                "code_challenge_method": "S256",
                "code_challenge": encoded(hashlib.sha256(verifier.encode()).digest()),
                "x_sso_enabled": "false",
                "x_suppress_idp_session_cookie": "true",
                **fields,
            },
        )
        parameters = callback.parameters
        assert "error" not in parameters, parameters
        return parameters["code"], verifier

    def _redeem(self, code: str, verifier: str) -> dict:
        return self.token(
            "authorization_code",
            {
                "code": code,
                "redirect_uri": self.redirect_uri,
                "code_verifier": verifier,
                "x_device_info": self.device_info,
            },
        ).json()

    def _keep(self, answer: dict) -> None:
        self.access_token, self.id_token = answer["access_token"], answer["id_token"]
        assert isinstance(answer["expires_in"], int)
        self.keychain.refresh_token = answer.get("refresh_token", self.keychain.refresh_token)
        for name in ("access_token", "refresh_token", "id_token"):
            remember(name, answer.get(name))
        self.state = "AUTHENTICATED"

    def authenticate(self, visitor: Visitor, **fields) -> UserInfo:
        code, verifier = self._ask(
            visitor,
            {
                "scope": f"openid offline_access {FULL_ACCESS}",
                "dpop_jkt": self.proof_key.thumbprint(),
                **fields,
            },
        )
        answer = self._redeem(code, verifier)
        info = self._user_info(answer["access_token"])
        self._keep(answer)
        self.disable_biometric()
        return info

    def reauthenticate(self, visitor: Visitor, max_age: int = 0) -> UserInfo:
        """Only the ID token is replaced; what else comes is thrown away."""
        assert self.id_token and payload(self.id_token)[CLAIM + "can_reauthenticate"]
        code, verifier = self._ask(
            visitor, {"scope": f"openid {FULL_ACCESS}", "max_age": str(max_age), "id_token_hint": self.id_token}
        )
        answer = self._redeem(code, verifier)
        info = self._user_info(answer["access_token"])
        self.id_token = answer["id_token"]
        return info

    # The settings, in the app's session.

    def _app_session_hint(self) -> str:
        url = self.document["authorization_endpoint"].replace("/oauth2/authorize", "/oauth2/app_session_token")
        answer = self.send("POST", url, json={"refresh_token": self.keychain.refresh_token})
        if answer.status_code != 200:
            raise AuthgearFailed(answer)
        token = answer.json()["result"]["app_session_token"]
        remember("app session token", token)
        hint = urlencode({"type": "app_session_token", "app_session_token": token})
        return f"https://authgear.com/login_hint?{hint}"

    def settings_address(self, path: str = "/settings") -> str:
        """The address that `open` shows: no code comes back, and nothing is verified by PKCE."""
        parameters = {
            "response_type": "none",
            "client_id": self.client_id,
            "redirect_uri": f"{self.endpoint}{path}?{urlencode({'ui_locales': 'en', 'x_color_scheme': 'dark'})}",
            "scope": f"openid offline_access {FULL_ACCESS}",
            "prompt": "none",
            "login_hint": self._app_session_hint(),
            "x_platform": "ios",
            "x_sso_enabled": "false",
            "x_suppress_idp_session_cookie": "true",
        }
        return f"{self.document['authorization_endpoint']}?{urlencode(parameters)}"

    def begin_settings_action(self, visitor: Visitor, action: str):
        """The first page of an action, and what finishes it with the code that comes back."""
        self.refresh_id_token()
        verifier = encoded(secrets.token_bytes(32))
        remember("code verifier", verifier)
        page = visitor.open(
            self.document["authorization_endpoint"],
            {
                "response_type": "urn:authgear:params:oauth:response-type:settings-action",
                "client_id": self.client_id,
                "redirect_uri": self.redirect_uri,
                "scope": f"openid offline_access {FULL_ACCESS}",
                "prompt": "none",
                "code_challenge_method": "S256",
                "code_challenge": encoded(hashlib.sha256(verifier.encode()).digest()),
                "id_token_hint": self.id_token,
                "login_hint": self._app_session_hint(),
                "x_settings_action": action,
                "x_platform": "ios",
                "x_sso_enabled": "false",
            },
        )

        def finish(code: str) -> dict:
            fields = {
                "code": code,
                "redirect_uri": self.redirect_uri,
                "code_verifier": verifier,
                "x_device_info": self.device_info,
            }
            return self.token(f"{GRANT}settings-action", fields).json()

        return page, finish

    # The session.

    def _user_info(self, token: str) -> UserInfo:
        url = self.document["userinfo_endpoint"]
        answer = self.send("GET", url, headers={"Authorization": f"Bearer {token}"})
        if answer.status_code != 200:
            problem = AuthgearFailed(answer)
            if problem.error == "invalid_grant":
                self._forget()
            raise problem
        return UserInfo.decode(answer.json())

    def fetch_user_info(self) -> UserInfo:
        return self._user_info(self.access_token)

    def refresh(self) -> None:
        try:
            answer = self.token(
                "refresh_token",
                {"refresh_token": self.keychain.refresh_token, "x_device_info": self.device_info},
            )
        except AuthgearFailed as problem:
            if problem.error == "invalid_grant":
                self._forget()
            raise
        self._keep(answer.json())

    def refresh_id_token(self) -> dict:
        answer = self.token(
            f"{GRANT}id-token", {"x_device_info": self.device_info}, bearer=self.access_token
        ).json()
        remember("id_token", answer["id_token"])
        self.id_token = answer["id_token"]
        return answer

    def logout(self, force: bool = False) -> None:
        answer = self.send(
            "POST", self.document["revocation_endpoint"], proves=False, data={"token": self.keychain.refresh_token}
        )
        if answer.status_code != 200 and not force:
            raise AuthgearFailed(answer)
        self._forget()

    def _forget(self) -> None:
        self.access_token = self.id_token = self.keychain.refresh_token = None
        self.state = "NO_SESSION"

    # A user without an account.

    def _anonymous_request(self, action: str) -> str:
        """Signed by the container's key, which is made and shown if there is none."""
        challenge, key_id = self.challenge("anonymous_request"), self.keychain.anonymous_key_id
        new = key_id is None
        if new:
            key_id = str(uuid.uuid4()).upper()
            self.keychain.keys[key_id] = RSAKey.generate_key(2048)
        key = self.keychain.keys[key_id]
        header = {"typ": "vnd.authgear.anonymous-request", "kid": key_id, "alg": "RS256"}
        if new:
            header["jwk"] = {**key.as_dict(private=False), "kid": key_id, "alg": "RS256"}
        now = int(time.time())
        request = signed(key, header, {"iat": now, "exp": now + 60, "challenge": challenge, "action": action})
        self._anonymous_candidate = key_id
        return request

    def authenticate_anonymously(self) -> UserInfo:
        fields = {"jwt": self._anonymous_request("auth"), "x_device_info": self.device_info}
        answer = self.token(f"{GRANT}anonymous-request", fields).json()
        info = self._user_info(answer["access_token"])
        self._keep(answer)
        self.keychain.anonymous_key_id = self._anonymous_candidate
        self.disable_biometric()
        return info

    def promotion_hint(self) -> str:
        hint = urlencode({"type": "anonymous", "jwt": self._anonymous_request("promote")})
        return f"https://authgear.com/login_hint?{hint}"

    def promotion_address(self, verifier: str = "v" * 43, hint: str | None = None, **fields) -> str:
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "x_platform": "ios",
            "code_challenge_method": "S256",
            "code_challenge": encoded(hashlib.sha256(verifier.encode()).digest()),
            "scope": f"openid offline_access {FULL_ACCESS}",
            "dpop_jkt": self.proof_key.thumbprint(),
            "prompt": "login",
            "login_hint": hint or self.promotion_hint(),
            "x_sso_enabled": "false",
            "x_suppress_idp_session_cookie": "true",
            **fields,
        }
        return f"{self.document['authorization_endpoint']}?{urlencode(parameters)}"

    def begin_promotion(self, visitor: Visitor, hint: str | None = None):
        """The first page, and what finishes it with the code that comes back."""
        assert self.keychain.anonymous_key_id, "anonymousUserNotFound"
        verifier = encoded(secrets.token_bytes(32))
        remember("code verifier", verifier)
        page = visitor.open(self.promotion_address(verifier, hint))

        def finish(code: str) -> UserInfo:
            answer = self._redeem(code, verifier)
            info = self._user_info(answer["access_token"])
            self._keep(answer)
            self.keychain.keys.pop(self.keychain.anonymous_key_id, None)
            self.keychain.anonymous_key_id = None
            return info

        return page, finish

    # A key behind a touch.

    def challenge(self, purpose: str = "biometric_request") -> str:
        parts = urlsplit(self.document["authorization_endpoint"])
        answer = self.send("POST", f"{parts.scheme}://{parts.netloc}/oauth2/challenge", json={"purpose": purpose})
        if answer.status_code != 200:
            raise AuthgearFailed(answer)
        assert isinstance(answer.json()["result"]["expire_at"], str)
        return answer.json()["result"]["token"]

    def _request(self, key: jwk.Key, key_id: str, action: str, challenge: str) -> str:
        header = {"typ": "vnd.authgear.biometric-request", "kid": key_id, "alg": "RS256"}
        if action == "setup":
            header["jwk"] = {**key.as_dict(private=False), "kid": key_id, "alg": "RS256"}
        now = int(time.time())
        claims = {"iat": now, "exp": now + 60, "challenge": challenge, "action": action, "device_info": DEVICE_INFO}
        return signed(key, header, claims)

    def enable_biometric(self) -> None:
        self.refresh()
        challenge = self.challenge()
        key_id, key = str(uuid.uuid4()).upper(), RSAKey.generate_key(2048)
        answer = self.token(
            f"{GRANT}biometric-request", {"jwt": self._request(key, key_id, "setup", challenge)}, proves=False,
            bearer=self.access_token,
        )  # fmt: skip
        assert answer.content == b"", "a set-up is answered by nothing"
        self.keychain.keys[key_id], self.keychain.biometric_key_id = key, key_id

    def disable_biometric(self) -> None:
        self.keychain.keys.pop(self.keychain.biometric_key_id, None)
        self.keychain.biometric_key_id = None

    def authenticate_biometric(self) -> UserInfo:
        key_id = self.keychain.biometric_key_id
        challenge = self.challenge()
        try:
            answer = self.token(
                f"{GRANT}biometric-request",
                {
                    "jwt": self._request(self.keychain.keys[key_id], key_id, "authenticate", challenge),
                    "scope": f"openid offline_access {FULL_ACCESS}",
                    "x_device_info": self.device_info,
                },
            ).json()
        except AuthgearFailed as problem:
            if (problem.error, problem.description) == ("invalid_grant", "InvalidCredentials"):
                self.disable_biometric()
            raise
        info = self._user_info(answer["access_token"])
        self._keep(answer)
        return info
