"""An identity provider of other people's making: pysaml2, as Debian packages it, behind one page with a button.

Run by the system's Python: `provider.py PORT FOLDER SETTINGS`, where SETTINGS is JSON: `metadata` (of the service, a file),
`sign_response`, `sign_assertion`, `user` (attributes).
"""

from __future__ import annotations

import base64
import html
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_der_x509_certificate
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server

PORT = int(sys.argv[1])
FOLDER = Path(sys.argv[2])
SETTINGS = json.loads(sys.argv[3])
BASE = f"http://127.0.0.1:{PORT}"
PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:Password"


def configuration(**more) -> IdPConfig:
    return IdPConfig().load({
        "entityid": f"{BASE}/metadata",
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "key_file": str(FOLDER / "idp-key.pem"),
        "cert_file": str(FOLDER / "idp-cert.pem"),
        "service": {
            "idp": {
                "endpoints": {"single_sign_on_service": [(f"{BASE}/sso", BINDING_HTTP_REDIRECT)]},
                "signing_algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
                "digest_algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
                "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}},
            }
        },
    } | more)


def check_signature(text: str) -> None:
    """The query as it was sent is signed by the key in the service's metadata (Bindings, 3.4.4.1)."""
    signed, encoded = text.split("&Signature=")
    tag = "{http://www.w3.org/2000/09/xmldsig#}X509Certificate"
    certificate = base64.b64decode(next(ElementTree.parse(SETTINGS["metadata"]).iter(tag)).text)
    load_der_x509_certificate(certificate).public_key().verify(
        base64.b64decode(unquote(encoded)), signed.encode(), PKCS1v15(), SHA256())


def response_to(text: str) -> tuple[str, str, str]:
    """The address, the response and the RelayState for the query of a request."""
    check_signature(text)
    query = {name: values[0] for name, values in parse_qs(text).items()}
    server = Server(config=configuration(metadata={"local": [SETTINGS["metadata"]]}))
    request = server.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT)
    arguments = server.response_args(request.message)
    for name in ("sign_response", "sign_assertion"):
        arguments.pop(name, None)
    arguments.pop("name_id_policy", None)
    response = server.create_authn_response(
        SETTINGS["user"], userid="kim", name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text="kim-4711"),
        authn={"class_ref": PASSWORD, "authn_auth": BASE}, sign_response=SETTINGS["sign_response"],
        sign_assertion=SETTINGS["sign_assertion"],
        sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        digest_alg="http://www.w3.org/2001/04/xmlenc#sha256", **arguments)
    return arguments["destination"], str(response), query["RelayState"]


class Pages(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, text: str, kind: str = "text/html") -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path == "/metadata":
            return self.answer(str(entity_descriptor(configuration())), "application/samlmetadata+xml")
        if parts.path != "/sso":
            return self.answer("")
        destination, response, state = response_to(parts.query)
        fields = {"SAMLResponse": base64.b64encode(response.encode()).decode(), "RelayState": state}
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        self.answer(
            f'<!DOCTYPE html><html lang="en"><title>Acme</title><form method="post" action="{html.escape(destination)}">'
            f"{inputs}<button>Sign in at Acme</button></form></html>")


ThreadingHTTPServer(("127.0.0.1", PORT), Pages).serve_forever()
