"""A tenant with a connection of the file: its provider and its domains are not those of the next tenant of its name."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, PROJECT, Management, Operator, auth, serve
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Visitor


@pytest.fixture(scope="module")
def own(tmp_path_factory, told):
    names = ("kept", "freed", "owned")
    server = serve(
        tmp_path_factory.mktemp("tenants"), clients=[ADMIN],
        tenants=[{"id": name, "name": name.title()} for name in names],
        connections=[{
            "id": name, "name": name.title(), "tenant": name, "domains": [f"{name}.example"], "issuer": told.issuer,
            "client_id": CLIENT_ID, "client_secret": SECRET} for name in names])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def token(own) -> Management:
    operator = Operator(own, "oper")
    operator.enter()
    return Management(own, operator.tokens()["access_token"])


def next_customer(token: Management, name: str) -> None:
    """An operator, who is no owner, removes a customer, and makes another one of the same name, if that is allowed."""
    if token.post("tenant/delete", {"id": name}).status_code == 200:
        token.done("tenant/create", {"id": name, "name": "Another customer"})


def enters(own, told, name: str) -> list[str]:
    """The tenants of a new user whom the first customer's provider names."""
    subject, back = secrets.token_hex(6), f"{own.base}/back"
    told.token = {"sub": subject, "email": f"{subject}@{name}.example", "email_verified": True}
    told.userinfo = {"sub": subject}
    begun = requests.post(
        f"{own.base}/v1/auth/sso/authorize?tenant={name}&redirectUrl={back}", json={},
        headers={"Authorization": f"Bearer {PROJECT}"}, timeout=20)
    assert begun.status_code == 200, begun.text
    visitor = Visitor(own.base)
    answer = visitor.get(begun.json()["url"])
    while answer.is_redirect and not answer.headers["Location"].startswith(back):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    code = parse_qs(urlsplit(answer.headers.get("Location", "")).query).get("code")
    if not code:
        return []
    session = auth(own, "sso/exchange", {"code": code[0]}).json()
    return [each["tenantId"] for each in session["user"]["userTenants"]]


def names_a_stranger(own, key, token, name: str) -> bool:
    """Whether the tenant's directory makes a person of the domain its member, whose account is their own."""
    login = f"vera{secrets.token_hex(3)}@{name}.example"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    made = token.done("scim/token/create", {"tenantId": name})
    secret = made.get("cleartext") or made.get("token")
    Directory(own, secret).make(login, emails=[{"value": login, "primary": True}])
    return [each["tenantId"] for each in key.user(login).get("userTenants") or []] == [name]


def test_the_customers_own_provider_and_directory(own, told, key, token):
    """The control."""
    assert enters(own, told, "kept") == ["kept"]
    assert names_a_stranger(own, key, token, "kept")


def test_the_former_customers_provider_enters_no_other_customer(own, told, token):
    next_customer(token, "freed")
    assert token.get("tenant?id=freed").json().get("name") == "Freed" or enters(own, told, "freed") == []


def test_the_next_customers_directory_has_no_persons_of_the_former(own, key, token):
    next_customer(token, "owned")
    assert token.get("tenant?id=owned").json().get("name") == "Owned" or not names_a_stranger(own, key, token, "owned")


def test_a_tenant_takes_no_role_along_that_lets_its_users_act_as_others(token, key):
    """Its users could be chosen while the role is harmless, and an owner gives the right back to the name."""
    key.done("permission/create", {"name": "users.impersonate"})
    for name, right in (("plain-quay", []), ("acting-quay", ["users.impersonate"])):
        key.done("tenant/create", {"id": name, "name": name})
        key.done("role/create", {"name": "deputy", "tenantId": name, "permissionNames": right})
    assert token.post("tenant/delete", {"id": "plain-quay"}).status_code == 200, "the control"
    answer = token.post("tenant/delete", {"id": "acting-quay"})
    assert answer.status_code == 403 and answer.json()["missing"] == "owner", answer.text
