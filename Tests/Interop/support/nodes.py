"""Two servers behind a balancer, on a database of three machines."""

from __future__ import annotations

import base64
import secrets
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from support.balancer import Balancer
from support.clocks import fake_clock
from support.configuration import MARIA, Client, Person, secret_of
from support.namespace import Namespace
from support.postgresql import Cluster
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port
from support.site import APP
from support.visitor import Visitor

NODES = 2
NAMESPACE_PORT = 8080
REALM = "harbour"
# Its tokens are bound to its keys.
BOUND_APP = Client(
    "bound-app", secret_of("bound-app"), "client_secret_basic", ("http://127.0.0.1/bound-app/callback",),
    {"dpop_bound_access_tokens": True},
)


def make_person(number: int) -> Person:
    name = f"person-{number}@example.test"
    password = f"{number}-{secrets.token_urlsafe(12)}"
    return Person(str(uuid.uuid5(uuid.NAMESPACE_DNS, name)), name, password, {"email": name})


class NodeProvider(Provider):
    """One of the servers, asked past the balancer."""

    def __init__(self, nodes: Nodes, number: int):
        super().__init__(nodes.balancer.base)
        self._nodes, self._number = nodes, number

    def endpoint(self, name: str) -> str:
        return super().endpoint(name).replace(self.base, self._nodes.base(self._number), 1)


class Nodes:
    """The servers, and the clients and people that they know.

    - `namespace`: where a server can run whose network is cut.
    """

    def __init__(self, folder: Path, cluster: Cluster, namespace: Namespace | None):
        self.folder, self.cluster, self.namespace = folder, cluster, namespace
        self.ports = [free_port() for _ in range(NODES)]
        addresses = [f"127.0.0.1:{port}" for port in self.ports]
        if namespace:
            addresses.append(f"{namespace.address}:{NAMESPACE_PORT}")
        self.balancer = Balancer(folder, addresses)
        # Each visitor, app and key of the load has one for itself, as most have.
        self.people = [make_person(number) for number in range(8)]
        self.configuration = {
            "issuer": self.balancer.base,
            "secrets": [base64.b64encode(secrets.token_bytes(32)).decode()],
            # Guesses at keys are counted by network, and each key of the load has its own.
            "trusted_proxies": ["127.0.0.1/32", "198.18.0.0/15"],
            "clients": [APP.entry() | {"post_logout_redirect_uris": [APP.redirect_uri]}, BOUND_APP.entry()],
            "users": [person.entry() for person in (MARIA, *self.people)],
            "key_service": {"enabled": True, "realms": [REALM]},
            # Longer than the balancer takes to notice.
            "drain_seconds": 2,
        }
        # Servers that the balancer must leave out, so that no client reaches them.
        self.left_out: set[int] = set()
        # At the same moment, on an empty database. A server ends with the thread that started it, so the threads stay.
        self._starters = ThreadPoolExecutor(NODES)
        self.servers = list(self._starters.map(self._started, range(NODES)))
        self.balancer.wait()
        self.provider = Provider(self.balancer.base)
        self.providers = [NodeProvider(self, number) for number in range(NODES)]
        self.visitor = Visitor(self.balancer.base)
        # Of a session that nothing else is done with.
        self.token = self.app().sign_in(self.visitor).refresh_token

    def _started(self, number: int, *, clock_seconds: int = 0, apart: bool = False) -> Server:
        return Server(
            self.folder / f"node-{number}",
            self.configuration,
            log_level="info",
            host=self.namespace.address if apart else "127.0.0.1",
            port=NAMESPACE_PORT if apart else self.ports[number],
            database=self.cluster.address(self.namespace.host if apart else "127.0.0.1"),
            environment=fake_clock(clock_seconds),
            below=self.namespace.below if apart else (),
        )

    def start(self, number: int, *, clock_seconds: int = 0, apart: bool = False) -> None:
        """Starts it again.

        - `clock_seconds`: how far its clock is ahead of the other's.
        - `apart`: in the namespace.
        """
        self.servers[number] = self._started(number, clock_seconds=clock_seconds, apart=apart)

    def base(self, number: int) -> str:
        """Where clients reach a server: past the balancer, unless it is left out."""
        return self.balancer.base if number in self.left_out else self.servers[number].base

    def answers(self, number: int) -> bool:
        """Whether a server is ready and finds something out in the database, at once."""
        request = {"data": {"token": self.token}, "auth": (APP.client_id, APP.secret), "timeout": 1}
        try:
            response = requests.post(f"{self.servers[number].base}/oauth2/introspect", **request)
            return self.is_ready(number) and response.status_code == 200 and response.json()["active"]
        except requests.RequestException:
            return False

    def is_ready(self, number: int) -> bool:
        """Whether the balancer may send requests to a server."""
        try:
            return requests.get(f"{self.servers[number].base}/readyz", timeout=1).status_code == 200
        except requests.RequestException:
            return False

    def app(self) -> RelyingParty:
        return RelyingParty(self.provider, APP)

    def apps(self) -> list[RelyingParty]:
        """The same app, once for each server: what it asks comes by no balancer."""
        return [RelyingParty(provider, APP) for provider in self.providers]

    def close(self) -> None:
        for server in self.servers:
            if server.is_running():
                server.stop()
        self.balancer.close()
        self._starters.shutdown()
