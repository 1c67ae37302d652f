"""Certificates that live as long as a test run."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

LIFE = datetime.timedelta(days=1)


class Authority:
    """A certificate authority that nobody trusts who was not told to, with one server.

    - `ca_file`: what those who trust it read.
    - `server_file`: the key and the certificate of the server.
    """

    def __init__(self, folder: Path, host: str = "localhost"):
        folder.mkdir(parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Throw-away authority")])
        authority = (
            self._builder(name, name, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(self._usage(is_authority=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        server_key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
        names: list[x509.GeneralName] = [x509.DNSName(host)]
        if host == "localhost":
            names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        server = (
            self._builder(subject, name, server_key)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(self._usage(is_authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.ca_file = folder / "authority.pem"
        self.ca_file.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
        self.server_file = folder / "server.pem"
        self.server_file.write_bytes(
            server_key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + server.public_bytes(serialization.Encoding.PEM)
        )

    def server_context(self) -> ssl.SSLContext:
        """For whoever answers under the name of the server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server_file)
        return context

    @staticmethod
    def _builder(subject, issuer, key) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - LIFE)
            .not_valid_after(now + LIFE)
        )

    @staticmethod
    def _usage(is_authority: bool) -> x509.KeyUsage:
        return x509.KeyUsage(
            digital_signature=not is_authority,
            key_cert_sign=is_authority,
            crl_sign=is_authority,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
