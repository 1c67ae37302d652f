"""Tokens that somebody made or changed, from one that is genuine."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from joserfc.jwk import import_key

from support.tokens import assemble, b64url, header_of, payload_of, unb64url

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class Attacker:
    """Somebody with a key of their own."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())

    def sign(self, header: dict | str, payload: dict | str) -> str:
        """A token whose ES256 signature is good, by the attacker's key."""
        unsigned = assemble(header, payload).rstrip(".")
        r, s = decode_dss_signature(self.key.sign(unsigned.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{unsigned}.{b64url(r.to_bytes(32) + s.to_bytes(32))}"

    @property
    def jwk(self) -> dict:
        numbers = self.key.public_key().public_numbers()
        return {
            "kty": "EC",
            "crv": "P-256",
            "x": b64url(numbers.x.to_bytes(32)),
            "y": b64url(numbers.y.to_bytes(32)),
            "kid": "attacker",
        }

    @property
    def certificate(self) -> str:
        """Self-signed, in base64, as `x5c` has it."""
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "attacker")])
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(now + datetime.timedelta(days=1))
            .sign(self.key, hashes.SHA256())
        )
        return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def parts(token: str) -> tuple[dict, dict, str]:
    return header_of(token), payload_of(token), token.split(".")[2]


def unsigned(token: str) -> dict[str, str]:
    """Attack 52: no signature, in every spelling, with and without the old one behind."""
    header, payload, signature = parts(token)
    forged = {}
    for spelling in ("none", "None", "NONE", "nOnE", ""):
        forged[f"alg {spelling!r}"] = assemble(header | {"alg": spelling}, payload)
        forged[f"alg {spelling!r} with a signature"] = assemble(header | {"alg": spelling}, payload, signature)
    forged["no alg"] = assemble({k: v for k, v in header.items() if k != "alg"}, payload, signature)
    forged["signature cut off"] = token.rsplit(".", 1)[0] + "."
    forged["two parts"] = token.rsplit(".", 1)[0]
    return forged


def confused(token: str, published: list[dict]) -> dict[str, str]:
    """Attack 53: HMAC, with the bytes of a public key as the secret."""
    header, payload, _ = parts(token)
    forged = {}
    for jwk in published:
        public = public_key(jwk)
        formats = serialization.PublicFormat
        secrets = {
            "PEM": public.public_bytes(serialization.Encoding.PEM, formats.SubjectPublicKeyInfo),
            "PEM without line end": public.public_bytes(
                serialization.Encoding.PEM, formats.SubjectPublicKeyInfo
            ).rstrip(),
            "DER": public.public_bytes(serialization.Encoding.DER, formats.SubjectPublicKeyInfo),
            "JWK": json.dumps(jwk, separators=(",", ":")).encode(),
            "number": unb64url(jwk.get("n") or jwk["x"]),
        }
        for kind, secret in secrets.items():
            forged[f"{jwk['kty']} {kind}"] = with_hmac({**header, "alg": "HS256", "kid": jwk["kid"]}, payload, secret)
    forged["empty secret"] = with_hmac(header | {"alg": "HS256"}, payload, b"")
    return forged


def with_hmac(header: dict, payload: dict, secret: bytes) -> str:
    text = assemble(header, payload).rstrip(".")
    return f"{text}.{b64url(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def public_key(jwk: dict):
    return import_key(jwk).public_key


def with_own_key(token: str, attacker: Attacker, trap: str) -> dict[str, str]:
    """Attack 54: the header brings the key, or says where to get it."""
    header, payload, _ = parts(token)
    bare = {k: v for k, v in header.items() if k != "kid"}
    brought = {
        "jwk": {"jwk": attacker.jwk},
        "jku": {"jku": f"{trap}/jwks"},
        "x5u": {"x5u": f"{trap}/certificate"},
        "x5c": {"x5c": [attacker.certificate]},
    }
    forged = {}
    for name, members in brought.items():
        forged[f"{name}, server's kid"] = attacker.sign({**header, "alg": "ES256", **members}, payload)
        forged[f"{name}, own kid"] = attacker.sign({**bare, "alg": "ES256", "kid": "attacker", **members}, payload)
        forged[f"{name}, no kid"] = attacker.sign({**bare, "alg": "ES256", **members}, payload)
    return forged


