"""Sign-outs that an organisation's SAML provider tells: of its own sessions at its own connection, once."""

from __future__ import annotations

import base64
import secrets
import shutil
import subprocess
import zlib
from urllib.parse import urlencode

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from authority.test_providers_saml import ASSERTION, ENTITY, PERSISTENT, at
from support.configuration import MARIA
from support.pages import Page
from support.project import PROJECT_ID
from support.saml_site import make_key
from support.server import Server
from support.visitor import Visitor

pytestmark = pytest.mark.skipif(not shutil.which("xmlsec1"), reason="xmlsec1 is not installed")

RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
LOGOUT = """<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
 xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_{id}" Version="2.0" IssueInstant="{now}"
 Destination="{service}"><saml:Issuer>{entity}</saml:Issuer>{name}</samlp:LogoutRequest>"""
METADATA = """<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"
 xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="{entity}"><md:IDPSSODescriptor
 protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo>
<ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
 Location="https://idp.acme.example/slo"/>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
 Location="https://idp.acme.example/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>"""


def name_id(name: str, form: str = PERSISTENT) -> str:
    return f'<saml:NameID Format="{form}">{name}</saml:NameID>'


class Site:
    def __init__(self, folder):
        self.folder = folder
        for name in ("idp", "other"):
            make_key(folder, name)
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048",
             "-out", folder / "saml.pem"], check=True, capture_output=True)
        certificate = "".join((folder / "idp-cert.pem").read_text().splitlines()[1:-1])
        (folder / "idp.xml").write_text(METADATA.format(entity=ENTITY, certificate=certificate))
        saml = {"metadata_file": str(folder / "idp.xml"), "idp_initiated": True}
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour"},
            "saml": {"private_key_file": str(folder / "saml.pem")},
            "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
            "connections": [
                {"id": "acme-sso", "tenant": "acme", "domains": ["acme.example"], "saml": saml},
                {"id": "other-sso", "tenant": "globex", "domains": ["globex.example"], "saml": saml},
                {"id": "asking", "tenant": "globex", "saml": saml | {"idp_initiated": False}},
            ],
            "delivery": {"outbox": True}, "users": [MARIA.entry()],
        })
        self.base = self.server.base

    def response(self, connection: str, name: str, email: str, seconds: int = 2) -> str:
        """`seconds`: when it was made, after now. Without it, after every sign-out of before."""
        text = ASSERTION.format(
            r=secrets.token_hex(16), a=secrets.token_hex(16), now=at(seconds), end=at(120), entity=ENTITY, name=name,
            acs=f"{self.base}/saml/{connection}/acs", audience=f"{self.base}/saml/{connection}/metadata",
            attributes='<saml:Attribute Name="email">'
                       f'<saml:AttributeValue>{email}</saml:AttributeValue></saml:Attribute>')
        done = subprocess.run(
            ["xmlsec1", "--sign", "--privkey-pem", self.folder / "idp-key.pem", "--id-attr:ID",
             "urn:oasis:names:tc:SAML:2.0:assertion:Assertion", "-"],
            input=text, capture_output=True, text=True, timeout=30, check=True)
        return base64.b64encode(done.stdout.encode()).decode()

    def bring(self, response: str, connection: str = "acme-sso") -> Visitor:
        visitor = Visitor(self.base)
        visitor.follow(visitor.post(f"{self.base}/saml/{connection}/acs", data={"SAMLResponse": response}))
        return visitor

    def arrive(self, name: str, email: str, connection: str = "acme-sso") -> Visitor:
        visitor = self.bring(self.response(connection, name_id(name), email), connection)
        assert self.is_in(visitor)
        return visitor

    def is_in(self, visitor: Visitor) -> bool:
        return visitor.open(f"{self.base}/settings").name == "settings"

    def logout(self, name: str, connection: str = "acme-sso", *, key: str = "idp", **changes: str) -> str:
        """The address of a signed message. The browser that brings it is anybody's."""
        service = f"{self.base}/saml/{connection}/slo"
        text = LOGOUT.format(**({
            "id": secrets.token_hex(16), "now": at(-1), "service": service, "entity": ENTITY, "name": name} | changes))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(text.encode()) + packer.flush()
        query = urlencode({"SAMLRequest": base64.b64encode(packed).decode(), "SigAlg": RSA_SHA256})
        private = load_pem_private_key((self.folder / f"{key}-key.pem").read_bytes(), None)
        signature = private.sign(query.encode(), PKCS1v15(), SHA256())
        return f"{service}?{query}&" + urlencode({"Signature": base64.b64encode(signature).decode()})

    def send(self, address: str) -> int:
        return requests.get(address, timeout=30, allow_redirects=False).status_code


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("saml"))
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def kim(site):
    return site.arrive("kim", "kim@acme.example")


