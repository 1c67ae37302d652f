"""What an organisation's SAML provider may say of people: every assertion here is signed by its key, and lies."""

from __future__ import annotations

import base64
import re
import secrets
import shutil
import subprocess
import time
from html import escape

import pytest
import requests

from support.configuration import MARIA, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.saml_site import make_key
from support.server import Server
from support.visitor import Visitor

pytestmark = pytest.mark.skipif(not shutil.which("xmlsec1"), reason="xmlsec1 is not installed")

KEY = "a-management-key-for-the-tests-of-saml"
ENTITY = "https://idp.acme.example/metadata"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
OLGA = Person(
    "55555555-5555-4555-8555-555555555555", "olga@acme.example", "correct-horse-battery",
    {"email": "olga@acme.example", "email_verified": True, "console_role": "owner", "tenants": [{"id": "acme"}]},
)
ASSERTION = """<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
 ID="_{r}" Version="2.0" IssueInstant="{now}" Destination="{acs}"><saml:Issuer>{entity}</saml:Issuer><samlp:Status>
<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="_{a}" Version="2.0"
 IssueInstant="{now}"><saml:Issuer>{entity}</saml:Issuer><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>
<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#_{a}"><ds:Transforms>
<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>
<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>
<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference></ds:SignedInfo>
<ds:SignatureValue/></ds:Signature><saml:Subject>{name}<saml:SubjectConfirmation
 Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="{acs}" NotOnOrAfter="{end}"/>
</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{now}" NotOnOrAfter="{end}"><saml:AudienceRestriction>
<saml:Audience>{audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{now}">
<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>
</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>{attributes}</saml:AttributeStatement></saml:Assertion>
</samlp:Response>"""


