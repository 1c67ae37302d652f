"""Users of an organisation sign in at a second provider that is not ours, SimpleSAMLphp, in a real browser.

One server, one provider and one browser serve all tests; the provider is told anew how to answer.
"""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from support.configuration import Client
from support.server import Server, binary
from support.simplesaml import PASSWORD, USER, SimpleSAML, is_installed
from support.tokens import payload_of
from support.window import Window

SECRET = "a-secret-of-the-first-app-0123456"
# RFC 7636, appendix B.
VERIFIER, CHALLENGE = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

pytestmark = pytest.mark.skipif(not is_installed(), reason="SimpleSAMLphp is not installed")


class Site:
    """The server, the provider, and where the server's one client gets answers."""

    def __init__(self, folder: Path, callback: str):
        self.folder = folder
        self.callback = callback
        (folder / "acme").mkdir()
        self.provider = SimpleSAML(folder / "acme", ("first", "second"))
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "saml.pem"],
            check=True, capture_output=True)
        (folder / "idp.xml").write_bytes(self.provider.metadata())
        app = Client("first-app", SECRET, "client_secret_basic", (callback,))
        self.server = Server(folder, {
            "project": {"name": "Harbour"},
            "tenants": [{"id": "acme", "name": "Acme"}],
            "roles": [{"name": "reader", "permissions": ["read"]}],
            "saml": {"private_key_file": str(folder / "saml.pem")},
            "connections": [{
                "id": "by-file", "name": "Acme", "tenant": "acme", "domains": ["acme.example"],
                "saml": {"metadata_file": str(folder / "idp.xml")},
                "mapping": {"groups": "affiliation"}, "roles": {"staff": "reader"},
            }],
            "delivery": {"outbox": True},
            "clients": [app.entry() | {"first_party": True}],
        })
        self.keyturn(
            "add", "by-address", "--name", "Harbour Works", "--metadata-url", self.provider.entity_id,
            "--map", "groups=affiliation")
        self.metadata = folder / "service.xml"
        self.metadata.write_bytes(requests.get(self.metadata_of("by-file"), timeout=10).content)

    def metadata_of(self, connection: str) -> str:
        return f"{self.server.base}/saml/{connection}/metadata"

    def keyturn(self, *arguments: str) -> str:
        done = subprocess.run(
            [binary(), "connection", *arguments, "--config", self.server.config,
             "--database", f"sqlite:{self.folder / 'keyturn.db'}"],
            cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read_again(self) -> None:
        """The metadata of the connection by address."""
        self.keyturn("change", "by-address", "--name", "Harbour Works")

    def stop(self) -> None:
        self.provider.stop()
        assert self.server.stop() == 0

    def begin(self, page, connection: str = "by-file") -> None:
        page.context.clear_cookies()
        page.goto(f"{self.server.base}/oauth2/authorize?" + urlencode({
            "client_id": "first-app", "redirect_uri": self.callback, "response_type": "code", "state": "the-state",
            "scope": "openid email profile", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
        }))
        if connection == "by-file":
            page.locator("input[name=username]").fill("kim@acme.example")
            page.get_by_role("button", name="Continue with your organisation").click()
        else:
            page.get_by_role("link", name=f"Continue with {connection}").click()
        page.wait_for_url(f"{self.provider.base}/**")

    def sign_in(self, page, connection: str = "by-file") -> None:
        """To the provider, and what its user does there."""
        self.begin(page, connection)
        page.locator("input[name=username]").fill(USER)
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("#submit_button, button[type=submit]").first.click()

    def claims(self, page) -> dict:
        """What the app learns of its user."""
        page.wait_for_url(f"{self.callback}*")
        answer = requests.post(f"{self.server.base}/oauth2/token", timeout=10, auth=("first-app", SECRET), data={
            "grant_type": "authorization_code", "code": parse_qs(urlsplit(page.url).query)["code"][0],
            "redirect_uri": self.callback, "code_verifier": VERIFIER,
        })
        assert answer.status_code == 200, answer.text
        token = answer.json()["access_token"]
        answer = requests.get(
            f"{self.server.base}/oauth2/userinfo", timeout=10, headers={"Authorization": f"Bearer {token}"})
        return payload_of(token) | answer.json()

    def refused(self, page) -> str:
        """The sentence on the sign-in page."""
        page.wait_for_selector("body[data-page=login]")
        return page.locator("[role=alert]").inner_text()


def responses(page) -> list[bytes]:
    """Those that the browser brings from now on."""
    seen: list[bytes] = []
    page.on("request", lambda request: request.url.endswith("/acs") and seen.append(
        base64.b64decode(parse_qs(request.post_data)["SAMLResponse"][0])))
    return seen


@pytest.fixture(scope="module")
def site(tmp_path_factory, callback_receiver):
    made = Site(tmp_path_factory.mktemp("simplesaml"), f"{callback_receiver.base}/first-app")
    yield made
    made.stop()


@pytest.fixture
def page(chromium, site, callback_receiver):
    site.provider.answer_with()
    site.provider.trust_file(site.metadata)
    window = Window(chromium, {site.server.base, site.provider.base, callback_receiver.base})
    yield window.page
    window.close()


def test_metadata_by_file_and_what_the_provider_says_of_its_user(site, page):
    """Our metadata goes through the provider's converter, and it accepts the signed request alone."""
    site.sign_in(page)
    claims = site.claims(page)
    assert (claims["email"], claims["email_verified"]) == ("kim@acme.example", True)
    assert (claims["given_name"], claims["family_name"]) == ("Kim", "Lee")
    assert claims["tenants"]["acme"]["roles"] == ["reader"], f"XX {claims}"


@pytest.mark.parametrize("response, assertion", [(True, False), (True, True)], ids=["response", "both"])
def test_a_response_signed_in_another_way(site, page, response, assertion):
    site.provider.trust_file(
        site.metadata, **{"saml20.sign.response": response, "saml20.sign.assertion": assertion})
    site.sign_in(page)
    assert site.claims(page)["email"] == "kim@acme.example"


def test_an_encrypted_assertion(site, page):
    """With the key of our metadata, and AES-GCM."""
    site.provider.answer_with(is_encrypted=True, cipher="AES256_GCM")
    seen = responses(page)
    site.sign_in(page)
    assert site.claims(page)["email"] == "kim@acme.example"
    assert b"EncryptedAssertion" in seen[0] and b"aes256-gcm" in seen[0] and b"kim@" not in seen[0]


def test_an_assertion_encrypted_as_this_release_does_is_refused(site, page):
    """AES-CBC: its errors tell attackers too much."""
    site.provider.answer_with(is_encrypted=True)
    site.sign_in(page)
    assert "could not be accepted" in site.refused(page)


@pytest.mark.parametrize("fault", [
    "$state['SPMetadata']['entityid'] = 'https://elsewhere.example/metadata';",
    "$state['saml:ConsumerURL'] = str_replace('/by-file/', '/by-address/', $state['saml:ConsumerURL']);",
], ids=["audience", "destination"])
def test_what_is_meant_for_another_is_refused_in_words(site, page, fault):
    site.provider.answer_with(faults=fault)
    site.sign_in(page)
    assert "could not be accepted" in site.refused(page)


def test_a_request_that_another_key_signed_is_refused_by_the_provider(site, page):
    """So the provider does look at the signatures of the other tests."""
    ours = base64.b64encode(load_pem_x509_certificate(
        (site.provider.folder / "second.crt").read_bytes()).public_bytes(Encoding.DER)).decode()
    foreign = site.folder / "foreign.xml"
    foreign.write_text(re.sub(r"(?<=X509Certificate>)[^<]+", ours, site.metadata.read_text()))
    site.provider.trust_file(foreign)
    site.begin(page)
    assert "Unable to validate Signature" in page.content()


def test_metadata_by_address_and_a_new_key(site, page):
    """Each reads the other's metadata where it is. The provider announces a key, uses it, and drops the old one."""
    site.provider.trust_address(site.metadata_of("by-address"))
    site.provider.answer_with(new_key="second")
    site.read_again()
    site.sign_in(page, "Harbour Works")
    assert site.claims(page)["sub"]
    site.provider.answer_with(key="second")
    site.sign_in(page, "Harbour Works")
    assert site.claims(page)["sub"]
    # Before the old key is dropped here, it counts; afterwards it does not.
    site.provider.answer_with()
    site.sign_in(page, "Harbour Works")
    assert site.claims(page)["sub"]
    site.provider.answer_with(key="second")
    site.read_again()
    site.provider.answer_with()
    site.sign_in(page, "Harbour Works")
    assert "could not be accepted" in site.refused(page)
