"""An identity provider of other people's making: pysaml2, as Debian packages it, behind one page with a button.

Run by the system's Python: `provider.py PORT FOLDER SETTINGS`, where SETTINGS is JSON: `metadata` (of the service, a file),
`sign_response`, `sign_assertion`, `user` (attributes), `binding` (`redirect` or `post`, by which messages come).
"""

from __future__ import annotations

import base64
import html
import json
import subprocess
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
BINDING = BINDING_HTTP_POST if SETTINGS["binding"] == "post" else BINDING_HTTP_REDIRECT
RSA = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA = "http://www.w3.org/2001/04/xmlenc#sha256"
PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:Password"


def configuration(**more) -> IdPConfig:
    return IdPConfig().load({
        "entityid": f"{BASE}/metadata",
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "key_file": str(FOLDER / "idp-key.pem"),
        "cert_file": str(FOLDER / "idp-cert.pem"),
        "service": {
            "idp": {
                "endpoints": {
                    "single_sign_on_service": [(f"{BASE}/sso", BINDING)],
                    "single_logout_service": [(f"{BASE}/slo", BINDING)],
                },
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


def fields_of(text: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(text).items()}


def service() -> Server:
    return Server(config=configuration(metadata={"local": [SETTINGS["metadata"]]}))


def check(fields: dict[str, str], text: str, kind: str) -> None:
    """The service signs its messages: the query, or the message itself (checked by xmlsec1)."""
    if BINDING == BINDING_HTTP_REDIRECT:
        return check_signature(text)
    message = base64.b64decode(next(fields[name] for name in ("SAMLRequest", "SAMLResponse") if name in fields))
    tag = "{http://www.w3.org/2000/09/xmldsig#}X509Certificate"
    certificate = next(ElementTree.parse(SETTINGS["metadata"]).iter(tag))
    path = FOLDER / "service.pem"
    path.write_text(f"-----BEGIN CERTIFICATE-----\n{certificate.text}\n-----END CERTIFICATE-----\n")
    subprocess.run(
        ["xmlsec1", "--verify", "--id-attr:ID", f"urn:oasis:names:tc:SAML:2.0:protocol:{kind}",
         "--pubkey-cert-pem", path, "-"], input=message, check=True, capture_output=True)


def name_id() -> NameID:
    return NameID(format=NAMEID_FORMAT_PERSISTENT, text="kim-4711")


def respond(server: Server, arguments: dict) -> str:
    return str(server.create_authn_response(
        SETTINGS["user"], userid="kim", name_id=name_id(), authn={"class_ref": PASSWORD, "authn_auth": BASE},
        sign_response=SETTINGS["sign_response"], sign_assertion=SETTINGS["sign_assertion"], sign_alg=RSA, digest_alg=SHA,
        **arguments))


def response_to(text: str) -> tuple[str, str, str]:
    """The address, the response and the RelayState for the fields of a request."""
    server, fields = service(), fields_of(text)
    check(fields, text, "AuthnRequest")
    request = server.parse_authn_request(fields["SAMLRequest"], BINDING)
    arguments = server.response_args(request.message)
    for name in ("sign_response", "sign_assertion"):
        arguments.pop(name, None)
    arguments.pop("name_id_policy", None)
    return arguments["destination"], respond(server, arguments), fields["RelayState"]


def unsolicited() -> tuple[str, str]:
    """The address and a response that answers no request."""
    server = service()
    entity = next(iter(server.metadata.keys()))
    address = server.metadata.assertion_consumer_service(entity, BINDING_HTTP_POST)[0]["location"]
    return address, respond(server, {"in_response_to": None, "destination": address, "sp_entity_id": entity})


def sent(server: Server, message, address: str, state: str, *, is_response: bool) -> dict:
    """How a message of single logout goes to the service, signed as its binding has it."""
    if BINDING == BINDING_HTTP_REDIRECT:
        return server.apply_binding(
            BINDING, str(message), address, relay_state=state, response=is_response, sign=True, sigalg=RSA)
    return server.apply_binding(BINDING, str(message), address, relay_state=state, response=is_response)


def logout_of_all() -> dict:
    """The provider's own user signs out: the service hears of it."""
    server = service()
    entity = next(iter(server.metadata.keys()))
    address = server.metadata.single_logout_service(entity, BINDING, "spsso")[0]["location"]
    inside = BINDING == BINDING_HTTP_POST
    _, request = server.create_logout_request(
        address, entity, name_id=name_id(), sign=inside, sign_alg=RSA if inside else None,
        digest_alg=SHA if inside else None)
    return sent(server, request, address, "the-provider's-state", is_response=False)


def logged_out(text: str) -> dict | str:
    """Answers the service's request, or reads its answer."""
    server, fields = service(), fields_of(text)
    if "SAMLResponse" in fields:
        check(fields, text, "LogoutResponse")
        read = server.parse_logout_request_response(fields["SAMLResponse"], BINDING)
        return f"Harbour: {read.response.status.status_code.value.rsplit(':')[-1]}, {fields['RelayState']}"
    check(fields, text, "LogoutRequest")
    request = server.parse_logout_request(fields["SAMLRequest"], BINDING)
    assert request.message.name_id.text == "kim-4711" and request.message.session_index, str(request.message)
    inside = BINDING == BINDING_HTTP_POST
    response = server.create_logout_response(
        request.message, [BINDING], sign=inside, sign_alg=RSA if inside else None, digest_alg=SHA if inside else None)
    entity = request.message.issuer.text
    address = server.metadata.single_logout_service(entity, BINDING, "spsso")[0]["location"]
    return sent(server, response, address, fields["RelayState"], is_response=True)


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

    def form(self, address: str, fields: dict[str, str], button: str) -> None:
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        self.answer(
            f'<!DOCTYPE html><html lang="en"><title>Acme</title><form method="post" action="{html.escape(address)}">'
            f"{inputs}<button>{button}</button></form></html>")

    def send(self, message: dict) -> None:
        if BINDING == BINDING_HTTP_POST:
            return self.answer("".join(message["data"]))
        self.send_response(303)
        self.send_header("Location", dict(message["headers"])["Location"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive(self, path: str, text: str) -> None:
        if path == "/sso":
            address, response, state = response_to(text)
            fields = {"SAMLResponse": base64.b64encode(response.encode()).decode(), "RelayState": state}
            return self.form(address, fields, "Sign in at Acme")
        done = logged_out(text)
        if isinstance(done, str):
            return self.answer(f"<!DOCTYPE html><html lang=en><title>Acme</title><p>{html.escape(done)}</p></html>")
        self.send(done)

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.receive(urlsplit(self.path).path, text)

    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path == "/metadata":
            return self.answer(str(entity_descriptor(configuration())), "application/samlmetadata+xml")
        if parts.path == "/portal":
            address, response = unsolicited()
            fields = {"SAMLResponse": base64.b64encode(response.encode()).decode()} | fields_of(parts.query)
            return self.form(address, fields, "Open Harbour")
        if parts.path == "/logout":
            return self.send(logout_of_all())
        if parts.path not in ("/sso", "/slo"):
            return self.answer("")
        self.receive(parts.path, parts.query)


ThreadingHTTPServer(("127.0.0.1", PORT), Pages).serve_forever()
