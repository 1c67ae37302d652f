"""A server with an enterprise, people who belong to it and one who does not, and services that act for them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from descope import AssociatedTenant, DescopeClient
from joserfc.jwk import RSAKey

from support.clocks import fake_clock
from support.configuration import JONAS, MARIA, Client, Person, secret_of
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider
from support.secrets_seen import remember
from support.server import Server
from support.visitor import Callback

ENTERPRISE, OTHER_ENTERPRISE = "ent-1", "ent-2"
# What Box's clients name in their statements, wherever the server is.
AUDIENCE = "https://api.box.com/oauth2/token"
ITEM_SCOPES = "item_preview item_download item_upload"
CALLBACK = "https://app.example.com/box/callback"
YEAR_SECONDS = 365 * 86_400

# Belongs to the enterprise and may act for others there.
OPERATOR = Person(
    sub="77777777-7777-4777-8777-777777777777",
    login="operator@example.test",
    password="eleven-slow-elevators",
    claims={"name": "Olga Operator", "email": "operator@example.test", "email_verified": True},
)


@dataclass(frozen=True)
class SigningKey:
    """A service's key, as Box hands one out: encrypted, with a name and a passphrase."""

    key_id: str = "service-key-1"
    passphrase: str = "open-sesame-seeds"
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    @cached_property
    def pem(self) -> str:
        encryption = BestAvailableEncryption(self.passphrase.encode())
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()

    @property
    def public(self) -> dict:
        public = RSAKey.import_key(self.key.public_key()).as_dict(private=False)
        return public | {"kid": self.key_id, "use": "sig", "alg": "RS256"}


SERVICE_KEY = SigningKey()
SERVICE = Client(
    "service",
    secret_of("service"),
    "client_secret_post",
    (),
    {
        "grant_types": [
            "client_credentials",
            "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ],
        "scope": f"openid profile email {ITEM_SCOPES}",
        "jwks": {"keys": [SERVICE_KEY.public]},
        "assertion_audiences": [AUDIENCE],
        "may_impersonate": [f"tenant:{ENTERPRISE}"],
    },
)


def make_app(client_id: str, **extra) -> Client:
    """An app in which people sign in."""
    grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"]
    scope = f"openid profile email offline_access {ITEM_SCOPES}"
    return Client(
        client_id,
        secret_of(client_id),
        "client_secret_post",
        (CALLBACK,),
        {"grant_types": grants, "scope": scope, "may_impersonate": [f"tenant:{ENTERPRISE}"], **extra},
    )


APP = make_app("app")
# Asks before it gets anything, and may act for nobody.
CAUTIOUS_APP = make_app("cautious-app", first_party=False, may_impersonate=[])
CLIENTS = (SERVICE, APP, CAUTIOUS_APP)


def make_configuration() -> dict:
    """The server's file."""
    return {
        "issuer": "auto",
        "project": {
            "id": PROJECT_ID,
            "name": "Box interop",
            "management_keys": [MANAGEMENT_KEY],
            "signing_algorithms": ["ES256", "RS256"],
            "access_token_seconds": 3600,
        },
        "tenants": [
            {"id": ENTERPRISE, "name": "Example Enterprise"},
            {"id": OTHER_ENTERPRISE, "name": "Other Enterprise"},
        ],
        "roles": [{"name": "deputy", "permissions": ["users.impersonate"]}],
        "clients": [client.entry() for client in CLIENTS],
        "users": [
            MARIA.entry() | {"tenants": [{"id": ENTERPRISE}]},
            OPERATOR.entry() | {"tenants": [{"id": ENTERPRISE, "roles": ["deputy"]}]},
            JONAS.entry() | {"tenants": [{"id": OTHER_ENTERPRISE}]},
        ],
    }


class Enterprise:
    """A running server.

    - `clock_seconds`: how far its clock is ahead of everybody else's.
    - `port`: where to listen; 0 picks a free port.
    """

    def __init__(self, folder: Path, *, clock_seconds: int = 0, port: int = 0):
        self.server = Server(folder, make_configuration(), port=port, environment=fake_clock(clock_seconds))
        self.database = folder / "keyturn.db"
        self.provider = Provider(self.server.base)
        operator = DescopeClient(project_id=PROJECT_ID, base_url=self.server.base, management_key=MANAGEMENT_KEY)
        self.mgmt = operator.mgmt
        remember("management key", MANAGEMENT_KEY)
        for client in CLIENTS:
            remember("client secret", client.secret)

    def authorize(self, address: str, person: Person = MARIA, **options) -> Callback:
        """Opens an address that a client made; the pages lead back to the app. A browser comes by no proxy."""
        address = f"{self.provider.endpoint('authorization')}?{urlsplit(address).query}"
        return self.provider.visitor().authorize(address, {}, person, **options)

    def add(self, login: str, *tenants: str) -> str:
        """Somebody new, who belongs to these; their identifier."""
        memberships = [AssociatedTenant(tenant) for tenant in tenants]
        return self.mgmt.user.create(login, email=login, user_tenants=memberships)["user"]["userId"]

    def introspect(self, token: str, client: Client) -> dict:
        answer = requests.post(
            self.provider.endpoint("introspection"),
            data={"token": token, "client_id": client.client_id, "client_secret": client.secret},
            timeout=20,
        )
        assert answer.status_code == 200, f"status {answer.status_code}: {answer.text[:200]}"
        return answer.json()

    def is_good(self, token: str, client: Client = APP) -> bool:
        return self.introspect(token, client)["active"]

    def audits(self, action: str, user_id: str) -> list[dict]:
        """What is written down about somebody, the newest first. It is written a second later, and once a minute."""
        deadline = time.monotonic() + 10
        while True:
            found = self.mgmt.audit.search(user_ids=[user_id], actions=[action])["audits"]
            if found or time.monotonic() > deadline:
                return found
            time.sleep(0.2)

    def close(self) -> None:
        assert self.server.is_running(), f"the server is gone; its log ends:\n{self.server.log_tail()}"
        assert self.server.stop() == 0, f"exit code after SIGTERM; the log ends:\n{self.server.log_tail()}"
