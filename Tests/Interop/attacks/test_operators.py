"""Attacks O-1 to O-5: an operator of the console wants to be an owner. From outside, with forms alone."""

from __future__ import annotations

import json

import pyotp
import pytest
import requests

from support.pages import Page
from support.server import Server
from support.visitor import Callback, Visitor

PASSWORD = "correct-horse-battery"
KEY = "a-management-key-for-the-tests-of-operators"
PROJECT_ROLES = [("olga", "owner"), ("oper", "operator"), ("sue", "support")]
ADMIN = {
    "client_id": "keyturn-cli", "redirect_uris": ["https://cli.example/back"],
    "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
    "application_type": "native", "first_party": True, "scope": "openid profile keyturn:management",
}
CONNECTION = {
    "id": "evil", "issuer": "http://127.0.0.1:9733", "client_id": "keyturn", "client_secret": "x",
    "trust_email": True, "strong_contexts": ["mfa"],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server that only these tests use."""
    server = Server(tmp_path_factory.mktemp("operators"), {
        "issuer": "auto", "project": {"name": "Harbour", "management_keys": [KEY]}, "clients": [ADMIN],
        "tenants": [{"id": "harbour", "name": "Harbour"}],
        "users": [
            {
                "email": f"{name}@example.com", "email_verified": True, "password": PASSWORD, "name": name,
                "console_role": role,
            }
            for name, role in PROJECT_ROLES
        ] + [{"email": "nina@example.com", "email_verified": True, "password": PASSWORD, "name": "nina"}],
    })
    yield server
    assert server.stop() == 0


def enter(server: Server, name: str) -> Visitor:
    """Signs an operator in, with an authenticator app that the first sign-in sets up."""
    visitor = Visitor(server.base)
    page = visitor.open(f"{server.base}/admin")
    for _ in range(5):
        assert isinstance(page, Page), f"left the server: {page}"
        if page.name == "admin":
            return visitor
        if page.name == "totp-setup":
            key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
            field = next(iter(page.form.inputs))
            page = visitor.submit(page, {field: pyotp.TOTP(key).now()})
        elif page.name == "login":
            page = visitor.submit(page, {"username": f"{name}@example.com", "password": PASSWORD})
        else:
            page = visitor.submit(page)
    raise AssertionError(f"the console did not open: {page}")


@pytest.fixture(scope="module")
def operators(own) -> dict[str, Visitor]:
    return {role: enter(own, name) for name, role in PROJECT_ROLES}


def send(visitor: Visitor, at: str, values: dict[str, str], to: str | None = None) -> requests.Response:
    """A form of a page with other values, whether the page offers them or not."""
    page = visitor.open(visitor.base + at)
    assert isinstance(page, Page) and page.forms, f"{at}: {page}"
    target = visitor.base + (to or at.split("?")[0])
    form = next(form for form in page.forms if form.action.split("?")[0] == target)
    return visitor.post(target, data={"csrf": form.values["csrf"], **values})


def test_an_operator_makes_no_connection_that_speaks_for_owners(own, operators):
    for more in [{}, {"tenant": "harbour"}, {"tenant": "harbour", "strong_contexts": []}]:
        document = json.dumps(CONNECTION | more)
        refused = send(
            operators["operator"], "/admin/connections", {"action": "create", "document": document})
        assert refused.status_code == 403 and "Only an owner" in refused.text, f"{more}: {refused.status_code}"
    assert Visitor(own.base).get(f"{own.base}/federation/evil/start").status_code >= 400


def test_an_operator_exchanges_no_keys_of_a_connection(own, operators):
    made = send(operators["owner"], "/admin/connections", {"action": "create", "document": json.dumps({
        "id": "honest", "tenant": "harbour", "issuer": "https://login.honest.example", "client_id": "keyturn",
        "client_secret": "x", "trust_email": True,
    })})
    assert made.status_code == 303, made.text[:500]
    path = "/admin/connections/connection"
    for change, named in [
        ({"endpoints": {"jwks_uri": "https://evil.example/keys"}, "client_secret": "y"}, "jwks_uri"),
        ({"issuer": "https://evil.example", "client_secret": "y"}, "issuer"),
        ({"mapping": {"email": "nickname"}}, "mapping"),
        ({"strong_contexts": ["pwd"]}, "strong_contexts"),
    ]:
        refused = send(
            operators["operator"], f"{path}?id=honest",
            {"action": "save", "id": "honest", "document": json.dumps(change)})
        assert refused.status_code == 403 and named in refused.text, f"{change}: {refused.status_code}"
    page = operators["owner"].open(f"{own.base}{path}?id=honest")
    assert "evil" not in page.response.text and "nickname" not in page.response.text


@pytest.mark.parametrize("fields", [
    {"first_party": "1", "scope": "openid keyturn:management"}, {"first_party": "1"},
    {"scope": "keyturn:management"},
])
def test_an_operator_registers_no_client_that_gets_an_owners_token(own, operators, fields):
    refused = send(operators["operator"], "/admin/clients/new", {
        "client_id": "handy", "kind": "public", "redirect_uris": "http://127.0.0.1:9734/steal",
        "grant_types": "authorization_code", **fields,
    })
    assert refused.status_code == 403, refused.status_code
    asked = Visitor(own.base).get(
        f"{own.base}/oauth2/authorize", params={"client_id": "handy", "response_type": "code"})
    assert asked.status_code == 400, "there is no such client"


def test_an_operator_adds_no_address_to_a_client_of_the_operators(own, operators):
    made = send(operators["owner"], "/admin/clients/new", {
        "client_id": "ours", "kind": "public", "redirect_uris": "https://ours.example/back", "first_party": "1",
        "grant_types": "authorization_code", "scope": "openid",
    })
    assert made.status_code == 303, made.text[:500]
    for values in [
        {"redirect_uris": "https://ours.example/back\nhttps://evil.example/"},
        {"redirect_uris": "https://ours.example/back", "scope": "openid keyturn:management"},
    ]:
        refused = send(operators["operator"], "/admin/clients/edit?id=ours", {
            "id": "ours", "grant_types": "authorization_code", "scope": "openid", "action": "save", **values,
        })
        assert refused.status_code == 403, f"{values}: {refused.status_code}"


def test_a_link_gets_no_token_for_the_management_interface_from_an_owners_browser(own, operators):
    request = {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": "https://cli.example/back",
        "scope": "openid keyturn:management", "state": "s", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    }
    owner = operators["owner"]
    silent = owner.open(f"{own.base}/oauth2/authorize", request | {"prompt": "none"})
    assert isinstance(silent, Callback) and silent.get("code") is None, silent
    assert silent["error"] in ("consent_required", "interaction_required"), silent
    for _ in range(2):
        page = owner.open(f"{own.base}/oauth2/authorize", request)
        assert isinstance(page, Page) and page.name == "consent", f"no page: {page}"
        assert "Administer this server" in page.response.text
        allowed = owner.submit(page)
        assert isinstance(allowed, Callback) and allowed.get("code"), allowed


@pytest.mark.parametrize(("attacker", "victim"), [("operator", "owner"), ("support", "operator"), ("support", "owner")])
def test_users_who_have_as_much_to_say_are_left_alone(own, operators, attacker, victim):
    visitor = operators[attacker]
    name = next(name for name, role in PROJECT_ROLES if role == victim)
    user = identifier(visitor, name)
    ordinary = identifier(visitor, "nina")
    forms = [
        ("/admin/users/user", "reset"), ("/admin/users/user", "remove-factor"),
        ("/admin/users/user/sessions", "disable"), ("/admin/users/user/sessions", "end-all"),
    ]
    if attacker == "operator":
        forms += [("/admin/users/user/change", "delete"), ("/admin/users/user/change", "profile")]
    for path, action in forms:
        # The form of a user whom the attacker may change, with the victim in it.
        page = "/admin/users/user/change" if path.endswith("change") else "/admin/users/user"
        values = {"action": action, "confirm": f"{name}@example.com", "email": "evil@example.com"}
        refused = send(visitor, f"{page}?id={ordinary}", values | {"id": user}, to=path)
        assert refused.status_code == 403 and "Only an owner" in refused.text, f"{path} {action}: {refused.status_code}"
    assert operators[victim].get(f"{own.base}/admin").status_code == 200, "the victim is still signed in"


def identifier(visitor: Visitor, name: str) -> str:
    """The identifier of the user of this login ID, as the console shows it."""
    found = visitor.open(f"{visitor.base}/admin/users?text={name}@example.com")
    links = [a["href"] for a in found.soup.find_all("a", href=True)]
    return next(link for link in links if "/admin/users/user?id=" in link).split("id=")[1].split("&")[0]
