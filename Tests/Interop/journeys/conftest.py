"""The journeys of the examples at a server, an app that asks for them, and the service that one of them asks."""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
import yaml

from support.configuration import MARIA
from support.journey_desk import Desk
from support.messages import Message
from support.receivers import Receiver
from support.server import REPOSITORY, Server
from support.tokens import payload_of
from support.tour import DEVICES, Tour
from support.window import Window

EXAMPLE = Path(REPOSITORY) / "Examples/Journeys/keyturn.yaml"
MANAGEMENT_KEY = "K2-management-key-of-the-example"
PROJECT = "P2KeyturnJourneysOfTheTests0001"
LANGUAGES = ["en", "de", "ar"]


@pytest.fixture(scope="module")
def app_page():
    """Where the browser arrives in the app."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def example() -> dict:
    """The example, as an operator has it."""
    return yaml.safe_load(EXAMPLE.read_text())


@pytest.fixture(scope="module")
def desk(example):
    call = next(step["call"] for journey in example["journeys"] for step in journey["steps"] if "call" in step)
    service = Desk(call["secret"])
    call["url"] = service.url
    yield service
    service.close()
    assert not service.problems


class Site:
    """The server with the example, and an app that asks for its journeys."""

    def __init__(self, folder, example: dict, app_page: Receiver):
        configuration = {key: value for key, value in example.items() if key not in ("database", "passkeys")}
        configuration["project"] = example["project"] | {"id": PROJECT}
        self.redirect_uri = f"{app_page.base}/callback"
        configuration["clients"][0]["redirect_uris"] = [self.redirect_uri]
        configuration["users"] = [MARIA.entry()]
        self.server = Server(folder, configuration)
        self.issuer = self.server.issuer
        self.app_page = app_page

    def begin(self, journey: str, **parameters) -> tuple[str, str]:
        """The address that asks for a journey, and the verifier of its code."""
        verifier = secrets.token_urlsafe(40)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "client_id": "app",
            "response_type": "code",
            "redirect_uri": self.redirect_uri,
            "scope": "openid profile email offline_access",
            "state": secrets.token_urlsafe(8),
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "journey": journey,
            **parameters,
        }
        return f"{self.issuer}/oauth2/authorize?{urlencode(query)}", verifier

    def claims(self, page, verifier: str) -> dict:
        """What the app learns at the end, from the ID token."""
        page.wait_for_url(lambda url: url.startswith(self.redirect_uri))
        answer = parse_qs(urlsplit(page.url).query)
        assert "code" in answer, answer
        form = {
            "grant_type": "authorization_code",
            "code": answer["code"][0],
            "redirect_uri": self.redirect_uri,
            "client_id": "app",
            "code_verifier": verifier,
        }
        tokens = requests.post(f"{self.issuer}/oauth2/token", data=form, timeout=10)
        assert tokens.status_code == 200, tokens.text
        return payload_of(tokens.json()["id_token"])

    def manage(self, path: str, body: dict) -> dict:
        headers = {"Authorization": f"Bearer {PROJECT}:{MANAGEMENT_KEY}"}
        answer = requests.post(f"{self.issuer}/v1/mgmt/{path}", json=body, headers=headers, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def message(self, to: str) -> Message:
        """The newest message to an address."""
        outbox = requests.get(f"{self.issuer}/dev/outbox.json", timeout=10).json()
        newest = [entry for entry in outbox if entry["to"] == to][-1]
        return Message(to, newest.get("subject", ""), newest["body"])

    def code_for(self, to: str) -> str:
        return self.message(to).code


@pytest.fixture(scope="module")
def site(tmp_path_factory, example, desk, app_page):
    site = Site(tmp_path_factory.mktemp("journeys"), example, app_page)
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def open_window(chromium, site, app_page):
    """Opens watched browsers."""
    windows: list[Window] = []

    def open_one(**options) -> Window:
        windows.append(Window(chromium, {site.issuer, app_page.base}, **options))
        return windows[-1]

    yield open_one
    for window in windows:
        window.close()


# Each language in both themes and at both screens.
LOOKS = [
    (language, theme, device)
    for index, language in enumerate(LANGUAGES)
    for theme, device in zip(("light", "dark"), list(DEVICES)[:: 1 if index % 2 else -1], strict=True)
]


@pytest.fixture(params=LOOKS, ids=lambda look: "-".join(look))
def visit(request, open_window):
    """One user at one kind of screen, in one language: the page, what looks at it, and the language."""
    language, theme, device = request.param
    window = open_window(color_scheme=theme, locale=language, **DEVICES[device])
    tour = Tour(window.page, f"{language}-{theme}-{device}")
    yield window.page, tour, language
    assert not tour.problems, "\n".join(tour.problems)
