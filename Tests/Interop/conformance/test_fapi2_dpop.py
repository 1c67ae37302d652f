"""FAPI 2.0 Security Profile: proofs of a key (RFC 9449), good ones and bad ones."""

from __future__ import annotations

import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from support import tokens
from support.fapi_checks import refused
from support.fapi_client import Prover, sign
from support.modules import fapi_module


@pytest.fixture(scope="module")
def granted(fapi):
    return fapi.first.sign_in()


def userinfo_url(fapi) -> str:
    return fapi.provider.endpoint("userinfo")


@fapi_module("check-dpop-proof-nbf-exp")
def test_further_times_are_accepted(fapi):
    now = int(time.time())
    request = fapi.first.request()
    callback = fapi.first.authorize(request)
    proof = fapi.first.proof(nbf=now - 10, exp=now + 60)
    answer = fapi.first.accepted(fapi.first.redeem(callback, request, proof=proof))
    url = userinfo_url(fapi)
    proof = fapi.first.prover.proof("GET", url, answer["access_token"], nbf=now - 10, exp=now + 60)
    assert fapi.first.userinfo(answer["access_token"], proof).status_code == 200


def redeemed_with_clock(fapi, seconds: int) -> None:
    request = fapi.first.request()
    callback = fapi.first.authorize(request)
    now = int(time.time())
    answer = fapi.first.accepted(fapi.first.redeem(callback, request, proof=fapi.first.proof(iat=now + seconds)))
    proof = fapi.first.prover.proof("GET", userinfo_url(fapi), answer["access_token"], iat=now + seconds)
    assert fapi.first.userinfo(answer["access_token"], proof).status_code == 200


@fapi_module("ensure-dpopproof-with-iat-10seconds-before-succeeds")
def test_a_clock_that_is_slow(fapi):
    fapi.wait_until_aged(22)
    redeemed_with_clock(fapi, -10)


@fapi_module("ensure-dpopproof-with-iat-10seconds-after-succeeds")
def test_a_clock_that_is_fast(fapi):
    redeemed_with_clock(fapi, 10)


@fapi_module("ensure-mismatched-dpop-jkt-fails")
def test_two_keys_in_one_request(fapi):
    request = fapi.first.request(dpop_jkt=Prover().thumbprint)
    proof = fapi.first.prover.proof("POST", fapi.first.par)
    refused(fapi.first.push(request, proof=proof), "invalid_request", "invalid_dpop_proof")


@fapi_module("ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt")
def test_another_key_than_pushed_with(fapi):
    request = fapi.first.request()
    proof = fapi.first.prover.proof("POST", fapi.first.par)
    callback = fapi.first.authorize(request, proof=proof)
    other = Prover().proof("POST", fapi.provider.endpoint("token"))
    refused(fapi.first.redeem(callback, request, proof=other), "invalid_grant", "invalid_dpop_proof")
    fapi.first.accepted(fapi.first.redeem(callback, request))


@fapi_module("ensure-token-endpoint-fails-with-mismatched-dpop-jkt")
def test_another_key_than_named(fapi):
    request = fapi.first.request(dpop_jkt=fapi.first.prover.thumbprint)
    callback = fapi.first.authorize(request)
    other = Prover().proof("POST", fapi.provider.endpoint("token"))
    refused(fapi.first.redeem(callback, request, proof=other), "invalid_grant", "invalid_dpop_proof")
    fapi.first.accepted(fapi.first.redeem(callback, request))


@fapi_module("ensure-dpopproof-at-par-endpoint-binding-success")
def test_the_key_that_was_pushed_with(fapi):
    request = fapi.first.request()
    callback = fapi.first.authorize(request, proof=fapi.first.prover.proof("POST", fapi.first.par))
    fapi.first.accepted(fapi.first.redeem(callback, request), request)


@fapi_module("ensure-dpop-auth-code-binding-success")
def test_the_key_that_was_named(fapi):
    request = fapi.first.request(dpop_jkt=fapi.first.prover.thumbprint)
    callback = fapi.first.authorize(request)
    fapi.first.accepted(fapi.first.redeem(callback, request), request)


