"""Users sign in at providers that other people made: Canaille and Glewlwyd, with PKCE, new keys and failures."""

from __future__ import annotations

import time
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from bs4 import BeautifulSoup

from support.canaille import Canaille
from support.configuration import MARIA, Client
from support.foreign_provider import CLIENT_ID, SECRET, ForeignProvider
from support.glewlwyd import Glewlwyd, is_installed
from support.server import Server, free_port

APP_SECRET = "a-secret-of-the-first-app-0123456"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
# Keys are asked for again no sooner than this, for a name that is not known.
KEY_PAUSE_SECONDS = 31


@dataclass
class Site:
    """The server, and a provider that it leads its users to."""

    server: Server
    provider: ForeignProvider
    callback: str
    keys_read_at: float = 0.0

    def leave(self, browser: requests.Session, **more) -> tuple[str, str]:
        """To the page, and by its button to the provider: the page's address and where the button leads."""
        page = browser.get(
            f"{self.server.base}/oauth2/authorize", timeout=10,
            params={
                "client_id": "first-app", "redirect_uri": self.callback, "response_type": "code",
                "scope": "openid profile email", "state": "the-state", "code_challenge_method": "S256",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"} | more)
        link = BeautifulSoup(page.text, "html.parser").find("a", href=lambda href: href and "/federation/" in href)
        gone = browser.get(requests.compat.urljoin(page.url, link["href"]), timeout=20, allow_redirects=False)
        return page.url, requests.compat.urljoin(page.url, gone.headers["location"])

    def come_back(self, browser: requests.Session, location: str) -> requests.Response:
        """As far as our pages go: the app's address is not opened."""
        answer = browser.get(location, timeout=20, allow_redirects=False)
        while answer.is_redirect and not answer.headers["location"].startswith(self.callback):
            answer = browser.get(
                requests.compat.urljoin(answer.url, answer.headers["location"]), timeout=20, allow_redirects=False)
        return answer

    def passed(self, browser: requests.Session, **more) -> requests.Response:
        _, address = self.leave(browser, **more)
        return self.come_back(browser, self.provider.consent(requests.Session(), address))

    def sign_in_here(self, browser: requests.Session, page: requests.Response) -> requests.Response:
        """The form of the first page, with a password of ours."""
        form = BeautifulSoup(page.text, "html.parser").find("form")
        values = {item["name"]: item.get("value", "") for item in form.find_all("input") if item.get("name")}
        values |= {"username": MARIA.login, "password": MARIA.password}
        answer = browser.post(
            requests.compat.urljoin(page.url, form["action"]), data=values, timeout=10, allow_redirects=False,
            headers={"Origin": self.server.base})
        return answer

    def claims(self, answer: requests.Response) -> dict:
        """What the app learns about the user."""
        assert answer.is_redirect and answer.headers["location"].startswith(self.callback), answer.text[:500]
        code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
        tokens = requests.post(
            f"{self.server.base}/oauth2/token", auth=("first-app", APP_SECRET), timeout=10,
            data={"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER,
                  "redirect_uri": self.callback})
        assert tokens.status_code == 200, tokens.text
        bearer = {"Authorization": f"Bearer {tokens.json()['access_token']}"}
        return requests.get(f"{self.server.base}/oauth2/userinfo", headers=bearer, timeout=10).json()


@pytest.fixture(scope="module", params=["canaille", "glewlwyd"])
def site(request, tmp_path_factory, callback_receiver):
    if request.param == "glewlwyd" and not is_installed():
        pytest.skip("glewlwyd is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    port = free_port()
    made = {"canaille": Canaille, "glewlwyd": Glewlwyd}[request.param]
    provider = made(folder / "provider", f"http://127.0.0.1:{port}/federation/foreign/callback")
    callback = f"{callback_receiver.base}/first-app"
    app = Client("first-app", APP_SECRET, "client_secret_basic", (callback,))
    configuration = {
        "project": {"name": "Harbour"},
        "connections": [
            {"id": "foreign", "name": "Foreign", "issuer": provider.issuer, "client_id": CLIENT_ID,
             "client_secret": SECRET}
        ],
        "clients": [app.entry() | {"first_party": True}],
        "users": [MARIA.entry()],
    }
    server = Server(folder / "server", configuration, port=port)
    yield Site(server, provider, callback)
    assert server.stop() == 0
    provider.stop()


@pytest.fixture(scope="module")
def known(site) -> str:
    """The user's `sub` at our server. An address that the provider does not vouch for asks for a sign-in first."""
    browser = requests.Session()
    answer = site.passed(browser)
    if not answer.is_redirect:
        assert "to link Foreign" in answer.text
        answer = site.sign_in_here(browser, answer)
    # At the latest.
    site.keys_read_at = time.monotonic()
    return site.claims(answer)["sub"]


def test_a_user_comes_back_with_a_code_that_pkce_guards(site, known):
    browser = requests.Session()
    _, address = site.leave(browser)
    asked = parse_qs(urlsplit(address).query)
    assert asked["code_challenge_method"] == ["S256"] and asked["state"] and asked["nonce"]
    location = site.provider.consent(requests.Session(), address)
    assert location.startswith(site.provider.callback)
    assert site.claims(site.come_back(browser, location))["sub"] == known
    # The session of the browser needs no provider.
    settings = browser.get(f"{site.server.base}/settings/connections", timeout=10)
    assert settings.status_code == 200 and "Foreign" in settings.text


def test_another_browser_and_a_second_use_get_nothing(site, known):
    """F-16, F-17"""
    browser = requests.Session()
    _, address = site.leave(browser)
    location = site.provider.consent(requests.Session(), address)
    assert site.come_back(requests.Session(), location).status_code == 400
    assert site.come_back(browser, location).is_redirect
    assert site.come_back(browser, location).status_code == 400


def test_another_issuer_in_the_answer_is_refused(site, known):
    """F-18, F-19: RFC 9207, whether the provider promises it or not."""
    browser = requests.Session()
    _, address = site.leave(browser)
    location = site.provider.consent(requests.Session(), address)
    parts = urlsplit(location)
    kept = "&".join(item for item in parts.query.split("&") if not item.startswith("iss="))
    forged = f"{location.split('?')[0]}?{kept}&iss=https%3A%2F%2Fevil.example"
    answer = site.come_back(browser, forged)
    assert not answer.is_redirect and "could not be accepted" in answer.text


def test_a_provider_that_is_down_is_said_and_returns(site, known):
    """F-53"""
    browser = requests.Session()
    _, address = site.leave(browser)
    location = site.provider.consent(requests.Session(), address)
    site.provider.stop()
    answer = site.come_back(browser, location)
    assert "Foreign doesn’t answer right now" in answer.text
    assert BeautifulSoup(answer.text, "html.parser").find("input", {"name": "password"}), "other ways stay"
    site.provider.start()
    # The state was kept: the same address is good once the provider answers.
    again = site.come_back(browser, location)
    if not again.is_redirect:
        # A provider may have forgotten its code; a new sign-in passes in any case.
        again = site.passed(requests.Session())
    assert site.claims(again)["sub"] == known


def test_new_keys_are_asked_for_once_and_old_ones_forgotten(site, known):
    """F-57"""
    before = site.provider.key_names()
    browser = requests.Session()
    _, address = site.leave(browser)
    site.provider.rotate()
    assert not before & site.provider.key_names()
    time.sleep(max(0.0, KEY_PAUSE_SECONDS - (time.monotonic() - site.keys_read_at)))
    location = site.provider.consent(requests.Session(), address)
    assert site.claims(site.come_back(browser, location))["sub"] == known
    assert site.claims(site.passed(requests.Session()))["sub"] == known
