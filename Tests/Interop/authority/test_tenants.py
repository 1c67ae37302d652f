"""A tenant's directory, by its SCIM token, wants users who are not its own, or more of its own than is its to say."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, Operator, auth, command, letter, serve

numbers = count(1)
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Both tenants have proven a domain."""
    server = serve(tmp_path_factory.mktemp("tenants"))
    for tenant in ("harbour", "other"):
        command(server, "tenant", "domain", "add", f"{tenant}.example", "--tenant", tenant, "--trust")
    yield server
    assert server.stop() == 0


def token(key: Management, tenant: str) -> str:
    return key.done("scim/token/create", {"tenantId": tenant})["cleartext"]


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, token(key, "harbour"))


@pytest.fixture(scope="module")
def other(own, key) -> Directory:
    return Directory(own, token(key, "other"))


def person(own, key: Management, login: str, **more) -> str:
    """Somebody with an account of their own, signed in; the refresh token."""
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "displayName": "Hers", "password": PASSWORD} | more)
    return sign_in(own, login).json()["refreshJwt"]


def sign_in(own, login: str) -> requests.Response:
    return auth(own, "password/signin", {"loginId": login, "password": PASSWORD})


def own_things(user: dict) -> tuple:
    return user["loginIds"], user["email"], user["verifiedEmail"], user["status"], user["name"], user["password"]


def test_a_directory_reaches_no_user_of_another_tenant(harbour, other):
    theirs = other.make("theirs@other.example")
    group = other.send("POST", "/Groups", {"displayName": "crew"}).json()["id"]
    for path in (f"/Users/{theirs}", f"/Groups/{group}"):
        assert harbour.send("GET", path).status_code == 404 and other.send("GET", path).status_code == 200
        rename = {"schemas": [PATCH], "Operations": [{"op": "replace", "path": "displayName", "value": "x"}]}
        for method, body in [("PUT", {"userName": "x", "displayName": "x"}), ("DELETE", None), ("PATCH", rename)]:
            assert harbour.send(method, path, body).status_code == 404, f"{method} {path}"
    foreign = harbour.send("POST", "/Groups", {"displayName": "grab", "members": [{"value": theirs}]})
    assert foreign.status_code == 400, foreign.text
    batch = harbour.send("POST", "/Bulk", {"Operations": [
        {"method": "DELETE", "path": f"/Users/{theirs}"}, {"method": "DELETE", "path": f"/Groups/{group}"},
        {"method": "PATCH", "path": f"/Users/../Users/{theirs}", "data": {"Operations": []}}]})
    assert [each["status"] for each in batch.json()["Operations"]] == ["404", "404", "400"], batch.text
    assert other.send("GET", f"/Users/{theirs}").status_code == 200


@pytest.mark.parametrize("text", [
    'userName eq "theirs-again@other.example"', 'userName sw "theirs"', 'not (userName eq "x")', 'emails pr or id pr',
    'id eq "{id}"', 'externalId eq "secret-1"', 'meta.created gt "2000-01-01T00:00:00Z"',
])
def test_no_filter_finds_what_another_tenant_has(harbour, other, text):
    present = other.send("GET", '/Users?filter=userName eq "theirs-again@other.example"').json()["Resources"]
    theirs = present[0]["id"] if present else other.make("theirs-again@other.example", externalId="secret-1")
    asked = "/Users?count=200&filter=" + requests.utils.quote(text.replace("{id}", theirs))
    seen = lambda directory: [each["id"] for each in directory.send("GET", asked).json()["Resources"]]
    assert theirs not in seen(harbour)
    if text != "emails pr or id pr":
        assert theirs in seen(other), "the filter finds it where it is"


def test_whose_account_was_there_before_keeps_it(own, key, harbour):
    """The directory of a proven domain takes her in: a membership, and nothing else, comes and goes."""
    refresh = person(own, key, "nan@harbour.example")
    before = own_things(key.user("nan@harbour.example"))
    user = harbour.make("nan@harbour.example", displayName="Theirs", externalId="n-1")
    member = lambda: [each["tenantId"] for each in key.user("nan@harbour.example")["userTenants"]]
    assert member() == ["harbour"]
    for values in [{"displayName": "Theirs", "userName": "evil@harbour.example"},
                   {"emails": [{"value": "evil@harbour.example", "primary": True}]}, {"active": False}]:
        assert harbour.patch(user, **values).status_code == 200
        assert own_things(key.user("nan@harbour.example")) == before, values
    assert member() == [] and harbour.send("DELETE", f"/Users/{user}").status_code == 204
    assert own_things(key.user("nan@harbour.example")) == before
    assert auth(own, "refresh", bearer=refresh).status_code == 200


