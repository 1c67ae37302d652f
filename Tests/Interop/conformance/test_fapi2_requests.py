"""FAPI 2.0 Security Profile: requests that are pushed, and requests that are signed."""

from __future__ import annotations

import time

import requests

from support.fapi_checks import refused, turned_away
from support.modules import fapi_module
from support.pages import Page
from support.visitor import TIMEOUT_SECONDS, Callback


def finish(visitor, arrival) -> Callback:
    """Signs in if somebody has to."""
    if isinstance(arrival, Page) and arrival.name == "login":
        arrival = visitor.sign_in(arrival)
    assert isinstance(arrival, Callback), f"the app was not reached: {arrival}"
    return arrival


@fapi_module("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds")
def test_a_visit_uses_nothing_up(fapi):
    visitor = fapi.provider.visitor()
    request_uri = fapi.first.pushed(fapi.first.request())
    for _ in range(3):
        arrival = fapi.first.visit(visitor, request_uri)
        assert isinstance(arrival, Page) and arrival.name == "login"
    assert "code" in finish(visitor, fapi.first.visit(visitor, request_uri)).parameters


@fapi_module("par-attempt-reuse-request_uri")
def test_an_answered_request_is_over(fapi):
    visitor = fapi.provider.visitor()
    request_uri = fapi.first.pushed(fapi.first.request())
    assert "code" in finish(visitor, fapi.first.visit(visitor, request_uri)).parameters
    for browser in (visitor, fapi.provider.visitor()):
        turned_away(fapi.first.visit(browser, request_uri), "invalid_request_uri", "invalid_request")


@fapi_module("par-attempt-to-use-expired-request_uri")
def test_an_old_request_is_over(fapi):
    response = fapi.first.push(fapi.first.request()).json()
    fapi.age("pushed_request", "expires_at", response["expires_in"] + 1)
    arrival = fapi.first.visit(fapi.provider.visitor(), response["request_uri"])
    turned_away(arrival, "invalid_request_uri", "invalid_request")


@fapi_module("par-attempt-to-use-request_uri-for-different-client")
def test_a_request_is_its_clients(fapi):
    request_uri = fapi.first.pushed(fapi.first.request())
    arrival = fapi.second.visit(fapi.provider.visitor(), request_uri)
    turned_away(arrival, "invalid_request_uri", "invalid_request")


@fapi_module("par-authorization-request-containing-request_uri-form-param")
def test_a_reference_cannot_be_pushed(fapi):
    known = fapi.first.pushed(fapi.first.request())
    for request_uri in (known, "urn:ietf:params:oauth:request_uri:made-up", "https://evil.test/request"):
        refused(fapi.first.push(fapi.first.request(), request_uri=request_uri), "invalid_request")


@fapi_module("par-attempt-invalid-http-method")
def test_requests_are_posted(fapi):
    for method in ("GET", "PUT", "DELETE"):
        response = requests.request(
            method, fapi.first.par, params=fapi.first.credentials(), timeout=TIMEOUT_SECONDS, allow_redirects=False
        )
        assert response.status_code == 405 and response.headers["Allow"] == "POST"


@fapi_module("par-without-duplicate-parameters")
def test_two_parameters_suffice(fapi):
    visitor = fapi.provider.visitor()
    request = fapi.first.request()
    arrival = visitor.open(
        fapi.provider.endpoint("authorization"),
        {"client_id": fapi.first.client_id, "request_uri": fapi.first.pushed(request)},
    )
    assert finish(visitor, arrival).get("state") == request.get("state")


@fapi_module("par-ensure-pkce-required")
def test_a_challenge_is_needed(fapi):
    refused(
        fapi.first.push(fapi.first.request(code_challenge=None, code_challenge_method=None)), "invalid_request"
    )


@fapi_module("par-plain-pkce-rejected")
def test_a_plain_challenge_is_none(fapi):
    request = fapi.first.request(code_challenge_method="plain")
    request.parameters["code_challenge"] = request.verifier
    refused(fapi.first.push(request), "invalid_request")
    refused(fapi.first.push(fapi.first.request(code_challenge_method=None)), "invalid_request")


@fapi_module("ensure-pkce-code-verifier-required")
def test_a_verifier_is_needed(fapi):
    request = fapi.first.request()
    callback = fapi.first.authorize(request)
    refused(
        fapi.first.redeem(callback, request, form={"code_verifier": None}), "invalid_grant", "invalid_request"
    )


@fapi_module("incorrect-pkce-code-verifier-rejected")
def test_another_verifier_is_none(fapi):
    request = fapi.first.request()
    callback = fapi.first.authorize(request)
    wrong = fapi.first.request().verifier
    refused(fapi.first.redeem(callback, request, form={"code_verifier": wrong}), "invalid_grant")


@fapi_module("ensure-different-nonce-inside-and-outside-request-object")
def test_the_inner_nonce_counts(fapi):
    request = fapi.first.request()
    outer = fapi.first.request(nonce="outer-nonce")
    callback = fapi.first.authorize(outer_answered_as(request, outer), request=fapi.first.object(request))
    fapi.first.accepted(fapi.first.redeem(callback, request), request)


@fapi_module("ensure-different-state-inside-and-outside-request-object")
def test_the_inner_state_counts(fapi):
    visitor = fapi.provider.visitor()
    request = fapi.first.request()
    outer = fapi.first.request(state="outer-state")
    request_uri = fapi.first.pushed(outer, request=fapi.first.object(request))
    callback = finish(visitor, fapi.first.visit(visitor, request_uri, state="another-state"))
    assert callback["state"] == request.get("state")


@fapi_module("state-only-outside-request-object-not-used")
def test_an_outer_state_is_nobodys(fapi):
    visitor = fapi.provider.visitor()
    request = fapi.first.request(state=None)
    request_uri = fapi.first.pushed(fapi.first.request(), request=fapi.first.object(request), state="outer-state")
    callback = finish(visitor, fapi.first.visit(visitor, request_uri, state="another-state"))
    assert "code" in callback.parameters and "state" not in callback.parameters


@fapi_module("ensure-request-object-without-redirect-uri-fails")
def test_the_inner_address_counts(fapi):
    request = fapi.first.request(redirect_uri=None)
    outside = fapi.first.request()
    refused(fapi.first.push(outside, request=fapi.first.object(request)), "invalid_request", "invalid_request_object")


def outer_answered_as(inner, outer):
    """What is pushed beside a request object, while the answer is that of the object."""
    outer.parameters["state"] = inner.parameters["state"]
    return outer


def test_request_objects_under_attack(fapi):
    """Attacks 33 and 34."""
    client = fapi.first
    request = client.request()
    now = int(time.time())
    objects = {
        "none": client.object(request).rsplit(".", 1)[0] + ".",
        "RS256": client.object(request, header={"alg": "RS256"}),
        "another audience": client.object(request, aud="https://other.example"),
        "without exp": client.object(request, exp=None),
        "without nbf": client.object(request, nbf=None),
        "too long": client.object(request, exp=now + 3_700),
        "from long ago": client.object(request, nbf=now - 3_700),
        "another client's": fapi.second.object(request, iss=client.client_id, client_id=client.client_id),
        "an assertion": client.assertion(),
        "five parts": "e30.e30.e30.e30.e30",
    }
    for name, signed in objects.items():
        answer = refused(client.push(client.request(), request=signed))
        assert answer["error"] == "invalid_request_object", f"{name}: {answer}"
