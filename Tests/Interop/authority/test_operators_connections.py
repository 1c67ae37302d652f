"""What an operator may not say about a connection: to whom it is, and for whom and for which roles it speaks."""

from __future__ import annotations

import json
import subprocess
import time

import pytest

from support.operators import CALLBACK, Management, Operator, serve
from support.server import binary
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

PATH = "/admin/connections/connection"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """A tenant's connection that an owner made, and a role of the project."""
    folder = tmp_path_factory.mktemp("connections")
    server = serve(folder)
    (folder / "secret").write_text(SECRET)
    done = subprocess.run(
        [binary(), "connection", "add", "corp", "--tenant", "harbour", "--issuer", told.issuer,
         "--client-id", CLIENT_ID, "--client-secret-file", folder / "secret", "--domain", "harbour.example",
         "--trust-email", "--config", server.config, "--database", f"sqlite:{folder / 'keyturn.db'}"],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    key = Management(server)
    key.done("role/create", {"name": "treasurer"})
    # A running server knows it within a second.
    while key.get("connection?id=corp").status_code != 200:
        time.sleep(0.1)
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def operator(own) -> Operator:
    operator = Operator(own, "oper")
    operator.enter()
    return operator


def save(operator: Operator, document: dict):
    return operator.send(f"{PATH}?id=corp", {"action": "save", "id": "corp", "document": json.dumps(document)})


def arrive(own, told: ToldProvider, **claims) -> None:
    """A sign-in at the tenant's provider, in a fresh browser."""
    told.token = claims
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "connection": "corp",
    })
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    arrived = visitor.follow(visitor.get(departure.url))
    assert isinstance(arrived, Callback) or arrived.name == "continue", arrived


def test_an_operator_changes_nothing_about_whom_a_connection_speaks_for(own, operator):
    for change, named in [
        ({"client_id": "another"}, "client_id"), ({"native_client_ids": ["evil"]}, "native_client_ids"),
        ({"parameters": {"host": "evil.example"}}, "parameters"), ({"preset": "google"}, "preset"),
        ({"endpoints": {"token_endpoint": "https://evil.example/t"}, "client_secret": "y"}, "endpoints.token_endpoint"),
        ({"roles": {"staff": "treasurer"}}, "roles"), ({"roles": {"staff": "no-such-role"}}, "roles"),
    ]:
        refused = save(operator, change)
        assert refused.status_code in (403, 422) and named in refused.text, f"{change}: {refused.status_code}"
    for change in [{"allow_private_addresses": False, "vouched_domains": ["example.com"]}, {"vouched_domains": []},
                   {"tenant": "other"}, {"type": "saml", "idp_entity_id": "x", "certificates": [CERTIFICATE]}]:
        refused = save(operator, change)
        assert refused.status_code in (403, 422), f"{change}: {refused.status_code}"
    renamed = save(operator, {"name": "Corporation"})
    assert renamed.status_code == 303, renamed.text[:300]


def test_an_operator_says_nothing_that_is_the_machines_to_say(operator):
    """Directories, private networks, domains without proof."""
    tenants = {"id": "mine", "tenant": "other", "client_id": "x", "client_secret": "y"}
    for document in [
        {"id": "mine", "tenant": "other", "type": "ldap", "url": "ldaps://127.0.0.1", "bind_dn": "x",
         "bind_password": "x", "base_dn": "x"},
        tenants | {"issuer": "https://x.example", "allow_private_addresses": True},
        tenants | {"issuer": "https://x.example", "domains": ["example.com"], "vouched_domains": ["example.com"]},
    ]:
        refused = operator.send("/admin/connections", {"action": "create", "document": json.dumps(document)})
        assert refused.status_code == 422, f"{document}: {refused.status_code}"
    made = operator.send("/admin/connections", {
        "action": "create", "document": json.dumps(tenants | {"issuer": "https://x.example"})})
    assert made.status_code == 403, "and no connection at all, which decides who is whom"


def test_a_group_gives_no_role_of_the_project_that_no_owner_mapped(own, told, operator):
    """The name is mapped while the tenant has a role of it; then the tenant's role goes, and the project's is left."""
    key = Management(own)
    assert save(operator, {"roles": {"staff": "treasurer"}}).status_code == 403
    operator.send("/admin/roles", {"action": "create-role", "name": "treasurer", "tenant": "harbour"})
    mapped = save(operator, {"roles": {"staff": "treasurer"}})
    assert mapped.status_code == 303, mapped.text[:300]
    arrive(own, told, sub="s-1", email="tess@harbour.example", email_verified=True, groups=["staff"])
    roles = lambda: [each["roleNames"] for each in key.user("tess@harbour.example")["userTenants"]]
    assert roles() == [["treasurer"]], "the tenant's own role comes from the group"
    role = next(each for each in key.get("role/all").json()["roles"]
                if (each["name"], each["tenantId"]) == ("treasurer", "harbour"))
    refused = operator.send("/admin/roles", {"action": "remove-role", "role": role["id"]})
    assert refused.status_code == 403, "the project's role would be left for the group"
    left = {(each["name"], each["tenantId"]) for each in key.get("role/all").json()["roles"]}
    assert ("treasurer", "harbour") in left
