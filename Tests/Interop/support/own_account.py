"""A server at which users look after their own accounts, by the methods' wire and in browsers without scripts."""

from __future__ import annotations

import json
import sqlite3
import time
from itertools import count
from pathlib import Path
from urllib.parse import quote, urlencode

import requests

from support.authenticator import Authenticator
from support.configuration import ALL_SCOPES, Client
from support.devices import GRANT as DEVICE_GRANT
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire
from support.server import Server, free_port
from support.totp import Codes
from support.visitor import Callback, Visitor

APP = Client(
    "harbour-app", None, "none", ("http://127.0.0.1/callback",),
    {
        "application_type": "native", "scope": ALL_SCOPES, "client_name": "Harbour",
        "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT],
    },
)
CLOSED, BAD_TOKEN = "E011003", "E064001"
_numbers = count(1)


def new_name(word: str = "user") -> str:
    return f"{word}{next(_numbers)}@example.test"


def next_second() -> None:
    """What happened before is told apart from what comes by whole seconds."""
    now = int(time.time())
    while int(time.time()) <= now:
        time.sleep(0.02)


def new_password() -> str:
    return f"Nine-blue-herons-{next(_numbers)}!"


class OwnAccounts:
    """The server. `more`: other sections of its file; `project`: more of that section."""

    def __init__(self, folder: Path, *, project: dict | None = None, clients: list[Client] | None = None, **more):
        port = free_port()
        self.issuer = f"http://localhost:{port}"
        self.configuration = {
            "issuer": self.issuer,
            "dev": True,
            "trusted_proxies": ["127.0.0.1/32"],
            "project": {"id": PROJECT_ID, "name": "Interop", "management_keys": [MANAGEMENT_KEY], **(project or {})},
            "delivery": {"outbox": True},
            "clients": [client.entry() for client in clients or [APP]],
            **more,
        }
        self.folder, self.port = folder, port
        self.server = Server(folder, self.configuration, port=port)
        self.base = self.server.base
        self.wire = Wire(self.base)
        self._codes: dict[str, Codes] = {}

    def restart(self, **changes) -> None:
        """With other settings."""
        assert self.server.stop() == 0
        self.configuration |= changes
        self.server = Server(self.folder, self.configuration, port=self.port)

    def close(self) -> None:
        assert self.server.is_running(), f"the server is gone; its log ends:\n{self.server.log_tail()}"
        assert self.server.stop() == 0

    # The methods' wire.

    def post(self, path: str, body: dict | None = None, shown: str | None = None, **options) -> requests.Response:
        """A call; `shown`: the refresh token that it presents."""
        return self.wire.post(
            f"/v1/auth/{path}", body or {}, bearer=f"{PROJECT_ID}:{shown}" if shown else PROJECT_ID, **options)

    def call(self, path: str, body: dict | None = None, shown: str | None = None, **options) -> dict:
        """A call that succeeds."""
        answer = self.post(path, body, shown, **options)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    def manage(self, path: str, body: dict) -> dict:
        """A call of the operator's that succeeds."""
        answer = self.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    def letters(self, to: str) -> list[dict]:
        """What was sent to an address, the newest last."""
        everything = self.wire.send("GET", "/dev/outbox.json", bearer=None).json()
        return [letter for letter in everything if letter["to"] == to]

    def code(self, to: str) -> str:
        return [letter["code"] for letter in self.letters(to) if letter.get("code")][-1]

    def tokens(self, to: str) -> list[str]:
        """Of the links in the newest letter that has any."""
        links = [letter["links"] for letter in self.letters(to) if letter.get("links")][-1]
        return [link.split("t=")[1].split("&")[0] for link in links if "t=" in link]

    def is_alive(self, refresh: str) -> bool:
        answer = self.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{refresh}")
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200

    def sign_up(self, email: str, password: str | None = None) -> str:
        """Somebody who proved the address by a code; with a password, if one is given. The refresh token."""
        self.call("otp/signup/email", {"loginId": email})
        refresh = self.by_code(email)
        if password:
            self.call("password/update", {"loginId": email, "newPassword": password}, refresh)
        return refresh

    def by_code(self, email: str, shown: str | None = None) -> str:
        """The session that the newest code opens."""
        return self.call("otp/verify/email", {"loginId": email, "code": self.code(email)}, shown)["refreshJwt"]

    def signed_in_by_code(self, email: str) -> str:
        self.call("otp/signin/email", {"loginId": email})
        return self.by_code(email)

    def by_password(self, login: str, password: str, **options) -> requests.Response:
        return self.post("password/signin", {"loginId": login, "password": password}, **options)

    def add_authenticator(self, login: str, refresh: str) -> tuple[str, str]:
        """An authenticator app; its key, and the session that has used it."""
        key = self.call("totp/update", {"loginId": login}, refresh)["key"]
        return key, self.call("totp/verify", {"loginId": login, "code": self.totp(key)}, refresh)["refreshJwt"]

    def totp(self, key: str) -> str:
        return self._codes.setdefault(key, Codes(key)).next()

    def add_passkey(self, login: str, refresh: str, device: Authenticator) -> None:
        started = self.call("webauthn/update/start", {"loginId": login, "origin": self.issuer}, refresh)
        made = device.create(json.loads(started["options"]), origin=self.issuer)
        self.call("webauthn/update/finish", {"transactionId": started["transactionId"], "response": json.dumps(made)})

    def by_passkey(self, login: str, device: Authenticator) -> requests.Response:
        started = self.call("webauthn/signin/start", {"loginId": login, "origin": self.issuer})
        shown = device.get(json.loads(started["options"]), origin=self.issuer)
        return self.post(
            "webauthn/signin/finish", {"transactionId": started["transactionId"], "response": json.dumps(shown)})

    # Browsers.

    def visitor(self) -> Visitor:
        return Visitor(self.base, self.issuer)

    def browse(self, login: str, password: str, path: str = "/settings") -> tuple[Visitor, Page]:
        """Somebody in a browser, who signs in by the password on the way to a page."""
        visitor = self.visitor()
        page = visitor.open(path)
        assert page.name == "login", page
        return visitor, visitor.submit(page, {"username": login, "password": password})

    def ask_for_approval(self, login: str) -> tuple[Visitor, Page, str]:
        """A browser that waits for an approval on another device, its page, and the number that it shows."""
        desk = self.visitor()
        page = desk.submit(desk.open("/settings"), {"username": login}, button="approval")
        assert page.name == "approval", page
        return desk, page, page.soup.select_one(".number strong").get_text(strip=True)

    def approve(self, visitor: Visitor, number: str) -> Page:
        """What a signed-in user does about it in another browser."""
        page = visitor.open("/settings/approvals")
        assert page.name == "settings-approvals", page
        return visitor.submit(page, {"number": number}, button="allow")

    # Time.

    def age(self, login: str, seconds: int = 700) -> None:
        """As if all sign-ins of a user had been earlier."""
        user = self.user(login)["userId"]
        with sqlite3.connect(self.folder / "keyturn.db", timeout=30) as database:
            for table in ("grant_", "session"):
                database.execute(f"UPDATE {table} SET auth_time = auth_time - ? WHERE user_id = ?", (seconds, user))
        database.close()

    def user(self, login: str) -> dict:
        """As the operator sees it."""
        answer = self.wire.send("GET", f"/v1/mgmt/user?loginId={quote(login)}", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
        assert answer.status_code == 200, answer.text
        return answer.json()["user"]

    # Apps.

    def begin_device(self) -> dict:
        """A device that asks for a code."""
        answer = requests.post(
            f"{self.base}/oauth2/device_authorization",
            data={"client_id": APP.client_id, "scope": "openid profile offline_access"}, timeout=20)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def decide(self, visitor: Visitor, device: dict, button: str = "allow") -> Page | Callback:
        """A signed-in user lets a device in."""
        page = visitor.open(device["verification_uri_complete"])
        page = visitor.submit(page)
        assert page.name == "device", page
        return visitor.submit(page, button=button)

    def settings_of_app(self, refresh_token: str, path: str = "/settings") -> Page | Callback:
        """The settings, as an app shows them in its own session."""
        return self.open_as_app(self.visitor(), self.app_session_token(refresh_token), path)

    def app_session_token(self, refresh_token: str) -> str:
        made = requests.post(f"{self.base}/oauth2/app_session_token", json={"refresh_token": refresh_token}, timeout=20)
        assert made.status_code == 200, made.text
        return made.json()["result"]["app_session_token"]

    def open_as_app(self, visitor: Visitor, token: str, path: str) -> Page | Callback:
        hint = urlencode({"type": "app_session_token", "app_session_token": token})
        return visitor.open("/oauth2/authorize", {
            "response_type": "none", "client_id": APP.client_id, "redirect_uri": self.issuer + path, "scope": "openid",
            "prompt": "none", "login_hint": f"https://authgear.com/login_hint?{hint}",
        })

    def collect(self, device: dict) -> requests.Response:
        return requests.post(
            f"{self.base}/oauth2/token",
            data={"grant_type": DEVICE_GRANT, "device_code": device["device_code"], "client_id": APP.client_id},
            timeout=20)


def missing(answer: requests.Response) -> str | None:
    """What a refusal of the rules names."""
    body = answer.json()
    assert answer.status_code == 403 and body["errorCode"] == CLOSED, f"{answer.status_code} {answer.text[:300]}"
    return body.get("missing")