def test_a_tenant_that_wants_its_own_sign_in_shuts_nobody_out_by_taking_them_in(own, key, other):
    """The directory's own users alone sign in where it says."""
    person(own, key, "free@other.example")
    other.make("bound@other.example")
    key.done("user/password/set/active", {"loginId": "bound@other.example", "password": PASSWORD})
    other.make("free@other.example")
    key.done("tenant/update", {"id": "other", "name": "Other", "enforceSSO": True})
    try:
        assert sign_in(own, "bound@other.example").status_code == 403
        assert sign_in(own, "free@other.example").status_code == 200
    finally:
        key.done("tenant/update", {"id": "other", "name": "Other", "enforceSSO": False})


@pytest.mark.parametrize("role", ["viewer", "owner"])
@pytest.mark.parametrize("is_made_there", [True, False])
def test_a_user_with_a_role_in_the_console_is_not_the_directorys(own, key, harbour, role, is_made_there):
    name = f"{role}-{is_made_there}@harbour.example".lower()
    if is_made_there:
        user = harbour.make(name, displayName="Hers")
        key.done("user/password/set/active", {"loginId": name, "password": PASSWORD})
        refresh = sign_in(own, name).json()["refreshJwt"]
    else:
        refresh = person(own, key, name)
    key.done("operator/update", {"loginId": name, "role": role})
    before = own_things(key.user(name))
    if not is_made_there:
        user = harbour.make(name, displayName="Theirs", active=False)
        harbour.patch(user, active=True)
    harbour.patch(user, userName="evil@harbour.example", displayName="Theirs")
    harbour.patch(user, emails=[{"value": "evil@harbour.example"}])
    harbour.patch(user, active=False)
    harbour.send("DELETE", f"/Users/{user}")
    assert own_things(key.user(name)) == before
    assert auth(own, "refresh", bearer=refresh).status_code == 200
    roles = {each["loginIds"][0]: each["role"] for each in key.get("operator/all").json()["operators"]}
    assert roles[name] == role


@pytest.mark.parametrize("address", [
    "nina@example.com", "NINA@EXAMPLE.COM", "olga@example.com", "x@other.example", "x@sub.harbour.example",
    "\uff58@harbour.example", "taken@harbour.example",
])
def test_an_address_that_is_not_the_tenants_is_no_login_id(own, key, harbour, address):
    """Elsewhere, below the domain, in another spelling, or another user's: a contact, and not a proved one."""
    if address == "taken@harbour.example":
        person(own, key, address)
        used = harbour.make("used@harbour.example")
        key.done("user/password/set/active", {"loginId": "used@harbour.example", "password": PASSWORD})
        account = key.user("used@harbour.example")["userId"]
        harbour.patch(used, userName=address)
    else:
        harbour.make(f"contact {next(numbers)}", emails=[{"value": address, "primary": True}])
        account = next(each["userId"] for each in key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]})
                       .json()["users"] if each["email"].lower() == address.lower() and each["name"] != "Hers")
    user = key.get(f"user?userId={account}").json()["user"]
    assert (user["loginIds"], user["verifiedEmail"]) == ([], False), user


def test_an_address_that_is_the_tenants_is_a_login_id(key, harbour):
    for name, more in [("good@harbour.example", {}), ("better", {"emails": [{"value": "better@harbour.example"}]})]:
        harbour.make(name, **more)
    for login in ("good@harbour.example", "better@harbour.example"):
        assert key.user(login)["verifiedEmail"] and key.user(login)["loginIds"] == [login]


