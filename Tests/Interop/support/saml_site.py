"""A server whose users sign in at pysaml2, and pysaml2 as its provider."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests

from support.configuration import Client
from support.server import Server, die_with_parent, free_port

PROVIDER = Path(__file__).parent.parent / "saml" / "provider.py"
START_SECONDS = 30
PYTHON = "/usr/bin/python3"
USER = {"mail": ["kim@acme.example"], "givenName": ["Kim"], "sn": ["Lee"]}


def has_pysaml2() -> bool:
    return Path(PYTHON).exists() and not subprocess.run([PYTHON, "-c", "import saml2"], capture_output=True).returncode


needs_pysaml2 = pytest.mark.skipif(not has_pysaml2() or not shutil.which("xmlsec1"), reason="pysaml2 is not installed")


def make_key(folder: Path, name: str) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "300", "-subj", "/CN=idp",
         "-keyout", folder / f"{name}-key.pem", "-out", folder / f"{name}-cert.pem"],
        check=True, capture_output=True)


class Site:
    """The server, its provider, and where its one client gets answers."""

    def __init__(self, folder: Path, callback: str, *, response: bool, assertion: bool,
                 binding: str = "redirect", saml: dict | None = None):
        make_key(folder, "idp")
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder / "saml.pem"],
            check=True, capture_output=True)
        self.port = free_port()
        self.provider_base = f"http://127.0.0.1:{self.port}"
        self.metadata = folder / "service.xml"
        settings = {
            "metadata": str(self.metadata), "sign_response": response, "sign_assertion": assertion, "user": USER,
            "binding": binding,
        }
        self.provider = subprocess.Popen(
            [PYTHON, PROVIDER, str(self.port), folder, json.dumps(settings)],
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
                "saml": {"metadata_file": str(folder / "idp.xml")} | (saml or {}),
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
