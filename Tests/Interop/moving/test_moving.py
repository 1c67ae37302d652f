"""Users of five services move to a Keyturn server, by the commands of docs/moving.md as they stand there.

The exports are made by hand in the shapes that the services document. `KEYTURN_RECORDING=file` keeps the session at the
terminal, as asciinema plays it.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyotp
import pytest

from support.attestation import attestation_of
from support.authenticator import Authenticator, encode
from support.certificates import Authority
from support.forgery import Attacker
from support.mail_server import MailServer
from support.methods import EMAIL
from support.passkey_wire import Party, Service
from support.project import Project
from support.recording import record
from support.server import REPOSITORY, binary

GUIDE = REPOSITORY / "docs" / "moving.md"
AUTHGEAR, DESCOPE, TIM, AUDIENCE = "https://old.authgear.cloud", "P2old", "https://tim.example.com/realms/shop", "my-app"
PARTY = Party("shop.example.test", "Shop", ("https://shop.example.test",))
NOTICED_SECONDS = 5
PASSWORD = {"authgear": "a horse of old", "descope": "a battery of old", "tim": "a staple of old"}
TOTP_KEY = {"authgear": pyotp.random_base32(), "tim": "a key as text 1234"}


class OldService:
    """The keys of the old services, where they are published."""

    def __init__(self):
        self.key = Attacker()
        document = json.dumps({"keys": [self.key.jwk | {"alg": "ES256", "use": "sig"}]}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def keys_uri(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/keys"

    def token(self, issuer: str, subject: str) -> str:
        now = int(time.time())
        claims = {"iss": issuer, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 600}
        return self.key.sign({"alg": "ES256", "kid": self.key.jwk["kid"], "typ": "JWT"}, claims)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def bcrypt(password: str) -> str:
    function = ctypes.CDLL("libcrypt.so.1").crypt
    function.restype = ctypes.c_char_p
    salt = encode(os.urandom(18)).replace("-", ".").replace("_", "/")[:21] + "u"
    made = function(password.encode(), f"$2b$05${salt}".encode())
    assert made and made.startswith(b"$2b$05$"), made
    return made.decode()


def authgear() -> dict[str, str]:
    """The User Export API's lines, and the file that was once imported there."""
    user = {
        "sub": "0c8b1d2e-4f5a-4b6c-8d7e-000000000001", "email": "ann@authgear.test", "email_verified": True,
        "preferred_username": "ann", "name": "Ann Authgear",
        "mfa": {"totps": [{"secret": TOTP_KEY["authgear"], "uri": "otpauth://totp/…"}]}, "passkey_count": 0,
    }
    other = {"sub": "0c8b1d2e-4f5a-4b6c-8d7e-000000000002", "phone_number": "+4520000001", "phone_number_verified": True}
    records = {
        "identifier": "email",
        "records": [{"email": user["email"], "password": {"type": "bcrypt", "password_hash": bcrypt(PASSWORD["authgear"])}}],
    }
    lines = "\n".join(json.dumps(each) for each in (user, other)) + "\n"
    return {"authgear.ndjson": lines, "authgear-import.json": json.dumps(records)}


def box() -> dict[str, str]:
    entries = [
        {"type": "user", "id": "11446498", "name": "Bo Box", "login": "bo@box.test", "status": "active"},
        {"type": "user", "id": "11446499", "name": "Gone", "login": "gone@box.test", "status": "inactive"},
    ]
    return {"box.json": json.dumps({"total_count": 2, "entries": entries})}


