"""FAPI 2.0 Security Profile: what must work, from discovery to tokens."""

from __future__ import annotations

import secrets

from support import checks, tokens
from support.configuration import JONAS
from support.fapi_checks import refused, turned_away
from support.modules import fapi_module
from support.pages import Page

STRICT = {"PS256", "ES256", "EdDSA"}


@fapi_module("discovery-end-point-verification")
def test_discovery(fapi):
    metadata = fapi.provider.metadata
    assert metadata["issuer"] == fapi.server.issuer
    assert "code" in metadata["response_types_supported"]
    assert metadata["authorization_response_iss_parameter_supported"] is True
    assert metadata["pushed_authorization_request_endpoint"].startswith(metadata["issuer"])
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert "private_key_jwt" in metadata["token_endpoint_auth_methods_supported"]
    for name in (
        "token_endpoint_auth_signing_alg_values_supported",
        "id_token_signing_alg_values_supported",
        "request_object_signing_alg_values_supported",
        "dpop_signing_alg_values_supported",
    ):
        assert STRICT & set(metadata[name]), f"{name}: {metadata[name]}"
        assert "none" not in metadata[name]
    assert {"authorization_code", "refresh_token"} <= set(metadata["grant_types_supported"])
    assert metadata["claims_parameter_supported"] is True


@fapi_module("happy-flow")
def test_happy_flow(fapi):
    """Everything but TLS, which is the business of whatever stands before the server on loopback."""
    for client in (fapi.first, fapi.second, fapi.third):
        granted = client.sign_in(scope="openid email")
        answer = client.userinfo(granted.access_token)
        assert answer.status_code == 200 and answer.json()["sub"], answer.text
        in_the_address = client.http.get(
            fapi.provider.endpoint("userinfo"), params={"access_token": granted.access_token}, timeout=10
        )
        assert in_the_address.status_code == 401
        header = tokens.header_of(granted.answer["id_token"])
        assert header["alg"] in STRICT
    assert granted.answer["scope"].split() == ["openid", "email"]


@fapi_module("user-rejects-authentication")
def test_the_person_refuses(fapi):
    visitor = fapi.provider.visitor()
    request = fapi.first.request()
    page = fapi.first.visit(visitor, fapi.first.pushed(request))
    callback = visitor.submit(page, button="deny")
    checks.check_callback(callback, request, fapi.provider.issuer)
    assert callback["error"] == "access_denied"


@fapi_module("ensure-authorization-request-without-state-success")
def test_without_state(fapi):
    granted = fapi.first.sign_in(state=None)
    assert "state" not in granted.callback.parameters


@fapi_module("ensure-authorization-request-without-nonce-success")
def test_without_nonce(fapi):
    granted = fapi.first.sign_in(nonce=None)
    assert "nonce" not in tokens.payload_of(granted.answer["id_token"])


@fapi_module("ensure-authorization-request-with-64-char-nonce-success")
def test_a_nonce_of_64_characters(fapi):
    fapi.first.sign_in(nonce=secrets.token_hex(32))


@fapi_module("ensure-authorization-request-with-long-nonce")
def test_a_long_nonce(fapi):
    fapi.first.sign_in(nonce=secrets.token_hex(192))


@fapi_module("ensure-authorization-request-with-long-state")
def test_a_long_state(fapi):
    fapi.first.sign_in(state=secrets.token_hex(192))
    refused(fapi.first.push(fapi.first.request(state="s" * 2_049)), "invalid_request")


@fapi_module("ensure-other-scope-order-succeeds")
def test_another_order_of_scopes(fapi):
    granted = fapi.first.sign_in(scope="email profile openid")
    assert set(granted.answer["scope"].split()) == {"openid", "email", "profile"}


