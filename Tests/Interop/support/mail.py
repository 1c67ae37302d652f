"""A real mail server for the tests: aiosmtpd, with certificates and accounts of its own, and a gateway for texts."""

from __future__ import annotations

import datetime
import email
import email.policy
import http.server
import ipaddress
import queue
import ssl
import threading
from email.message import EmailMessage
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from support.server import free_port

ARRIVAL_SECONDS = 20
FROM = "Grüße von Keyturn <no-reply@example.com>"
USERNAME, PASSWORD = "keyturn", "correct-hörse"


class Certificate:
    """A certificate that vouches for itself, for `localhost` or for somebody else."""

    def __init__(self, folder: Path, name: str = "localhost"):
        folder.mkdir(parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names: list[x509.GeneralName] = [x509.DNSName(name)]
        if name == "localhost":
            names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        key_file = folder / f"{name}.key"
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(self.file, key_file)


class _Implicit(Controller):
    """TLS from the first byte."""

    def __init__(self, handler, certificate: Certificate, **options):
        self._options = options
        super().__init__(handler, hostname="127.0.0.1", port=free_port(), ssl_context=certificate.context)

    def factory(self):
        return SMTP(self.handler, **self._options)


class _Plain(Controller):
    """No TLS, or `STARTTLS`."""

    def __init__(self, handler, **options):
        self._options = options
        super().__init__(handler, hostname="127.0.0.1", port=free_port())

    def factory(self):
        return SMTP(self.handler, **self._options)


class MailServer:
    """Takes mails. `refuse` is a reply to each recipient; `accept_and_vanish` drops so many connections after a mail."""

    def __init__(self, security: str, certificate: Certificate | None = None, *, accounts: bool = False):
        self.arrived: queue.Queue[tuple[EmailMessage, bytes, object]] = queue.Queue()
        self.refuse: str | None = None
        self.accept_and_vanish = 0
        self.logins: list[tuple[str, bool]] = []
        options: dict = {"hostname": "localhost", "enable_SMTPUTF8": True}
        if accounts:
            options |= {"auth_required": True, "auth_require_tls": True, "authenticator": self._authenticate}
        if security == "tls":
            # aiosmtpd does not know that TLS is there already.
            options["auth_require_tls"] = False
            self._controller = _Implicit(self, certificate, **options)
        elif security == "starttls":
            self._controller = _Plain(
                self, tls_context=certificate.context, require_starttls=True, **options
            )
        else:
            self._controller = _Plain(self, **options)
        self._controller.start()
        self.port = self._controller.port

    def _authenticate(self, server, session, envelope, mechanism, data) -> AuthResult:
        right = (data.login, data.password) == (USERNAME.encode(), PASSWORD.encode())
        self.logins.append((mechanism, right))
        # "handled" would mean that the refusal was said already.
        return AuthResult(success=right, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.refuse:
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.arrived.put(
            (email.message_from_bytes(envelope.content, policy=email.policy.default), envelope.content, envelope)
        )
        if self.accept_and_vanish:
            self.accept_and_vanish -= 1
            server.transport.close()
        return "250 queued"

    def next(self, seconds: float = ARRIVAL_SECONDS) -> tuple[EmailMessage, bytes, object]:
        return self.arrived.get(timeout=seconds)

    def close(self) -> None:
        self._controller.stop()


class Gateway:
    """The operator's own sender of text messages: keeps what is posted; `answers` are the next statuses."""

    def __init__(self):
        self.posts: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        self.answers: list[int] = []
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                gateway.posts.put(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(gateway.answers.pop(0) if gateway.answers else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/messages"

    def next(self, seconds: float = ARRIVAL_SECONDS) -> tuple[dict[str, str], bytes]:
        return self.posts.get(timeout=seconds)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

def smtp(server, **more) -> dict:
    """The `delivery` that sends through a mail server."""
    return {"smtp": {"host": "localhost", "port": server.port, "from": FROM, "tls": "none", **more}}
