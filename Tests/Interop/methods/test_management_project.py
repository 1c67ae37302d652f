"""Management of the project, with the unchanged package: tenants, roles, permissions, settings, tokens, audit."""

from __future__ import annotations

import datetime
import time

from descope import DescopeClient
from descope.management.common import MgmtLoginOptions, MgmtSignUpOptions, MgmtUserRequest

from support.methods import new_email, new_password, refused


def test_license(project):
    """The handshake that this package makes first, and what it repeats afterwards."""
    answer = project.wire.send("GET", "/v1/mgmt/license", bearer=f"{project.id}:{project.management_key}")
    assert answer.status_code == 200 and answer.json()["rateLimitTier"] in {f"tier{n}" for n in range(1, 5)}
    assert project.manager._mgmt_http_client.rate_limit_tier == answer.json()["rateLimitTier"]


def test_tenants(mgmt):
    """Made with an ID of one's own or without, changed, patched, found, removed."""
    chosen = f"tenant-{time.time_ns():x}"
    assert mgmt.tenant.create("Chosen", chosen)["id"] == chosen
    made = mgmt.tenant.create("Made", self_provisioning_domains=["made.example.com"])["id"]
    assert mgmt.tenant.load(made)["selfProvisioningDomains"] == ["made.example.com"]
    mgmt.tenant.update(made, "Updated")
    assert mgmt.tenant.load(made)["name"] == "Updated" and not mgmt.tenant.load(made)["selfProvisioningDomains"]
    mgmt.tenant.patch_tenant(made, self_provisioning_domains=["patched.example.com"])
    patched = mgmt.tenant.load(made)
    assert (patched["name"], patched["selfProvisioningDomains"]) == ("Updated", ["patched.example.com"])
    assert {chosen, made} <= {tenant["id"] for tenant in mgmt.tenant.load_all()["tenants"]}
    assert [tenant["id"] for tenant in mgmt.tenant.search_all(names=["Updated"])["tenants"]] == [made]
    assert [tenant["id"] for tenant in mgmt.tenant.search_all(ids=[chosen])["tenants"]] == [chosen]
    refused(lambda: mgmt.tenant.create("Again", chosen))
    mgmt.tenant.delete(chosen)
    refused(lambda: mgmt.tenant.load(chosen))


def test_deleted_tenant_leaves_its_people(project, mgmt):
    email, tenant = new_email(), mgmt.tenant.create("Leaving")["id"]
    _, refresh = project.tokens(project.sign_up(email))
    mgmt.user.add_tenant(email, tenant)
    mgmt.tenant.delete(tenant, cascade=False)
    assert mgmt.user.load(email)["user"]["userTenants"] == []
    assert project.client.refresh_session(refresh)["tenants"] == {}


def test_permissions(mgmt):
    mgmt.permission.create("see", "Look at it")
    mgmt.permission.create("hear")
    mgmt.permission.update("see", "look", "Look at it well")
    listed = {each["name"]: each for each in mgmt.permission.load_all()["permissions"]}
    assert {"look", "hear"} <= listed.keys() and "see" not in listed
    assert listed["look"]["description"] == "Look at it well"
    refused(lambda: mgmt.permission.create("look"))
    mgmt.permission.delete("look")
    left = {each["name"] for each in mgmt.permission.load_all()["permissions"]}
    assert "look" not in left and "hear" in left


def test_roles(project, mgmt):
    """A role's permissions reach the sessions of those who have it, also when it changes."""
    for name in ("open", "close"):
        mgmt.permission.create(name)
    mgmt.role.create("Doorman", "Opens", ["open"])
    email = new_email()
    _, refresh = project.tokens(project.sign_up(email))
    mgmt.user.add_roles(email, ["Doorman"])
    answer = project.client.refresh_session(refresh)
    assert (answer["roles"], answer["permissions"]) == (["Doorman"], ["open"])
    mgmt.role.update("Doorman", "Porter", "Opens and closes", ["open", "close"])
    answer = project.client.refresh_session(answer["refreshSessionToken"]["jwt"])
    assert answer["roles"] == ["Porter"] and sorted(answer["permissions"]) == ["close", "open"]
    assert [role["name"] for role in mgmt.role.search(role_names=["Porter"])["roles"]] == ["Porter"]
    found = {role["name"]: role for role in mgmt.role.load_all()["roles"]}
    assert sorted(found["Porter"]["permissionNames"]) == ["close", "open"] and "Doorman" not in found
    refused(lambda: mgmt.role.create("Porter"))
    mgmt.role.delete("Porter")
    answer = project.client.refresh_session(answer["refreshSessionToken"]["jwt"])
    assert (answer["roles"], answer["permissions"]) == ([], [])


def test_password_settings(quiet_project):
    """The same that the policy tells people's clients, and more."""
    settings, policy = quiet_project.mgmt.password.get_settings(), quiet_project.client.password.get_policy()
    assert policy.items() <= settings.items() and settings["enabled"] is True
    assert {"expiration", "expirationWeeks", "reuse", "reuseAmount", "lock", "lockAttempts"} <= settings.keys()


