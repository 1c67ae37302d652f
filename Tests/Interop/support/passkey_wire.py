"""The passkey service's wire from Python: an app with a publishable key, a backend with a secret one."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

import requests

from support.attestation import attestation_of
from support.authenticator import Authenticator, decode, encode
from support.secrets_seen import remember

TIMEOUT_SECONDS = 20
CLIENT_ROUTES = ["/attestation/options", "/attestation/process", "/assertion/options", "/assertion/process"]
SECRET_ROUTES = ["/credential/create", "/auth/verify"]
OLD_ROUTES = {
    "/registration/createOptions": "/attestation/options",
    "/registration/process": "/attestation/process",
    "/auth/createOptions": "/assertion/options",
    "/auth/process": "/assertion/process",
    "/registration/attach": "/credential/create",
}
NEW_PATHS = {
    "register": ("/attestation/options", "/attestation/process"),
    "sign in": ("/assertion/options", "/assertion/process"),
    "attach": "/credential/create",
}
OLD_PATHS = {
    "register": ("/registration/createOptions", "/registration/process"),
    "sign in": ("/auth/createOptions", "/auth/process"),
    "attach": "/registration/attach",
}


@dataclass(frozen=True)
class Party:
    """A relying party, as the server's file has it."""

    rp_id: str
    name: str
    origins: tuple[str, ...]

    @property
    def slug(self) -> str:
        return self.name.lower().replace(" ", "-")

    @property
    def publishable_key(self) -> str:
        return f"pubkey_{self.slug}_0123456789"

    @property
    def secret_key(self) -> str:
        return f"secret_{self.slug}_keeps_this_to_itself"

    def entry(self, **more) -> dict:
        return {
            "rp_id": self.rp_id,
            "rp_name": self.name,
            "origins": list(self.origins),
            "publishable_key": self.publishable_key,
            "secret_key": self.secret_key,
            **more,
        }


