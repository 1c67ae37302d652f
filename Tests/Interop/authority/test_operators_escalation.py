"""An operator wants more than an owner gave: by users, names, addresses, clients, tenants, and what is shown."""

from __future__ import annotations

import json

import pytest
import requests

from support.operators import KEY, PASSWORD, Management, Operator, auth, letter, serve
from support.pages import Page
from support.visitor import Callback, Visitor

PEERS = {"otto": "operator", "sam": "support"}
STRANGERS_PASSWORD = "Seven-grey-herons-1!"
CLIENT_SECRET = "a-secret-of-a-connection-that-nobody-reads"
AUTHENTICATORS_KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("escalation"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def key(own) -> Management:
    key = Management(own)
    for name, role in PEERS.items():
        make(key, name)
        key.done("operator/update", {"loginId": f"{name}@example.com", "role": role})
    return key


@pytest.fixture(scope="module")
def people(own, key) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper", "sue", "vera")}
    for one in entered.values():
        one.enter()
    return entered


def make(key: Management, name: str, **more) -> str:
    """An ordinary user with a proved address; its identifier."""
    login = f"{name}@example.com"
    return key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True} | more)["user"]["userId"]


def roles(key: Management) -> dict[str, str]:
    return {each["loginIds"][0]: each["role"] for each in key.get("operator/all").json()["operators"]}


def test_support_accepts_no_invitation_for_a_user(own, key, people, tokens):
    """The password of an invited user counts once an address is proved. The console enables no invited user either."""
    one = {"loginId": "invited@example.com"}
    user = key.done("user/create", one | {
        "email": "invited@example.com", "password": PASSWORD, "invite": True, "sendMail": False})["user"]["userId"]
    unproved = auth(own, "password/signin", one | {"password": PASSWORD})
    assert (unproved.status_code, unproved.json()["missing"]) == (403, "address_proof"), unproved.text
    by_form = people["sue"].send(
        f"/admin/users/user?id={user}", {"id": user, "action": "enable"}, to="/admin/users/user/sessions")
    by_call = tokens["sue"].post("user/update/status", one | {"status": "enabled"})
    signed_in = auth(own, "password/signin", one | {"password": PASSWORD})
    assert (by_form.status_code, by_call.status_code) == (422, 403), f"and the password: {signed_in.status_code}"
    assert signed_in.status_code == 403 and key.user("invited@example.com")["status"] == "invited"
    make(key, "disabled")
    key.done("user/update/status", {"loginId": "disabled@example.com", "status": "disabled"})
    restored = tokens["sue"].post("user/update/status", {"loginId": "disabled@example.com", "status": "enabled"})
    assert restored.status_code == 200, "whom the message did reach"


@pytest.mark.parametrize(("path", "body"), [("user/update/status", {"status": "disabled"}), ("user/delete", {})])
def test_an_owner_ends_no_account_of_ones_own_by_a_call(own, key, people, path, body):
    """The console refuses it, and keeps the last owner the role: nobody would be left to give it again."""
    name = f"owner-{len(body)}"
    user = make(key, name, password=PASSWORD)
    key.done("operator/update", {"userId": user, "role": "owner"})
    one = Operator(own, name)
    one.enter()
    plain = key.user("nina@example.com")["userId"]
    by_form = one.send(
        f"/admin/users/user?id={plain}", {"id": user, "action": "disable"}, to="/admin/users/user/sessions")
    by_call = Management(own, one.tokens()["access_token"]).post(path, {"userId": user} | body)
    assert (by_form.status_code, by_call.status_code) == (422, 400), by_call.text
    assert roles(key)[f"{name}@example.com"] == "owner" and key.user(f"{name}@example.com")["status"] == "enabled"


def test_a_stranger_who_claimed_a_colleagues_address_gets_no_role(own, key, people, tokens):
    """An owner names the colleague by an address; a stranger has signed up with it, and never proved it."""
    name = "colleague@example.com"
    signed_up = auth(own, "password/signup", {
        "loginId": name, "password": STRANGERS_PASSWORD, "user": {"email": name}})
    assert signed_up.status_code == 200 and not key.user(name)["verifiedEmail"], signed_up.text
    by_form = people["olga"].send("/admin/operators", {"action": "grant", "user": name, "role": "operator"})
    by_call = tokens["olga"].post("operator/update", {"loginId": name, "role": "operator"})
    assert name not in roles(key), f"form {by_form.status_code}, call {by_call.status_code}"
    make(key, "proved-colleague")
    granted = people["olga"].send(
        "/admin/operators", {"action": "grant", "user": "proved-colleague@example.com", "role": "viewer"})
    assert granted.status_code == 303 and roles(key)["proved-colleague@example.com"] == "viewer"


