"""A tenant that goes and comes back under its name, its connections and roles: what of the old one is the new one's."""

from __future__ import annotations

import json
import time

import pytest
import requests

from support.operators import CALLBACK, PASSWORD, Management, Operator, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

PATH = "/admin/connections/connection"


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """A connection of the file for the tenant `filed`, and one that an owner made for `harbour`."""
    folder = tmp_path_factory.mktemp("tenants")
    provider = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
    server = serve(
        folder, tenants=[{"id": "harbour", "name": "Harbour"}, {"id": "filed", "name": "Filed"}],
        connections=[provider | {"id": "file", "tenant": "filed", "domains": ["filed.example"], "trust_email": True,
                                 "roles": {"staff": "treasurer"}}],
        roles=[{"name": "treasurer", "permissions": ["pay"]}])
    (folder / "secret").write_text(SECRET)
    command(server, "connection", "add", "corp", "--tenant", "harbour", "--issuer", told.issuer, "--client-id",
            CLIENT_ID, "--client-secret-file", str(folder / "secret"), "--domain", "harbour.example", "--trust-email")
    until(lambda: Management(server).get("connection?id=corp").status_code == 200)
    yield server
    assert server.stop() == 0


def until(holds) -> None:
    """A running server knows within a second what a command has changed."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("the running server does not see the change")


@pytest.fixture(scope="module")
def operator(own) -> Operator:
    operator = Operator(own, "oper")
    operator.enter()
    return operator


@pytest.fixture(scope="module")
def token(own, operator) -> Management:
    return Management(own, operator.tokens()["access_token"])


def arrive(own, told: ToldProvider, connection: str, **said):
    """A sign-in at a tenant's provider, in a fresh browser."""
    told.token, told.userinfo = said, {"sub": said["sub"]}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "connection": connection,
    })
    if not (isinstance(departure, Callback) and departure.uri.startswith(told.issuer)):
        return departure
    return visitor.follow(visitor.get(departure.url))


def roles(key: Management, login: str) -> list[list[str]]:
    return [each["roleNames"] for each in key.user(login)["userTenants"]]


def again(token: Management, tenant: str) -> None:
    """An operator removes a tenant and makes another of its name."""
    token.done("tenant/delete", {"id": tenant})
    token.done("tenant/create", {"id": tenant, "name": "Another customer"})


def test_a_group_gives_no_role_that_no_owner_mapped_after_its_tenant_was_made_again(own, told, key, token):
    """The tenant's own role of the mapped name went with the tenant: the project's is left."""
    token.done("role/create", {"name": "treasurer", "tenantId": "filed"})
    who = {"sub": "f-1", "email": "fay@filed.example", "email_verified": True, "groups": ["staff"]}
    arrive(own, told, "file", **who)
    own_role = next(each for each in key.get("role/all").json()["roles"]
                    if (each["name"], each["tenantId"]) == ("treasurer", "filed"))
    assert roles(key, "fay@filed.example") == [["treasurer"]]
    by_itself = token.post("role/delete", {"id": own_role["id"]})
    assert by_itself.status_code == 403, "alone the role is not removed: the project's would be left for the group"
    removed = token.post("tenant/delete", {"id": "filed"})
    if removed.status_code == 200:
        token.done("tenant/create", {"id": "filed", "name": "Filed"})
    arrive(own, told, "file", **who | {"sub": "f-2", "email": "finn@filed.example"})
    members = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["filed"]}).json()["users"]
    sessions = [key.done("auth/signin", {"loginId": each["loginIds"][0]})["sessionJwt"] for each in members]
    permissions = [payload_of(each)["tenants"]["filed"] for each in sessions]
    paying = [each for each in permissions if "pay" in each.get("permissions", [])]
    assert not paying, f"{removed.status_code}: the project's role came from the group: {paying}"


def test_an_access_key_ends_with_its_tenant(own, key, token):
    """The next customer of that name is not the one for whom the key was made."""
    token.done("tenant/create", {"id": "brief", "name": "Brief"})
    made = key.done("accesskey/create", {"name": "k", "keyTenants": [{"tenantId": "brief"}]})
    exchange = lambda: auth(own, "accesskey/exchange", {}, made["cleartext"])
    assert list(payload_of(exchange().json()["sessionJwt"])["tenants"]) == ["brief"]
    again(token, "brief")
    answer = exchange()
    told = payload_of(answer.json()["sessionJwt"]).get("tenants") if answer.status_code == 200 else None
    assert not told, f"the key of the former customer is one of the new tenant: {told}"


