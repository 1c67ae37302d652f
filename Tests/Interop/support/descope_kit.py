"""DescopeKit as it stands on the wire: how it writes requests, and what its decoder demands of answers.

A member that its decoder cannot do without is missing, or of another type: `NotDecoded`.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field

import requests

HEADERS = {
    "X-Descope-Sdk-Name": "swift",
    "X-Descope-Sdk-Version": "0.11.1",
    "X-Descope-Platform-Name": "ios",
    "X-Descope-Platform-Version": "18.5",
    "X-Descope-Device": "iPhone17,1",
    "X-Descope-App-Name": "Interop",
    "X-Descope-App-Version": "1.0",
}
TIMEOUT_SECONDS = 15


class NotDecoded(AssertionError):
    """S010003: the body is not what the decoder wants."""


@dataclass(frozen=True)
class KitError(Exception):
    """A refusal: compared by its code alone."""

    code: str
    status: int = field(compare=False)
    description: str = field(compare=False)


def need(body: dict, name: str, kind: type) -> object:
    """A member without which nothing is decoded. In Swift a Boolean is no number, and a number no Boolean."""
    if name not in body:
        raise NotDecoded(f"{name} is missing in {sorted(body)}")
    value = body[name]
    if type(value) is not kind:
        raise NotDecoded(f"{name} is {value!r} and no {kind.__name__}")
    return value


def may(body: dict, name: str, kind: type) -> object:
    """A member that may be absent or null, but not of another type; an empty text is none."""
    value = body.get(name)
    if value is not None and type(value) is not kind:
        raise NotDecoded(f"{name} is {value!r} and no {kind.__name__}")
    return None if value == "" else value


def decode_user(body: dict) -> dict:
    """The bare user object."""
    user = {"userId": need(body, "userId", str), "loginIds": need(body, "loginIds", list)}
    user["createdTime"] = need(body, "createdTime", int)
    user["status"] = need(body, "status", str)
    if user["status"] not in ("invited", "enabled", "disabled"):
        raise NotDecoded(f"status {user['status']!r} would be taken for enabled")
    for name in ("roleNames", "ssoAppIds"):
        user[name] = need(body, name, list)
    for name in ("webauthn", "password", "TOTP", "SAML", "SCIM"):
        user[name] = need(body, name, bool)
    user["OAuth"] = need(body, "OAuth", dict)
    for name in ("email", "phone", "name", "givenName", "middleName", "familyName", "picture"):
        user[name] = may(body, name, str)
    for name in ("verifiedEmail", "verifiedPhone"):
        user[name] = may(body, name, bool)
    user["customAttributes"] = may(body, "customAttributes", dict)
    if not all(type(each) is str for each in user["loginIds"] + user["roleNames"] + user["ssoAppIds"]):
        raise NotDecoded("a list of texts has something else in it")
    return user


def decode_token(jwt: str) -> dict:
    """Three parts; the four claims without which a token is none."""
    parts = jwt.split(".")
    if len(parts) != 3:
        raise NotDecoded(f"not a JWT: {jwt[:20]!r}")
    claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    for name, kind in (("sub", str), ("iss", str), ("iat", int), ("exp", int)):
        need(claims, name, kind)
    for name in ("permissions", "roles"):
        may(claims, name, list)
    for tenant in (may(claims, "tenants", dict) or {}).values():
        may(tenant, "permissions", list)
        may(tenant, "roles", list)
    return claims


def decode_session(body: dict, *, is_refresh: bool = False) -> dict:
    """The answer of a sign-in or of a refresh; cookies play no part."""
    session = {"firstSeen": need(body, "firstSeen", bool)}
    for name in ("cookieDomain", "cookiePath", "cookieName", "sessionCookieName"):
        may(body, name, str)
    for name in ("cookieMaxAge", "cookieExpiration"):
        may(body, name, int)
    for name in ("sessionJwt", "refreshJwt"):
        jwt = may(body, name, str)
        if jwt is None and not (is_refresh and name == "refreshJwt"):
            raise NotDecoded(f"{name} is missing, and there are no cookies")
        session[name] = jwt
        if jwt:
            decode_token(jwt)
    if not is_refresh:
        session["user"] = decode_user(need(body, "user", dict))
    return session


class Kit:
    """One app: writes every POST with a body, leaves out what is nil, writes `/` as `\\/`, keeps no cookie."""

    def __init__(self, base: str, project_id: str):
        self.base, self.project_id = base, project_id

    def call(self, method: str, path: str, body: dict | None = None, refresh: str | None = None) -> dict | list:
        headers = HEADERS | {"X-Descope-Project-Id": self.project_id}
        headers["Authorization"] = f"Bearer {self.project_id}" + (f":{refresh}" if refresh else "")
        data = None
        if method == "POST":
            headers["Content-Type"] = "application/json"
            text = json.dumps(without_nil(body or {}), ensure_ascii=False, separators=(",", ":"))
            data = text.replace("/", "\\/").encode()
        with requests.Session() as http:
            http.trust_env = False
            answer = http.request(
                method, f"{self.base}{path}", data=data, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False
            )
        if answer.status_code // 100 == 2:
            return answer.json() if answer.content else {}
        try:
            problem = answer.json()
            raise KitError(need(problem, "errorCode", str), answer.status_code, problem.get("errorDescription", ""))
        except ValueError:
            raise KitError("S010002", answer.status_code, answer.text[:100]) from None

    def post(self, path: str, body: dict | None = None, refresh: str | None = None) -> dict:
        return self.call("POST", f"/v1/auth/{path}", body, refresh)

    def masked(self, path: str, body: dict, refresh: str | None = None) -> str:
        """A send: the masked address under the name of its kind."""
        name = "maskedEmail" if path.endswith("email") else "maskedPhone"
        return need(self.post(path, body, refresh), name, str)

    def session(self, path: str, body: dict, refresh: str | None = None) -> dict:
        return decode_session(self.post(path, body, refresh))

    def refresh(self, refresh: str) -> dict:
        return decode_session(self.post("refresh", {}, refresh), is_refresh=True)

    def me(self, refresh: str) -> dict:
        return decode_user(self.call("GET", "/v1/auth/me", refresh=refresh))


def without_nil(value: object) -> object:
    """No key whose value is nil, at any depth."""
    if isinstance(value, dict):
        return {name: without_nil(each) for name, each in value.items() if each is not None}
    return value