def test_a_rule_of_a_tenant_locks_no_owner_out(own, key, people, tokens):
    """An operator may change tenants, and not the status of an owner, which for a member of one tenant is the same."""
    name = "owner-of-harbour@example.com"
    make(key, "owner-of-harbour", password=PASSWORD, userTenants=[{"tenantId": "harbour"}])
    make(key, "clerk-of-harbour", password=PASSWORD, userTenants=[{"tenantId": "harbour"}])
    key.done("operator/update", {"loginId": name, "role": "owner"})
    assert auth(own, "password/signin", {"loginId": name, "password": PASSWORD}).status_code == 200
    assert tokens["oper"].post("user/update/status", {"loginId": name, "status": "disabled"}).status_code == 403
    rule = {"id": "harbour", "action": "save", "name": "Harbour"}
    people["oper"].send("/admin/tenants/tenant?id=harbour", rule | {"required": "1"})
    try:
        clerk = auth(own, "password/signin", {"loginId": "clerk-of-harbour@example.com", "password": PASSWORD})
        assert clerk.status_code != 200, "the rule holds for members"
        owner = auth(own, "password/signin", {"loginId": name, "password": PASSWORD})
        browser = Visitor(own.base)
        page = browser.submit(browser.open(f"{own.base}/admin"), {"username": name, "password": PASSWORD})
        assert (owner.status_code, page.name) == (200, "totp-setup"), f"{owner.text} {page}"
    finally:
        people["oper"].send("/admin/tenants/tenant?id=harbour", rule)


@pytest.mark.parametrize(("attacker", "victim"), [
    ("oper", "oper"), ("oper", "otto"), ("oper", "olga"), ("sue", "sue"), ("sue", "sam"), ("sue", "oper")])
def test_calls_spare_peers_superiors_and_oneself(own, key, tokens, attacker, victim):
    one = {"loginId": f"{victim}@example.com"}
    make(key, f"ordinary-{attacker}-{victim}")
    calls = [
        ("user/update/status", {"status": "disabled"}), ("user/update/status", {"status": "expired"}),
        ("user/secondfactor/delete", {}), ("user/password/reset", {}), ("user/password/reset", {"expire": True}),
        ("user/logout", {}),
    ]
    if attacker == "oper":
        calls += [
            ("user/password/set/active", {"password": STRANGERS_PASSWORD}), ("user/delete", {}),
            ("user/update/role/add", {"roleNames": []}), ("user/update/tenant/add", {"tenantId": "other"}),
            ("user/merge", {"otherLoginId": "nina@example.com"}),
        ]
    for path, body in calls:
        refused = tokens[attacker].post(path, one | body)
        assert refused.status_code == 403 and refused.json()["missing"] == "owner", f"{path} {body}: {refused.text}"
    if attacker == "oper":
        gives_up = tokens["oper"].post("user/merge", {"loginId": "nina@example.com", "otherLoginId": one["loginId"]})
        # One's own account is never the other one.
        assert gives_up.status_code == (400 if attacker == victim else 403), gives_up.text
    ordinary = tokens[attacker].post("user/logout", {"loginId": f"ordinary-{attacker}-{victim}@example.com"})
    assert ordinary.status_code == 200 and roles(key)[one["loginId"]]


def test_no_operator_gives_a_user_an_owners_address(own, key, people, tokens):
    """Programs that know users by their address would take the one for the owner."""
    key.done("user/update", {
        "loginId": "oskar@example.com", "additionalLoginIds": ["unproved@example.com"], "email": "oskar@example.com",
        "verifiedEmail": True, "displayName": "oskar"})
    user = make(key, "accomplice")
    for body in [
        {"loginId": "evil", "email": "olga@example.com", "verifiedEmail": True},
        {"loginId": "evil", "email": "OLGA@example.com"}, {"loginId": "evil", "email": "olga@EXAMPLE.com"},
        {"loginId": "olga@example.com"},
        # Nobody proved it, but it is an owner's.
        {"loginId": "unproved@example.com", "email": "unproved@example.com", "verifiedEmail": True},
    ]:
        refused = tokens["oper"].post("user/create", body)
        assert (refused.status_code, refused.json()["errorCode"]) == (400, "E062107"), f"{body}: {refused.text}"
    for values in [{"action": "profile", "email": "olga@example.com"},
                   {"action": "add-login-id", "loginId": "unproved@example.com"}]:
        refused = people["oper"].send(f"/admin/users/user/change?id={user}", {"id": user, **values})
        assert refused.status_code == 422, f"{values}: {refused.status_code}"
    assert set(key.user("oskar@example.com")["loginIds"]) == {"oskar@example.com", "unproved@example.com"}
    free = people["oper"].send(
        f"/admin/users/user/change?id={user}", {"id": user, "action": "profile", "email": "free@example.com"})
    assert free.status_code == 303 and key.get(f"user?userId={user}").json()["user"]["email"] == "free@example.com"