def at(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


class Site:
    def __init__(self, folder):
        self.folder = folder
        make_key(folder, "idp")
        saml = {
            "entity_id": ENTITY, "sign_on_url": "https://idp.acme.example/sso", "idp_initiated": True,
            "sign_requests": False, "certificates": [(folder / "idp-cert.pem").read_text()]}
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY]},
            "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
            "connections": [
                {"id": "acme-sso", "tenant": "acme", "domains": ["acme.example"], "saml": saml},
                {"id": "other-sso", "tenant": "globex", "domains": ["globex.example"], "saml": saml},
            ],
            "delivery": {"outbox": True}, "users": [MARIA.entry(), OLGA.entry()],
        })
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def signed(self, name: str, attributes: dict[str, list[str]], connection: str) -> str:
        """A response of the provider. Names and values are XML."""
        acs = f"{self.base}/saml/{connection}/acs"
        values = "".join(
            f'<saml:Attribute Name="{escape(key)}">' + "".join(
                f"<saml:AttributeValue>{value}</saml:AttributeValue>" for value in texts) + "</saml:Attribute>"
            for key, texts in attributes.items())
        text = ASSERTION.format(
            r=secrets.token_hex(16), a=secrets.token_hex(16), now=at(-1), end=at(120), acs=acs, entity=ENTITY,
            audience=f"{self.base}/saml/{connection}/metadata", name=name, attributes=values)
        done = subprocess.run(
            ["xmlsec1", "--sign", "--privkey-pem", self.folder / "idp-key.pem", "--id-attr:ID",
             "urn:oasis:names:tc:SAML:2.0:assertion:Assertion", "-"],
            input=text, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, done.stderr
        return base64.b64encode(done.stdout.encode()).decode()

    def arrive(
        self, name: str, email: str | list[str], visitor: Visitor | None = None, connection: str = "acme-sso", **more
    ) -> Visitor | Page:
        """The browser if it is signed in, or the page that says why it is not."""
        visitor = visitor or Visitor(self.base)
        name = name if name.startswith("<") else f'<saml:NameID Format="{PERSISTENT}">{name}</saml:NameID>'
        emails = [email] if isinstance(email, str) else email
        answer = visitor.post(f"{self.base}/saml/{connection}/acs", data={
            "SAMLResponse": self.signed(name, {"email": emails} | more, connection)})
        page = visitor.follow(answer)
        return visitor if page.name == "settings" else page

    def who(self, arrived: Visitor | Page) -> str | None:
        """The address of the account that a browser is signed in to."""
        if isinstance(arrived, Page):
            return None
        text = arrived.get(f"{self.base}/settings/identifiers").text
        return next(iter(re.findall(r"[\w.+-]+@[\w.-]+\w", text)), "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("saml"))
    assert site.who(site.arrive("kim", "kim@acme.example")) == "kim@acme.example", "the control of everything below"
    yield site
    assert site.server.stop() == 0


@pytest.mark.parametrize("name", [
    "Kim", "kim ", "kim<!-- -->2", "k\u0456m", "<saml:NameID>kim</saml:NameID>",
    f'<saml:NameID Format="{PERSISTENT}" NameQualifier="x">kim</saml:NameID>',
])
def test_a_name_that_looks_like_hers_is_another_person(site, name):
    """Compared with everything that qualifies it; her address does not help either."""
    own = f"n{secrets.token_hex(4)}@acme.example"
    assert site.who(site.arrive(name, own)) in (own, None)
    assert isinstance(site.arrive(f"fresh-{secrets.token_hex(4)}", "kim@acme.example"), Page), "hers alone"
    assert site.who(site.arrive("kim", "kim@acme.example")) == "kim@acme.example"


@pytest.mark.parametrize("email", [
    "kim@acme.example<!-- -->.evil.example", "kim@acme.example ", "KIM@ACME.EXAMPLE", "<b>kim@acme.example</b>",
    "kim&#x200b;@acme.example", "\uff4bim@acme.example", MARIA.login, "gina@globex.example",
])
def test_an_address_that_looks_like_hers_opens_nothing_of_hers(site, email):
    arrived = site.arrive(f"look-{secrets.token_hex(4)}", email)
    assert site.who(arrived) not in ("kim@acme.example", MARIA.login, "gina@globex.example"), email


@pytest.mark.parametrize("emails", [
    ["kim@acme.example", "new@acme.example"], ["new@acme.example", "kim@acme.example"]])
def test_two_addresses_decide_nothing(site, emails):
    assert isinstance(site.arrive(f"two-{secrets.token_hex(4)}", emails), Page)


def test_an_owner_of_the_console_is_nobody_that_the_provider_names(site):
    arrived = site.arrive("olga", OLGA.login)
    assert isinstance(arrived, Page) and arrived.status == 400, arrived
    assert isinstance(site.arrive("olga", OLGA.login), Page), "nor the second time"


def test_a_form_of_another_site_changes_no_session_of_another_user(site):
    """The thief's own assertion, in Maria's browser: she stays who she is, and gets nothing of the thief's."""
    maria = Visitor(site.base)
    maria.sign_in(maria.open(f"{site.base}/settings"))
    page = site.arrive("kim", "kim@acme.example", maria)
    assert isinstance(page, Page) and page.status == 409
    assert MARIA.login in maria.get(f"{site.base}/settings/identifiers").text
    page = site.arrive(f"waits-{secrets.token_hex(4)}", "kim@acme.example", maria)
    assert isinstance(page, Page) and page.status == 400 and not page.forms, "nothing waits to be joined to her"


def test_a_response_for_one_organisation_opens_nothing_at_another(site):
    """Two organisations at one provider: its word at one connection is none at the other."""
    name = f'<saml:NameID Format="{PERSISTENT}">kim</saml:NameID>'
    response = site.signed(name, {"email": ["kim@acme.example"]}, "acme-sso")
    answer = requests.post(
        f"{site.base}/saml/other-sso/acs", data={"SAMLResponse": response}, timeout=30, allow_redirects=False)
    assert answer.status_code == 400
    assert isinstance(site.arrive("kim", "kim@acme.example", connection="other-sso"), Page), "a foreign domain"
    kim = site.who(site.arrive("kim", "kim@globex.example", connection="other-sso"))
    assert kim == "kim@globex.example", "another user, of that organisation"
    assert site.who(site.arrive("kim", "kim@acme.example")) == "kim@acme.example"
