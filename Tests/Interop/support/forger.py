"""An authenticator in the hands of an attacker: it signs whatever it is told to."""

from __future__ import annotations

import hashlib
import json
import secrets

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from support.authenticator import encode

PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED, EXTENSIONS = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
HONEST = PRESENT | VERIFIED | ELIGIBLE | BACKED_UP


class Forger:
    """One credential. Every part of an answer can be replaced by another one, and is signed as it is.

    - `client_data`: members that replace those of the client data; `None` leaves one out.
    - `raw_client_data`: the client data, byte by byte.
    - `data`: the authenticator data, byte by byte.
    """

    def __init__(self, rp_id: str, origin: str, credential_id: bytes | None = None):
        self.rp_id, self.origin = rp_id, origin
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(32) if credential_id is None else credential_id
        self.user_handle: bytes | None = None
        self.count = 0

    def cose(self) -> dict:
        """The public key, by COSE's labels."""
        numbers = self.key.public_key().public_numbers()
        return {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}

    def authenticator_data(
        self,
        flags: int = HONEST,
        *,
        rp_id: str | None = None,
        count: int | None = None,
        attested: bool = False,
        key: bytes | None = None,
        tail: bytes = b"",
    ) -> bytes:
        head = hashlib.sha256((rp_id or self.rp_id).encode()).digest()
        flags |= ATTESTED if attested else 0
        data = head + bytes([flags]) + (self.count if count is None else count).to_bytes(4, "big")
        if attested:
            encoded = cbor2.dumps(self.cose(), canonical=True) if key is None else key
            data += bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + encoded
        return data + tail

    def client_data(self, kind: str, challenge: str, changes: dict | None = None) -> bytes:
        members = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        members |= changes or {}
        return json.dumps({name: value for name, value in members.items() if value is not None}).encode()

    def create(
        self,
        options: dict,
        *,
        client_data: dict | None = None,
        raw_client_data: bytes | None = None,
        data: bytes | None = None,
        attestation_object: bytes | None = None,
        **parts,
    ) -> dict:
        inner = options.get("publicKey", options)
        kept = raw_client_data or self.client_data("webauthn.create", inner["challenge"], client_data)
        data = data or self.authenticator_data(attested=True, **parts)
        made = attestation_object or cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data}, canonical=True)
        response = {"clientDataJSON": encode(kept), "attestationObject": encode(made), "transports": ["internal"]}
        return self._credential(response)

    def get(
        self,
        options: dict,
        *,
        client_data: dict | None = None,
        raw_client_data: bytes | None = None,
        data: bytes | None = None,
        user_handle: bytes | None = None,
        signature: bytes | None = None,
        **parts,
    ) -> dict:
        inner = options.get("publicKey", options)
        kept = raw_client_data or self.client_data("webauthn.get", inner["challenge"], client_data)
        data = data or self.authenticator_data(**parts)
        message = data + hashlib.sha256(kept).digest()
        response = {
            "clientDataJSON": encode(kept),
            "authenticatorData": encode(data),
            "signature": encode(signature or self.key.sign(message, ec.ECDSA(hashes.SHA256()))),
        }
        handle = self.user_handle if user_handle is None else user_handle
        if handle:
            response["userHandle"] = encode(handle)
        return self._credential(response)

    def _credential(self, response: dict) -> dict:
        identifier = encode(self.credential_id)
        return {
            "type": "public-key",
            "id": identifier,
            "rawId": identifier,
            "response": response,
            "clientExtensionResults": {},
        }