def test_calls_make_no_client_that_is_an_owners(own, key, tokens):
    operator, owner = tokens["oper"], tokens["olga"]
    ours = {"client_id": "ours", "redirect_uris": ["https://ours.example/"], "first_party": True, "scope": "openid"}
    asks = {"client_id": "ours", "redirect_uris": ["https://a.example/"], "scope": "openid keyturn:management"}
    for body in [ours, asks]:
        refused = operator.post("client/create", body)
        assert refused.status_code == 403 and refused.json()["missing"] == "owner", refused.text
    assert owner.post("client/create", ours).status_code == 200
    admin = {"client_id": "admin", "redirect_uris": ["https://admin.example/"], "first_party": True,
             "scope": "openid keyturn:management"}
    assert owner.post("client/create", admin).status_code == 200
    for body in [
        {"client_id": "ours", "redirect_uris": ["https://ours.example/", "https://evil.example/"]},
        {"client_id": "ours", "grant_types": ["authorization_code", "refresh_token", "client_credentials"]},
        {"client_id": "ours", "scope": "openid keyturn:management"},
        {"client_id": "admin", "redirect_uris": ["https://evil.example/"]},
    ]:
        refused = operator.send("PATCH", "/v1/mgmt/client/patch", body)
        assert refused.status_code == 403 and refused.json()["missing"] == "owner", f"{body}: {refused.text}"
    assert operator.post("client/rotate-secret", {"client_id": "admin"}).status_code == 403
    # What a body says beside the members that can be changed is not heard.
    operator.done("client/create", {"client_id": "plain", "redirect_uris": ["https://p.example/"]})
    for more in [
        {"first_party": True}, {"may_impersonate": ["tenant:harbour"]}, {"token_endpoint_auth_method": "none"},
    ]:
        operator.send("PATCH", "/v1/mgmt/client/patch", {"client_id": "plain"} | more)
    plain = key.get("client?id=plain").json()
    assert not plain["first_party"] and "may_impersonate" not in plain
    assert plain["token_endpoint_auth_method"] == "client_secret_basic", plain


def test_no_operator_says_where_a_client_of_ones_own_sends_users_after_the_sign_out(own, key, people):
    """It would be a page that asks for the password again."""
    made = people["olga"].send("/admin/clients/new", {
        "client_id": "shop", "kind": "public", "redirect_uris": "https://shop.example/", "first_party": "1",
        "grant_types": "authorization_code", "scope": "openid"})
    assert made.status_code == 303, made.text[:300]
    change = {"id": "shop", "grant_types": "authorization_code", "scope": "openid", "action": "save",
              "redirect_uris": "https://shop.example/"}
    refused = people["oper"].send(
        "/admin/clients/edit?id=shop", change | {"post_logout_redirect_uris": "https://evil.example/"})
    assert refused.status_code == 403, refused.status_code
    renamed = people["oper"].send("/admin/clients/edit?id=shop", change | {"client_name": "The shop"})
    assert renamed.status_code == 303, "a name is an operator's"