def bad_proofs(prover: Prover, method: str, url: str, token: str | None) -> dict[str, str]:
    """What is wrong, and the proof."""
    now = int(time.time())
    make = lambda **changes: prover.proof(method, url, token, **changes)  # noqa: E731
    good = make()
    head, body, signature = good.split(".")
    rsa = Prover("PS256")
    private = prover.key.as_dict(private=True)
    other = Prover()
    bad = {
        "malformed": "not-a-proof",
        "empty parts": "..",
        "without typ": make(header={"typ": None}),
        "another typ": make(header={"typ": "JWT"}),
        "without jwk": make(header={"jwk": None}),
        "none": tokens.assemble({"typ": "dpop+jwt", "alg": "none", "jwk": prover.jwk}, tokens.payload_of(good)),
        "without alg": tokens.assemble({"typ": "dpop+jwt", "jwk": prover.jwk}, tokens.payload_of(good), signature),
        "RS256": sign(
            rsa.key, {"typ": "dpop+jwt", "alg": "RS256", "jwk": rsa.jwk}, rsa.claims(method, url, token)
        ),
        "bad signature": f"{head}.{body}.{other.proof(method, url, token).split('.')[2]}",
        "a private key": make(header={"jwk": {name: private[name] for name in ("kty", "crv", "x", "y", "d")}}),
        "another method": prover.proof("PUT", url, token),
        "another address": prover.proof(method, url + "/elsewhere", token),
        "another host": prover.proof(method, url.replace("127.0.0.1", "127.0.0.2"), token),
        "an hour ago": make(iat=now - 3_600),
        "in an hour": make(iat=now + 3_600),
        "iat as text": make(iat=str(now)),
    }
    for claim in ("jti", "htm", "htu", "iat"):
        bad[f"without {claim}"] = make(**{claim: None})
    return bad


@fapi_module("dpop-negative-tests")
def test_bad_proofs_at_the_resource(fapi, granted):
    url = userinfo_url(fapi)
    prover, token = granted.prover, granted.access_token
    bad = bad_proofs(prover, "GET", url, token)
    bad |= {
        "without ath": prover.proof("GET", url),
        "another ath": prover.proof("GET", url, "another-token"),
        "another key": Prover().proof("GET", url, token),
    }
    for name, proof in bad.items():
        response = fapi.first.userinfo(token, proof)
        assert response.status_code in (400, 401), f"{name}: {response.status_code}"
    assert fapi.first.userinfo(token, None).status_code == 401, "no proof"
    assert fapi.first.userinfo(token, scheme="Bearer").status_code == 401, "a bound token as a bearer's"
    used = prover.proof("GET", url, token)
    assert fapi.first.userinfo(token, used).status_code == 200
    assert fapi.first.userinfo(token, used).status_code == 401, "a second time"

    pair = [prover.proof("GET", url, token), prover.proof("GET", url, token)]
    assert status_with(url, token, pair) in (400, 401), "two headers"
    host_and_port = url.removeprefix("http://")
    good = {
        "query and fragment": prover.proof("GET", url + "?a=b#c", token),
        "case of scheme and host": prover.proof("GET", "HTTP://" + host_and_port, token),
        "unknown members": prover.proof("GET", url, token, header={"x": 1}, y="z"),
    }
    for name, proof in good.items():
        assert fapi.first.userinfo(token, proof).status_code == 200, name


def test_bad_proofs_where_tokens_are_made(fapi):
    request = fapi.first.request()
    callback = fapi.first.authorize(request)
    for name, proof in bad_proofs(fapi.first.prover, "POST", fapi.provider.endpoint("token"), None).items():
        answer = refused(fapi.first.redeem(callback, request, proof=proof))
        assert answer["error"] == "invalid_dpop_proof", f"{name}: {answer}"
    for name, proof in bad_proofs(fapi.first.prover, "POST", fapi.first.par, None).items():
        answer = refused(fapi.first.push(fapi.first.request(), proof=proof))
        assert answer["error"] == "invalid_dpop_proof", f"{name}: {answer}"
    fapi.first.accepted(fapi.first.redeem(callback, request))


def status_with(url: str, token: str, proofs: list[str]) -> int:
    """The status of a request with the header `DPoP` as often as there are proofs."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.putrequest("GET", parts.path)
    connection.putheader("Authorization", f"DPoP {token}")
    for proof in proofs:
        connection.putheader("DPoP", proof)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status
