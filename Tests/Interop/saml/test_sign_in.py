"""Users of an organisation sign in at its SAML provider, which is pysaml2, in a real browser."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests

from support.configuration import Client
from support.server import Server, die_with_parent, free_port
from support.window import Window

START_SECONDS = 30
PYTHON = "/usr/bin/python3"
USER = {"mail": ["kim@acme.example"], "givenName": ["Kim"], "sn": ["Lee"]}


def has_pysaml2() -> bool:
    return Path(PYTHON).exists() and not subprocess.run([PYTHON, "-c", "import saml2"], capture_output=True).returncode


pytestmark = pytest.mark.skipif(not has_pysaml2() or not shutil.which("xmlsec1"), reason="pysaml2 is not installed")


def make_key(folder: Path, name: str) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "300", "-subj", "/CN=idp",
         "-keyout", folder / f"{name}-key.pem", "-out", folder / f"{name}-cert.pem"],
        check=True, capture_output=True)


class Site:
    """The server, its provider, and where its one client gets answers."""

    def __init__(self, folder: Path, callback: str, *, response: bool, assertion: bool):
        make_key(folder, "idp")
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "saml.pem"],
            check=True, capture_output=True)
        self.port = free_port()
        self.provider_base = f"http://127.0.0.1:{self.port}"
        self.metadata = folder / "service.xml"
        settings = {
            "metadata": str(self.metadata), "sign_response": response, "sign_assertion": assertion, "user": USER,
        }
        self.provider = subprocess.Popen(
            [PYTHON, Path(__file__).with_name("provider.py"), str(self.port), folder, json.dumps(settings)],
            preexec_fn=die_with_parent)
        (folder / "idp.xml").write_bytes(self.wait())
        self.callback = callback
        app = Client("first-app", "a-secret-of-the-first-app-0123456", "client_secret_basic", (callback,))
        self.server = Server(folder, {
            "project": {"name": "Harbour"},
            "tenants": [{"id": "acme", "name": "Acme"}],
            "saml": {"private_key_file": str(folder / "saml.pem")},
            "connections": [{
                "id": "acme-sso", "name": "Acme", "tenant": "acme", "domains": ["acme.example"],
                "saml": {"metadata_file": str(folder / "idp.xml")},
            }],
            "delivery": {"outbox": True},
            "clients": [app.entry() | {"first_party": True}],
        })
        answer = requests.get(f"{self.server.base}/saml/acme-sso/metadata", timeout=10)
        assert answer.headers["Content-Type"] == "application/samlmetadata+xml"
        self.metadata.write_bytes(answer.content)

    def wait(self) -> bytes:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                return requests.get(f"{self.provider_base}/metadata", timeout=5).content
            except requests.RequestException:
                time.sleep(0.1)
        raise RuntimeError("the provider did not start")

    def stop(self) -> None:
        self.provider.kill()
        self.provider.wait(10)
        assert self.server.stop() == 0

    def begin(self, page) -> None:
        """To the provider, by an address of the organisation."""
        page.goto(f"{self.server.base}/oauth2/authorize?" + urlencode({
            "client_id": "first-app", "redirect_uri": self.callback, "response_type": "code", "scope": "openid email",
            "state": "the-state", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
        }))
        page.locator("input[name=username]").fill("kim@acme.example")
        page.get_by_role("button", name="Continue with your organisation").click()
        page.wait_for_url(f"{self.provider_base}/**")


@pytest.fixture(scope="module", params=["assertion", "response", "both"])
def site(request, tmp_path_factory, callback_receiver):
    made = Site(
        tmp_path_factory.mktemp("saml"), f"{callback_receiver.base}/first-app",
        response=request.param != "assertion", assertion=request.param != "response")
    yield made
    made.stop()


@pytest.fixture
def page(chromium, site, callback_receiver):
    window = Window(chromium, {site.server.base, site.provider_base, callback_receiver.base})
    yield window.page
    window.close()


def code(site, page) -> str:
    page.wait_for_url(f"{site.callback}*")
    return parse_qs(urlsplit(page.url).query)["code"][0]


def test_a_user_of_the_organisation_signs_in(site, page):
    """The request is signed, and pysaml2 checks it; the response is what pysaml2 makes of it."""
    site.begin(page)
    page.get_by_role("button", name="Sign in at Acme").click()
    assert code(site, page)
    page.goto(f"{site.server.base}/settings")
    assert page.get_by_text("kim@acme.example").first.is_visible()


def test_a_response_counts_once_and_in_its_browser(site, page):
    site.begin(page)
    form = {name: page.locator(f"input[name={name}]").input_value() for name in ("SAMLResponse", "RelayState")}
    consumer = f"{site.server.base}/saml/acme-sso/acs"
    # Another browser brings it.
    answer = requests.post(consumer, data=form, timeout=10)
    assert answer.status_code == 400 and "not begun in this browser" in answer.text
    page.get_by_role("button", name="Sign in at Acme").click()
    assert code(site, page)
    answer = requests.post(consumer, data=form, timeout=10)
    assert answer.status_code == 400


def test_a_changed_response_is_refused_in_words(site, page):
    site.begin(page)
    field = page.locator("input[name=SAMLResponse]")
    changed = base64.b64decode(field.input_value()).replace(b"kim@acme.example", b"ceo@acme.example")
    field.evaluate("(field, value) => { field.value = value }", base64.b64encode(changed).decode())
    page.get_by_role("button", name="Sign in at Acme").click()
    page.wait_for_selector("body[data-page=login]")
    assert page.get_by_text("could not be accepted").is_visible()