def with_odd_kid(token: str, attacker: Attacker) -> dict[str, str]:
    """Attack 55: a key's name that is a path, a statement, a wall of text."""
    header, payload, _ = parts(token)
    names = {
        "traversal": "../../../../../../dev/null",
        "statement": "x' UNION SELECT 'key' --",
        "zero byte": f"{header['kid']}\0",
        "10 kB": "k" * 10_000,
        "empty": "",
        "number": 1,
        "null": None,
        "list": [header["kid"]],
        "address": "http://127.0.0.1:1/key",
        "line break": "a\r\nb",
    }
    forged = {name: attacker.sign({**header, "alg": "ES256", "kid": kid}, payload) for name, kid in names.items()}
    forged["traversal, empty secret"] = with_hmac({**header, "alg": "HS256", "kid": names["traversal"]}, payload, b"")
    return forged


def with_critical_members(token: str, attacker: Attacker) -> dict[str, str]:
    """Attack 56: extensions that nobody here understands."""
    header, payload, signature = parts(token)
    cases = {
        "unknown crit": {"crit": ["exp-policy"], "exp-policy": 1},
        "empty crit": {"crit": []},
        "crit that is no list": {"crit": "exp"},
        "crit of a known member": {"crit": ["alg"]},
        "b64 false": {"b64": False, "crit": ["b64"]},
        "b64 false, not critical": {"b64": False},
    }
    forged = {name: attacker.sign(header | members, payload) for name, members in cases.items()}
    return forged | {
        f"{name}, old signature": assemble(header | members, payload, signature) for name, members in cases.items()
    }


def with_duplicates(token: str, attacker: Attacker) -> dict[str, str]:
    """Attack 57: a member twice, so that two readers see two tokens."""
    header, payload, signature = parts(token)

    def twice(object: dict, name: str, value) -> str:
        return f"{{{json.dumps(name)}:{json.dumps(value)},{json.dumps(object, separators=(',', ':'))[1:]}"

    headers = {"alg": twice(header, "alg", "none"), "kid": twice(header, "kid", "other")}
    claims = {"sub": twice(payload, "sub", "somebody-else"), "exp": twice(payload, "exp", 9_999_999_999)}
    forged = {f"header {name}": assemble(text, payload, signature) for name, text in headers.items()}
    forged |= {f"claim {name}": assemble(header, text, signature) for name, text in claims.items()}
    return forged | {f"claim {name}, signed": attacker.sign(header, text) for name, text in claims.items()}


def respelled(token: str) -> dict[str, str]:
    """Attack 60: the same bytes, written differently. A strict reader takes none of them."""
    head, body, signature = token.split(".")
    last = ALPHABET.index(signature[-1])
    # 64 bytes leave four unused bits in the last letter, 256 bytes four as well.
    neighbour = signature[:-1] + ALPHABET[last ^ 1]
    standard = token.replace("-", "+").replace("_", "/")
    forged = {
        "unused bits set": f"{head}.{body}.{neighbour}",
        "padding": f"{head}.{body}.{signature}==",
        "padding in the head": f"{head}{'=' * (-len(head) % 4) or '===='}.{body}.{signature}",
        "space within": f"{head}.{body[:8]} {body[8:]}.{signature}",
        "line break within": f"{head}.{body[:8]}\n{body[8:]}.{signature}",
        "line break behind": f"{token}\n",
        "space before": f" {token}",
        "tab behind": f"{token}\t",
        "zero byte behind": f"{token}\0",
        "fourth part": f"{token}.{signature}",
        "empty fourth part": f"{token}.",
        "percent sign": f"{head}.{body}.%{signature[1:]}",
        "first letter changed": ("A" if token[0] != "A" else "B") + token[1:],
        "last letter changed": token[:-1] + ALPHABET[(last + 16) % 64],
        "twice": f"{token},{token}",
    }
    if standard != token:
        forged["standard alphabet"] = standard
    return forged
