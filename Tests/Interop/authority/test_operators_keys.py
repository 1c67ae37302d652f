"""Access keys, services and management keys: what they open, and when that ends."""

from __future__ import annotations

import base64
import json

import pytest
import requests

from support.operators import CALLBACK, KEY, PASSWORD, PROJECT, Management, Operator, auth, serve

NEW_PASSWORD = "Seven-grey-herons-1!"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("keys"), roles=[{"name": "clerk", "permissions": ["sell"]}])
    yield server
    assert server.stop() == 0


def worker(key: Management, name: str) -> tuple[str, dict]:
    """A user with a role, and an access key that is bound to it."""
    user = key.done("user/create", {
        "loginId": name, "roleNames": ["clerk"], "userTenants": [{"tenantId": "harbour"}],
    })["user"]["userId"]
    return user, key.done("accesskey/create", {"name": name, "userId": user})


def exchange(own, secret: str, **options) -> requests.Response:
    return auth(own, "accesskey/exchange", {"loginOptions": options} if options else {}, secret)


def claims(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize(("name", "path", "body"), [
    ("disabled-worker", "user/update/status", {"status": "disabled"}),
    ("expired-worker", "user/update/status", {"status": "expired"}),
    ("deleted-worker", "user/delete", {}),
    ("idle-key", "accesskey/deactivate", None),
    ("rotated-key", "accesskey/rotate", None),
    ("deleted-key", "accesskey/delete", None),
    ("fenced-key", "accesskey/update", None),
])
def test_a_key_ends_with_its_user_and_with_itself(own, key, name, path, body):
    user, made = worker(key, name)
    assert exchange(own, made["cleartext"]).status_code == 200
    fence = {"name": name, "permittedIps": ["192.0.2.0/24"]} if name == "fenced-key" else {}
    key.done(path, {"id": made["key"]["id"]} | fence if body is None else {"userId": user} | body)
    refused = exchange(own, made["cleartext"])
    assert (refused.status_code, refused.json()["errorCode"]) == (401, "E062803"), refused.text


def test_a_bound_key_has_what_its_user_has_now(own, key):
    user, made = worker(key, "moving-worker")
    told = claims(exchange(own, made["cleartext"]).json()["sessionJwt"])
    assert told["roles"] == ["clerk"] and list(told["tenants"]) == ["harbour"]
    key.done("user/update/role/remove", {"loginId": "moving-worker", "roleNames": ["clerk"]})
    key.done("user/update/tenant/remove", {"loginId": "moving-worker", "tenantId": "harbour"})
    told = claims(exchange(own, made["cleartext"]).json()["sessionJwt"])
    assert not told.get("roles") and not told.get("tenants")
    refused = exchange(own, made["cleartext"], selectedTenant="harbour")
    assert (refused.status_code, refused.json()["errorCode"]) == (400, "E011003"), refused.text


def test_no_claim_of_a_key_or_of_its_holder_stands_for_a_right(own, key):
    """Whoever makes a key, or shows one, names claims: none of those by which programs know rights and users."""
    forged = {"sub": "olga", "roles": ["owner"], "permissions": ["all"], "tenants": {"other": {}}, "act": {"sub": "x"},
              "iss": "https://evil.example", "amr": ["mfa"], "drn": "DSR", "exp": 4_000_000_000, "harmless": "yes"}
    user = key.user("nina@example.com")["userId"]
    made = key.done("accesskey/create", {"name": "forged", "userId": user, "customClaims": forged})
    told = claims(exchange(own, made["cleartext"], customClaims=forged).json()["sessionJwt"])
    assert told["harmless"] == "yes", "others are told"
    taken = {name: told.get(name) for name in forged if name != "harmless" and told.get(name) == forged[name]}
    assert not taken, taken
    assert told["exp"] - told["iat"] <= 3_600


def test_the_session_of_a_key_is_not_its_users(own, key):
    """A key of an owner opens neither the console nor the management interface, and changes no sign-in."""
    owner = key.user("olga@example.com")["userId"]
    answer = exchange(own, key.done("accesskey/create", {"name": "o", "userId": owner})["cleartext"]).json()
    token = answer["sessionJwt"]
    assert not answer.get("refreshJwt")
    for bearer in [token, f"{PROJECT}:{token}", answer["keyId"]]:
        assert Management(own, bearer).get("operator/all").status_code == 401
    one = {"loginId": "olga@example.com"}
    for path, body in [
        ("refresh", {}), ("password/update", one | {"newPassword": NEW_PASSWORD}), ("totp/update", one),
        ("logoutall", {}),
    ]:
        assert auth(own, path, body, token).status_code == 401, path
    assert auth(own, "password/signin", one | {"password": PASSWORD}).status_code == 200
    operator = Operator(own, "olga")
    operator.enter()
    assert Management(own, operator.tokens()["access_token"]).get("operator/all").status_code == 200


def test_a_services_own_token_is_no_operators(own, key):
    """A confidential client with the scope of the management interface, in its own name."""
    made = key.done("client/create", {
        "client_id": "robot", "redirect_uris": [CALLBACK], "first_party": True, "scope": "openid keyturn:management",
        "grant_types": ["authorization_code", "client_credentials"]})
    answer = requests.post(
        f"{own.base}/oauth2/token", auth=("robot", made["client_secret"]), timeout=20,
        data={"grant_type": "client_credentials", "scope": "keyturn:management"})
    assert answer.status_code == 200, answer.text
    refused = Management(own, answer.json()["access_token"]).get("operator/all")
    assert refused.status_code == 401, refused.text


@pytest.mark.parametrize("bearer", [
    KEY, f"{PROJECT}:", f"{PROJECT}:{KEY}x", f"{PROJECT}:{KEY[:-1]}", f"{PROJECT}:{KEY.upper()}", f"another:{KEY}",
    f"{PROJECT}:{KEY}:x", PROJECT,
])
def test_nothing_but_a_whole_key_of_this_project_manages_it(own, key, bearer):
    assert key.get("operator/all").status_code == 200
    assert Management(own, bearer).get("operator/all").status_code == 401
