"""Who acts for others at an API is an owner's to say, whatever operators do to groups, defaults and holders."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, PASSWORD, Management, Operator, command, serve
from support.visitor import Callback

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour", "tenant:other"],
}
OWNER = "olga@example.com"
ACTING = "users.impersonate"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven a domain; an owner mapped a group of its directory to a role that acts for others."""
    server = serve(
        tmp_path_factory.mktemp("acting"), clients=[ADMIN, APP],
        roles=[{"name": "agent", "permissions": [ACTING]}, {"name": "payer", "permissions": ["pay"]}])
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    key = Management(server)
    for tenant in ("harbour", "other"):
        key.done("user/update/tenant/add", {"loginId": OWNER, "tenantId": tenant})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def token(own, login: str, password: str = PASSWORD) -> str | None:
    """What an app gets in which the user signs in by the password; `None`: the user does not get in."""
    name, at = login.split("@")
    user = Operator(own, name, password=password)
    page = user.browser.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = user.browser.submit(page, {"username": f"{name}@{at}", "password": password})
    if not (isinstance(arrived, Callback) and arrived.get("code")):
        return None
    return requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]


def reads(own, key: Management, shown: str | None, victim: str = OWNER) -> int:
    """What the API answers for another user."""
    return requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {shown}", "As-User": key.user(victim)["userId"]}).status_code


def agent(key: Management, password: str = PASSWORD, **more) -> str:
    login = f"agent{next(numbers)}@example.com"
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": password,
        "userTenants": [{"tenantId": "harbour"}], "roleNames": ["agent"]} | more)
    return login


def test_whoever_has_an_owners_role_acts_for_an_owner(own, key):
    """The control of what follows."""
    assert reads(own, key, token(own, agent(key))) == 200
    assert reads(own, key, token(own, agent(key, roleNames=["payer"]))) == 403


def directory(own, bearer: Management, tenant: str) -> Directory | None:
    made = bearer.post("scim/token/create", {"tenantId": tenant})
    assert made.status_code in (200, 403), made.text
    return Directory(own, made.json()["cleartext"]) if made.status_code == 200 else None


def test_an_operator_gives_the_right_to_act_as_others_by_no_group(own, key, tokens):
    """A group that an owner mapped, and a token of the directory that the operator makes."""
    key.done("role/create", {"name": "deputy", "tenantId": "harbour", "permissionNames": [ACTING]})
    mine = directory(own, tokens["olga"], "harbour")
    group = mine.send("POST", "/Groups", {"displayName": "Deputies"}).json()["id"]
    command(own, "scim", "group", "map", "Deputies", "--role", "deputy", "--tenant", "harbour")
    theirs, acting = directory(own, tokens["oper"], "harbour"), False
    if theirs:
        login = f"spy{next(numbers)}@harbour.example"
        user = theirs.make(login)
        theirs.send("PATCH", f"/Groups/{group}", {"Operations": [
            {"op": "add", "path": "members", "value": [{"value": user}]}]})
        tokens["oper"].post("user/password/set/active", {"loginId": login, "password": PASSWORD})
        shown = token(own, login)
        acting = shown is not None and reads(own, key, shown) == 200
    assert not acting, "an operator made a user who acts for an owner"


def test_a_group_gives_that_right_to_whom_the_owners_directory_puts_there(own, key, tokens):
    """The control."""
    mine, login = directory(own, tokens["olga"], "other"), f"deputy{next(numbers)}@example.com"
    key.done("role/create", {"name": "deputy", "tenantId": "other", "permissionNames": [ACTING]})
    group = mine.send("POST", "/Groups", {"displayName": "Deputies"}).json()["id"]
    command(own, "scim", "group", "map", "Deputies", "--role", "deputy", "--tenant", "other")
    user = mine.make(f"deputy-{login}", displayName=login)
    joined = mine.send("PATCH", f"/Groups/{group}", {"Operations": [
        {"op": "add", "path": "members", "value": [{"value": user}]}]})
    assert joined.status_code == 204, joined.text
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["other"]}).json()["users"]
    assert [each["userTenants"][0]["roleNames"] for each in found if each["name"] == login] == [["deputy"]]


DEFAULTS = {
    "join": lambda m, login: m.post("user/update/tenant/add", {"loginId": login, "tenantId": "other"}),
    "create": lambda m, login: m.post("user/create", {
        "loginId": f"new-{login}", "userTenants": [{"tenantId": "other"}]}),
    "named": lambda m, login: m.post("user/create", {
        "loginId": f"new-{login}", "userTenants": [{"tenantId": "other", "roleNames": ["agent"]}]}),
}


