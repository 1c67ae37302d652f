"""Starts the Django site of `django_program.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import requests

from support.configuration import Client, Person
from support.relying_party import Provider
from support.server import die_with_parent
from support.visitor import Visitor

START_SECONDS = 30
PROGRAM = Path(__file__).with_name("django_program.py")


class DjangoSite:
    """One site. Its administrator entered the addresses of its users before they signed in.

    - `administrator`, `members`: its users; the first has every right.
    """

    def __init__(
        self, folder: Path, port: int, provider: Provider, client: Client, administrator: Person, members: list[Person]
    ):
        self.folder, self.port = folder, port
        self.base = f"http://127.0.0.1:{port}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps({
            "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "site.db")}},
            "OIDC_RP_CLIENT_ID": client.client_id,
            "OIDC_RP_CLIENT_SECRET": client.secret,
            "OIDC_RP_SIGN_ALGO": "RS256",
            "OIDC_OP_AUTHORIZATION_ENDPOINT": provider.endpoint("authorization"),
            "OIDC_OP_TOKEN_ENDPOINT": provider.endpoint("token"),
            "OIDC_OP_USER_ENDPOINT": provider.endpoint("userinfo"),
            "OIDC_OP_JWKS_ENDPOINT": provider.endpoint("jwks_uri"),
            "ADMINISTRATOR": administrator.login,
            "MEMBERS": [member.login for member in members],
        }))
        with (folder / "site.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, PROGRAM, folder / "settings.json", str(port)],
                stdout=log, stderr=log, env=os.environ | {"NO_PROXY": "127.0.0.1"}, preexec_fn=die_with_parent,
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                requests.get(self.base, timeout=5)
                return
            except requests.ConnectionError:
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the site did not start:\n{self.log_tail()}")

    def log_tail(self) -> str:
        return "\n".join((self.folder / "site.log").read_text(errors="replace").splitlines()[-20:])

    def users(self) -> list[dict]:
        return requests.get(f"{self.base}/users", timeout=10).json()["users"]

    def begin(self, visitor: Visitor) -> requests.Response:
        """The redirect with which a sign-in begins."""
        return visitor.get(f"{self.base}/oidc/authenticate/")

    def finish(self, visitor: Visitor, callback: str) -> dict:
        """Who the site takes the visitor for then."""
        answer = visitor.get(callback)
        assert answer.status_code == 302, f"status {answer.status_code}\n{self.log_tail()}"
        return visitor.get(f"{self.base}/").json()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
