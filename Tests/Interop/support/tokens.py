"""Reads and checks the server's tokens, independently of the server's own code."""

from __future__ import annotations

import base64
import hashlib
import json
import time

from joserfc import jwt
from joserfc.jwk import KeySet

CLOCK_SECONDS = 300
LIFETIME_YEARS_MAX = 50
YEAR_SECONDS = 365 * 86_400
HASHES = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512}

# What an ID token holds without anybody having asked for it (OpenID Connect Core §2, §3.1.3.6; Session Management).
PROTOCOL_CLAIMS = {
    "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "sid", "at_hash", "c_hash", "jti",
    "nbf",
}  # fmt: skip


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def header_of(token: str) -> dict:
    return json.loads(unb64url(token.split(".")[0]))


def payload_of(token: str) -> dict:
    return json.loads(unb64url(token.split(".")[1]))


def assemble(header: dict | str, payload: dict | str, signature: bytes | str = "") -> str:
    """A token from its parts. Text is taken as it stands; a signature in text is encoded already."""

    def part(value: dict | str) -> str:
        return b64url((value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))).encode())

    return f"{part(header)}.{part(payload)}.{signature if isinstance(signature, str) else b64url(signature)}"


def key_set(jwks: dict) -> KeySet:
    """The published keys: public parts only, each with a name of its own."""
    keys = jwks["keys"]
    assert keys, "no keys are published"
    kids = [key.get("kid") for key in keys]
    assert all(kids) and len(set(kids)) == len(kids), f"kid missing or not distinct: {kids}"
    for key in keys:
        secret = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"} & key.keys()
        assert not secret, f"a published key has private members {secret}"
        assert key.get("use", "sig") == "sig", f"a key that is not for signatures: {key}"
    return KeySet.import_key_set(jwks)


def verify(token: str, keys: KeySet, algorithms: list[str]) -> tuple[dict, dict]:
    """Header and claims of a token whose signature is good; `kid` names the key."""
    header = header_of(token)
    assert header.get("alg") in algorithms, f"alg {header.get('alg')!r} instead of {algorithms}"
    assert header.get("kid") in {key.kid for key in keys}, f"kid {header.get('kid')!r} is not published"
    decoded = jwt.decode(token, keys, algorithms=algorithms)
    return decoded.header, decoded.claims


def half_hash(text: str, algorithm: str) -> str:
    """`at_hash`, `c_hash` (OpenID Connect Core §3.1.3.6)."""
    digest = HASHES[algorithm[-3:]](text.encode()).digest()
    return b64url(digest[: len(digest) // 2])


def check_times(claims: dict) -> None:
    now = time.time()
    for name in ("exp", "iat", "auth_time", "nbf"):
        value = claims.get(name)
        assert value is None or isinstance(value, (int, float)) and not isinstance(value, bool), f"{name}: {value!r}"
    assert abs(claims["iat"] - now) <= CLOCK_SECONDS, f"iat is {claims['iat'] - now:.0f} s away"
    assert now < claims["exp"] < now + LIFETIME_YEARS_MAX * YEAR_SECONDS, f"exp: {claims['exp']}"


def check_id_token(
    token: str,
    keys: KeySet,
    *,
    issuer: str,
    client_id: str,
    algorithm: str,
    nonce: str | None = None,
    access_token: str | None = None,
    code: str | None = None,
    requested_claims: set[str] = frozenset(),
) -> dict:
    """An ID token as OpenID Connect Core §3.1.3.7 asks a client to check it, and more; returns its claims."""
    header, claims = verify(token, keys, [algorithm])
    assert header.get("typ") in (None, "JWT"), f"typ: {header.get('typ')!r}"
    assert claims["iss"] == issuer, f"iss: {claims['iss']!r} instead of {issuer!r}"
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    assert client_id in audience, f"aud: {audience}"
    if len(audience) > 1 or "azp" in claims:
        assert claims.get("azp") == client_id, f"azp: {claims.get('azp')!r}"
    check_times(claims)
    subject = claims["sub"]
    assert isinstance(subject, str) and 0 < len(subject) <= 255 and subject.isascii(), f"sub: {subject!r}"
    assert claims.get("nonce") == nonce, f"nonce: {claims.get('nonce')!r} instead of {nonce!r}"
    if "acr" in claims:
        assert isinstance(claims["acr"], str) and claims["acr"], "acr is empty"
    if "auth_time" in claims:
        assert claims["auth_time"] <= time.time() + CLOCK_SECONDS, "auth_time is in the future"
    if "at_hash" in claims:
        assert access_token is not None and claims["at_hash"] == half_hash(access_token, algorithm), "at_hash"
    if "c_hash" in claims:
        assert code is not None and claims["c_hash"] == half_hash(code, algorithm), "c_hash"
    extra = claims.keys() - PROTOCOL_CLAIMS - set(requested_claims)
    assert not extra, f"claims in the ID token that nobody asked for: {sorted(extra)}"
    return claims


def check_access_token(token: str, keys: KeySet, *, issuer: str, client_id: str, audience: str) -> dict:
    """An access token in the form of RFC 9068 §2; returns its claims."""
    header, claims = verify(token, keys, ["ES256"])
    assert header.get("typ", "").lower() in ("at+jwt", "application/at+jwt"), f"typ: {header.get('typ')!r}"
    assert claims["iss"] == issuer
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    assert audience in audiences, f"aud: {audiences}"
    assert claims["client_id"] == client_id
    assert claims["jti"] and claims["sub"]
    check_times(claims)
    return claims
