"""Attack 48: what an operator takes away does not live on in refreshes, nor in older tokens."""

from __future__ import annotations

import base64

import pytest

from support.configuration import MARIA, Client, secret_of
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port

OLD, NEW = "https://old.example.com", "https://new.example.com"
CALLBACK = "http://127.0.0.1:9/callback"
SCOPE = "openid profile email offline_access api.read"


class Installation:
    """A server whose file changes between two starts."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.server = None
        self.start(SCOPE, [OLD, NEW])

    def start(self, scope: str, resources: list[str]) -> RelyingParty:
        self.stop()
        client = Client("app", secret_of("app"), "client_secret_basic", (CALLBACK,), {"scope": scope})
        self.server = Server(
            self.folder,
            {
                "issuer": f"http://127.0.0.1:{self.port}",
                "secrets": [base64.b64encode(bytes(range(32))).decode()],
                "project": {"resources": resources}, "clients": [client.entry()], "users": [MARIA.entry()],
            },
            log_level="error", port=self.port,
        )
        return RelyingParty(Provider(self.server.base), client)

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()


@pytest.fixture
def installation(tmp_path):
    made = Installation(tmp_path)
    yield made
    made.stop()


def test_attack_48_a_scope_that_the_client_lost(installation):
    rp = installation.start(SCOPE, [OLD, NEW])
    signed_in = rp.sign_in(scope=SCOPE)
    rp = installation.start("openid offline_access", [OLD, NEW])
    assert set(rp.userinfo(signed_in)) == {"sub"}
    assert rp.introspect(signed_in.access_token)["scope"] == "openid offline_access"
    refreshed = rp.accepted(rp.refresh(signed_in.refresh_token))
    assert refreshed["scope"] == "openid offline_access"
    assert set(rp.provider.userinfo(refreshed["access_token"]).json()) == {"sub"}
    rp = installation.start("other", [OLD, NEW])
    for _ in range(2):
        answer = rp.refresh(refreshed["refresh_token"])
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_scope")
    assert rp.introspect(refreshed["access_token"]) == {"active": False}
    rp = installation.start(SCOPE, [OLD, NEW])
    again = rp.accepted(rp.refresh(refreshed["refresh_token"]))
    assert "email" in again["scope"], "nothing was spent, and the grant stays"


def test_attack_48_a_resource_that_the_project_lost(installation):
    rp = installation.start(SCOPE, [OLD, NEW])
    signed_in = rp.sign_in(scope="openid offline_access", resource=OLD)
    rp = installation.start(SCOPE, [NEW])
    answer = rp.refresh(signed_in.refresh_token)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_target")
    assert OLD not in rp.introspect(signed_in.access_token)["aud"]
    rp = installation.start(SCOPE, [OLD, NEW])
    assert OLD in rp.introspect(rp.accepted(rp.refresh(signed_in.refresh_token))["access_token"])["aud"]
