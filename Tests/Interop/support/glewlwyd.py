"""Glewlwyd (C, of Debian): keys on an elliptic curve. Its pages are scripts over an interface, which is used here."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from pathlib import Path

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support.foreign_provider import CLIENT_ID, LOGIN, PASSWORD, SECRET, ForeignProvider

TABLES = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
SETTINGS = Path("/etc/glewlwyd/glewlwyd.conf")
PLUGIN = "oidc"


def is_installed() -> bool:
    return shutil.which("glewlwyd") is not None and TABLES.exists() and SETTINGS.exists()


class Glewlwyd(ForeignProvider):
    def __init__(self, folder: Path, callback: str):
        super().__init__(folder, callback)
        self._write()
        self.start()
        self._set_up()
        self.issuer = requests.get(self.discovery, timeout=5).json()["issuer"]

    @property
    def discovery(self) -> str:
        return f"{self.base}/api/{PLUGIN}/.well-known/openid-configuration"

    def command(self) -> list:
        return ["glewlwyd", f"--config-file={self.folder / 'glewlwyd.conf'}"]

    def is_bare(self) -> bool:
        return requests.get(f"{self.base}/api/", timeout=2).status_code in (200, 404)

    def rotate(self) -> None:
        administrator = self._administrator()
        self._sent(administrator, "PUT", f"mod/plugin/{PLUGIN}", self._plugin())
        self._sent(administrator, "PUT", f"mod/plugin/{PLUGIN}/reset/")

    def consent(self, browser: requests.Session, address: str) -> str:
        signed_in = browser.post(
            f"{self.base}/api/auth/", json={"username": LOGIN, "password": PASSWORD}, timeout=10)
        assert signed_in.status_code == 200, signed_in.text
        granted = browser.put(f"{self.base}/api/auth/grant/{CLIENT_ID}/", json={"scope": "openid"}, timeout=10)
        assert granted.status_code == 200, granted.text
        # What the page of the provider adds when the user continues.
        answer = browser.get(f"{address}&g_continue", timeout=10, allow_redirects=False)
        assert answer.is_redirect, answer.text
        return answer.headers["location"]

    def _write(self) -> None:
        with sqlite3.connect(self.folder / "glewlwyd.db") as database:
            database.executescript(gzip.decompress(TABLES.read_bytes()).decode())
        changes = {
            "port=": f"port={self.port}",
            "#bind_address=": 'bind_address="127.0.0.1"',
            "external_url=": f'external_url="{self.base}"',
            "log_mode=": 'log_mode="console"',
            "log_level=": 'log_level="WARNING"',
            "@include": f'database = {{ type = "sqlite3"; path = "{self.folder}/glewlwyd.db"; }};',
        }
        lines = SETTINGS.read_text().splitlines()
        for number, line in enumerate(lines):
            for start, change in changes.items():
                if line.startswith(start):
                    lines[number] = change
        (self.folder / "glewlwyd.conf").write_text("\n".join(lines) + "\n")

    def _administrator(self) -> requests.Session:
        session = requests.Session()
        self._sent(session, "POST", "auth/", {"username": "admin", "password": "password"})
        return session

    def _sent(self, session: requests.Session, method: str, path: str, body: dict | None = None) -> None:
        answer = session.request(method, f"{self.base}/api/{path}", json=body, timeout=10)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"

    def _plugin(self) -> dict:
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        return {
            "module": "oidc", "name": PLUGIN, "display_name": PLUGIN,
            "parameters": {
                "iss": f"{self.base}/api/{PLUGIN}", "jwt-type": "ecdsa", "jwt-key-size": "256",
                "key": private.decode(), "cert": public.decode(), "access-token-duration": 3600,
                "refresh-token-duration": 86400, "code-duration": 600, "refresh-token-rolling": True,
                "allow-non-oidc": False, "auth-type-code-enabled": True, "auth-type-token-enabled": False,
                "auth-type-id-token-enabled": True, "auth-type-password-enabled": False,
                "auth-type-client-enabled": False, "auth-type-refresh-enabled": True, "jwks-show": True,
                "pkce-allowed": True, "pkce-required": True, "subject-type": "public",
            },
        }

    def _set_up(self) -> None:
        administrator = self._administrator()
        self._sent(administrator, "POST", "mod/plugin/", self._plugin())
        self._sent(
            administrator, "POST", "client/",
            {
                "client_id": CLIENT_ID, "name": "Harbour", "confidential": True, "enabled": True,
                "client_secret": SECRET, "redirect_uri": [self.callback], "scope": [],
                "authorization_type": ["code"], "token_endpoint_auth_method": ["client_secret_basic"],
            })
        self._sent(
            administrator, "POST", "user/",
            {"username": LOGIN, "name": "Jane Doe", "enabled": True, "password": PASSWORD,
             "scope": ["g_profile", "openid"]})
