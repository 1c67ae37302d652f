"""The configuration under test: clients and people, by the names that the server's own file uses."""

from __future__ import annotations

from dataclasses import dataclass, field

ALL_SCOPES = "openid profile email address phone offline_access"
API_RESOURCE = "https://api.example.test"

ADDRESS = {
    "formatted": "Rua Augusta 24\n1100-053 Lisboa\nPortugal",
    "street_address": "Rua Augusta 24",
    "locality": "Lisboa",
    "region": "Lisboa",
    "postal_code": "1100-053",
    "country": "Portugal",
}

PROFILE = {
    "name": "Maria da Silva",
    "given_name": "Maria",
    "family_name": "da Silva",
    "middle_name": "Inês",
    "nickname": "Mia",
    "preferred_username": "maria",
    "profile": "https://people.example.test/maria",
    "picture": "https://people.example.test/maria.png",
    "website": "https://maria.example.test",
    "gender": "female",
    "birthdate": "1990-04-25",
    "zoneinfo": "Europe/Lisbon",
    "locale": "pt-PT",
    "updated_at": 1700000000,
}


@dataclass(frozen=True)
class Person:
    """Somebody with an account."""

    sub: str
    login: str
    password: str
    claims: dict = field(default_factory=dict)

    def entry(self) -> dict:
        return {"sub": self.sub, "login_ids": [self.login], "password": self.password, **self.claims}


MARIA = Person(
    sub="11111111-1111-4111-8111-111111111111",
    login="maria@example.test",
    password="four-legged-lamp-post",
    claims={
        **PROFILE,
        "email": "maria@example.test",
        "email_verified": True,
        "phone_number": "+351210000000",
        "phone_number_verified": True,
        "address": ADDRESS,
    },
)
JONAS = Person(
    sub="22222222-2222-4222-8222-222222222222",
    login="jonas@example.test",
    password="seventeen-green-kites",
    claims={"email": "jonas@example.test", "email_verified": False, "name": "Jonas Weber"},
)
# Wrong passwords are tried on her account alone, so that nobody else's sign-ins get slow.
TARGET = Person(
    sub="33333333-3333-4333-8333-333333333333",
    login="target@example.test",
    password="quiet-harbour-at-noon",
    claims={"name": "Tara Target"},
)
PEOPLE = (MARIA, JONAS, TARGET)


@dataclass(frozen=True)
class Client:
    """A registered app."""

    client_id: str
    secret: str | None
    method: str
    redirect_uris: tuple[str, ...]
    entry_extra: dict = field(default_factory=dict)

    @property
    def redirect_uri(self) -> str:
        return self.redirect_uris[0]

    def entry(self) -> dict:
        entry = {
            "client_id": self.client_id,
            "client_name": self.client_id.replace("-", " ").title(),
            "token_endpoint_auth_method": self.method,
            "redirect_uris": list(self.redirect_uris),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": ALL_SCOPES,
            "id_token_signed_response_alg": "RS256",
            "first_party": True,
            **self.entry_extra,
        }
        if self.secret is not None:
            entry["client_secret"] = self.secret
        return entry


def secret_of(client_id: str) -> str:
    """A made-up secret, long enough for clients that demand sixteen characters."""
    return f"{client_id}-keeps-this-to-itself"


def make_clients(callback_base: str, backchannel_base: str, apache_bases: tuple[str, str]) -> dict[str, Client]:
    """Every client of the suites.

    - `callback_base`: origin of the page on which browsers really arrive.
    - `backchannel_base`: origin of the receiver of logout tokens.
    - `apache_bases`: origins of the two Apaches whose module is a relying party.
    """

    def confidential(client_id: str, method: str = "client_secret_basic", **extra) -> Client:
        return Client(
            client_id,
            secret_of(client_id),
            method,
            (f"{callback_base}/{client_id}/callback",),
            {"post_logout_redirect_uris": [f"{callback_base}/{client_id}/signed-out"], **extra},
        )

    apache = f"{apache_bases[0]}/protected/callback"
    clients = [
        confidential("first-app"),
        confidential("second-app"),
        confidential("post-app", "client_secret_post"),
        confidential("es256-app", id_token_signed_response_alg="ES256"),
        # Asks for consent, each time for a name that it was not given before.
        confidential("consent-app", first_party=False),
        confidential("consent-app-two", first_party=False),
        confidential("browser-app", first_party=False),
        confidential("backchannel-app", backchannel_logout_uri=f"{backchannel_base}/backchannel-app"),
        confidential("one-shot-app", grant_types=["authorization_code"]),
        Client(
            "native-app",
            None,
            "none",
            ("http://127.0.0.1/native/callback", "http://[::1]/native/callback", "app.example.native:/callback"),
            {"application_type": "native"},
        ),
        Client(
            "apache-app",
            secret_of("apache-app"),
            "client_secret_basic",
            (apache,),
            {
                "backchannel_logout_uri": f"{apache}?logout=backchannel",
                "post_logout_redirect_uris": [f"{apache_bases[0]}/open/signed-out"],
            },
        ),
        Client(
            "apache-es256-app",
            secret_of("apache-es256-app"),
            "client_secret_basic",
            (f"{apache_bases[1]}/protected/callback",),
            {"id_token_signed_response_alg": "ES256"},
        ),
        Client(
            "service",
            secret_of("service"),
            "client_secret_basic",
            (),
            {"grant_types": ["client_credentials"], "scope": "reports.read reports.write"},
        ),
        # A resource server: signs nobody in, asks whether tokens for it are good.
        Client("api", secret_of("api"), "client_secret_basic", (), {"grant_types": [], "resources": [API_RESOURCE]}),
    ]
    return {client.client_id: client for client in clients}


def make_configuration(clients: dict[str, Client], issuer: str = "auto") -> dict:
    """The server's file; it may be JSON as well as YAML."""
    return {
        "issuer": issuer,
        "project": {
            "name": "Interop",
            "signing_algorithms": ["ES256", "RS256"],
            "access_token_seconds": 600,
            "password_policy": {"min_length": 8},
        },
        "delivery": {"outbox": True},
        "clients": [client.entry() for client in clients.values()],
        "users": [person.entry() for person in PEOPLE],
    }
