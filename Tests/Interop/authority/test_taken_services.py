"""A service that acts for users and is no client of the file, as after a move to another server: who is no owner takes no
secret of it, and gives it no address, grant or scope."""

from __future__ import annotations

import subprocess
import time

import pytest
import requests

from support.operators import ADMIN, CALLBACK, Operator, serve
from support.server import binary

SERVICE = {
    "client_id": "deputy", "client_secret": "a-secret-of-the-service-0123456789", "scope": "reports",
    "token_endpoint_auth_method": "client_secret_post", "grant_types": ["client_credentials"],
    "may_impersonate": ["tenant:harbour"],
}
PLAIN = SERVICE | {"client_id": "plain", "may_impersonate": []}


def run(server, *arguments: object) -> str:
    done = subprocess.run(
        [binary(), *map(str, arguments), "--config", server.config, "--database",
         f"sqlite:{server.folder / 'keyturn.db'}"], capture_output=True, text=True, cwd=server.folder, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def token(server, **subject) -> requests.Response:
    return requests.post(f"{server.base}/oauth2/token", timeout=20, data={
        "grant_type": "client_credentials", "client_id": "deputy", "client_secret": SERVICE["client_secret"]} | subject)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The project as it arrived."""
    folder = tmp_path_factory.mktemp("moved")
    old = serve(folder / "old", clients=[ADMIN, SERVICE, PLAIN])
    made = subprocess.run(
        [binary(), "backup", "key", "create", "id.key"], capture_output=True, text=True, cwd=old.folder, check=True)
    recipient = next(word for word in made.stdout.split() if word.startswith("ktbr_"))
    run(old, "export", old.folder / "project.export", "--recipient", recipient)
    assert old.stop() == 0
    new = serve(folder / "new", clients=[ADMIN])
    run(new, "import", old.folder / "project.export", "--identity", old.folder / "id.key", "--keep-existing")
    # The server reads its clients again.
    for _ in range(100):
        if token(new).status_code == 200:
            break
        time.sleep(0.1)
    yield new
    assert new.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def test_the_service_arrived(own, key):
    """The control: it acts for the tenant's users."""
    made = key.done("user/create", {
        "loginId": "bea@example.com", "email": "bea@example.com", "verifiedEmail": True,
        "userTenants": [{"tenantId": "harbour"}]})
    answer = token(own, box_subject_type="user", box_subject_id=made["user"]["userId"])
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("client", "status"), [("deputy", 403), ("plain", 200)])
def test_an_operator_takes_no_secret_of_it(tokens, client, status):
    answer = tokens["oper"].post("client/rotate-secret", {"client_id": client, "keep_old": True})
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(("client", "status"), [("deputy", 403), ("plain", 200)])
@pytest.mark.parametrize("change", [
    {"redirect_uris": [CALLBACK], "grant_types": ["client_credentials", "authorization_code"]},
    {"scope": "reports ledger:transfer"},
], ids=["an address", "a scope"])
def test_an_operator_gives_it_nothing(tokens, client, status, change):
    answer = tokens["oper"].send("PATCH", "/v1/mgmt/client/patch", {"client_id": client} | change)
    assert answer.status_code == status, answer.text


def test_an_owner_takes_one(tokens):
    """The control."""
    answer = tokens["olga"].post("client/rotate-secret", {"client_id": "deputy", "keep_old": True})
    assert answer.status_code == 200, answer.text