def test_nothing_of_a_user_goes_from_a_tenant_to_the_next_of_its_name(own, key, token):
    token.done("tenant/create", {"id": "short", "name": "Short"})
    token.done("role/create", {"name": "shipper", "tenantId": "short"})
    login = "sid@example.com"
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "short", "roleNames": ["shipper"]}]})
    session = auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).json()["refreshJwt"]
    chosen = auth(own, "tenant/select", {"tenant": "short"}, session).json()
    assert payload_of(chosen["sessionJwt"])["tenants"]["short"]["roles"] == ["shipper"]
    again(token, "short")
    token.done("role/create", {"name": "shipper", "tenantId": "short"})
    answer = auth(own, "refresh", bearer=chosen["refreshJwt"])
    after = payload_of(answer.json()["sessionJwt"]) if answer.status_code == 200 else {}
    assert not after.get("tenants") and after.get("dct") in (None, ""), after
    refused = auth(own, "tenant/select", {"tenant": "short"}, session)
    assert refused.status_code in (400, 401), refused.text


def test_a_permission_that_comes_back_under_its_name_is_in_no_role(key, token):
    token.done("permission/create", {"name": "audit.read"})
    token.done("role/create", {"name": "reader", "permissionNames": ["audit.read"]})
    key.done("permission/delete", {"name": "audit.read"})
    token.done("permission/create", {"name": "audit.read"})
    found = next(each for each in key.get("role/all").json()["roles"] if each["name"] == "reader")
    assert found["permissionNames"] == []


def test_a_role_that_comes_back_under_its_name_is_nobodys(key, token):
    token.done("role/create", {"name": "brief-role"})
    key.done("user/create", {"loginId": "rita@example.com", "roleNames": ["brief-role"]})
    made = key.done("accesskey/create", {"name": "r", "roleNames": ["brief-role"]})
    token.done("role/delete", {"name": "brief-role"})
    token.done("role/create", {"name": "brief-role"})
    assert key.user("rita@example.com")["roleNames"] == []
    assert key.get(f"accesskey?id={made['key']['id']}").json()["key"]["roleNames"] == []


def test_an_operator_does_not_switch_a_trusted_connection_on_that_an_owner_switched_off(own, operator):
    """A connection that is off speaks for nobody: on again, it speaks for everybody of its domains."""
    owner = Operator(own, "olga")
    owner.enter()
    change = lambda who, action: who.send(f"{PATH}?id=corp", {"id": "corp", "action": action})
    is_on = lambda: Management(own).get("connection?id=corp").json()["enabled"]
    assert change(owner, "disable").status_code == 303 and not is_on()
    refused = change(operator, "enable")
    assert (refused.status_code, is_on()) == (403, False), "an operator makes no connection that is trusted"
    assert change(owner, "enable").status_code == 303 and is_on()
    assert change(operator, "disable").status_code == 303 and not is_on(), "what takes trust away is an operator's"


def test_an_operators_connection_leads_nobody_of_an_unproved_domain_to_its_provider(own, operator, token):
    token.done("tenant/create", {"id": "snare", "name": "Snare", "selfProvisioningDomains": ["example.com"]})
    made = operator.send("/admin/connections", {"action": "create", "document": json.dumps({
        "id": "snare", "tenant": "snare", "issuer": "https://evil.example", "client_id": "x", "client_secret": "y",
        "domains": ["example.com"]})})
    browser = Visitor(own.base)
    page = browser.submit(browser.open(f"{own.base}/admin"), {"username": "nina@example.com", "password": PASSWORD})
    assert not isinstance(page, Callback) and page.status == 403, f"{made.status_code}: {page}"
    by_wire = auth(own, "sso/authorize", {"tenant": "nina@example.com", "redirectUrl": CALLBACK})
    assert "evil.example" not in by_wire.text


def test_a_tenant_of_an_operator_has_no_domain_by_its_own_word(own, key, token):
    """Neither its directory nor its members are those of the domain."""
    token.done("tenant/create", {"id": "claims", "name": "Claims", "selfProvisioningDomains": ["example.com"]})
    made = token.done("scim/token/create", {"tenantId": "claims"})
    assert made["hasProvenDomain"] is False
    before = key.user("nina@example.com")
    answer = requests.post(
        f"{own.base}/scim/v2/Users", json={"userName": "nina@example.com", "externalId": "n"}, timeout=20,
        headers={"Authorization": f"Bearer {made['cleartext']}"})
    assert answer.status_code == 201
    assert key.user("nina@example.com") == before, "she was taken in"
