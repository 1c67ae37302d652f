"""What a session is good for, with the unchanged package: validate, refresh, leave, look at oneself."""

from __future__ import annotations

import time

import jwt
import pytest
from descope import AuthException, DescopeClient

from support.methods import EMAIL, REVOKED, new_email, refused
from support.project import MANAGEMENT_KEY


def test_validate_session(project, client):
    """With keys that were fetched once."""
    session, _ = project.tokens(project.sign_up())
    validated = client.validate_session(session)
    assert validated["projectId"] == project.id and validated["sessionToken"]["jwt"] == session
    assert validated["aud"] == project.id or project.id in validated["aud"]


def test_validate_session_for_another_audience(project, client):
    session, _ = project.tokens(project.sign_up())
    with pytest.raises((AuthException, jwt.InvalidAudienceError)):
        client.validate_session(session, audience="somebody-else")


def test_tampered_session(project, client):
    session, _ = project.tokens(project.sign_up())
    head, _, signature = session.split(".")
    other = project.tokens(project.sign_up())[0].split(".")[1]
    with pytest.raises((AuthException, jwt.InvalidSignatureError)):
        client.validate_session(f"{head}.{other}.{signature}")


def test_keys(project):
    """Every key is signed for: what this package needs of it, and nothing private."""
    keys = project.wire.send("GET", f"/v2/keys/{project.id}").json()["keys"]
    assert keys
    for key in keys:
        assert {"kty", "alg", "kid"} <= key.keys() and key.get("use", "sig") == "sig"
        assert not {"d", "p", "q", "dp", "dq", "qi", "k"} & key.keys()


def test_refresh(project, client):
    """New tokens for the same person; claims and methods stay."""
    first = project.sign_up()
    _, refresh = project.tokens(first)
    answer = client.refresh_session(refresh)
    session, rotated = answer["sessionToken"], answer["refreshSessionToken"]
    assert session["sub"] == first["userId"] and session["amr"] == first["sessionToken"]["amr"]
    assert session["jwt"] != first["sessionToken"]["jwt"] and session["drn"] == "DS" and rotated["drn"] == "DSR"
    client.validate_session(session["jwt"])
    client.refresh_session(rotated["jwt"])


def test_refresh_of_a_lost_answer(project, client):
    """Whoever did not get the answer asks again with the same token, and goes on."""
    _, refresh = project.tokens(project.sign_up())
    first, second = client.refresh_session(refresh), client.refresh_session(refresh)
    assert first["sessionToken"]["sub"] == second["sessionToken"]["sub"]
    client.refresh_session(second["refreshSessionToken"]["jwt"])


def test_validate_and_refresh_expired_session(quiet_project):
    """A session that ran out is renewed in the same call."""
    answer, _ = quiet_project.sign_up_with_password()
    session, refresh = quiet_project.tokens(answer)
    strict = quiet_project.new_client(jwt_validation_leeway=0)
    time.sleep(max(0.0, answer["sessionToken"]["exp"] - time.time()) + 1.1)
    with pytest.raises(AuthException) as caught:
        strict.validate_session(session)
    assert caught.value.status_code == 401
    renewed = strict.validate_and_refresh_session(session, refresh)
    assert renewed["sessionToken"]["sub"] == answer["userId"] and renewed["sessionToken"]["jwt"] != session


def test_validate_and_refresh_good_session(project, client):
    """A good session is left alone."""
    session, refresh = project.tokens(project.sign_up())
    validated = client.validate_and_refresh_session(session, refresh)
    assert validated["sessionToken"]["jwt"] == session and "refreshSessionToken" not in validated


def test_logout(project, client):
    """This session is over for good, the others go on."""
    first = project.sign_up()
    email = first["user"]["email"]
    client.otp.sign_in(EMAIL, email)
    second = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    assert client.logout(first["refreshSessionToken"]["jwt"]).status_code // 100 == 2
    for call in (client.refresh_session, client.me, client.history):
        refused(lambda call=call: call(first["refreshSessionToken"]["jwt"]), REVOKED, status=401)
    client.refresh_session(second["refreshSessionToken"]["jwt"])


def test_logout_after_a_refresh(project, client):
    """Every token of the session is worth nothing then, also the newest."""
    _, refresh = project.tokens(project.sign_up())
    newest = client.refresh_session(refresh)["refreshSessionToken"]["jwt"]
    client.logout(newest)
    refused(lambda: client.refresh_session(newest), status=401)
    refused(lambda: client.refresh_session(refresh), status=401)


