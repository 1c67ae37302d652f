"""Permissions to act as others and roles by their names: who gives them, and by which call."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, PASSWORD, Management, Operator, auth, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """An app that may act for a tenant's users, and a provider whose groups an owner mapped to a role."""
    server = serve(
        tmp_path_factory.mktemp("rights"), clients=[ADMIN, APP],
        roles=[{"name": "deputy", "permissions": ["Impersonate"]},
               {"name": "agent", "permissions": ["users.impersonate"]}, {"name": "treasurer", "permissions": ["pay"]},
               {"name": "clerk", "permissions": []}],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["corp.example"], "trust_email": True, "roles": {"staff": "treasurer"}}])
    key = Management(server)
    for login in ("oper@example.com", "nina@example.com", "olga@example.com"):
        key.done("user/update/tenant/add", {"loginId": login, "tenantId": "harbour"})
    key.done("user/update/role/add", {"loginId": "oper@example.com", "roleNames": ["clerk"]})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def person(key: Management, **more) -> str:
    login = f"person{next(numbers)}@example.com"
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "harbour"}]} | more)
    return login


def role(key: Management, name: str) -> str:
    return next(each["id"] for each in key.get("role/all").json()["roles"] if each["name"] == name)


def acts(own, key: Management, login: str, victim: str) -> bool:
    """Whether a program lets the user act as the other one."""
    answer = key.post("impersonate", {"impersonatorId": login, "loginId": victim})
    assert answer.status_code in (200, 400), answer.text
    return answer.status_code == 200


def reads(own, login: str, victim: str, key: Management) -> int:
    """What an app's token of the user answers, which asks for the other one by `As-User`."""
    user = Operator(own, login.split("@")[0])
    arrived = user.walk(user.browser.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"}))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    token = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]
    return requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {token}", "As-User": key.user(victim)["userId"]}).status_code


GIVING = {
    "role/add": lambda bearer, key, login: bearer.post("user/update/role/add", {
        "loginId": login, "roleNames": ["deputy"]}),
    "create": lambda bearer, key, login: bearer.post("user/create", {
        "loginId": f"made-{login}", "roleNames": ["deputy"]}),
    "merge": lambda bearer, key, login: bearer.post("user/merge", {
        "loginId": login, "otherLoginId": person(key, roleNames=["deputy"])}),
}


@pytest.mark.parametrize("way", GIVING)
def test_an_operator_gives_nobody_the_right_to_act_as_others(own, key, tokens, way):
    """Programs let whoever has it be any user, owners too: it is an owner's to give."""
    login = person(key)
    given = GIVING[way](tokens["oper"], key, login)
    holder = f"made-{login}" if way == "create" else login
    exists = key.get(f"user?loginId={holder}").status_code == 200
    acting = exists and acts(own, key, holder, "olga@example.com")
    assert (given.status_code, acting) == (403, False), f"{given.status_code}: {holder} acts as an owner"


@pytest.mark.parametrize("way", GIVING)
def test_an_owner_gives_the_right_to_act_as_others(own, key, tokens, way):
    """The control."""
    login = person(key)
    assert GIVING[way](tokens["olga"], key, login).status_code == 200
    assert acts(own, key, f"made-{login}" if way == "create" else login, "nina@example.com")


def test_an_operator_gives_that_right_by_no_form(own, key, people):
    login = person(key)
    user = key.user(login)["userId"]
    page = people["oper"].send(f"/admin/users/user/change?id={user}", {
        "id": user, "action": "roles", "role": "deputy"})
    assert not acts(own, key, login, "olga@example.com"), page.status_code
    people["oper"].send(f"/admin/users/user/change?id={user}", {"id": user, "action": "roles", "role": "clerk"})
    assert key.user(login)["roleNames"] == ["clerk"], "another role is an operator's to give"


@pytest.mark.parametrize(("way", "permission"), [
    *((way, "users.impersonate") for way in ("a new role", "a role of a tenant", "a role that one has", "a form")),
    ("a role of a tenant", "Impersonate"), ("a form", "Impersonate")])
def test_an_operator_puts_no_right_to_act_as_others_into_a_role(own, key, people, tokens, way, permission):
    """There are two of them: as another user on the wire, and for another user at an API."""
    name = f"role{next(numbers)}"
    if way == "a role that one has":
        people["oper"].send("/admin/roles", {
            "action": "save-role", "role": role(key, "clerk"), "permissions": permission})
        name = "clerk"
    elif way == "a form":
        people["oper"].send("/admin/roles", {"action": "create-role", "name": name, "permissions": permission})
    else:
        tenant = {"tenantId": "harbour"} if way == "a role of a tenant" else {}
        tokens["oper"].post("role/create", {"name": name, "permissionNames": [permission]} | tenant)
    found = [each["permissionNames"] for each in key.get("role/all").json()["roles"] if each["name"] == name]
    key.post("role/update", {"name": "clerk", "permissionNames": []})
    assert not any(permission in each for each in found), found
    made = tokens["olga"].post("role/create", {"name": f"{name}-olga", "permissionNames": [permission]})
    assert made.status_code == 200, made.text


def test_an_operators_role_lets_nobody_act_for_another_user_at_an_api(own, key, tokens):
    victim, ordinary, agent = person(key), person(key), person(key, roleNames=["agent"])
    assert reads(own, agent, victim, key) == 200, "who has an owner's role does"
    assert reads(own, ordinary, victim, key) == 403
    spy = f"spy{next(numbers)}@example.com"
    tokens["oper"].post("role/create", {"name": "spies", "permissionNames": ["users.impersonate"]})
    tokens["oper"].post("user/create", {
        "loginId": spy, "email": spy, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "harbour"}], "roleNames": ["spies"]})
    exists = key.get(f"user?loginId={spy}").status_code == 200
    assert not exists or reads(own, spy, victim, key) == 403, "an operator made a user who acts for all others"


