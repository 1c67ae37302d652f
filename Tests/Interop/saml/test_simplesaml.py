"""Users of an organisation sign in at a second provider that is not ours, SimpleSAMLphp, in a real browser.

One server, one provider and one browser serve all tests; the provider is told anew how to answer.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import time
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from support.configuration import Client
from support.own_account import next_second
from support.server import Server, binary
from support.simplesaml import KIM, LEE, PEOPLE, SimpleSAML, is_installed
from support.tokens import payload_of
from support.window import Window

EVENT_SECONDS = 10
SECRET = "a-secret-of-the-first-app-0123456"
# RFC 7636, appendix B.
VERIFIER, CHALLENGE = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

pytestmark = pytest.mark.skipif(not is_installed(), reason="SimpleSAMLphp is not installed")


class Site:
    """The server, the provider, and where the server's one client gets answers."""

    def __init__(self, folder: Path, callback: str):
        self.folder = folder
        self.callback = callback
        self.events = 0
        (folder / "acme").mkdir()
        self.provider = SimpleSAML(folder / "acme", ("first", "second"))
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "saml.pem"],
            check=True, capture_output=True)
        (folder / "idp.xml").write_bytes(self.provider.metadata())
        app = Client("first-app", SECRET, "client_secret_basic", (callback,))
        self.server = Server(folder, {
            "project": {"name": "Harbour"},
            "tenants": [{"id": "acme", "name": "Acme"}, {"id": "branch", "name": "Branch"}],
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
        added = self.keyturn(
            "connection", "add", "by-address", "--name", "Branch", "--tenant", "branch", "--domain", "branch.example",
            "--metadata-url", self.provider.entity_id)
        assert "/saml/by-address/metadata" in added and "/saml/by-address/acs" in added
        self.metadata = folder / "service.xml"
        self.metadata.write_bytes(requests.get(self.metadata_of("by-file"), timeout=10).content)

    def metadata_of(self, connection: str) -> str:
        return f"{self.server.base}/saml/{connection}/metadata"

    def keyturn(self, *arguments: str) -> str:
        done = subprocess.run(
            [binary(), *arguments, "--config", self.server.config,
             "--database", f"sqlite:{self.folder / 'keyturn.db'}"],
            cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read_again(self) -> None:
        """The metadata of the connection by address."""
        self.keyturn("connection", "change", "by-address", "--name", "Branch")

    def stop(self) -> None:
        self.provider.stop()
        assert self.server.stop() == 0

    def begin(self, page, address: str = KIM) -> None:
        """To the provider of an address, in a browser that knows nothing."""
        page.context.clear_cookies()
        page.goto(f"{self.server.base}/oauth2/authorize?" + urlencode({
            "client_id": "first-app", "redirect_uri": self.callback, "response_type": "code", "state": "the-state",
            "scope": "openid email profile", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
        }))
        page.locator("input[name=username]").fill(address)
        page.get_by_role("button", name="Continue with your organisation").click()
        page.wait_for_url(f"{self.provider.base}/**")

    def sign_in(self, page, address: str = KIM) -> None:
        """Begins, and does what its user does at the provider."""
        self.begin(page, address)
        page.locator("input[name=username]").fill(address)
        page.locator("input[name=password]").fill(PEOPLE[address]["password"])
        page.locator("#submit_button").click()

    def sign_in_until(self, page, pattern: str) -> None:
        """A running server uses new settings within a second; no sign-in before that counts."""
        deadline = time.monotonic() + EVENT_SECONDS
        while True:
            self.sign_in(page, LEE)
            page.wait_for_url(lambda url: url.startswith(self.callback) or "problem=" in url)
            if fnmatch(page.url, pattern):
                return
            assert time.monotonic() < deadline, page.url
            time.sleep(0.2)

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

    def refused(self, page, connection: str = "by-file") -> str:
        """What the audit log says of a sign-in whose user reads one sentence."""
        page.wait_for_selector("body[data-page=login]")
        assert "could not be accepted" in page.locator("[role=alert]").inner_text()
        # Events are written a moment later.
        deadline = time.monotonic() + EVENT_SECONDS
        while time.monotonic() < deadline:
            events = json.loads(self.keyturn("audit", "--action", "identity.refused", "--json"))
            new = [event for event in events if event["number"] > self.events and event["target"] == connection]
            if new:
                self.events = new[-1]["number"]
                return new[-1]["reason"]
            time.sleep(0.2)
        raise AssertionError("the refusal is not in the audit log")


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
    assert (claims["email"], claims["email_verified"]) == (KIM, True)
    assert (claims["given_name"], claims["family_name"]) == ("Kim", "Lee")
    user = json.loads(site.keyturn("user", "show", KIM, "--json"))
    assert [(tenant["id"], tenant["roles"]) for tenant in user["tenants"]] == [("acme", ["reader"])]


@pytest.mark.parametrize("response, assertion", [(True, False), (True, True)], ids=["response", "both"])
def test_a_response_signed_in_another_way(site, page, response, assertion):
    site.provider.trust_file(
        site.metadata, **{"saml20.sign.response": response, "saml20.sign.assertion": assertion})
    site.sign_in(page)
    assert site.claims(page)["email"] == KIM


def test_an_encrypted_assertion(site, page):
    """With the key of our metadata, and AES-GCM."""
    site.provider.answer_with(is_encrypted=True, cipher="AES256_GCM")
    seen = responses(page)
    site.sign_in(page)
    assert site.claims(page)["email"] == KIM
    assert b"EncryptedAssertion" in seen[0] and b"aes256-gcm" in seen[0] and b"kim@" not in seen[0]


def test_an_assertion_encrypted_as_this_release_does_is_refused(site, page):
    """AES-CBC: its errors tell attackers too much."""
    site.provider.answer_with(is_encrypted=True)
    site.sign_in(page)
    assert site.refused(page) == "decryption"


def test_an_assertion_for_another_service_is_refused(site, page):
    site.provider.answer_with(faults="$state['SPMetadata']['entityid'] = 'https://elsewhere.example/metadata';")
    site.sign_in(page)
    assert site.refused(page) == "audience"


def test_a_response_for_another_address_is_refused(site, page):
    """There, where nothing was begun; and here, when it is brought here all the same."""
    elsewhere = f"{site.server.base}/saml/by-address/acs"
    site.provider.answer_with(faults=f"$state['saml:ConsumerURL'] = '{elsewhere}';")
    site.sign_in(page)
    page.wait_for_selector("body[data-page=error]")
    assert "start again" in page.inner_text("body")
    page.route(elsewhere, lambda route: route.continue_(url=elsewhere.replace("by-address", "by-file")))
    site.sign_in(page)
    assert site.refused(page) == "destination"


def test_a_request_that_another_key_signed_is_refused_by_the_provider(site, page):
    """So the provider does look at the signatures of the other tests."""
    ours = base64.b64encode(load_pem_x509_certificate(
        (site.provider.folder / "second.crt").read_bytes()).public_bytes(Encoding.DER)).decode()
    foreign = site.folder / "foreign.xml"
    foreign.write_text(re.sub(r"(?<=X509Certificate>)[^<]+", ours, site.metadata.read_text()))
    site.provider.trust_file(foreign)
    site.begin(page)
    assert "Unable to validate signature" in page.inner_text("body")


def test_metadata_by_address_and_a_new_key(site, page):
    """Each reads the other's metadata where it is. The provider announces a key, uses it, and drops the old one."""
    site.provider.trust_address(site.metadata_of("by-address"))
    site.provider.answer_with(new_key="second")
    site.read_again()
    # The old one still counts, and so does the new one.
    for key in ("second", "first"):
        site.provider.answer_with(key=key)
        site.sign_in_until(page, site.callback + "*")
        assert site.claims(page)["email"] == LEE
    site.provider.answer_with(key="second")
    site.read_again()
    site.provider.answer_with()
    site.sign_in_until(page, "*problem=*")
    assert site.refused(page, "by-address") == "signature"


def is_signed_in(site, page) -> bool:
    page.goto(f"{site.server.base}/settings")
    return "/settings" in page.url


def is_known_to_the_provider(site, page) -> bool:
    page.goto(f"{site.provider.base}/module.php/core/authenticate.php?as=acme")
    return page.locator("input[name=password]").count() == 0


def test_a_sign_out_at_the_provider_ends_the_session(site, page):
    site.sign_in(page)
    assert site.claims(page) and is_signed_in(site, page)
    back = f"{site.provider.base}/logout.php"
    with page.expect_request(f"{site.server.base}/saml/by-file/slo*"):
        page.goto(f"{site.provider.base}/saml2/idp/SingleLogoutService.php?" + urlencode({"ReturnTo": back}))
    page.wait_for_url(back)
    assert not is_signed_in(site, page)
    # What the provider says within the second of a sign-out may be from before it.
    next_second()


def test_a_sign_out_here_ends_the_providers_session(site, page):
    site.sign_in(page)
    assert site.claims(page)
    assert is_signed_in(site, page) and is_known_to_the_provider(site, page)
    page.goto(f"{site.server.base}/logout")
    with page.expect_request(f"{site.provider.base}/saml2/idp/SingleLogoutService.php*"):
        page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("body[data-page=signed-out]")
    assert not is_signed_in(site, page) and not is_known_to_the_provider(site, page)
