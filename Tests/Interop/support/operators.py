"""Operators of the console and of the management interface, as forms and bearer tokens alone make them."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import sqlite3
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pyotp
import requests

from support.pages import Page
from support.server import Server, binary
from support.visitor import Callback, Visitor

PASSWORD = "correct-horse-battery"
KEY = "a-management-key-for-the-tests-of-authority"
PROJECT = "P2AuthorityProject0000000000"
ROLES = {"olga": "owner", "oskar": "owner", "oper": "operator", "sue": "support", "vera": "viewer", "nina": None}
CALLBACK = "https://cli.example/back"
SCOPE = "openid profile offline_access keyturn:management"
ADMIN = {
    "client_id": "keyturn-cli", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
    "token_endpoint_auth_method": "none", "application_type": "native", "first_party": True, "scope": SCOPE,
}
TEN_MINUTES = 601
STEPS = ("login", "password", "totp-setup", "code", "consent", "continue")


def person(name: str, **more) -> dict:
    """A user of the file, with a proved address and a password."""
    role = {"console_role": ROLES[name]} if ROLES.get(name) else {}
    return {
        "email": f"{name}@example.com", "email_verified": True, "password": PASSWORD, "name": name,
    } | role | more


def serve(folder: Path, **more) -> Server:
    """A server with one user of each role, and what `more` says."""
    return Server(folder, {
        "issuer": "auto", "project": {"id": PROJECT, "name": "Harbour", "management_keys": [KEY]},
        "clients": [ADMIN], "tenants": [{"id": "harbour", "name": "Harbour"}, {"id": "other", "name": "Other"}],
        "delivery": {"outbox": True}, "users": [person(name) for name in ROLES],
    } | more)


class Operator:
    """A user who signs in to the console, with an authenticator app that the first sign-in sets up."""

    def __init__(self, server: Server, name: str, key: str | None = None, password: str = PASSWORD):
        self.server, self.name, self.key, self.password = server, name, key, password
        self.last_step = 0
        self.browser = Visitor(server.base)

    def enter(self) -> Page:
        return self.walk(self.browser.open(f"{self.server.base}/admin"))

    def walk(self, page: Page | Callback) -> Page | Callback:
        """Answers the pages of a sign-in, until there is another one or an app is reached."""
        for _ in range(8):
            if isinstance(page, Callback) or page.name not in STEPS:
                return page
            if page.name == "totp-setup":
                self.key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
                page = self.browser.submit(page, {next(iter(page.form.inputs)): self.code()})
            elif page.name == "code":
                page = self.browser.submit(page, {next(iter(page.form.inputs)): self.code()})
            elif page.name in ("login", "password"):
                page = self.browser.submit(page, {"username": f"{self.name}@example.com", "password": self.password})
            else:
                page = self.browser.submit(page)
        raise AssertionError(f"no end of pages: {page}")

    def code(self) -> str:
        """A code counts once, and one of the next half minute counts already."""
        now = int(time.time())
        step = max(now // 30 - 1, self.last_step + 1)
        assert step <= now // 30 + 1, "too many codes in one minute"
        self.last_step = step
        return pyotp.TOTP(self.key).at(step * 30)

    def send(self, at: str, values: dict, to: str | None = None) -> requests.Response:
        """A form of a page with other values, whether the page offers them or not."""
        page = self.browser.open(self.server.base + at)
        assert isinstance(page, Page) and page.forms, f"{at}: {page}"
        target = self.server.base + (to or at.split("?")[0])
        form = next(form for form in page.forms if form.action.split("?")[0] == target)
        return self.browser.post(target, data={"csrf": form.values["csrf"], **values})

    def tokens(self, **more) -> dict:
        """The answer of a sign-in to the command line's client, through the operator's browser."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        request = {
            "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": SCOPE, "state": "s",
            "code_challenge": challenge, "code_challenge_method": "S256",
        } | more
        arrived = self.walk(self.browser.open(f"{self.server.base}/oauth2/authorize", request))
        assert isinstance(arrived, Callback) and arrived.get("code"), arrived
        answer = requests.post(f"{self.server.base}/oauth2/token", data={
            "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": request["redirect_uri"],
            "client_id": request["client_id"], "code_verifier": verifier,
        }, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer.json()


def enters_console(server: Server, login: str, password: str) -> bool:
    """Whether a password opens the console to whom it belongs, and sets up a second factor on the way."""
    one = Operator(server, login.split("@")[0], password=password)
    page = one.browser.submit(one.browser.open(f"{server.base}/admin"), {"username": login, "password": password})
    if page.name == "login":
        return False
    one.walk(page)
    return one.browser.open(f"{server.base}/admin").name.startswith("admin")


class Management:
    """The management interface, for one bearer."""

    def __init__(self, server: Server, bearer: str = f"{PROJECT}:{KEY}"):
        self.server, self.bearer = server, bearer

    def send(self, method: str, path: str, body: object = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.bearer}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        return requests.request(
            method, f"{self.server.base}{path}", data=data, headers=headers, timeout=20, allow_redirects=False)

    def post(self, path: str, body: object = None) -> requests.Response:
        return self.send("POST", f"/v1/mgmt/{path}", {} if body is None else body)

    def get(self, path: str) -> requests.Response:
        return self.send("GET", f"/v1/mgmt/{path}")

    def done(self, path: str, body: object = None) -> dict:
        answer = self.post(path, body)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def user(self, login: str) -> dict:
        answer = self.get(f"user?loginId={login}")
        assert answer.status_code == 200, answer.text
        return answer.json()["user"]


def auth(server: Server, path: str, body: dict | None = None, bearer: str = "") -> requests.Response:
    """A call of the methods' wire."""
    headers = {"Authorization": f"Bearer {PROJECT}{bearer and ':' + bearer}", "Content-Type": "application/json"}
    return requests.post(
        f"{server.base}/v1/auth/{path}", data=json.dumps(body or {}), headers=headers, timeout=20)


def command(server: Server, *arguments: str) -> str:
    """A command on the server's database; what it printed."""
    done = subprocess.run(
        [binary(), *arguments, "--config", server.config, "--database", f"sqlite:{server.folder / 'keyturn.db'}"],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def aged(server: Server, seconds: int = TEN_MINUTES):
    """As if everybody had signed in so much earlier; then as it was."""
    _move(server, -seconds)
    try:
        yield
    finally:
        _move(server, seconds)


def _move(server: Server, seconds: int) -> None:
    with sqlite3.connect(server.folder / "keyturn.db", timeout=30) as database:
        for table in ("session", "grant_"):
            database.execute(f"UPDATE {table} SET auth_time = auth_time + ?", (seconds,))


def letters(server: Server, to: str) -> list[str]:
    """What was sent to an address, as subjects."""
    sent = requests.get(f"{server.base}/dev/outbox.json", timeout=20).json()
    return [each["subject"] for each in sent if each["to"] == to]


def letter(server: Server, to: str, word: str) -> bool:
    """Whether a message with this word in its subject arrives: messages are sent after the answer."""
    for _ in range(30):
        if any(word in subject for subject in letters(server, to)):
            return True
        time.sleep(0.1)
    return False
