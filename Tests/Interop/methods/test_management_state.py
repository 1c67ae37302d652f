"""Management of what a person may do, with the unchanged package: status, roles, tenants, passwords, sessions."""

from __future__ import annotations

import time

import pyotp
import pytest

from support.methods import EMAIL, EXPIRED_PASSWORD, new_email, new_password, refused


@pytest.fixture
def person(project) -> tuple[str, str, str]:
    """Somebody who signed in with a password: login ID, password and refresh token."""
    answer, password = project.sign_up_with_password()
    return answer["user"]["loginIds"][0], password, project.tokens(answer)[1]


def load(mgmt, login_id: str) -> dict:
    return mgmt.user.load(login_id)["user"]


def test_deactivate_and_activate(client, mgmt, person):
    """Out at once, and in again when it is over; the old session does not come back."""
    login, password, refresh = person
    assert mgmt.user.deactivate(login)["user"]["status"] == "disabled"
    refused(lambda: client.password.sign_in(login, password))
    refused(lambda: client.refresh_session(refresh))
    refused(lambda: client.me(refresh))
    assert mgmt.user.activate(login)["user"]["status"] == "enabled"
    client.password.sign_in(login, password)
    refused(lambda: client.refresh_session(refresh), status=401)


def test_no_code_for_the_disabled(project, client, mgmt):
    email = new_email()
    project.sign_up(email)
    mgmt.user.deactivate(email)
    client.otp.sign_in(EMAIL, email)
    project.mail.nothing(email)


def test_logout(client, mgmt, person):
    """By login ID and by user ID: every session is over, the person may come again."""
    login, password, refresh = person
    mgmt.user.logout_user(login)
    refused(lambda: client.refresh_session(refresh), status=401)
    refresh = client.password.sign_in(login, password)["refreshSessionToken"]["jwt"]
    mgmt.user.logout_user_by_user_id(load(mgmt, login)["userId"])
    refused(lambda: client.refresh_session(refresh), status=401)


def test_roles(client, mgmt, person):
    """Set, added, removed; the next session says so."""
    login, _, refresh = person
    for role in ("Cook", "Waiter", "Host"):
        mgmt.role.create(role)
    assert mgmt.user.set_roles(login, ["Cook"])["user"]["roleNames"] == ["Cook"]
    assert sorted(mgmt.user.add_roles(login, ["Waiter", "Host"])["user"]["roleNames"]) == ["Cook", "Host", "Waiter"]
    assert sorted(mgmt.user.remove_roles(login, ["Cook"])["user"]["roleNames"]) == ["Host", "Waiter"]
    assert sorted(client.refresh_session(refresh)["roles"]) == ["Host", "Waiter"]
    refused(lambda: mgmt.user.add_roles(login, ["No such role"]))
    assert sorted(load(mgmt, login)["roleNames"]) == ["Host", "Waiter"]


def test_tenants_and_their_roles(client, mgmt, person):
    login, _, refresh = person
    tenant, other = (mgmt.tenant.create(name)["id"] for name in ("Kitchen", "Bar"))
    for role in ("Chef", "Runner"):
        mgmt.role.create(role)
    mgmt.user.add_tenant(login, tenant)
    mgmt.user.add_tenant(login, other)
    mgmt.user.set_tenant_roles(login, tenant, ["Chef"])
    mgmt.user.add_tenant_roles(login, tenant, ["Runner"])
    answer = client.refresh_session(refresh)
    assert sorted(answer["tenants"][tenant]["roles"]) == ["Chef", "Runner"] and answer["roles"] == []
    mgmt.user.remove_tenant_roles(login, tenant, ["Chef"])
    user = mgmt.user.remove_tenant(login, other)["user"]
    assert [(t["tenantId"], t["roleNames"]) for t in user["userTenants"]] == [(tenant, ["Runner"])]
    refused(lambda: mgmt.user.add_tenant(login, "no-such-tenant"))
    refused(lambda: mgmt.user.set_tenant_roles(login, other, ["Chef"]))


def test_active_password(client, mgmt, person):
    """The operator's one counts at once; sessions made with the old one are over."""
    login, old, refresh = person
    new = new_password()
    mgmt.user.set_active_password(login, new)
    refused(lambda: client.password.sign_in(login, old))
    client.password.sign_in(login, new)
    refused(lambda: client.refresh_session(refresh), status=401)


def test_set_password_in_the_old_way(client, mgmt, person):
    """Temporary, as the deprecated call always was."""
    login, _, _ = person
    temporary = new_password()
    mgmt.user.set_password(login, temporary)
    refused(lambda: client.password.sign_in(login, temporary), EXPIRED_PASSWORD)


def test_expired_password(project, client, mgmt, person):
    """Good only for choosing another one."""
    login, password, _ = person
    mgmt.user.expire_password(login)
    refused(lambda: client.password.sign_in(login, password), EXPIRED_PASSWORD)
    refused(lambda: client.password.replace(login, password, password))
    new = new_password()
    project.tokens(client.password.replace(login, password, new))
    client.password.sign_in(login, new)


def test_remove_totp(client, mgmt, person):
    login, _, refresh = person
    key = client.totp.update_user(login, refresh)["key"]
    client.totp.sign_in_code(login, pyotp.TOTP(key).at(time.time()))
    assert load(mgmt, login)["TOTP"] is True
    mgmt.user.remove_totp_seed(login)
    assert load(mgmt, login)["TOTP"] is False
    refused(lambda: client.totp.sign_in_code(login, pyotp.TOTP(key).at(time.time() + 30)))


def test_remove_what_is_not_there(mgmt, person):
    """Passkeys and recovery codes of somebody who has none: nothing happens."""
    login, _, _ = person
    mgmt.user.remove_all_passkeys(login)
    mgmt.user.remove_recovery_codes(login)
    assert load(mgmt, login)["webauthn"] is False


def test_history(client, mgmt, person):
    login, password, _ = person
    client.password.sign_in(login, password)
    user_id = load(mgmt, login)["userId"]
    history = mgmt.user.history([user_id])
    assert len(history) == 2 and {entry["userId"] for entry in history} == {user_id}


def test_status_of_the_invited(project, client, mgmt):
    """Whoever has the status invited proves the address, and is enabled."""
    email = new_email()
    mgmt.user.create(email, email=email, status="invited")
    assert load(mgmt, email)["status"] == "invited"
    client.otp.sign_up_or_in(EMAIL, email)
    project.tokens(client.otp.verify_code(EMAIL, email, project.mail.take(email).code))
    assert load(mgmt, email)["status"] == "enabled"
