"""A server with everything that the methods need: mail, text messages, a management key."""

from __future__ import annotations

import json
from pathlib import Path

import requests
from descope import DescopeClient, DescopeClientAsync

from support.configuration import Client, secret_of
from support.mail_server import MailServer
from support.methods import APP_CALLBACK, EMAIL, new_email, new_password, session_of
from support.secrets_seen import remember
from support.server import Server, free_port
from support.text_receiver import TextReceiver

PROJECT_ID = "P2InteropProject00000000000"
MANAGEMENT_KEY = "K2-the-operators-own-key-for-interop"
TIMEOUT_SECONDS = 20
# Links lead to the pages of registered apps.
APP = Client("app", secret_of("app"), "client_secret_basic", (APP_CALLBACK,))


class Wire:
    """Requests as no package would send them; cookies are never kept."""

    def __init__(self, base: str):
        self.base = base
        self._http = requests.Session()
        self._http.trust_env = False

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        bearer: str | None = PROJECT_ID,
        network: str | None = None,
        data: bytes | None = None,
        headers: dict | None = None,
    ) -> requests.Response:
        """One request. `network`: where it seems to come from; `data`: the body, byte by byte."""
        fields = {"Content-Type": "application/json", **(headers or {})}
        if bearer is not None:
            fields["Authorization"] = f"Bearer {bearer}"
        if network is not None:
            fields["X-Forwarded-For"] = network
        if data is None and body is not None:
            data = json.dumps(body).encode()
        self._http.cookies.clear()
        return self._http.request(
            method, f"{self.base}{path}", data=data, headers=fields, timeout=TIMEOUT_SECONDS, allow_redirects=False
        )

    def post(self, path: str, body: object = None, **options) -> requests.Response:
        return self.send("POST", path, {} if body is None else body, **options)


class Project:
    """A running server, and those who use it.

    - `mail`, `texts`: where messages go; without them, to the outbox alone.
    - `outbox`: whether every message stays readable.
    - `templates`: a folder of the operator's own words.
    - `passkeys`: relying parties, beside the server's own pages.
    - `methods`: what the section of this name loosens for clients of others.
    - `settings`: more of the section `project`.
    """

    def __init__(
        self,
        folder: Path,
        mail: MailServer | None = None,
        texts: TextReceiver | None = None,
        *,
        templates: str | None = None,
        outbox: bool = True,
        passkeys: list[dict] | None = None,
        methods: dict | None = None,
        **settings,
    ):
        self.id, self.management_key = PROJECT_ID, MANAGEMENT_KEY
        self.mail, self.texts = mail, texts
        delivery: dict = {"outbox": outbox}
        if mail:
            delivery["smtp"] = mail.configuration()
        if texts:
            delivery["sms_webhook"] = texts.configuration()
        if templates:
            delivery["templates"] = templates
        remember("management key", MANAGEMENT_KEY)
        port = free_port()
        self.server = Server(
            folder,
            {
                # A name, and no number: a browser fills codes in by names alone.
                "issuer": f"http://localhost:{port}",
                "dev": True,
                "trusted_proxies": ["127.0.0.1/32"],
                "project": {"id": PROJECT_ID, "name": "Interop", "management_keys": [MANAGEMENT_KEY], **settings},
                "delivery": delivery,
                "clients": [APP.entry()],
                "passkeys": passkeys or [],
                "methods": methods or {},
            },
            port=port,
        )
        self.base, self.origin = self.server.base, f"http://localhost:{port}"
        self.wire = Wire(self.base)
        self.client = self.new_client()
        self.manager = self.new_client(management_key=MANAGEMENT_KEY)
        self.mgmt = self.manager.mgmt

    def new_client(self, base: str | None = None, **options) -> DescopeClient:
        return DescopeClient(project_id=self.id, base_url=base or self.base, timeout_seconds=TIMEOUT_SECONDS, **options)

    def new_async_client(self, **options) -> DescopeClientAsync:
        return DescopeClientAsync(project_id=self.id, base_url=self.base, timeout_seconds=TIMEOUT_SECONDS, **options)

    def new_wire(self) -> Wire:
        """A connection of its own, for one thread."""
        return Wire(self.base)

    def tokens(self, answer: dict) -> tuple[str, str]:
        """Session and refresh JWT of a sign-in that was checked."""
        return session_of(answer, self.id)

    def sign_up(self, email: str | None = None) -> dict:
        """Somebody new, who proved an address by a code."""
        email = email or new_email()
        self.client.otp.sign_up(EMAIL, email, {"name": "Nora New"})
        answer = self.client.otp.verify_code(EMAIL, email, self.mail.take(email).code)
        self.tokens(answer)
        return answer

    def sign_up_with_password(self, email: str | None = None) -> tuple[dict, str]:
        """Somebody new with a password; the answer and the password."""
        email, password = email or new_email(), new_password()
        answer = self.client.password.sign_up(email, password, {"name": "Paul Pass", "email": email})
        self.tokens(answer)
        return answer, password

    def outbox(self) -> list[dict]:
        """Every message that the server remembers, the newest last."""
        answer = self.wire.send("GET", "/dev/outbox.json", bearer=None)
        assert answer.status_code == 200, f"status {answer.status_code}: {answer.text[:200]}"
        messages = answer.json()
        return messages["messages"] if isinstance(messages, dict) else messages

    def close(self) -> None:
        assert self.server.is_running(), f"the server is gone; its log ends:\n{self.server.log_tail()}"
        assert self.server.stop() == 0, f"exit code after SIGTERM; the log ends:\n{self.server.log_tail()}"