def test_the_provider_ends_what_began_there(site, kim):
    """The control."""
    address = site.logout(name_id("kim"))
    assert site.send(address) in (302, 303)
    assert not site.is_in(kim)
    again = site.arrive("kim", "kim@acme.example")
    assert site.send(address) == 400 and site.is_in(again), "a message counts once"


def test_an_assertion_of_before_opens_nothing_after_it(site, kim):
    """What the provider said before it signed its user out was kept, and is brought now."""
    kept = [site.response("acme-sso", name_id(name), f"{name}@acme.example", -1) for name in ("kim", "lee")]
    assert site.send(site.logout(name_id("kim"))) in (302, 303)
    assert [site.is_in(site.bring(each)) for each in kept] == [False, True], "the control: another user"


def test_its_word_at_one_connection_is_none_at_the_other(site, kim):
    """One provider serves both organisations, and both have a Kim."""
    other = site.arrive("kim", "kim@globex.example", "other-sso")
    assert site.send(site.logout(name_id("kim"), "other-sso")) in (302, 303)
    assert site.is_in(kim) and not site.is_in(other)
    moved = site.logout(name_id("kim"), "other-sso").replace("/saml/other-sso/", "/saml/acme-sso/")
    assert site.send(moved) == 400 and site.is_in(kim)


@pytest.mark.parametrize("change", [
    {"key": "other"}, {"seconds": -900}, {"seconds": 900}, {"entity": "https://idp.globex.example/metadata"},
    {"service": "https://idp.acme.example/slo"}, {"name": ""},
])
def test_what_is_not_its_message_ends_nothing(site, kim, change):
    """`seconds`: how long before the message, or after it, it was made."""
    when = {"now": at(change["seconds"])} if "seconds" in change else change
    assert site.send(site.logout(**({"name": name_id("kim")} | when))) == 400
    assert site.is_in(kim)


def test_a_message_without_a_signature_ends_nothing(site, kim):
    address = site.logout(name_id("kim"))
    unsigned = address.split("&SigAlg=")[0]
    assert site.send(unsigned) == 400 and site.is_in(kim)
    assert site.send(address + "A") == 400 and site.is_in(kim)


@pytest.mark.parametrize(("name", "form"), [
    ("Kim", PERSISTENT), ("kim@acme.example", PERSISTENT), ("kim", EMAIL), ("kim@acme.example", EMAIL),
    (MARIA.login, EMAIL), (MARIA.sub, PERSISTENT),
])
def test_another_name_ends_nothing_of_hers(site, kim, name, form):
    """Compared with its format; an address or an identifier of ours names nobody."""
    maria = Visitor(site.base)
    maria.sign_in(maria.open(f"{site.base}/settings"))
    assert site.send(site.logout(name_id(name, form))) in (302, 303), "it is answered: there is nothing to end"
    assert site.is_in(kim) and site.is_in(maria)


def test_the_session_of_another_person_goes_on(site, kim):
    """Another person of the same organisation, at the same connection."""
    elsewhere = site.arrive("lee", "lee@acme.example")
    assert site.send(site.logout(name_id("kim"))) in (302, 303)
    assert not site.is_in(kim) and site.is_in(elsewhere)


def test_a_connection_that_asks_takes_no_answer_without_a_question(site):
    visitor = Visitor(site.base)
    response = site.response("asking", name_id("kim"), "kim@globex.example")
    page = visitor.follow(visitor.post(f"{site.base}/saml/asking/acs", data={"SAMLResponse": response}))
    assert isinstance(page, Page) and page.status == 400
    for state in ("", "x" * 43):
        again = visitor.post(f"{site.base}/saml/asking/acs", data={"SAMLResponse": response, "RelayState": state})
        assert again.status_code == 400
    assert not site.is_in(visitor)