def snapauth(device: Authenticator) -> dict[str, str]:
    """A passkey that a site made by itself, with the public key that it kept."""
    options = {
        "rp": {"id": PARTY.rp_id, "name": PARTY.name}, "challenge": encode(os.urandom(32)),
        "user": {"id": encode(b"user-7"), "name": "sia", "displayName": "Sia"},
        "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
    }
    credential = device.create({"publicKey": options}, origin=PARTY.origins[0])
    kept = device.credentials()[-1]
    flags = attestation_of(credential)["authData"][32]
    passkey = {
        "rawId": credential["rawId"], "publicKey": {"cose": kept["publicKey"]}, "userHandle": encode(b"user-7"), "signCount": 0,
        "user": {"id": "7", "username": "sia@shop.test"}, "isBackupEligible": bool(flags & 8),
        "isBackedUp": bool(flags & 16),
    }
    return {"passkeys.json": json.dumps({"credentials": [passkey]})}


def descope() -> dict[str, str]:
    user = {
        "loginIds": ["dee@descope.test"], "userId": "U2iOCFIwsdgeGvusdfkKUb9HJKsd", "name": "Dee Descope",
        "email": "dee@descope.test", "phone": "", "verifiedEmail": True, "verifiedPhone": False,
        "roleNames": ["editor"], "userTenants": [], "status": "enabled", "createdTime": 1_700_000_000,
        "password": True, "TOTP": False, "customAttributes": {},
    }
    hashes = {"loginId": "dee@descope.test", "hash": bcrypt(PASSWORD["descope"])}
    return {"descope.json": json.dumps({"users": [user], "total": 1}), "descope-hashes.jsonl": json.dumps(hashes) + "\n"}


def tim() -> dict[str, str]:
    """A Keycloak realm with its users."""
    salt = os.urandom(16)
    digest = hashlib.pbkdf2_hmac("sha512", PASSWORD["tim"].encode(), salt, 2_000)
    password = {
        "type": "password",
        "secretData": json.dumps({"value": base64.b64encode(digest).decode(), "salt": base64.b64encode(salt).decode()}),
        "credentialData": json.dumps({"hashIterations": 2_000, "algorithm": "pbkdf2-sha512", "additionalParameters": {}}),
    }
    otp = {
        "type": "otp", "secretData": json.dumps({"value": TOTP_KEY["tim"]}),
        "credentialData": json.dumps({"subType": "totp", "digits": 6, "period": 30, "algorithm": "HmacSHA1"}),
    }
    user = {
        "id": "6f1d4c1e-0000-4000-8000-000000000003", "username": "tom", "email": "tom@tim.test", "emailVerified": True,
        "firstName": "Tom", "lastName": "Tim", "enabled": True, "createdTimestamp": 1_700_000_000_123,
        "credentials": [password, otp],
    }
    return {"realm.json": json.dumps({"realm": "shop", "users": [user]})}


def commands() -> list[str]:
    """What the guide tells the operator to type."""
    return re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def mail(tmp_path_factory):
    server = MailServer(Authority(tmp_path_factory.mktemp("authority")))
    yield server
    server.close()


@pytest.fixture(scope="module")
def old():
    service = OldService()
    yield service
    service.close()


@pytest.fixture(scope="module")
def device():
    with Authenticator() as device:
        yield device


@pytest.fixture(scope="module")
def moved(tmp_path_factory, mail, old, device):
    """The new server, after every command of the guide."""
    folder = tmp_path_factory.mktemp("moving")
    trusted = [
        {"issuer": issuer, "audience": AUDIENCE, "subject": "sub", "jwks_uri": old.keys_uri}
        for issuer in (AUTHGEAR, DESCOPE, TIM)
    ]
    project = Project(folder, mail, passkeys=[PARTY.entry()], session_migration=trusted)
    for name, text in (authgear() | box() | snapauth(device) | descope() | tim()).items():
        (folder / name).write_text(text)
    programs = folder / "bin"
    programs.mkdir()
    (programs / "keyturn").symlink_to(binary())
    environment = {
        **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "KEYTURN": project.base, "PROJECT": project.id,
        "SECRET_KEY": PARTY.secret_key, "OLD_TOKEN": old.token(TIM, "6f1d4c1e-0000-4000-8000-000000000003"),
        "KEYTURN_DATABASE": f"sqlite:{folder / 'keyturn.db'}", "NO_PROXY": "127.0.0.1,localhost", "PS1": "$ ",
    }
    kept = os.environ.get("KEYTURN_RECORDING")
    shown = record(commands(), environment, folder, Path(kept) if kept else None)
    yield project, folder, shown
    project.close()


