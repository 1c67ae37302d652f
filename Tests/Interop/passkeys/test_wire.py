"""The passkey service's wire: nonsense, pages of other origins, and what is in the options."""

from __future__ import annotations

import json

import pytest
import webauthn
from webauthn.helpers import parse_authentication_options_json, parse_registration_options_json

from support.authenticator import ALGORITHMS, decode
from support.passkey_wire import CLIENT_ROUTES, OLD_ROUTES, SECRET_ROUTES, Service, check_binary, check_refusal, named

NEVER = "x" * 64


@pytest.mark.parametrize("path", [*CLIENT_ROUTES, *SECRET_ROUTES])
def test_nonsense_is_refused_in_the_words_of_the_wire(keys, path):
    """11: `result` is null, and at least one error says why."""
    key = keys.secret if path in SECRET_ROUTES else keys.public
    bodies: list[object] = [[], "x", 7, None]
    if path not in ("/attestation/options", "/assertion/options"):
        bodies += [{}, {"credential": None}, {"credential": {"type": "x"}}, {"token": None}, {"token": NEVER}]
    if path == "/assertion/options":
        bodies += [{"user": {}}, {"user": {"id": 7}}, {"user": {"id": ""}}, {"user": {"username": "x" * 300}}]
    if path == "/attestation/options":
        bodies += [{"upgrade": "yes"}]
    for body in bodies:
        problem = check_refusal(keys.post(path, body, key))
        assert problem["code"] in ("InvalidInput", "TokenNotFound"), (body, problem)
    for raw in (b"", b"{", b'{"a":1,"a":2}', b"\xff", b"[" * 10_000, b"{}" + b" " * 2_000_000):
        response = keys.raw(path, raw, key)
        assert 400 <= response.status_code < 500, (raw[:20], response.status_code)
        assert response.json()["result"] is None and response.json()["errors"], raw[:20]
    for method in ("GET", "PUT", "DELETE"):
        assert keys.raw(path, b"", key, method=method).status_code in (404, 405)


def preflight(service: Service, path: str, origin: str, headers: str = "authorization,content-type,x-sdk"):
    return service.raw(
        path,
        b"",
        None,
        method="OPTIONS",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": headers,
        },
    )


@pytest.mark.parametrize("path", [*CLIENT_ROUTES, *list(OLD_ROUTES)[:4]])
def test_pages_of_registered_origins_may_ask(keys, other_party, path):
    """12: the preflight names no key, so that any registered origin passes it; the answer itself goes by the key."""
    origin = keys.party.origins[0]
    answer = preflight(keys, path, origin)
    assert answer.status_code in (200, 204)
    assert answer.headers["Access-Control-Allow-Origin"] == origin and "Origin" in answer.headers["Vary"]
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert {"authorization", "content-type", "accept", "x-sdk"} <= allowed
    assert "Access-Control-Allow-Credentials" not in answer.headers
    strangers = ["https://elsewhere.test", origin + ".evil.test", origin.replace("https", "http"), origin + ":444", "null"]
    for stranger in strangers:
        denied = preflight(keys, path, stranger)
        assert "Access-Control-Allow-Origin" not in denied.headers, stranger
        real = keys.raw(path, b"{}", keys.public, headers={"Origin": stranger})
        assert real.status_code == 403 and "Access-Control-Allow-Origin" not in real.headers, stranger
    real = keys.raw(path, b"{}", keys.public, headers={"Origin": origin})
    assert real.headers["Access-Control-Allow-Origin"] == origin
    # Another relying party's page gets nothing with our key, and may read why.
    foreign = keys.raw(path, b"{}", keys.public, headers={"Origin": other_party.party.origins[0]})
    check_refusal(foreign, "PermissionViolation", status=403)


@pytest.mark.parametrize("path", SECRET_ROUTES)
def test_no_page_uses_a_secret_key(keys, path):
    answer = preflight(keys, path, keys.party.origins[0])
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_options_are_what_both_clients_need(keys):
    """Members that a client cannot do without; py_webauthn reads them too."""
    options = keys.creation_options()
    inner = options["publicKey"]
    assert set(inner["rp"]) >= {"id", "name"} and inner["rp"]["id"] == keys.party.rp_id
    assert inner["attestation"] in ("none", "indirect", "direct", "enterprise")
    assert set(inner["user"]) == {"id"}, "a name that nobody told"
    assert [one["alg"] for one in inner["pubKeyCredParams"]][0] in ALGORITHMS.values()
    assert {-7, -257} <= {one["alg"] for one in inner["pubKeyCredParams"]}
    assert isinstance(inner["timeout"], int) and 10_000 <= inner["timeout"] <= 600_000
    check_binary(options)
    parsed = parse_registration_options_json(named(options, "nina")["publicKey"])
    assert parsed.challenge == decode(inner["challenge"]) and parsed.rp.id == keys.party.rp_id
    request = keys.request_options({"id": "nobody"})["publicKey"]
    parsed = parse_authentication_options_json(request)
    assert parsed.rp_id == request["rpId"] == keys.party.rp_id
    assert json.loads(webauthn.options_to_json(parsed))["challenge"] == request["challenge"]
