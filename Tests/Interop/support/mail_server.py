"""A mail server that wants encryption and a password before it takes a mail."""

from __future__ import annotations

from email import message_from_bytes
from email.policy import default as modern

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from support.certificates import Authority
from support.messages import Letterbox, Message
from support.server import free_port

USERNAME = "keyturn"
PASSWORD = "postage-paid-in-advance"
SENDER = "Interop <hello@mail.example.com>"


class MailServer(Letterbox):
    """Speaks SMTP with STARTTLS on loopback, under the name `localhost`.

    - `refused`: what was wrong with what it did not take.
    """

    def __init__(self, authority: Authority):
        super().__init__()
        self.authority = authority
        self.refused: list[str] = []
        self.envelopes = []
        self.port = free_port()
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            tls_context=authority.server_context(),
            require_starttls=True,
            auth_required=True,
            authenticator=self._authenticate,
        )
        self._controller.start()

    def configuration(self) -> dict:
        """What the server's file says of it."""
        return {
            "host": "localhost",
            "port": self.port,
            "from": SENDER,
            "tls": "starttls",
            "username": USERNAME,
            "password": PASSWORD,
            "ca_file": str(self.authority.ca_file),
        }

    def close(self) -> None:
        self._controller.stop(no_assert=True)

    def _authenticate(self, server, session, envelope, mechanism, data) -> AuthResult:
        right = (
            isinstance(data, LoginPassword) and data.login == USERNAME.encode() and data.password == PASSWORD.encode()
        )
        if not right or session.ssl is None:
            self.refused.append(f"{mechanism} with {data!r}, encrypted: {session.ssl is not None}")
        return AuthResult(success=right and session.ssl is not None)

    async def handle_DATA(self, server, session, envelope) -> str:
        mail = message_from_bytes(envelope.content, policy=modern)
        if mail.defects or mail["To"] is None or mail["Subject"] is None or mail["Date"] is None:
            self.refused.append(f"{mail.defects}, {mail.keys()}")
            return "554 this is not a mail"
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        text = mail.get_body(("plain",)).get_content()
        headers = {name.lower(): str(value) for name, value in mail.items()}
        for recipient in envelope.rcpt_tos:
            self.put(Message(recipient, str(mail["Subject"]), text, headers))
        return "250 taken"
