"""What the certification modules run against."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

import pytest

from support.configuration import Client, make_configuration
from support.fapi_client import FapiClient, make_key, public_part
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server


@dataclass
class Plan:
    """Two clients with a secret in the header, one with a secret in the body; all answered in the plan's mode."""

    provider: Provider
    first: RelyingParty
    second: RelyingParty
    post: RelyingParty

    @property
    def mode(self) -> str | None:
        return self.first.response_mode

    def visitor(self):
        return self.provider.visitor()


def make_plan(provider, app, mode: str | None) -> Plan:
    return Plan(provider, app("first-app", mode), app("second-app", mode), app("post-app", mode))


@pytest.fixture
def plan(request, provider, app) -> Plan:
    return make_plan(provider, app, request.param)


@pytest.fixture
def module_name(request) -> str:
    """Does nothing but stand in the test's name."""
    return request.param


@dataclass
class Aged:
    """A sign-in that was finished some time ago."""

    signed_in: SignedIn
    finished_at: float

    def wait_until(self, seconds: float) -> None:
        """Sleeps for what is missing; nothing, if other tests took that long."""
        time.sleep(max(0.0, self.finished_at + seconds - time.monotonic()))


@pytest.fixture(scope="session")
def redeemed_early(app) -> dict[str | None, Aged]:
    """Response mode to sign-in. Made when the first test needs it: access tokens live for ten minutes, the whole run is
    longer."""
    return {mode: Aged(app("first-app", mode).sign_in(), time.monotonic()) for mode in (None, "form_post")}


@dataclass
class FapiPlan:
    """Two clients under the FAPI 2.0 Security Profile, and one that signs with the third algorithm."""

    server: Server
    provider: Provider
    first: FapiClient
    second: FapiClient
    third: FapiClient
    started_at: float

    def wait_until_aged(self, seconds: float) -> None:
        """What was proved to the server before it started it cannot know: until then it asks for a nonce."""
        time.sleep(max(0.0, self.started_at + seconds - time.monotonic()))

    def age(self, table: str, column: str, seconds: int) -> None:
        """Makes what the server keeps older: some of it lives for minutes."""
        with sqlite3.connect(self.server.folder / "keyturn.db") as database:
            database.execute(f"UPDATE {table} SET {column} = {column} - ?", [seconds])


@pytest.fixture(scope="session")
def fapi(tmp_path_factory, callback_receiver):
    """A server of its own, of which nothing is known but what its metadata says."""
    keys = {"fapi-one": make_key("PS256"), "fapi-two": make_key("ES256"), "fapi-three": make_key("EdDSA")}
    clients = {}
    for name, key in keys.items():
        # An RSA key can sign in two ways: what the profile forbids must not depend on the key's own word.
        published = public_part(key)
        if published["kty"] == "RSA":
            published.pop("alg")
        clients[name] = Client(
            name,
            None,
            "private_key_jwt",
            (f"{callback_receiver.base}/{name}/callback",),
            {"profile": "fapi2", "id_token_signed_response_alg": "ES256", "jwks": {"keys": [published]}},
        )
    server = Server(tmp_path_factory.mktemp("fapi"), make_configuration(clients))
    provider = Provider(server.base)
    made = [FapiClient(provider, clients[name], key) for name, key in keys.items()]
    plan = FapiPlan(server, provider, *made, time.monotonic())
    plan.wait_until_aged(11)
    yield plan
    assert server.is_running(), f"the server is gone; its log ends:\n{server.log_tail()}"
    assert server.stop() == 0, f"exit code after SIGTERM; the log ends:\n{server.log_tail()}"
