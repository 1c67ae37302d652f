"""What tests need of an OpenID provider of other people, whichever it is."""

from __future__ import annotations

import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

import requests
from bs4 import BeautifulSoup

from support.server import die_with_parent, free_port

START_SECONDS = 40
CLIENT_ID = "keyturn"
SECRET = "a-secret-between-the-two-servers-1"
LOGIN = "jane"
PASSWORD = "the-password-at-the-provider-1"


class ForeignProvider(ABC):
    """One provider with one user, `jane`, and one client, this server.

    - `callback`: the redirect URI of that client.
    - `issuer`: as its discovery document spells it; known once it runs.
    """

    def __init__(self, folder: Path, callback: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.callback = callback
        self.port = free_port()
        # Another host than the server's: cookies know no ports.
        self.base = f"http://localhost:{self.port}"
        self.process: subprocess.Popen | None = None
        self.issuer = ""

    @property
    @abstractmethod
    def discovery(self) -> str:
        """The address of the discovery document."""

    @abstractmethod
    def command(self) -> list:
        """What starts it."""

    @abstractmethod
    def rotate(self) -> None:
        """From now on it signs with another key, and publishes that one alone."""

    @abstractmethod
    def consent(self, browser: requests.Session, address: str) -> str:
        """What the user does at the provider: returns where they are sent then."""

    def environment(self) -> dict[str, str] | None:
        return None

    def start(self) -> None:
        with (self.folder / "provider.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, cwd=self.folder, env=self.environment(),
                preexec_fn=die_with_parent)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = requests.get(self.discovery, timeout=2)
                # Some providers answer before what was set up in them does.
                if answer.status_code != 404:
                    self.issuer = answer.json()["issuer"]
                    return
                if self.is_bare():
                    return
            except (requests.RequestException, ValueError):
                pass
            time.sleep(0.1)
        raise RuntimeError(f"the provider did not start:\n{(self.folder / 'provider.log').read_text()[-2000:]}")

    def is_bare(self) -> bool:
        """Whether it runs, and is set up by its interface only then."""
        return False

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(15)
            self.process = None

    def key_names(self) -> set[str]:
        document = requests.get(self.discovery, timeout=5).json()
        return {key.get("kid", "") for key in requests.get(document["jwks_uri"], timeout=5).json()["keys"]}


def submitted(browser: requests.Session, page: requests.Response, fields: dict[str, str], button: str | None = None):
    """Sends the first form of a page, without following to our server."""
    form = BeautifulSoup(page.text, "html.parser").find("form")
    values = {
        field["name"]: field.get("value", "")
        for field in form.find_all("input")
        if field.get("name") and field.get("type") not in ("submit", "checkbox")
    }
    values |= {name: value for name, value in fields.items() if name in values}
    if button is not None:
        name, value = button.split("=")
        values[name] = value
    return browser.post(
        requests.compat.urljoin(page.url, form.get("action") or page.url), data=values, allow_redirects=False,
        timeout=10)
