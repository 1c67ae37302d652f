"""FAPI 2.0 Security Profile: who a client is, and what only it can do."""

from __future__ import annotations

import time

from support.fapi_checks import refused
from support.fapi_client import ASSERTION_TYPE, Prover
from support.modules import fapi_module


def redeemable(client):
    request = client.request()
    return request, client.authorize(request)


@fapi_module("ensure-client-id-in-token-endpoint")
def test_another_clients_name(fapi):
    request, callback = redeemable(fapi.first)
    refused(
        fapi.first.redeem(callback, request, form={"client_id": fapi.second.client_id}),
        "invalid_client",
        "invalid_request",
        "invalid_grant",
    )


@fapi_module("ensure-holder-of-key-required")
def test_no_proof_no_token(fapi):
    request, callback = redeemable(fapi.first)
    refused(fapi.first.redeem(callback, request, proof=None), "invalid_dpop_proof", "invalid_request", "invalid_grant")
    fapi.first.accepted(fapi.first.redeem(callback, request))


@fapi_module("ensure-authorization-code-is-bound-to-client")
def test_a_code_is_its_clients(fapi):
    request, callback = redeemable(fapi.first)
    form = {"redirect_uri": fapi.first.client.redirect_uri}
    refused(fapi.second.redeem(callback, request, form=form), "invalid_grant")
    fapi.first.accepted(fapi.first.redeem(callback, request), request)


@fapi_module("attempt-reuse-authorization-code-after-one-second")
def test_a_code_is_good_once(fapi):
    request, callback = redeemable(fapi.first)
    answer = fapi.first.accepted(fapi.first.redeem(callback, request))
    time.sleep(1)
    refused(fapi.first.redeem(callback, request), "invalid_grant")
    assert fapi.first.userinfo(answer["access_token"]).status_code == 401, "what it led to is over"


@fapi_module("ensure-token-endpoint-fails-with-expired-auth-code")
def test_a_code_is_good_for_a_minute(fapi):
    request, callback = redeemable(fapi.first)
    fapi.age("grant_", "code_expires_at", 61)
    refused(fapi.first.redeem(callback, request), "invalid_grant")


@fapi_module("ensure-signed-client-assertion-with-RS256-fails")
def test_rs256_is_not_good_enough(fapi):
    refused(
        fapi.first.push(fapi.first.request(), assertion=fapi.first.assertion(algorithm="RS256")),
        "invalid_client",
        status=(401,),
    )


@fapi_module("ensure-client-assertion-in-token-endpoint")
def test_an_assertion_is_needed(fapi):
    request, callback = redeemable(fapi.first)
    url = fapi.provider.endpoint("token")
    form = fapi.first.redemption(callback, request) | {"client_id": fapi.first.client_id}
    refused(fapi.first.post(url, form, fapi.first.proof()), "invalid_client")
    form |= {"client_assertion_type": ASSERTION_TYPE}
    refused(fapi.first.post(url, form, fapi.first.proof()), "invalid_client")
    refused(fapi.first.post(url, form | {"client_secret": "guessed"}, fapi.first.proof()), "invalid_client")


def rejected_everywhere(fapi, **claims):
    """At the token endpoint, and where requests are pushed."""
    request, callback = redeemable(fapi.first)
    refused(fapi.first.redeem(callback, request, assertion=fapi.first.assertion(**claims)), "invalid_client")
    refused(fapi.first.push(fapi.first.request(), assertion=fapi.first.assertion(**claims)), "invalid_client")
    fapi.first.accepted(fapi.first.redeem(callback, request))


@fapi_module("ensure-client-assertion-with-exp-is-5-minutes-in-past-fails")
def test_an_old_assertion(fapi):
    now = int(time.time())
    rejected_everywhere(fapi, exp=now - 300, iat=now - 360)


@fapi_module("ensure-client-assertion-with-wrong-aud-fails")
def test_an_assertion_for_somebody_else(fapi):
    rejected_everywhere(fapi, aud="https://other.example")


@fapi_module("ensure-client-assertion-with-no-sub-fails")
def test_an_assertion_about_nobody(fapi):
    rejected_everywhere(fapi, sub=None)


@fapi_module("par-test-array-as-audience-fails")
def test_one_audience(fapi):
    refused(
        fapi.first.push(fapi.first.request(), assertion=fapi.first.assertion(aud=[fapi.provider.issuer])),
        "invalid_client",
    )


@fapi_module("par-test-par-endpoint-url-as-audience-fails")
def test_the_endpoint_is_no_audience(fapi):
    refused(
        fapi.first.push(fapi.first.request(), assertion=fapi.first.assertion(aud=fapi.first.par)), "invalid_client"
    )


@fapi_module("par-test-token-endpoint-url-as-audience-fails")
def test_the_token_endpoint_is_no_audience(fapi):
    audience = fapi.provider.endpoint("token")
    refused(
        fapi.first.push(fapi.first.request(), assertion=fapi.first.assertion(aud=audience)), "invalid_client"
    )


@fapi_module("par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted")
def test_a_clock_that_is_a_little_fast(fapi):
    now = int(time.time())
    fapi.first.pushed(fapi.first.request(), assertion=fapi.first.assertion(nbf=now + 8, iat=now + 8))


@fapi_module("par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails")
def test_a_clock_that_is_far_too_fast(fapi):
    now = int(time.time())
    assertion = fapi.first.assertion(nbf=now + 65, exp=now + 120)
    refused(fapi.first.push(fapi.first.request(), assertion=assertion), "invalid_client")


def test_an_assertion_is_good_once(fapi):
    """Attack 38, one after the other."""
    assertion = fapi.first.assertion()
    fapi.first.pushed(fapi.first.request(), assertion=assertion)
    refused(fapi.first.push(fapi.first.request(), assertion=assertion), "invalid_client")


def test_a_stranger_knows_nobodys_key(fapi):
    stranger = Prover()
    forged = fapi.first.assertion().rsplit(".", 1)[0] + "." + stranger.proof("POST", "https://a.example").rsplit(".")[2]
    refused(fapi.first.push(fapi.first.request(), assertion=forged), "invalid_client")
