"""A metadata service of its own: who makes authenticators, and what became of their models (FIDO MDS 3.0)."""

from __future__ import annotations

import base64
import datetime
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding

from support.attestation import Maker
from support.authenticator import encode

HOST = "mds.fidoalliance.org"
MODEL = "08987058-cadc-4b81-b6e1-30de50dcbe96"


class Metadata:
    """Signs blobs; `root_pem` is what an operator trusts."""

    def __init__(self):
        self._authority = Maker()
        self.root_pem = self._authority.root_pem

    def blob(
        self,
        maker: Maker,
        *,
        number: int = 5,
        days: int = 30,
        status: str = "FIDO_CERTIFIED_L1",
        since: str = "2020-01-01",
        signer: Metadata | None = None,
        host: str = HOST,
        **header,
    ) -> bytes:
        """One model, by that maker. `signer`: who really signs; `host`: in whose name."""
        entry = {
            "aaguid": MODEL,
            "metadataStatement": {
                "description": "Interop Authenticator",
                "attestationRootCertificates": [_text(maker.root)],
            },
            "statusReports": [{"status": status, "effectiveDate": since}],
            "timeOfLastStatusChange": since,
        }
        until = datetime.date.today() + datetime.timedelta(days=days)
        body = {"legalHeader": "for tests", "no": number, "nextUpdate": until.isoformat(), "entries": [entry]}
        certificate = self._authority.certificate_of_its_key(host)
        head = {"alg": "ES256", "typ": "JWT", "x5c": [_text(certificate)], **header}
        signing = f"{encode(json.dumps(head).encode())}.{encode(json.dumps(body).encode())}"
        key = (signer or self)._authority.key
        r, s = decode_dss_signature(key.sign(signing.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signing}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}".encode()


def _text(certificate) -> str:
    return base64.b64encode(certificate.public_bytes(Encoding.DER)).decode()
