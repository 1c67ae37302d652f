"""What an operator reaches by changing what is there: roles, clients of one's own, names that are free again."""

from __future__ import annotations

import json
import re
import sqlite3

import pytest
import requests

from support.operators import CALLBACK, PASSWORD, Management, Operator, auth, serve
from support.tokens import payload_of


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("roles"))
    key = Management(server)
    key.done("role/create", {"name": "staff"})
    key.done("user/update/role/add", {"loginId": "oper@example.com", "roleNames": ["staff"]})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


@pytest.fixture(scope="module")
def token(own, people) -> Management:
    return Management(own, people["oper"].tokens()["access_token"])


def role(key: Management, name: str) -> dict:
    return next(each for each in key.get("role/all").json()["roles"] if each["name"] == name)


def test_an_operator_gives_oneself_no_permission_by_a_role_that_one_has(key, people, token):
    """One's own memberships are an owner's to change: a role that one has already is a way around."""
    refused = token.post("user/update/role/add", {"loginId": "oper@example.com", "roleNames": ["staff"]})
    assert refused.status_code == 403 and refused.json()["missing"] == "owner", refused.text
    user = key.user("nina@example.com")["userId"]
    act = lambda: people["oper"].send(f"/admin/users/user/change?id={user}", {"id": user, "action": "impersonate"})
    assert act().status_code == 422, "without the permission nobody acts"
    changed = people["oper"].send("/admin/roles", {
        "action": "save-role", "role": role(key, "staff")["id"], "permissions": "Impersonate"})
    page = act()
    session = re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]+", page.text)
    assert not session, f"{changed.status_code}: {payload_of(session.group(0))}"


def test_an_operator_sets_up_nobodys_authenticator(key, token):
    """A second factor that somebody else has too is none. A management key brings users of other services along."""
    made = {"verifiedEmail": True, "password": PASSWORD, "seed": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"}
    brought = key.done("user/create", {"loginId": "brought@example.com", "email": "brought@example.com"} | made)
    assert brought["user"]["TOTP"] is True
    refused = token.post("user/create", {"loginId": "seeded@example.com", "email": "seeded@example.com"} | made)
    assert refused.status_code == 403, f"{refused.status_code}, TOTP: {refused.json()['user']['TOTP']}"


def test_a_client_of_ones_own_hears_no_more_of_users_by_an_operators_word(own, people, token):
    """Nobody is asked at such a client: what it hears is what an owner gave."""
    made = people["olga"].send("/admin/clients/new", {
        "client_id": "shop", "kind": "public", "redirect_uris": CALLBACK, "first_party": "1",
        "grant_types": "authorization_code", "scope": "openid"})
    assert made.status_code == 303, made.text[:300]
    user = Operator(own, "nina")
    first = user.tokens(client_id="shop", scope="openid email phone")
    assert first["scope"] == "openid"
    token.send("PATCH", "/v1/mgmt/client/patch", {"client_id": "shop", "scope": "openid email phone"})
    wider = user.tokens(client_id="shop", scope="openid email phone")
    heard = requests.get(f"{own.base}/oauth2/userinfo", timeout=20, headers={
        "Authorization": f"Bearer {wider['access_token']}"}).json()
    assert "email" not in heard, heard


def test_a_cursor_of_one_tenant_is_no_page_of_another(own, key):
    bearers = [key.done("scim/token/create", {"tenantId": tenant})["cleartext"] for tenant in ("harbour", "other")]
    send = lambda bearer, method, path, body=None: requests.request(
        method, f"{own.base}/scim/v2{path}", data=body and json.dumps(body), timeout=20,
        headers={"Authorization": f"Bearer {bearer}", "Content-Type": "application/scim+json"})
    for number in range(3):
        assert send(bearers[0], "POST", "/Users", {"userName": f"u{number}"}).status_code == 201
    page = send(bearers[0], "GET", "/Users?cursor=&count=1").json()
    following = f"/Users?count=1&cursor={page['nextCursor']}"
    assert len(send(bearers[0], "GET", following).json()["Resources"]) == 1
    refused = send(bearers[1], "GET", following)
    assert (refused.status_code, refused.json()["scimType"]) == (400, "invalidCursor"), refused.text


def test_a_token_and_a_key_end_with_their_time(own, key):
    directory = key.done("scim/token/create", {"tenantId": "harbour", "days": 1})
    made = key.done("accesskey/create", {"name": "short", "expireTime": 4_000_000_000})
    shown = lambda: requests.get(f"{own.base}/scim/v2/Users", timeout=20, headers={
        "Authorization": f"Bearer {directory['cleartext']}"}).status_code
    exchanged = lambda: auth(own, "accesskey/exchange", {}, made["cleartext"]).status_code
    assert (shown(), exchanged()) == (200, 200)
    with sqlite3.connect(own.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE scim_token SET expires_at = 1 WHERE id = ?", (directory["token"]["id"],))
        database.execute("UPDATE access_key SET expires_at = 1 WHERE id = ?", (made["key"]["id"],))
    assert (shown(), exchanged()) == (401, 401)
    for days in (0, -1, 10**12):
        refused = key.post("scim/token/create", {"tenantId": "harbour", "days": days})
        assert refused.status_code == 400, f"{days}: {refused.text}"


def test_a_deleted_users_names_bring_nothing_back(own, key):
    """Keys, roles and tenants of the one who was deleted are not those of the next of that name."""
    login = "gone@example.com"
    first = key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD, "roleNames": ["staff"],
        "userTenants": [{"tenantId": "harbour"}]})["user"]["userId"]
    secret = key.done("accesskey/create", {"name": "of-gone", "userId": first})["cleartext"]
    refresh = auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).json()["refreshJwt"]
    key.done("operator/update", {"userId": first, "role": "viewer"})
    key.done("user/delete", {"userId": first})
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    after = key.user(login)
    assert after["userId"] != first and (after["roleNames"], after["userTenants"]) == ([], []) and not after["password"]
    assert auth(own, "accesskey/exchange", {}, secret).status_code == 401
    assert auth(own, "refresh", bearer=refresh).status_code == 401
    assert login not in [each for one in key.get("operator/all").json()["operators"] for each in one["loginIds"]]
