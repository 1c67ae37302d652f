"""Clients that users have consented to, and operators change; tokens of clients that an owner takes a right from."""

from __future__ import annotations

import pytest
import requests

from support.operators import CALLBACK, SCOPE, Management, Operator, serve
from support.visitor import Callback

CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
EVIL = "https://evil.example/back"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("clients"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper", "sue")}
    for one in entered.values():
        one.enter()
    return entered


def silent(own, user: Operator, client: str, redirect: str, scope: str = "openid email"):
    return user.browser.open(f"{own.base}/oauth2/authorize", {
        "client_id": client, "redirect_uri": redirect, "scope": scope, "response_type": "code", "state": "s",
        "prompt": "none"} | CHALLENGE)


def partner(people: dict[str, Operator], client: str) -> dict:
    """A public client of somebody else's, as the console makes it."""
    fields = {"client_id": client, "kind": "public", "grant_types": "authorization_code", "scope": "openid email"}
    address = f"https://{client}.example/back"
    made = people["oper"].send("/admin/clients/new", fields | {"redirect_uris": address})
    assert made.status_code == 303, made.text[:300]
    return {"client_id": client, "redirect_uri": address, "scope": "openid email"}


@pytest.mark.parametrize("way", ["form", "call"])
def test_an_operator_sends_no_answer_that_a_user_allowed_to_another_address(own, people, tokens, way):
    """What a user agreed to was an answer to the addresses that there were: a new one is asked about."""
    request = partner(people, f"partner-{way}")
    user = Operator(own, "nina")
    assert user.tokens(**request)["access_token"]
    allowed = silent(own, user, request["client_id"], request["redirect_uri"])
    assert isinstance(allowed, Callback) and allowed.get("code"), "what was allowed is not asked for again"
    if way == "form":
        people["oper"].send(f"/admin/clients/edit?id={request['client_id']}", {
            "id": request["client_id"], "action": "save", "grant_types": "authorization_code", "scope": "openid email",
            "redirect_uris": f"{request['redirect_uri']}\n{EVIL}"})
    else:
        changed = tokens["oper"].send("PATCH", "/v1/mgmt/client/patch", {
            "client_id": request["client_id"], "redirect_uris": [request["redirect_uri"], EVIL]})
        assert changed.status_code == 200, changed.text
    stolen = silent(own, user, request["client_id"], EVIL)
    assert isinstance(stolen, Callback) and stolen.get("error") == "consent_required", stolen
    still = silent(own, user, request["client_id"], request["redirect_uri"])
    assert isinstance(still, Callback) and still.get("code"), "the old address is what it was"


def test_an_operator_widens_nothing_that_a_user_allowed(own, people, tokens):
    request = partner(people, "narrow")
    user = Operator(own, "nina")
    assert user.tokens(**request)["access_token"]
    changed = tokens["oper"].send("PATCH", "/v1/mgmt/client/patch", {
        "client_id": "narrow", "scope": "openid email profile phone"})
    assert changed.status_code == 200, changed.text
    wider = silent(own, user, "narrow", request["redirect_uri"], "openid email profile")
    assert isinstance(wider, Callback) and wider.get("error") == "consent_required", wider


ENDS = {
    "scope": lambda key: key.send("PATCH", "/v1/mgmt/client/patch", {"client_id": "admin-scope", "scope": "openid"}),
    "removal": lambda key: key.post("client/delete", {"client_id": "admin-removal"}),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_token_ends_with_what_the_client_may(own, key, people, end):
    """An operator's token, of a client that an owner lets open the management interface no longer."""
    client = f"admin-{end}"
    key.done("client/create", {
        "client_id": client, "redirect_uris": [CALLBACK], "first_party": True, "scope": SCOPE,
        "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"]})
    told = people["oper"].tokens(client_id=client)
    token = Management(own, told["access_token"])
    assert token.get("operator/all").status_code == 200
    assert ENDS[end](key).status_code == 200
    assert token.get("operator/all").status_code in (401, 403)
    refreshed = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": client, "refresh_token": told["refresh_token"]})
    if refreshed.status_code == 200:
        assert Management(own, refreshed.json()["access_token"]).get("operator/all").status_code == 403


def test_support_and_viewers_make_and_change_no_client(tokens):
    for path, body in [("client/create", {"client_id": "s", "redirect_uris": [EVIL]}),
                       ("client/rotate-secret", {"client_id": "narrow"}), ("client/delete", {"client_id": "narrow"})]:
        assert tokens["sue"].post(path, body).status_code == 403, path
    refused = tokens["sue"].send("PATCH", "/v1/mgmt/client/patch", {"client_id": "narrow", "redirect_uris": [EVIL]})
    assert refused.status_code == 403


@pytest.mark.parametrize("words", [
    "POST v2 user/search/test", "POST v1 user/history", "POST v1 user/update/phone", "POST v1 user/update/name",
    "POST v1 user/update/picture", "POST v1 user/update/customAttribute", "POST v1 user/update/role/set",
    "POST v2 user/update/role/add", "POST v1 permission/delete", "GET v1 license", "POST v1 password/settings",
    "POST v1 user/password/expire", "POST v1 user/totp/delete", "POST v1 user/passkeys/delete",
    "POST v1 user/passkeys/list", "POST v1 user/passkey/delete", "POST v1 user/recovery-codes/delete",
    "POST v1 tests/generate/enchantedlink", "POST v1 auth/signup-in", "GET v1 accesskey?id=x",
    "POST v1 accesskey/update", "POST v1 accesskey/activate", "POST v1 accesskey/deactivate",
    "POST v1 accesskey/delete", "POST v1 connection/try", "POST v1 connection/tried", "GET v1 connection?id=x",
    "GET v2 sso/settings?tenantId=harbour", "GET v2 sso/settings/all?tenantId=harbour",
    "GET v1 sso/settings?tenantId=harbour", "POST v1 sso/settings/new", "POST v1 sso/settings/authtype",
    "POST v1 sso/redirect", "POST v1 sso/saml/metadata", "POST v1 sso/settings", "POST v1 sso/metadata",
    "DELETE v1 sso/settings?tenantId=harbour",
])
def test_no_operators_token_opens_what_else_is_for_keys(key, tokens, words):
    """Not even an owner's. A key's holder is answered about the body."""
    method, version, path = words.split()
    send = lambda by: by.send(method, f"/{version}/mgmt/{path}", None if method in ("GET", "DELETE") else {})
    refused = send(tokens["olga"])
    assert refused.status_code == 401 and refused.json()["errorCode"] == "E011003", refused.text
    assert send(key).status_code in (200, 400)