def test_logout_all(project, client):
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    sessions = [answer, *(client.password.sign_in(login, password) for _ in range(2))]
    assert client.logout_all(sessions[1]["refreshSessionToken"]["jwt"]).status_code // 100 == 2
    for session in sessions:
        refused(lambda session=session: client.refresh_session(session["refreshSessionToken"]["jwt"]), status=401)
    client.password.sign_in(login, password)


def test_me(project, client):
    """The bare user."""
    first = project.sign_up()
    user = client.me(first["refreshSessionToken"]["jwt"])
    assert user["userId"] == first["userId"] and user.keys() == first["user"].keys()


def test_history(project, client):
    """Each sign-in, with when and from where; a refresh is none."""
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    for _ in range(2):
        answer = client.password.sign_in(login, password)
    _, refresh = project.tokens(answer)
    refresh = client.refresh_session(refresh)["refreshSessionToken"]["jwt"]
    history = client.history(refresh)
    assert len(history) == 3 and all(entry["userId"] == answer["userId"] for entry in history)
    assert all(abs(int(entry["loginTime"]) - time.time()) < 600 for entry in history)
    assert all(entry["ip"] == "127.0.0.1" and {"city", "country"} <= entry.keys() for entry in history)


def test_my_tenants_and_select(project, client, mgmt):
    """Only one's own; the chosen one stands in `dct`, also after a refresh."""
    tenants = [mgmt.tenant.create(f"Tenant {number}", custom_attributes=None)["id"] for number in range(3)]
    email = new_email()
    project.sign_up(email)
    for tenant in tenants[:2]:
        mgmt.user.add_tenant(email, tenant)
    client.otp.sign_in(EMAIL, email)
    answer = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    _, refresh = project.tokens(answer)
    assert set(answer["tenants"]) == set(tenants[:2]) and "dct" not in answer["sessionToken"]
    mine = client.my_tenants(refresh, ids=tenants)["tenants"]
    assert {tenant["id"]: tenant["name"] for tenant in mine} == {tenants[0]: "Tenant 0", tenants[1]: "Tenant 1"}
    assert all("customAttributes" in tenant for tenant in mine)
    selected = client.select_tenant(tenants[1], refresh)
    assert selected["sessionToken"]["dct"] == tenants[1]
    _, refresh = project.tokens(selected)
    assert [tenant["id"] for tenant in client.my_tenants(refresh, dct=True)["tenants"]] == [tenants[1]]
    assert client.refresh_session(refresh)["sessionToken"]["dct"] == tenants[1]
    refused(lambda: client.select_tenant(tenants[2], refresh))
    refused(lambda: client.select_tenant("nothing", refresh))


def test_single_tenant_is_selected(project, client, mgmt):
    tenant = mgmt.tenant.create("Only one")["id"]
    email = new_email()
    _, refresh = project.tokens(project.sign_up(email))
    mgmt.user.add_tenant(email, tenant)
    session = client.refresh_session(refresh)["sessionToken"]
    assert session["dct"] == tenant and set(session["tenants"]) == {tenant}


def test_roles_and_permissions(project, client, mgmt):
    """Of the project and of a tenant, as the package's helpers read them."""
    for name in ("read books", "write books"):
        mgmt.permission.create(name)
    mgmt.role.create("Librarian", "Lends", ["read books", "write books"])
    mgmt.role.create("Reader", None, ["read books"])
    tenant, email = mgmt.tenant.create("Library")["id"], new_email()
    _, refresh = project.tokens(project.sign_up(email))
    mgmt.user.set_roles(email, ["Reader"])
    mgmt.user.add_tenant(email, tenant)
    mgmt.user.set_tenant_roles(email, tenant, ["Librarian"])
    answer = client.refresh_session(refresh)
    validated = client.validate_session(answer["sessionToken"]["jwt"])
    assert client.validate_roles(validated, ["Reader"]) and not client.validate_roles(validated, ["Librarian"])
    assert client.validate_permissions(validated, ["read books"])
    assert not client.validate_permissions(validated, ["read books", "write books"])
    assert client.validate_tenant_roles(validated, tenant, ["Librarian"])
    assert client.validate_tenant_permissions(validated, tenant, ["write books", "read books"])
    assert client.get_matched_tenant_permissions(validated, tenant, ["write books", "burn books"]) == ["write books"]
    assert not client.validate_tenant_roles(validated, "other", ["Librarian"])


def test_management_key_beside_the_refresh_token(project):
    """Three parts in the bearer, as this package sends them when it has such a key."""
    _, refresh = project.tokens(project.sign_up())
    both: DescopeClient = project.new_client(auth_management_key=MANAGEMENT_KEY)
    assert both.me(refresh)["email"]
    both.refresh_session(refresh)
