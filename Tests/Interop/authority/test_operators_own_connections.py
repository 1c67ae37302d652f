"""An operator makes a connection of a tenant, to a provider of one's own: whose accounts it opens."""

from __future__ import annotations

import json

import pytest
import requests

from support.operators import CALLBACK, PASSWORD, Management, Operator, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven its domain, and has no connection yet."""
    server = serve(tmp_path_factory.mktemp("made"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def member(key: Management, login: str, **more) -> dict:
    """Somebody of the tenant, with a password."""
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD,
        "userTenants": [{"tenantId": "harbour"}]} | more)
    return key.user(login)


def document(told: ToldProvider, identifier: str, **more) -> dict:
    return {"id": identifier, "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID,
            "client_secret": SECRET, "domains": ["harbour.example"]} | more


def make(by: Operator, made: dict):
    return by.send("/admin/connections", {"action": "create", "document": json.dumps(made)})


def arrive(own, told: ToldProvider, connection: str, **said):
    told.token, told.userinfo = said, {"sub": said["sub"]}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": connection} | CHALLENGE)
    if not (isinstance(departure, Callback) and departure.uri.startswith(told.issuer)):
        return departure, visitor
    return visitor.follow(visitor.get(departure.url)), visitor


def opens(own, told: ToldProvider, connection: str, login: str) -> bool:
    """Whether a sign-in at the provider, which says that it is this person, opens the person's account."""
    _, visitor = arrive(own, told, connection, sub=f"{connection}-{login}", email=login, email_verified=True)
    page = visitor.open(f"{own.base}/settings")
    return page.name == "settings" and login in page.response.text


def change(by: Operator, identifier: str, **members):
    return by.send(f"/admin/connections/connection?id={identifier}", {
        "action": "save", "id": identifier, "document": json.dumps(members)})


def test_an_operators_provider_signs_nobody_of_a_tenant_in(own, told, key, people):
    """Who speaks for the users that are there is an owner's word, and no operator links an identity to an account."""
    for login in ("mia@harbour.example", "mona@harbour.example"):
        member(key, login)
    assert make(people["olga"], document(told, "owners")).status_code == 303
    assert opens(own, told, "owners", "mona@harbour.example"), "an owner's connection opens it"
    made = make(people["oper"], document(told, "operators"))
    assert not opens(own, told, "operators", "mia@harbour.example"), f"{made.status_code}: the operator is Mia"


def test_an_operator_gives_no_connection_of_ones_own_a_domain_later(own, told, key, people):
    for login in ("milo@harbour.example", "milan@harbour.example"):
        member(key, login)
    assert make(people["oper"], document(told, "later", domains=[])).status_code == 403
    assert make(people["olga"], document(told, "later", domains=[])).status_code == 303, "it speaks for new users alone"
    assert not opens(own, told, "later", "milo@harbour.example")
    changed = change(people["oper"], "later", domains=["harbour.example"])
    assert changed.status_code == 403
    assert not opens(own, told, "later", "milan@harbour.example"), f"{changed.status_code}: the operator is Milan"


def test_an_operators_provider_is_nobody_whom_the_directory_made(own, told, key, people):
    """Known by the name that the directory gave, also where the connection has no domain."""
    command(own, "tenant", "domain", "remove", "harbour.example", "--tenant", "harbour")
    try:
        token = key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"]
        made = requests.post(
            f"{own.base}/scim/v2/Users", timeout=20, headers={"Authorization": f"Bearer {token}"},
            json={"userName": "mary", "externalId": "mary-1", "displayName": "Mary of Harbour",
                  "emails": [{"value": "mary@harbour.example"}]})
        assert made.status_code == 201, made.text
        assert make(people["oper"], document(told, "bare", domains=[])).status_code == 403
        _, visitor = arrive(own, told, "bare", sub="mary-1", preferred_username="mary", email="mary@harbour.example",
                            email_verified=True)
        page = visitor.open(f"{own.base}/settings")
        assert "Mary of Harbour" not in page.response.text, "the operator is Mary"
    finally:
        command(own, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")


@pytest.mark.parametrize("kind", ["role in the console", "authenticator"])
def test_an_operators_provider_is_no_second_factor_and_no_operator(own, told, key, people, kind):
    login = f"max-{len(kind)}@harbour.example"
    if kind == "authenticator":
        member(key, login, seed="JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    else:
        member(key, login)
        key.done("operator/update", {"loginId": login, "role": "viewer"})
    name = f"factor-{len(kind)}"
    make(people["olga"], document(told, name))
    assert not opens(own, told, name, login), f"not even an owner's, with a user who has a {kind}"