def test_no_path_of_a_patch_leads_beyond_the_resource(own, key, harbour):
    user = harbour.make("plain@harbour.example")
    account = key.user("plain@harbour.example")
    for path, value in [
        ("id", "x"), ("meta.resourceType", "Group"), ("groups", [{"value": "x"}]), ("password", PASSWORD),
        ("urn:ietf:params:scim:schemas:core:2.0:User:password", PASSWORD), ("consoleRole", "owner"),
        ("roles", [{"value": "owner"}]), ("entitlements", [{"value": "owner"}]), ("memberships", ["other"]),
    ]:
        harbour.patch(user, **{path: value})
    harbour.send("PUT", f"/Users/{user}", {
        "userName": "plain@harbour.example", "password": PASSWORD, "console_role": "owner", "userTenants": ["other"],
        "roles": [{"value": "owner"}], "status": "enabled", "id": "x"})
    assert harbour.send("GET", f"/Users/{user}").json()["id"] == user
    after = key.user("plain@harbour.example")
    assert {name: after[name] for name in account} == account
    assert sign_in(own, "plain@harbour.example").status_code == 400, "a directory sets no password"


def test_the_directory_brings_nobody_back_whom_an_operator_disabled(own, key, harbour):
    """Whoever disabled the user last is asked: also if it was the directory's own once."""
    for name, steps in [
        ("first@harbour.example", ["disabled", False, True]),
        ("later@harbour.example", [False, "enabled", "disabled", True]),
        ("after@harbour.example", [False, "disabled", True]),
    ]:
        user = harbour.make(name)
        for step in steps:
            if isinstance(step, bool):
                assert harbour.patch(user, active=step).status_code == 200
            else:
                key.done("user/update/status", {"loginId": name, "status": step})
        assert key.user(name)["status"] == "disabled", name
    mended = harbour.make("mended@harbour.example")
    harbour.patch(mended, active=False)
    harbour.patch(mended, active=True)
    assert key.user("mended@harbour.example")["status"] == "enabled", "its own word it may take back"


def test_a_disabled_user_does_not_come_back_by_being_removed_first(key, harbour):
    user = harbour.make("again@harbour.example", externalId="a-1")
    key.done("user/update/status", {"loginId": "again@harbour.example", "status": "disabled"})
    harbour.send("DELETE", f"/Users/{user}")
    harbour.send("POST", "/Users", {"userName": "again@harbour.example", "externalId": "a-1"})
    assert key.user("again@harbour.example")["status"] == "disabled"


def test_whose_login_id_the_directory_changes_hears_it(own, key, harbour):
    """As if an operator did it: she signed in with a password of her own, and can no longer."""
    user = harbour.make("renamed@harbour.example")
    key.done("user/password/set/active", {"loginId": "renamed@harbour.example", "password": PASSWORD})
    assert sign_in(own, "renamed@harbour.example").status_code == 200
    harbour.patch(user, userName="elsewhere@harbour.example")
    assert sign_in(own, "renamed@harbour.example").status_code == 400
    assert letter(own, "renamed@harbour.example", "address"), "no message to the address that opened the account"


def test_a_token_ends_with_its_tenant_and_its_revocation(own, key):
    key.done("tenant/create", {"id": "brief", "name": "Brief"})
    made = key.done("scim/token/create", {"tenantId": "brief"})
    first, second = Directory(own, made["cleartext"]), Directory(own, token(key, "brief"))
    assert first.send("GET", "/Users").status_code == 200
    key.done("scim/token/revoke", {"tenantId": "brief", "id": made["token"]["id"]})
    assert first.send("GET", "/Users").status_code == 401 and second.send("GET", "/Users").status_code == 200
    user = second.make("member")
    key.done("tenant/delete", {"id": "brief"})
    key.done("tenant/create", {"id": "brief", "name": "Another"})
    assert second.send("GET", "/Users").status_code == 401
    assert Directory(own, token(key, "brief")).send("GET", f"/Users/{user}").status_code == 404


def test_no_token_of_a_directory_opens_anything_else(own, harbour):
    operator = Operator(own, "vera")
    operator.enter()
    access = operator.tokens()["access_token"]
    for bearer in [access, "", "ktscim_", harbour.token[:-1], harbour.token + "x"]:
        assert Directory(own, bearer).send("GET", "/Users").status_code == 401, bearer[:12]
    for call in [Management(own, harbour.token), Management(own, f"P2AuthorityProject0000000000:{harbour.token}")]:
        assert call.get("user?loginId=nina@example.com").status_code == 401
    assert Management(own, access).get("user?loginId=nina@example.com").status_code == 200
