"""Access keys: exchanged for a session of their own, with the unchanged package."""

from __future__ import annotations

import time

import pytest
from descope import AccessKeyLoginOptions, AssociatedTenant, AuthException

from support.methods import BAD_ACCESS_KEY, new_email, refused
from support.secrets_seen import remember


@pytest.fixture
def make_key(mgmt):
    """Makes keys; the answer of the server, whose clear text nobody sees again."""

    def make(name: str = "Nightly import", **options) -> tuple[str, str]:
        answer = mgmt.access_key.create(name, **options)
        remember("access key", answer["cleartext"])
        return answer["key"]["id"], answer["cleartext"]

    return make


def test_exchange(project, client, make_key):
    """A session that names the key, and no refresh token."""
    key_id, key = make_key()
    answer = client.exchange_access_key(key)
    session = answer["sessionToken"]
    assert answer["keyId"] == session["sub"] == key_id and answer["projectId"] == project.id
    assert "refreshSessionToken" not in answer and session["drn"] == "DS"
    assert client.validate_session(session["jwt"])["sub"] == key_id


def test_roles_tenants_and_claims(client, mgmt, make_key):
    """What the operator gave is trusted; what the exchange asks for is not."""
    mgmt.permission.create("run imports")
    mgmt.role.create("Importer", None, ["run imports"])
    tenants = [mgmt.tenant.create(f"Importing {number}")["id"] for number in range(2)]
    _, key = make_key(
        role_names=["Importer"],
        key_tenants=[AssociatedTenant(tenants[0], ["Importer"]), AssociatedTenant(tenants[1])],
        custom_claims={"department": "data"},
    )
    answer = client.exchange_access_key(key, login_options=AccessKeyLoginOptions({"run": 7}, tenants[0]))
    session = answer["sessionToken"]
    assert session["dct"] == tenants[0] and set(session["tenants"]) == set(tenants)
    assert session["nsec"]["run"] == 7 and "run" not in session and session["department"] == "data"
    assert client.validate_roles(answer, ["Importer"]) and client.validate_permissions(answer, ["run imports"])
    assert client.validate_tenant_permissions(answer, tenants[0], ["run imports"])
    assert not client.validate_tenant_permissions(answer, tenants[1], ["run imports"])


def test_tenant_of_others(client, mgmt, make_key):
    tenant = mgmt.tenant.create("Not ours")["id"]
    _, key = make_key()
    refused(lambda: client.exchange_access_key(key, login_options=AccessKeyLoginOptions(selected_tenant=tenant)))


def test_deactivated_activated_deleted(client, mgmt, make_key):
    key_id, key = make_key()
    mgmt.access_key.deactivate(key_id)
    refused(lambda: client.exchange_access_key(key), BAD_ACCESS_KEY)
    assert mgmt.access_key.load(key_id)["key"]["status"] == "inactive"
    mgmt.access_key.activate(key_id)
    client.exchange_access_key(key)
    mgmt.access_key.delete(key_id)
    refused(lambda: client.exchange_access_key(key), BAD_ACCESS_KEY)
    refused(lambda: mgmt.access_key.load(key_id))


def test_expired(client, make_key):
    _, key = make_key(expire_time=int(time.time()) + 1)
    time.sleep(2.1)
    refused(lambda: client.exchange_access_key(key), BAD_ACCESS_KEY)


def test_rotated(client, mgmt, make_key):
    """A new clear text for the same key; the old one is worth nothing."""
    key_id, key = make_key()
    rotated = mgmt.access_key.rotate(key_id)
    assert rotated["key"]["id"] == key_id and rotated["cleartext"] != key
    assert client.exchange_access_key(rotated["cleartext"])["keyId"] == key_id
    refused(lambda: client.exchange_access_key(key), BAD_ACCESS_KEY)


def test_updated_and_found(mgmt, make_key):
    """By search; nothing that is loaded later has the clear text."""
    tenant = mgmt.tenant.create("Searching")["id"]
    key_id, key = make_key(key_tenants=[AssociatedTenant(tenant)])
    mgmt.access_key.update(key_id, "Renamed", description="For the night")
    loaded = mgmt.access_key.load(key_id)
    assert (loaded["key"]["name"], loaded["key"]["description"]) == ("Renamed", "For the night")
    found = mgmt.access_key.search_all_access_keys([tenant])
    assert [entry["id"] for entry in found["keys"]] == [key_id]
    assert key not in str(found) and key not in str(loaded)


def test_bound_to_a_person(project, client, mgmt, make_key):
    """A key of somebody who is gone opens nothing."""
    email = new_email()
    user = mgmt.user.create(email, email=email, status="enabled")["user"]
    _, key = make_key(user_id=user["userId"])
    client.exchange_access_key(key)
    mgmt.user.deactivate(email)
    refused(lambda: client.exchange_access_key(key), BAD_ACCESS_KEY)


@pytest.mark.parametrize(
    "change", [lambda key: key[:-1], lambda key: f"{key}x", lambda key: key.swapcase(), lambda _: "K"]
)
def test_wrong_keys(client, make_key, change):
    _, key = make_key()
    refused(lambda: client.exchange_access_key(change(key)), BAD_ACCESS_KEY)


def test_no_key(project, client):
    """Refused by the package, and by the server in its own words."""
    with pytest.raises(AuthException):
        client.exchange_access_key("")
    answer = project.wire.post("/v1/auth/accesskey/exchange")
    assert answer.status_code in (400, 401) and answer.json()["errorCode"] in ("E062802", "E062803")
    _, refresh = project.tokens(project.sign_up())
    refused(lambda: client.exchange_access_key(refresh))
