"""The right to act as others, which an owner mapped to a provider's group: an operator comes to it by no detour."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, PASSWORD, Management, Operator, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
OWNER, ACTING = "olga@example.com", "users.impersonate"
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """Who is in the group `deputies` at the provider of `harbour` acts for the users of `harbour`; an owner is one."""
    server = serve(
        tmp_path_factory.mktemp("holders"), clients=[ADMIN, APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["corp.example"], "trust_email": True, "roles": {"deputies": "deputy"}}])
    key = Management(server)
    key.done("permission/create", {"name": ACTING})
    key.done("role/create", {"name": "deputy", "tenantId": "harbour", "permissionNames": [ACTING]})
    key.done("user/update/tenant/add", {"loginId": OWNER, "tenantId": "harbour"})
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def arrive(own, told: ToldProvider, login: str) -> Visitor:
    """Somebody of the group signs in at the organisation's provider."""
    said = {"sub": f"subject-{login}", "email": login, "email_verified": True, "groups": ["deputies"]}
    told.token, told.userinfo = said, {"sub": said["sub"]}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    arrived = visitor.follow(visitor.get(departure.url))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    return visitor


def token(own, login: str, password: str = PASSWORD) -> str | None:
    """What an app gets in which the user signs in by the password; `None`: the user does not get in."""
    visitor = Visitor(own.base)
    page = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = visitor.submit(page, {"username": login, "password": password})
    if not (isinstance(arrived, Callback) and arrived.get("code")):
        return None
    return requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]


def acts(own, key: Management, login: str) -> bool:
    """Whether the user, with the password, reads what an API has of an owner."""
    shown = token(own, login)
    return shown is not None and requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {shown}", "As-User": key.user(OWNER)["userId"]}).status_code == 200


def plain(key: Management, **more) -> str:
    login = f"plain{next(numbers)}@example.com"
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD} | more)
    return login


def holder(own, told, key: Management) -> str:
    login = f"deputy{next(numbers)}@corp.example"
    arrive(own, told, login)
    assert key.user(login)["userTenants"][0]["roleNames"] == ["deputy"]
    return login


def test_whoever_has_the_owners_role_acts_for_an_owner(own, key):
    """The control of what follows."""
    login = plain(key, userTenants=[{"tenantId": "harbour", "roleNames": ["deputy"]}])
    assert acts(own, key, login)
    assert not acts(own, key, plain(key, userTenants=[{"tenantId": "harbour"}]))


def test_an_operator_merges_no_holder_of_the_right_into_an_account_of_ones_own(own, told, key, tokens):
    mine, deputy = plain(key), holder(own, told, key)
    refused = tokens["oper"].post("user/merge", {"loginId": mine, "otherLoginId": deputy})
    assert refused.status_code == 403, refused.text


TAKING = {
    "the role": lambda m, login: m.post("user/update/role/remove", {
        "loginId": login, "tenantId": "harbour", "roleNames": ["deputy"]}),
    "the tenant": lambda m, login: m.post("user/update/tenant/remove", {"loginId": login, "tenantId": "harbour"}),
}


@pytest.mark.parametrize("taken", TAKING)
def test_an_operator_takes_that_right_from_nobody(own, told, key, tokens, taken):
    """Else the operator merges the holder, or sets a password, and the provider gives the role again."""
    deputy = holder(own, told, key)
    refused = TAKING[taken](tokens["oper"], deputy)
    assert (refused.status_code, refused.json()["missing"]) == (403, "owner"), refused.text
    assert TAKING[taken](tokens["olga"], deputy).status_code == 200, "an owner does"


def test_an_owner_merges_them(own, told, key, tokens):
    """The control."""
    mine, deputy = plain(key), holder(own, told, key)
    assert tokens["olga"].post("user/merge", {"loginId": mine, "otherLoginId": deputy}).status_code == 200
    assert acts(own, key, mine)


def test_an_operator_merges_no_member_of_such_a_group_into_an_account_of_ones_own(own, key, tokens):
    """The same by a group of the directory, whose member goes along, and who is active again later."""
    directory = Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])
    mine, member = plain(key), f"member{next(numbers)}@harbour.example"
    user = directory.make(member)
    group = directory.send("POST", "/Groups", {
        "displayName": f"Deputies {member}", "members": [{"value": user}]}).json()["id"]
    command(own, "scim", "group", "map", group, "--role", "deputy", "--tenant", "harbour")
    assert key.user(member)["userTenants"][0]["roleNames"] == ["deputy"]
    assert TAKING["the tenant"](tokens["oper"], member).status_code == 403
    merged = tokens["oper"].post("user/merge", {"loginId": mine, "otherLoginId": member})
    for active in (False, True):
        assert directory.patch(user, active=active).status_code == 200
    assert not acts(own, key, mine), f"{merged.status_code}: the operator's account acts for an owner"
