"""A security key for Yubico's client: CTAP2's commands, answered in memory."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY
from fido2.webauthn import AttestedCredentialData, AuthenticatorData

MODEL = bytes.fromhex("08987058cadc4b81b6e130de50dcbe96")
FLAG = AuthenticatorData.FLAG


@dataclass
class Key:
    """A credential on the device."""

    identifier: bytes
    rp_id: str
    user: dict
    private: ec.EllipticCurvePrivateKey
    resident: bool
    count: int = 0


class SecurityKey(CtapDevice):
    """What somebody plugs in.

    - `verifies`: it has a fingerprint reader, and the finger is the right one.
    - `keeps`: it has room for resident keys; without that, it says no user handle.
    """

    def __init__(self, *, verifies: bool = True, keeps: bool = True):
        self.verifies, self.keeps = verifies, keeps
        self.keys: list[Key] = []
        self._waiting: list[bytes] = []

    @property
    def capabilities(self) -> int:
        return CAPABILITY.CBOR

    @classmethod
    def list_devices(cls):
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None) -> bytes:
        command, body = data[0], cbor.decode(data[1:]) if data[1:] else {}
        commands = {
            Ctap2.CMD.GET_INFO: self._info,
            Ctap2.CMD.MAKE_CREDENTIAL: self._make,
            Ctap2.CMD.GET_ASSERTION: self._assert,
            Ctap2.CMD.GET_NEXT_ASSERTION: lambda _: self._waiting.pop(0),
        }
        if command not in commands:
            return bytes([CtapError.ERR.INVALID_COMMAND])
        try:
            return b"\x00" + commands[command](body)
        except CtapError as problem:
            return bytes([problem.code])

    def _info(self, _: dict) -> bytes:
        options = {"rk": self.keeps, "up": True, "plat": False} | ({"uv": True} if self.verifies else {})
        return cbor.encode({1: ["FIDO_2_0"], 3: MODEL, 4: options, 6: [2], 9: ["usb"]})

    def _make(self, body: dict) -> bytes:
        options, rp_id = body.get(7, {}), body[2]["id"]
        if any(self._found(rp_id, one["id"]) for one in body.get(5, [])):
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        if not any(one["alg"] == ES256.ALGORITHM for one in body[4]):
            raise CtapError(CtapError.ERR.UNSUPPORTED_ALGORITHM)
        key = Key(
            secrets.token_bytes(48), rp_id, body[3], ec.generate_private_key(ec.SECP256R1()), options.get("rk", False)
        )
        self.keys.append(key)
        attested = AttestedCredentialData.create(
            MODEL, key.identifier, ES256.from_cryptography_key(key.private.public_key())
        )
        data = self._data(key, options, FLAG.AT, attested)
        statement = {"alg": ES256.ALGORITHM, "sig": self._sign(key, data, body[1])}
        return cbor.encode({1: "packed", 2: bytes(data), 3: statement})

    def _assert(self, body: dict) -> bytes:
        options, rp_id = body.get(5, {}), body[1]
        if 3 in body:
            found = [key for one in body[3] if (key := self._found(rp_id, one["id"]))]
        else:
            found = [key for key in reversed(self.keys) if key.rp_id == rp_id and key.resident]
        if not found:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        answers = []
        for key in found:
            data = self._data(key, options)
            answer = {
                1: {"type": "public-key", "id": key.identifier},
                2: bytes(data),
                3: self._sign(key, data, body[2]),
            }
            if key.resident:
                answer[4] = {"id": key.user["id"]}
            if len(found) > 1 and not answers:
                answer[5] = len(found)
            answers.append(cbor.encode(answer))
        self._waiting = answers[1:]
        return answers[0]

    def _found(self, rp_id: str, identifier: bytes) -> Key | None:
        return next((key for key in self.keys if (key.rp_id, key.identifier) == (rp_id, identifier)), None)

    def _data(self, key: Key, options: dict, more: int = 0, attested: bytes = b"") -> AuthenticatorData:
        key.count += options.get("up", True)
        flags = more | (FLAG.UP if options.get("up", True) else 0) | (FLAG.UV if options.get("uv") else 0)
        return AuthenticatorData.create(hashlib.sha256(key.rp_id.encode()).digest(), flags, key.count, attested)

    def _sign(self, key: Key, data: bytes, client_hash: bytes) -> bytes:
        return key.private.sign(data + client_hash, ec.ECDSA(hashes.SHA256()))
