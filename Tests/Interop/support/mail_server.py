"""A real mail server, aiosmtpd: with or without encryption, with or without accounts, and with a bad day if wanted."""

from __future__ import annotations

import queue
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from typing import NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from support.certificates import Authority
from support.messages import Letterbox, Message
from support.server import free_port

ARRIVAL_SECONDS = 20
USERNAME, PASSWORD = "keyturn", "postage-paid-in-ädvance"
SENDER = "Interop <hello@mail.example.com>"


class Arrival(NamedTuple):
    """A mail that was taken: as a mail program reads it, byte by byte, and in which envelope."""

    mail: EmailMessage
    content: bytes
    envelope: object


class _Listener(Controller):
    """Speaks TLS from the first byte if it has a context of its own."""

    def __init__(self, handler, context=None, **options):
        self._options = options
        super().__init__(handler, hostname="127.0.0.1", port=free_port(), ssl_context=context)

    def factory(self):
        return SMTP(self.handler, **self._options)


class MailServer(Letterbox):
    """Speaks SMTP on loopback, under the name `localhost`.

    - `security`: `none`, `starttls` (nothing before it) or `tls`; the last two with `authority`'s certificate, and for
      those who log in alone.
    - `arrived`: every mail, in the order of arrival; `take` finds them by address.
    - `refuse`: the reply to each recipient, instead of taking them.
    - `accept_and_vanish`: drops so many connections after a mail was taken, before saying so.
    - `refused`: what was wrong with what it did not take; `logins`: each mechanism, and whether the password was right.
    """

    def __init__(self, authority: Authority | None = None, security: str = "starttls"):
        super().__init__()
        self.authority, self.security = authority, security
        self.arrived: queue.Queue[Arrival] = queue.Queue()
        self.refuse: str | None = None
        self.accept_and_vanish = 0
        self.refused: list[str] = []
        self.logins: list[tuple[str, bool]] = []
        self.envelopes: list[tuple[str, list[str]]] = []
        options: dict = {"hostname": "localhost", "enable_SMTPUTF8": True}
        context = authority.server_context() if authority else None
        if security != "none":
            # aiosmtpd does not know of TLS that was there from the first byte.
            options |= {"auth_required": True, "auth_require_tls": security == "starttls"}
            options["authenticator"] = self._authenticate
        if security == "starttls":
            options |= {"tls_context": context, "require_starttls": True}
        self._controller = _Listener(self, context if security == "tls" else None, **options)
        self._controller.start()
        self.port = self._controller.port

    def configuration(self, **more) -> dict:
        """What the server's file says of it."""
        settings = {"host": "localhost", "port": self.port, "from": SENDER, "tls": self.security}
        if self.security != "none":
            settings |= {"username": USERNAME, "password": PASSWORD, "ca_file": str(self.authority.ca_file)}
        return settings | more

    def next(self, seconds: float = ARRIVAL_SECONDS) -> Arrival:
        """The next mail, whoever gets it."""
        return self.arrived.get(timeout=seconds)

    def close(self) -> None:
        self._controller.stop(no_assert=True)

    def _authenticate(self, server, session, envelope, mechanism, data) -> AuthResult:
        is_right = (
            isinstance(data, LoginPassword)
            and (data.login, data.password) == (USERNAME.encode(), PASSWORD.encode())
            and (session.ssl is not None or self.security == "tls")
        )
        self.logins.append((mechanism, is_right))
        if not is_right:
            self.refused.append(f"{mechanism} with {data!r}, encrypted: {session.ssl is not None}")
        # "handled" would mean that the refusal was said already.
        return AuthResult(success=is_right, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options) -> str:
        if self.refuse:
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope) -> str:
        mail = message_from_bytes(envelope.content, policy=modern)
        if mail.defects or mail["To"] is None or mail["Subject"] is None or mail["Date"] is None:
            self.refused.append(f"{mail.defects}, {mail.keys()}")
            return "554 this is not a mail"
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        self.arrived.put(Arrival(mail, envelope.content, envelope))
        text = mail.get_body(("plain",)).get_content()
        headers = {name.lower(): str(value) for name, value in mail.items()}
        for recipient in envelope.rcpt_tos:
            self.put(Message(recipient, str(mail["Subject"]), text, headers))
        if self.accept_and_vanish:
            self.accept_and_vanish -= 1
            server.transport.close()
        return "250 taken"
