"""Attestation statements that need certificates: what makers of authenticators, phones and TPMs put around a credential."""

from __future__ import annotations

import datetime
import hashlib
import json

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from support.authenticator import decode, encode

_MODEL_OID = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
_ANDROID_OID = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.1.17")
_APPLE_OID = x509.ObjectIdentifier("1.2.840.113635.100.8.2")
_TPM_KEY_USAGE = x509.ObjectIdentifier("2.23.133.8.3")
# `[1] { SET { 2 } }` and `[702] { 0 }`: for signatures, made in the device.
_ANDROID_FIELDS = bytes.fromhex("a1053103020102" + "bf853e03020100")


class Maker:
    """A maker with a root of its own, and the key with which its devices vouch."""

    def __init__(self):
        self._root_key = ec.generate_private_key(ec.SECP256R1())
        self._root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Interop Attestation Root")])
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.root = self._certificate(
            self._root_name,
            self._root_key.public_key(),
            [
                (x509.BasicConstraints(ca=True, path_length=None), True),
                (_usage(key_cert_sign=True, crl_sign=True), True),
            ],
        )

    @property
    def root_pem(self) -> bytes:
        return self.root.public_bytes(Encoding.PEM)

    def attest(self, credential: dict, style: str) -> dict:
        """The same registration, vouched for in another format. `android-key` needs one with a `packed` statement: its
        signature is by the credential's own key."""
        response = credential["response"]
        made = cbor2.loads(decode(response["attestationObject"]))
        data, client_hash = made["authData"], hashlib.sha256(decode(response["clientDataJSON"])).digest()
        statement = getattr(self, "_" + style.replace("-", "_"))(made, data, client_hash)
        return with_attestation(credential, {"fmt": style, "attStmt": statement, "authData": data})

    def certificate_of_its_key(self, host: str) -> x509.Certificate:
        """For what else is signed with its key, by a host of that name."""
        extensions = [
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (x509.SubjectAlternativeName([x509.DNSName(host)]), False),
        ]
        return self._certificate(_device_name(), self.key.public_key(), extensions)

    def _packed(self, made: dict, data: bytes, client_hash: bytes) -> dict:
        extensions = [
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (x509.UnrecognizedExtension(_MODEL_OID, b"\x04\x10" + data[37:53]), False),
        ]
        leaf = self._certificate(_device_name(), self.key.public_key(), extensions)
        return {"alg": -7, "sig": self._sign(data + client_hash), "x5c": [_der(leaf)]}

    def _fido_u2f(self, made: dict, data: bytes, client_hash: bytes) -> dict:
        leaf = self._certificate(_device_name(), self.key.public_key(), [])
        key = cose_of(data)
        message = b"\x00" + data[:32] + client_hash + credential_id_of(data) + b"\x04" + key[-2] + key[-3]
        return {"sig": self._sign(message), "x5c": [_der(leaf)]}

    def _tpm(self, made: dict, data: bytes, client_hash: bytes) -> dict:
        device = x509.Name(
            [
                x509.RelativeDistinguishedName([x509.NameAttribute(x509.ObjectIdentifier(f"2.23.133.2.{n}"), text)])
                for n, text in ((1, "id:494E5443"), (2, "Interop"), (3, "id:00020000"))
            ]
        )
        extensions = [
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (x509.SubjectAlternativeName([x509.DirectoryName(device)]), True),
            (x509.ExtendedKeyUsage([_TPM_KEY_USAGE]), False),
        ]
        leaf = self._certificate(x509.Name([]), self.key.public_key(), extensions)
        area = _public_area(cose_of(data))
        name = b"\x00\x0b" + hashlib.sha256(area).digest()
        certified = (
            bytes.fromhex("ff5443478017")
            + _sized(b"")
            + _sized(hashlib.sha256(data + client_hash).digest())
            + bytes(25)
            + _sized(name)
            + _sized(b"")
        )
        return {
            "ver": "2.0",
            "alg": -7,
            "x5c": [_der(leaf)],
            "sig": self._sign(certified),
            "certInfo": certified,
            "pubArea": area,
        }

    def _android_key(self, made: dict, data: bytes, client_hash: bytes) -> dict:
        assert made["fmt"] == "packed" and "x5c" not in made["attStmt"], made["fmt"]
        head = bytes.fromhex("020103" + "0a0101" + "020104" + "0a0101")
        description = _sequence(
            head + b"\x04\x20" + client_hash + b"\x04\x00" + _sequence(b"") + _sequence(_ANDROID_FIELDS)
        )
        leaf = self._certificate(
            _device_name(), _p256_key(data), [(x509.UnrecognizedExtension(_ANDROID_OID, description), False)]
        )
        return {**made["attStmt"], "x5c": [_der(leaf), _der(self.root)]}

    def _apple(self, made: dict, data: bytes, client_hash: bytes) -> dict:
        nonce = b"\x30\x24\xa1\x22\x04\x20" + hashlib.sha256(data + client_hash).digest()
        leaf = self._certificate(
            _device_name(), _p256_key(data), [(x509.UnrecognizedExtension(_APPLE_OID, nonce), False)]
        )
        return {"x5c": [_der(leaf), _der(self.root)]}

    def _sign(self, message: bytes) -> bytes:
        return self.key.sign(message, ec.ECDSA(hashes.SHA256()))

    def _certificate(self, subject: x509.Name, key, extensions: list) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._root_name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=365))
        )
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, is_critical)
        return builder.sign(self._root_key, hashes.SHA256())


def with_attestation(credential: dict, made: dict) -> dict:
    """The same registration with another attestation object."""
    response = {**credential["response"], "attestationObject": encode(cbor2.dumps(made, canonical=True))}
    return {**credential, "response": response}


def attestation_of(credential: dict) -> dict:
    return cbor2.loads(decode(credential["response"]["attestationObject"]))


def client_data_of(credential: dict) -> dict:
    return json.loads(decode(credential["response"]["clientDataJSON"]))


def credential_id_of(data: bytes) -> bytes:
    return data[55 : 55 + int.from_bytes(data[53:55], "big")]


def cose_of(data: bytes) -> dict:
    """The key in authenticator data without extensions."""
    return cbor2.loads(data[55 + int.from_bytes(data[53:55], "big") :])


def _p256_key(data: bytes) -> ec.EllipticCurvePublicKey:
    key = cose_of(data)
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + key[-2] + key[-3])


def _public_area(key: dict) -> bytes:
    """`TPMT_PUBLIC`: a key without a scheme of its own, as Windows makes them."""
    head, none = bytes.fromhex("000b" + "00060472" + "0000"), bytes.fromhex("0010")
    if key[1] == 3:
        return b"\x00\x01" + head + none + none + bytes.fromhex("0800") + bytes(4) + _sized(key[-1])
    curve = bytes.fromhex("0003")
    return b"\x00\x23" + head + none + none + curve + none + _sized(key[-2]) + _sized(key[-3])


def _device_name() -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "PT"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Interop"),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
            x509.NameAttribute(NameOID.COMMON_NAME, "Interop Authenticator"),
        ]
    )


def _usage(**wanted: bool) -> x509.KeyUsage:
    names = "digital_signature content_commitment key_encipherment data_encipherment key_agreement key_cert_sign"
    every = [*names.split(), "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{name: wanted.get(name, False) for name in every})


def _sequence(content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([0x30, len(content)]) + content


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.DER)