@fapi_module("test-claims-parameter-identity-claims")
def test_claims_that_nobody_knows_are_ignored(fapi):
    request = fapi.first.request(
        claims='{"id_token":{"given_name":{"essential":true},"unheard_of":null},"userinfo":{"unheard_of":null}}'
    )
    callback = fapi.first.authorize(request)
    answer = fapi.first.accepted(fapi.first.redeem(callback, request))
    claims = tokens.payload_of(answer["id_token"])
    assert claims["given_name"] == "Maria" and "unheard_of" not in claims


@fapi_module("access-token-type-header-case-sensitivity")
def test_the_scheme_is_the_same_in_any_case(fapi):
    granted = fapi.first.sign_in()
    for scheme in ("DPoP", "dpop", "DPOP", "dPoP"):
        assert fapi.first.userinfo(granted.access_token, scheme=scheme).status_code == 200


@fapi_module("ensure-redirect-uri-in-authorization-request")
def test_the_address_must_be_named(fapi):
    refused(fapi.first.push(fapi.first.request(redirect_uri=None)), "invalid_request")


@fapi_module("plain-fapi-tolerate-unregistered-redirect-uri")
def test_an_address_that_is_not_registered(fapi):
    """The profile allows a pushed request to bring its own; this server knows those that are registered."""
    unregistered = f"{fapi.first.client.redirect_uri}/elsewhere"
    refused(fapi.first.push(fapi.first.request(redirect_uri=unregistered)), "invalid_request", "invalid_redirect_uri")


@fapi_module("ensure-unsigned-authorization-request-without-using-par-fails")
def test_requests_are_pushed(fapi):
    visitor = fapi.provider.visitor()
    request = {"client_id": fapi.first.client_id} | fapi.first.request().parameters
    arrival = visitor.open(fapi.provider.endpoint("authorization"), request)
    turned_away(arrival, "invalid_request")


@fapi_module("ensure-response-type-code-idtoken-fails")
def test_no_id_token_through_the_browser(fapi):
    refused(
        fapi.first.push(fapi.first.request(response_type="code id_token")),
        "unsupported_response_type",
        "invalid_request",
        "unauthorized_client",
    )


@fapi_module("ensure-response-type-token-fails")
def test_no_access_token_through_the_browser(fapi):
    refused(
        fapi.first.push(fapi.first.request(response_type="token")),
        "unsupported_response_type",
        "invalid_request",
        "unauthorized_client",
    )


@fapi_module("refresh-token")
def test_refresh(fapi):
    """Bound to its client and its key; not rotated, so that a lost answer harms nobody."""
    client = fapi.first
    granted = client.sign_in(scope="openid offline_access")
    refresh_token = granted.answer["refresh_token"]
    first = client.accepted(client.refresh(refresh_token))
    assert client.userinfo(first["access_token"]).status_code == 200
    again = client.accepted(client.refresh(refresh_token))
    assert again["refresh_token"] == refresh_token and again["access_token"] != first["access_token"]
    refused(client.refresh(refresh_token, proof=None), "invalid_dpop_proof", "invalid_grant", "invalid_request")
    other_key = fapi.second.proof()
    refused(client.refresh(refresh_token, proof=other_key), "invalid_grant", "invalid_dpop_proof")
    refused(fapi.second.refresh(refresh_token), "invalid_grant")
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": client.client_id}
    unknown = client.post(fapi.provider.endpoint("token"), form, client.proof())
    refused(unknown, "invalid_client")
    client.accepted(client.refresh(refresh_token))


def test_another_person_gets_tokens_of_their_own(fapi):
    request = fapi.second.request()
    callback = fapi.second.authorize(request, person=JONAS)
    answer = fapi.second.accepted(fapi.second.redeem(callback, request), request)
    assert tokens.payload_of(answer["id_token"])["sub"] == JONAS.sub


def test_a_page_is_all_that_a_made_up_request_leads_to(fapi):
    arrival = fapi.first.visit(fapi.provider.visitor(), "urn:ietf:params:oauth:request_uri:" + secrets.token_urlsafe(32))
    assert isinstance(arrival, Page) and arrival.name == "error"