def test_an_operator_acts_as_no_user_who_may_not_sign_in(own, key, people, tokens):
    tokens["olga"].post("user/update/role/add", {"loginId": "oper@example.com", "roleNames": ["deputy"]})
    answers = {}
    for status in ("enabled", "invited", "disabled", "expired"):
        login = person(key)
        key.done("user/update/status", {"loginId": login, "status": status})
        user = key.user(login)["userId"]
        page = people["oper"].send(f"/admin/users/user/change?id={user}", {"id": user, "action": "impersonate"})
        answers[status] = (page.status_code, "eyJ" in page.text)
    key.done("user/update/role/remove", {"loginId": "oper@example.com", "roleNames": ["deputy"]})
    assert answers == {"enabled": (200, True)} | dict.fromkeys(("invited", "disabled", "expired"), (422, False))


def arrive(own, told: ToldProvider, **said) -> None:
    told.token, told.userinfo = said, {"sub": said["sub"]}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    arrived = visitor.follow(visitor.get(departure.url))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived


def permissions(key: Management, login: str) -> list[str]:
    session = key.done("auth/signin", {"loginId": login})["sessionJwt"]
    return payload_of(session)["tenants"]["harbour"]["permissions"]


def test_a_role_of_the_tenant_takes_the_place_of_the_projects_for_those_who_had_it(own, told, key, tokens):
    """The mapped name means another role from now on: nothing gives the former one any more."""
    said = {"email_verified": True, "groups": ["staff"]}
    arrive(own, told, sub="t-1", email="tess@corp.example", **said)
    assert permissions(key, "tess@corp.example") == ["pay"]
    made = tokens["oper"].post("role/create", {"name": "treasurer", "tenantId": "harbour"})
    assert made.status_code == 200, made.text
    arrive(own, told, sub="t-2", email="tim@corp.example", **said)
    assert [permissions(key, f"{name}@corp.example") for name in ("tim", "tess")] == [[], []]


def test_a_role_in_the_console_is_given_by_its_own_name_alone(key, tokens):
    for word in ("Owner", " owner", "OWNER", "owner\n", "root", ["owner"], 3, {"role": "owner"}):
        refused = tokens["olga"].post("operator/update", {"loginId": "nina@example.com", "role": word})
        assert refused.status_code == 400, f"{word}: {refused.status_code} {refused.text}"
    given = lambda: [each["role"] for each in key.get("operator/all").json()["operators"]
                     if "nina@example.com" in each["loginIds"]]
    assert given() == []
    assert tokens["olga"].post("operator/update", {"loginId": "nina@example.com", "role": "viewer"}).status_code == 200
    assert given() == ["viewer"]
    assert tokens["olga"].post("operator/update", {"loginId": "nina@example.com", "role": ""}).status_code == 200
    assert given() == []


@pytest.mark.parametrize("is_proved", [False, True])
def test_a_colleagues_address_as_a_contact_brings_nobody_into_the_console(own, key, tokens, is_proved):
    """A stranger proves a telephone of one's own, and types in name and address of a colleague of the owner's."""
    phone, colleague = f"+49151123456{next(numbers):02}", f"colleague{next(numbers)}@corp.example"
    begun = auth(own, "otp/signup/sms", {
        "loginId": phone, "user": {"phone": phone, "email": colleague, "name": "A colleague"}})
    assert begun.status_code == 200, begun.text
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == phone and each.get("code")][-1]
    user = auth(own, "otp/verify/sms", {"loginId": phone, "code": code}).json()["user"]["userId"]
    made = key.get(f"user?userId={user}").json()["user"]
    assert (made["loginIds"], made["email"], made["verifiedEmail"]) == ([phone], colleague, False)
    if is_proved:
        key.done("user/update/email", {"loginId": phone, "email": colleague, "verified": True})
    given = tokens["olga"].post("operator/update", {"userId": user, "role": "owner"})
    assert given.status_code == (200 if is_proved else 400), given.text