class Service:
    """What an app and its backend ask of the server for one relying party. No cookies, a header for the key."""

    def __init__(self, base: str, party: Party, paths: dict = NEW_PATHS, log: Path | None = None):
        self.base, self.party, self.paths, self._log = base, party, paths, log
        self._http = requests.Session()
        self._http.trust_env = False
        remember("secret key of a relying party", party.secret_key)

    @staticmethod
    def basic(name: str = "", password: str = "") -> str:
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()

    @property
    def public(self) -> str:
        return self.basic(name=self.party.publishable_key)

    @property
    def secret(self) -> str:
        return self.basic(password=self.party.secret_key)

    def post(self, path: str, body: object, key: str | None, **headers) -> requests.Response:
        """One request. `headers` in Python's spelling."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            fields["Authorization"] = key
        self._http.cookies.clear()
        return self._http.post(f"{self.base}{path}", json=body, headers=fields, timeout=TIMEOUT_SECONDS)

    def raw(
        self, path: str, body: bytes, key: str | None, *, method: str = "POST", headers: dict | None = None
    ) -> requests.Response:
        """The same, byte by byte."""
        fields = {"Content-Type": "application/json", **(headers or {})}
        if key is not None:
            fields["Authorization"] = key
        return self._http.request(
            method, f"{self.base}{path}", data=body, headers=fields, timeout=TIMEOUT_SECONDS, allow_redirects=False
        )

    def log_text(self) -> str:
        """What the server wrote down."""
        return self._log.read_text(errors="replace")

    def ask(self, path: str, body: object, key: str, **headers) -> dict:
        """The result of a call that succeeds."""
        return check_success(self.post(path, body, key, **headers))

    def refused(self, path: str, body: object, key: str | None, *codes: str, status: int | None = None) -> dict:
        """The first error of a call that is refused."""
        return check_refusal(self.post(path, body, key), *codes, status=status)

    # What an app does.

    def creation_options(self, body: dict | None = None) -> dict:
        return self.ask(self.paths["register"][0], {} if body is None else body, self.public)

    def request_options(self, user: dict | None = None) -> dict:
        return self.ask(self.paths["sign in"][0], {"user": user} if user else {}, self.public)

    def finish_registration(self, credential: dict) -> str:
        answer = self.ask(self.paths["register"][1], {"credential": credential}, self.public)
        return check_token(answer)

    def finish_sign_in(self, credential: dict, user: dict | None = None) -> str:
        body = {"credential": credential, **({"user": user} if user else {})}
        return check_token(self.ask(self.paths["sign in"][1], body, self.public))

    def registration_token(self, device: Authenticator, username: str = "nina@example.test", **behaviour) -> str:
        return self.finish_registration(device.create(named(self.creation_options(), username), **behaviour))

    def sign_in_token(self, device: Authenticator, user: dict | None = None, **options) -> str:
        return self.finish_sign_in(device.get(self.request_options(user), **options), user)

    # What its backend does.

    def attach(self, token: str, user_id: str, username: str | None = None) -> dict:
        user = {"id": user_id, **({"username": username} if username is not None else {})}
        answer = self.ask(self.paths["attach"], {"token": token, "user": user}, self.secret)
        return check_credential(answer)

    def whose(self, token: str) -> str:
        """Who signed in."""
        answer = self.ask("/auth/verify", {"token": token}, self.secret)
        return answer["user"]["id"]

    def register(self, device: Authenticator, user_id: str, username: str | None = None, **behaviour) -> dict:
        """All of it: the credential is active afterwards."""
        return self.attach(
            self.registration_token(device, username or f"{user_id}@example.test", **behaviour), user_id, username
        )

    def sign_in(self, device: Authenticator, user: dict | None = None, **options) -> str:
        return self.whose(self.sign_in_token(device, user, **options))


def named(options: dict, username: str) -> dict:
    """The name that the service never learns."""
    inner = options["publicKey"]
    return {**options, "publicKey": {**inner, "user": {**inner["user"], "name": username, "displayName": username}}}


def swift_shape(credential: dict) -> dict:
    """The members that the Swift client sends."""
    response = dict(credential["response"])
    if "attestationObject" in response:
        response = {
            "attestationObject": response["attestationObject"],
            "clientDataJSON": response["clientDataJSON"],
            "transports": [],
        }
    return {"rawId": credential["rawId"], "response": response, "type": "public-key"}


def web_shape(credential: dict) -> dict:
    """The members that the web client sends; an empty text where its browser has nothing."""
    response = dict(credential["response"])
    if "signature" in response:
        response["attestationObject"] = ""
    else:
        response |= {"publicKeyAlgorithm": -7, "authenticatorData": encode(attestation_of(credential)["authData"])}
    return {
        "type": "public-key",
        "id": credential["id"],
        "rawId": credential["rawId"],
        "authenticatorAttachment": "platform",
        "clientExtensionResults": {},
        "response": response,
    }


def check_success(response: requests.Response) -> dict:
    assert 200 <= response.status_code < 300, f"{response.status_code}: {response.text[:400]}"
    body = check_envelope(response)
    assert isinstance(body["result"], dict), body
    assert all(set(problem) == {"code", "message"} for problem in body["errors"]), body
    return body["result"]


def check_refusal(response: requests.Response, *codes: str, status: int | None = None) -> dict:
    """A refusal in the words of the wire: no result, at least one coded error, a status from 400."""
    assert 400 <= response.status_code < 500, f"{response.status_code}: {response.text[:400]}"
    body = check_envelope(response)
    assert body["result"] is None and body["errors"], body
    for problem in body["errors"]:
        assert set(problem) == {"code", "message"} and problem["code"] and problem["message"], body
    first = body["errors"][0]
    assert not codes or first["code"] in codes, f"{first} instead of {' or '.join(codes)}"
    assert status is None or response.status_code == status, f"{response.status_code} instead of {status}: {body}"
    return first


def check_envelope(response: requests.Response) -> dict:
    assert response.headers["Content-Type"].split(";")[0] == "application/json", response.headers
    assert "no-store" in response.headers.get("Cache-Control", ""), response.headers
    assert "Set-Cookie" not in response.headers
    body = response.json()
    assert set(body) == {"result", "errors"} and isinstance(body["errors"], list), body
    return body


def check_token(answer: dict) -> str:
    assert set(answer) >= {"token", "expiresAt"} and isinstance(answer["expiresAt"], int), answer
    assert answer["expiresAt"] < 10**10, f"not seconds: {answer}"
    remember("one-time token of a passkey", answer["token"])
    return answer["token"]


def check_credential(answer: dict) -> dict:
    flags = ("isActive", "isBackedUp", "isBackupEligible", "isUvInitialized")
    assert set(answer) >= {"id", "aaguid", "name", "createdAt", "transports", *flags}, answer
    assert all(isinstance(answer[flag], bool) for flag in flags), answer
    assert isinstance(answer["createdAt"], int) and answer["createdAt"] < 10**10
    assert len(answer["aaguid"]) == 36 and answer["aaguid"] == answer["aaguid"].lower()
    assert answer["id"].startswith("ctl_") and answer["name"], answer
    return answer


def check_binary(options: dict) -> None:
    """Binary members are unpadded base64url, with as much chance as they need."""
    inner = options["publicKey"]
    assert len(decode(inner["challenge"])) >= 16
    if "user" in inner:
        assert 1 <= len(decode(inner["user"]["id"])) <= 64
    for one in inner.get("allowCredentials", []) + inner.get("excludeCredentials", []):
        assert one["type"] == "public-key" and decode(one["id"])
