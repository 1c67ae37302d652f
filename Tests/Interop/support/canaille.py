"""Canaille (Python): its own pages for signing in and for consent, RSA keys, and `iss` in its answers (RFC 9207)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import requests

from support.foreign_provider import CLIENT_ID, LOGIN, PASSWORD, SECRET, ForeignProvider, submitted

PROGRAM = Path(sys.executable).parent / "canaille"


class Canaille(ForeignProvider):
    def __init__(self, folder: Path, callback: str):
        super().__init__(folder, callback)
        self._write(self._new_key())
        self._run("install")
        self._run(
            "create", "user", "--user-name", LOGIN, "--formatted-name", "Jane Doe", "--family-name", "Doe", "--emails",
            "jane@acme.example", "--password", PASSWORD)
        made = self._run(
            "create", "client", "--client-id", CLIENT_ID, "--client-secret", SECRET, "--client-name", "Harbour",
            "--redirect-uris", callback, "--grant-types", "authorization_code", "--response-types", "code", "--scope",
            "openid", "--scope", "profile", "--scope", "email", "--token-endpoint-auth-method", "client_secret_basic")
        # Else its ID tokens are for no client at all.
        number = json.loads(made)["id"]
        self._run("set", "client", number, "--audience", number)
        self.start()

    @property
    def discovery(self) -> str:
        return f"{self.base}/.well-known/openid-configuration"

    def command(self) -> list:
        return [PROGRAM, "run", "--bind", f"127.0.0.1:{self.port}"]

    def environment(self) -> dict[str, str]:
        return os.environ | {"CANAILLE_CONFIG": str(self.folder / "canaille.toml")}

    def rotate(self) -> None:
        self.stop()
        self._write(self._new_key())
        self.start()

    def consent(self, browser: requests.Session, address: str) -> str:
        # Two of its access tokens of one second are the same token, which its database refuses.
        time.sleep(1.1)
        page = browser.get(address, timeout=10)
        for _ in range(6):
            if page.is_redirect:
                location = requests.compat.urljoin(page.url, page.headers["location"])
                if location.startswith(self.callback):
                    return location
                page = browser.get(location, timeout=10, allow_redirects=False)
                continue
            button = "answer=accept" if 'value="accept"' in page.text else None
            page = submitted(browser, page, {"login": LOGIN, "password": PASSWORD}, button)
        raise AssertionError(f"Canaille asks for something else at {page.url}")

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, env=self.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def _new_key(self) -> str:
        done = subprocess.run(
            [PROGRAM, "jwk", "create", "rsa", "--format", "toml"], cwd=self.folder, capture_output=True, text=True,
            check=True)
        return " ".join(done.stdout.split("\n"))

    def _write(self, key: str) -> None:
        (self.folder / "canaille.toml").write_text(
            f"""SECRET_KEY = "of this test run alone"
SERVER_NAME = "localhost:{self.port}"
PREFERRED_URL_SCHEME = "http"
[CANAILLE]
DATABASE = "sql"
[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{self.folder}/canaille.db"
[CANAILLE_OIDC]
ACTIVE_JWKS = [{key}]
""")