def test_a_client_that_comes_back_under_its_name_has_no_consent(own, people):
    browser = Operator(own, "nina")
    partner = {"client_id": "partner", "kind": "public", "grant_types": "authorization_code", "scope": "openid email"}
    request = {"client_id": "partner", "redirect_uri": "https://partner.example/back", "scope": "openid email"}
    silent = {"response_type": "code", "state": "s", "prompt": "none", "code_challenge_method": "S256",
              "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}
    people["oper"].send("/admin/clients/new", partner | {"redirect_uris": request["redirect_uri"]})
    assert browser.tokens(**request)["access_token"]
    again = browser.browser.open(f"{own.base}/oauth2/authorize", request | silent)
    assert isinstance(again, Callback) and again.get("code"), "what was allowed is not asked for again"
    people["oper"].send("/admin/clients/client?id=partner", {
        "id": "partner", "action": "remove", "confirmation": "partner"})
    people["oper"].send("/admin/clients/new", partner | {"redirect_uris": "https://evil.example/back"})
    stolen = browser.browser.open(
        f"{own.base}/oauth2/authorize", request | silent | {"redirect_uri": "https://evil.example/back"})
    assert isinstance(stolen, Callback) and stolen.get("error") == "consent_required", stolen


def test_who_is_merged_into_another_account_hears_it(own, key, tokens):
    """As after a merge by the user: the password is no longer good, and the address opens another person's account."""
    make(key, "merged", password=PASSWORD)
    key.done("user/create", {"loginId": "thief@example.com", "email": "thief@example.com", "verifiedEmail": True,
                             "password": STRANGERS_PASSWORD})
    merged = tokens["oper"].post("user/merge", {"loginId": "thief@example.com", "otherLoginId": "merged@example.com"})
    assert merged.status_code == 200, merged.text
    assert auth(own, "password/signin", {"loginId": "merged@example.com", "password": PASSWORD}).status_code == 400
    assert letter(own, "merged@example.com", "merge"), "no message to the user whose way in is gone"


def test_a_viewer_reads_no_secret(own, key, people, tokens):
    """The audit log, the pages and the lists, after each kind of secret was made once."""
    document = {"id": "honest", "tenant": "harbour", "issuer": "https://login.honest.example", "client_id": "k",
                "client_secret": CLIENT_SECRET}
    made = people["olga"].send("/admin/connections", {"action": "create", "document": json.dumps(document)})
    assert made.status_code == 303, made.text[:300]
    secrets = {"connection": CLIENT_SECRET, "key": KEY, "password": STRANGERS_PASSWORD}
    secrets["scim"] = tokens["oper"].done("scim/token/create", {"tenantId": "harbour"})["cleartext"]
    secrets["client"] = tokens["oper"].done(
        "client/create", {"client_id": "secretive", "redirect_uris": ["https://s.example/"]})["client_secret"]
    user = key.user("nina@example.com")["userId"]
    secrets["access key"] = key.done("accesskey/create", {"name": "k", "userId": user})["cleartext"]
    seeded = key.done("user/create", {
        "loginId": "seeded@example.com", "seed": AUTHENTICATORS_KEY, "password": STRANGERS_PASSWORD})["user"]["userId"]
    secrets["authenticator"] = AUTHENTICATORS_KEY
    secrets["own authenticator"] = people["olga"].key
    browser = people["vera"].browser
    shown = {path: browser.get(own.base + path).text for path in (
        "/admin/audit", "/admin/audit/export", "/admin/connections", "/admin/connections/connection?id=honest",
        "/admin/clients/client?id=secretive", "/admin/tenants/tenant?id=harbour", "/admin/configuration",
        "/admin/messages", f"/admin/users/user?id={seeded}")}
    shown["audit/search"] = tokens["vera"].post("audit/search", {}).text
    for path in ("client/all", "user?loginId=seeded@example.com"):
        shown[path] = tokens["vera"].get(path).text
    assert "secretive" in shown["/admin/audit/export"] and "honest" in shown["audit/search"], "the log is read"
    found = [f"{kind} at {path}" for kind, secret in secrets.items() for path, text in shown.items() if secret in text]
    assert not found, found


def test_identifiers_of_sessions_that_viewers_see_open_nothing(own, key, people, tokens):
    user = key.user("olga@example.com")["userId"]
    seen = tokens["vera"].get(f"user/sessions?userId={user}").json()
    for identifier in [seen["sessions"][0]["sessionId"], seen["apps"][0]["grantId"]]:
        browser = Visitor(own.base)
        browser.session.cookies.set("keyturn-session", identifier)
        assert Page(browser.follow(browser.get(f"{own.base}/admin")).response).name == "login"
        refreshed = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
            "grant_type": "refresh_token", "client_id": "keyturn-cli", "refresh_token": identifier})
        assert (refreshed.status_code, refreshed.json()["error"]) == (400, "invalid_grant")
    assert people["olga"].browser.get(f"{own.base}/admin").status_code == 200