def test_commands(moved):
    """Every row went in, and the terminal says so."""
    _, folder, shown = moved
    for service, rows in {"authgear": 2, "box": 2, "descope": 1, "tim": 1}.items():
        report = [json.loads(line) for line in (folder / f"{service}-report.jsonl").read_text().splitlines()]
        assert [line["outcome"] for line in report] == ["created"] * rows, (service, report, shown)
    assert shown.splitlines()[-1] == '"6f1d4c1e-0000-4000-8000-000000000003"', shown


@pytest.mark.parametrize(
    ("service", "login", "subject"),
    [
        ("authgear", "ann@authgear.test", "0c8b1d2e-4f5a-4b6c-8d7e-000000000001"),
        ("descope", "dee@descope.test", "U2iOCFIwsdgeGvusdfkKUb9HJKsd"),
        ("tim", "tom", "6f1d4c1e-0000-4000-8000-000000000003"),
    ],
)
def test_passwords_and_authenticators(moved, service, login, subject):
    project, _, _ = moved
    answer = project.wire.post("/v1/auth/password/signin", {"loginId": login, "password": PASSWORD[service]})
    if service in TOTP_KEY:
        # The authenticator came along, and is asked for.
        assert answer.status_code == 403 and answer.json()["missing"] == "second_factor", answer.text
        key = TOTP_KEY[service]
        key = base64.b32encode(key.encode()).decode() if service == "tim" else key
        bearer = f"{project.id}:{answer.json()['pendingRef']}"
        answer = project.wire.post(
            "/v1/auth/totp/verify", {"loginId": login, "code": pyotp.TOTP(key).now()}, bearer=bearer)
    assert answer.status_code == 200 and answer.json()["user"]["userId"] == subject, answer.text
    with pytest.raises(Exception, match="E0"):
        project.client.password.sign_in(login, PASSWORD[service] + "x")


def test_roles_and_states(moved):
    project, _, _ = moved
    # A running server notices within a second what the command line has made.
    deadline = time.monotonic() + NOTICED_SECONDS
    while not (roles := project.mgmt.user.load("dee@descope.test")["user"]["roleNames"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert roles == ["editor"]
    assert project.mgmt.user.load("gone@box.test")["user"]["status"] == "disabled"
    assert project.mgmt.user.load("+4520000001")["user"]["verifiedPhone"] is True


def test_box_users_get_a_code(moved):
    project, _, _ = moved
    project.client.otp.sign_in(EMAIL, "bo@box.test")
    answer = project.client.otp.verify_code(EMAIL, "bo@box.test", project.mail.take("bo@box.test").code)
    assert answer["user"]["email"] == "bo@box.test"


def test_passkeys(moved, device):
    project, _, _ = moved
    service = Service(project.base, PARTY)
    token = service.sign_in_token(device, {"username": "sia@shop.test"}, origin=PARTY.origins[0])
    assert service.whose(token) == "7"


@pytest.mark.parametrize(
    ("issuer", "subject"),
    [(AUTHGEAR, "0c8b1d2e-4f5a-4b6c-8d7e-000000000001"), (DESCOPE, "U2iOCFIwsdgeGvusdfkKUb9HJKsd")],
)
def test_sessions(moved, old, issuer, subject):
    project, _, _ = moved
    token = old.token(issuer, subject)
    answer = project.wire.post("/v1/auth/refresh", {"externalToken": token})
    assert answer.status_code == 200 and answer.json()["user"]["userId"] == subject, answer.text
    assert project.wire.post("/v1/auth/refresh", {"externalToken": token}).status_code == 400
