"""Config OP: what the server says about itself (OpenID Connect Discovery §3, RFC 8414 §2)."""

from __future__ import annotations

import re

import pytest

from support import checks, tokens
from support.modules import module
from support.pages import origin_of

REQUIRED = {
    "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
    "subject_types_supported", "id_token_signing_alg_values_supported",
}  # fmt: skip
LISTS_OF_TEXT = {
    "scopes_supported", "response_types_supported", "response_modes_supported", "grant_types_supported",
    "acr_values_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
    "userinfo_signing_alg_values_supported", "token_endpoint_auth_methods_supported",
    "token_endpoint_auth_signing_alg_values_supported", "display_values_supported", "claim_types_supported",
    "claims_supported", "claims_locales_supported", "ui_locales_supported", "code_challenge_methods_supported",
    "revocation_endpoint_auth_methods_supported", "introspection_endpoint_auth_methods_supported",
    "prompt_values_supported",
}  # fmt: skip
FLAGS = {
    "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported",
    "require_request_uri_registration", "backchannel_logout_supported", "backchannel_logout_session_supported",
    "authorization_response_iss_parameter_supported",
}  # fmt: skip
# BCP 47, as far as anybody uses it.
LANGUAGE_TAG = re.compile(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")


@pytest.fixture(scope="module")
def document(provider) -> dict:
    response = provider.http.get(f"{provider.base}/.well-known/openid-configuration", timeout=10)
    assert response.status_code == 200
    assert checks.is_json(response), response.headers.get("Content-Type")
    return response.json()


@module("oidcc-discovery-endpoint-verification")
def test_discovery_document(document, server):
    """Complete, typed, true."""
    assert document["issuer"] == server.issuer
    assert not REQUIRED - document.keys(), f"missing: {REQUIRED - document.keys()}"
    for name in LISTS_OF_TEXT & document.keys():
        value = document[name]
        assert isinstance(value, list) and value and all(isinstance(entry, str) for entry in value), (
            f"{name}: {value!r}"
        )
        assert len(set(value)) == len(value), f"{name} repeats itself: {value}"
    for name in FLAGS & document.keys():
        assert isinstance(document[name], bool), f"{name}: {document[name]!r}"
    assert "RS256" in document["id_token_signing_alg_values_supported"]
    assert "openid" in document["scopes_supported"]
    assert "code" in document["response_types_supported"]
    assert {"authorization_code", "refresh_token"} <= set(document["grant_types_supported"])
    assert document["subject_types_supported"] == ["public"]
    assert {"sub", "name", "email"} <= set(document["claims_supported"])


@module("oidcc-discovery-endpoint-verification")
def test_endpoints_are_the_issuers(document):
    """Each address is on the issuer's origin (https, unless this is a loopback server), without a fragment."""
    addresses = {k: v for k, v in document.items() if k.endswith("_endpoint") or k == "jwks_uri"}
    assert {
        "userinfo_endpoint",
        "revocation_endpoint",
        "introspection_endpoint",
        "end_session_endpoint",
    } <= addresses.keys()
    for name, address in addresses.items():
        assert origin_of(address) == origin_of(document["issuer"]), f"{name}: {address}"
        assert "#" not in address


@module("oidcc-discovery-endpoint-verification")
def test_language_tags(document):
    for name in ("ui_locales_supported", "claims_locales_supported"):
        for tag in document.get(name, []):
            assert LANGUAGE_TAG.match(tag), f"{name}: {tag!r}"


@module("oidcc-discovery-endpoint-verification")
def test_only_safe_choices_are_offered(document):
    """S256 alone, codes alone, no unsigned tokens (RFC 9700 §2.1)."""
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["response_types_supported"] == ["code"]
    assert set(document["response_modes_supported"]) == {"query", "fragment", "form_post"}
    assert document["authorization_response_iss_parameter_supported"] is True
    assert "none" not in document["id_token_signing_alg_values_supported"]


@module("oidcc-discovery-endpoint-verification")
def test_keys_are_valid(document, provider):
    """Distinct names, public parts alone, sizes that hold; one key at least for each algorithm offered."""
    response = provider.http.get(document["jwks_uri"], timeout=10)
    assert response.status_code == 200
    content_type = response.headers.get("Content-Type", "").split(";")[0]
    assert content_type in ("application/json", "application/jwk-set+json"), content_type
    keys = response.json()["keys"]
    tokens.key_set(response.json())
    for key in keys:
        if key["kty"] == "RSA":
            assert len(tokens.unb64url(key["n"])) * 8 >= 2048 and tokens.unb64url(key["e"]) == b"\x01\x00\x01"
        elif key["kty"] == "EC" and key["crv"] == "P-256":
            assert len(tokens.unb64url(key["x"])) == len(tokens.unb64url(key["y"])) == 32
    assert set(document["id_token_signing_alg_values_supported"]) <= {key.get("alg") for key in keys}


@module("oidcc-discovery-endpoint-verification")
def test_oauth_metadata_agrees(document, provider):
    """RFC 8414 §3: the same server under its other well-known address."""
    response = provider.http.get(f"{provider.base}/.well-known/oauth-authorization-server", timeout=10)
    assert response.status_code == 200 and checks.is_json(response)
    other = response.json()
    for name in REQUIRED | {"code_challenge_methods_supported", "end_session_endpoint"}:
        assert other.get(name) == document.get(name), name