def test_password_settings_stand_in_the_configuration(quiet_project):
    """They are the operator's file's; a call says so, and changes nothing."""
    before = quiet_project.mgmt.password.get_settings()
    refused(lambda: quiet_project.mgmt.password.configure_settings("", {**before, "minLength": 14}))
    assert quiet_project.mgmt.password.get_settings() == before


def test_update_jwt(project, mgmt):
    """Claims of the operator's are trusted; nobody writes them into a foreign token."""
    session, _ = project.tokens(project.sign_up())
    updated = mgmt.jwt.update_jwt(session, {"department": "sales"}, 0)
    claims, before = project.client.validate_session(updated), project.client.validate_session(session)
    assert claims["department"] == "sales" and claims["sub"] == before["sub"] and claims["drn"] == "DS"
    head, body, _ = session.split(".")
    refused(lambda: mgmt.jwt.update_jwt(f"{head}.{body}.AAAA", {"a": 1}, 0))
    for name in ("sub", "iss", "exp", "drn"):
        try:
            forged = mgmt.jwt.update_jwt(session, {name: "x"}, 0)
        except Exception as problem:
            assert "E0" in str(problem) or "E1" in str(problem)
        else:
            assert project.client.validate_session(forged)[name] != "x"


def test_impersonate(project, mgmt):
    """A session of somebody else, for those who may, that says who is behind it and can be left."""
    operator, person = project.sign_up(), project.sign_up()
    email = person["user"]["email"]
    refused(lambda: mgmt.jwt.impersonate(operator["userId"], email, validate_consent=False))
    mgmt.permission.create("Impersonate")
    mgmt.role.create("Supporter", None, ["Impersonate"])
    mgmt.user.add_roles(operator["user"]["email"], ["Supporter"])
    refresh = mgmt.jwt.impersonate(operator["userId"], email, validate_consent=False)
    answer = project.client.refresh_session(refresh)
    assert answer["sessionToken"]["sub"] == person["userId"]
    assert operator["userId"] in str(answer["sessionToken"].get("act")), "nothing says who acts"
    back = mgmt.jwt.stop_impersonation(answer["refreshSessionToken"]["jwt"])
    assert project.client.refresh_session(back)["sessionToken"]["sub"] == operator["userId"]
    refused(lambda: mgmt.jwt.impersonate("U-nobody", email, validate_consent=False))
    refused(lambda: mgmt.jwt.impersonate(operator["userId"], new_email(), validate_consent=False))


def test_sign_in_for_somebody(project, mgmt):
    """The operator's own method, for people who exist; and for new ones."""
    email = new_email()
    refused(lambda: mgmt.jwt.sign_in(email))
    user = MgmtUserRequest(name="Mona Managed", email=email, email_verified=True)
    first = mgmt.jwt.sign_up(email, user, MgmtSignUpOptions(custom_claims={"level": 3}))
    project.tokens(first)
    assert first["user"]["name"] == "Mona Managed" and first["user"]["verifiedEmail"] is True
    assert "level" in first["sessionToken"] or first["sessionToken"]["nsec"] == {"level": 3}
    again = mgmt.jwt.sign_in(email, MgmtLoginOptions(revoke_other_sessions=True))
    project.tokens(again)
    assert again["userId"] == first["userId"]
    refused(lambda: project.client.refresh_session(first["refreshSessionToken"]["jwt"]), status=401)
    assert mgmt.jwt.sign_up_or_in(email)["userId"] == first["userId"]
    refused(lambda: mgmt.jwt.sign_up(email))


def test_audit(project, mgmt):
    """Who did what, when, from where; without a secret."""
    begun = datetime.datetime.now() - datetime.timedelta(seconds=5)
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    refused(lambda: project.client.password.sign_in(login, "not-the-password"))
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        audits = mgmt.audit.search(user_ids=[answer["userId"]], from_ts=begun)["audits"]
        if len(audits) >= 2:
            break
        time.sleep(0.1)
    assert len(audits) >= 2 and {audit["userId"] for audit in audits} == {answer["userId"]}
    assert all(audit["action"] and audit["remoteAddress"] == "127.0.0.1" for audit in audits)
    assert all(abs((audit["occurred"] - datetime.datetime.utcnow()).total_seconds()) < 600 for audit in audits)
    assert password not in str(audits) and "not-the-password" not in str(audits)
    named = mgmt.audit.search(user_ids=[answer["userId"]], actions=[audits[0]["action"]])["audits"]
    assert named and {audit["action"] for audit in named} == {audits[0]["action"]}


def test_with_a_wrong_management_key(project):
    """Nothing is managed, and nothing is told."""
    outsider: DescopeClient = project.new_client(management_key="K2-wrong")
    refused(lambda: outsider.mgmt.user.load(new_email()), status=401)
    refused(lambda: outsider.mgmt.user.create(new_email()), status=401)


def test_with_a_persons_token(project):
    session, refresh = project.tokens(project.sign_up())
    for token in (session, refresh):
        refused(lambda token=token: project.new_client(management_key=token).mgmt.user.search_all(), status=401)