@pytest.mark.parametrize("way", DEFAULTS)
def test_an_operator_gives_the_right_to_act_as_others_by_no_default(key, tokens, way):
    """An owner made it what each user of a tenant has."""
    name = f"greeter{next(numbers)}"
    key.done("role/create", {"name": name, "tenantId": "other", "permissionNames": [ACTING], "default": True})
    login = agent(key, roleNames=[])
    refused = DEFAULTS[way](tokens["oper"], login)
    assert refused.status_code == 403, refused.text
    assert DEFAULTS[way](tokens["olga"], login).status_code == 200, "an owner does"
    key.done("role/delete", {"name": name, "tenantId": "other"})


def test_an_operator_gives_that_default_by_no_directory_of_ones_own(own, key, tokens):
    """A token of the directory that the operator makes, and a user whom it makes."""
    name, login = f"greeter{next(numbers)}", f"spy{next(numbers)}@harbour.example"
    key.done("role/create", {"name": name, "tenantId": "harbour", "permissionNames": [ACTING], "default": True})
    theirs, acting = directory(own, tokens["oper"], "harbour"), False
    if theirs:
        theirs.make(login)
        tokens["oper"].post("user/password/set/active", {"loginId": login, "password": PASSWORD})
        shown = token(own, login)
        acting = shown is not None and reads(own, key, shown) == 200
    key.done("role/delete", {"name": name, "tenantId": "harbour"})
    assert not acting, "an operator made a user who acts for an owner"


def test_an_operator_lets_no_role_that_acts_as_others_reach_more_users(key, tokens):
    name = f"acting{next(numbers)}"
    key.done("role/create", {"name": name, "tenantId": "harbour", "permissionNames": [ACTING]})
    key.post("permission/create", {"name": "sign"})
    at = {"name": name, "tenantId": "harbour", "permissionNames": [ACTING]}
    for path, body in [
        ("role/update", at | {"default": True}), ("role/update", at | {"newName": f"{name}-2"}),
        ("permission/update", {"name": "sign", "newName": ACTING}),
        ("permission/update", {"name": ACTING, "newName": "Impersonate"}),
    ]:
        refused = tokens["oper"].post(path, body)
        assert refused.status_code in (401, 403), f"{path} {body}: {refused.text}"
    found = [each for each in key.get("role/all").json()["roles"] if each["name"].startswith(name)]
    assert [(each["name"], each["default"], each["permissionNames"]) for each in found] == [(name, False, [ACTING])]
    assert key.post("role/update", at | {"newName": f"{name}-2"}).status_code == 200, "a program does"


TAKING = {
    "password": lambda m, login: m.post("user/password/set/active", {"loginId": login, "password": f"{PASSWORD}-2"}),
    "status": lambda m, login: m.post("user/update/status", {"loginId": login, "status": "disabled"}),
    "tenant": lambda m, login: m.post("user/update/tenant/remove", {"loginId": login, "tenantId": "harbour"}),
}


@pytest.mark.parametrize("way", TAKING)
@pytest.mark.parametrize("where", ["everywhere", "in a tenant"])
def test_an_operator_takes_no_account_that_acts_as_others(own, key, tokens, way, where):
    there = {"roleNames": [], "userTenants": [{"tenantId": "harbour", "roleNames": ["agent"]}]}
    login, other = agent(key, **(there if where == "in a tenant" else {})), agent(key, roleNames=["payer"])
    refused = TAKING[way](tokens["oper"], login)
    assert (refused.status_code, refused.json().get("missing")) == (403, "owner"), refused.text
    assert token(own, login), "the user's own password still counts"
    allowed = TAKING[way](tokens["oper"], other)
    assert allowed.status_code == 200, f"another user is an operator's to change: {allowed.text}"
    assert TAKING[way](tokens["olga"], login).status_code == 200, "an owner does"


def test_who_acts_for_others_stops_with_the_role_and_with_the_account(own, key):
    login = agent(key)
    shown = token(own, login)
    assert reads(own, key, shown) == 200
    key.done("user/update/role/remove", {"loginId": login, "roleNames": ["agent"]})
    assert reads(own, key, shown) == 403
    key.done("user/update/role/add", {"loginId": login, "roleNames": ["agent"]})
    assert reads(own, key, shown) == 200
    key.done("user/update/status", {"loginId": login, "status": "disabled"})
    assert reads(own, key, shown) == 401
