"""Every module of the five plans has a test."""

from __future__ import annotations

import re
from pathlib import Path

BASIC = """
oidcc-server
oidcc-response-type-missing
oidcc-idtoken-signature
oidcc-idtoken-unsigned
oidcc-userinfo-get
oidcc-userinfo-post-header
oidcc-userinfo-post-body
oidcc-ensure-request-without-nonce-succeeds-for-code-flow
oidcc-scope-profile
oidcc-scope-email
oidcc-scope-address
oidcc-scope-phone
oidcc-scope-all
oidcc-alternate-happy-flow
oidcc-display-page
oidcc-display-popup
oidcc-prompt-login
oidcc-prompt-none-not-logged-in
oidcc-prompt-none-logged-in
oidcc-max-age-1
oidcc-max-age-10000
oidcc-ensure-request-with-unknown-parameter-succeeds
oidcc-id-token-hint
oidcc-login-hint
oidcc-ui-locales
oidcc-claims-locales
oidcc-ensure-request-with-acr-values-succeeds
oidcc-codereuse
oidcc-codereuse-30seconds
oidcc-ensure-registered-redirect-uri
oidcc-ensure-post-request-succeeds
oidcc-server-client-secret-post
oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported
oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported
oidcc-claims-essential
oidcc-ensure-request-object-with-redirect-uri
oidcc-refresh-token
oidcc-ensure-request-with-valid-pkce-succeeds
""".split()

ONCE = """
oidcc-discovery-endpoint-verification
oidcc-rp-initiated-logout-discovery-endpoint-verification
oidcc-rp-initiated-logout
oidcc-rp-initiated-logout-bad-post-logout-redirect-uri
oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri
oidcc-rp-initiated-logout-modified-id-token-hint
oidcc-rp-initiated-logout-bad-id-token-hint
oidcc-rp-initiated-logout-no-id-token-hint
oidcc-rp-initiated-logout-no-params
oidcc-rp-initiated-logout-no-post-logout-redirect-uri
oidcc-rp-initiated-logout-only-state
oidcc-rp-initiated-logout-no-state
oidcc-backchannel-logout-discovery-endpoint-verification
oidcc-backchannel-rp-initiated-logout
""".split()


FAPI = """
discovery-end-point-verification
happy-flow
user-rejects-authentication
ensure-authorization-request-without-state-success
ensure-authorization-request-without-nonce-success
ensure-authorization-request-with-64-char-nonce-success
ensure-authorization-request-with-long-nonce
ensure-authorization-request-with-long-state
ensure-other-scope-order-succeeds
test-claims-parameter-identity-claims
access-token-type-header-case-sensitivity
check-dpop-proof-nbf-exp
ensure-dpopproof-with-iat-10seconds-before-succeeds
ensure-dpopproof-with-iat-10seconds-after-succeeds
ensure-mismatched-dpop-jkt-fails
ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt
ensure-token-endpoint-fails-with-mismatched-dpop-jkt
ensure-dpopproof-at-par-endpoint-binding-success
ensure-dpop-auth-code-binding-success
ensure-different-nonce-inside-and-outside-request-object
ensure-different-state-inside-and-outside-request-object
state-only-outside-request-object-not-used
ensure-request-object-without-redirect-uri-fails
ensure-redirect-uri-in-authorization-request
plain-fapi-tolerate-unregistered-redirect-uri
ensure-unsigned-authorization-request-without-using-par-fails
ensure-response-type-code-idtoken-fails
ensure-response-type-token-fails
ensure-client-id-in-token-endpoint
ensure-holder-of-key-required
ensure-authorization-code-is-bound-to-client
attempt-reuse-authorization-code-after-one-second
ensure-token-endpoint-fails-with-expired-auth-code
ensure-signed-client-assertion-with-RS256-fails
ensure-client-assertion-in-token-endpoint
ensure-client-assertion-with-exp-is-5-minutes-in-past-fails
ensure-client-assertion-with-wrong-aud-fails
ensure-client-assertion-with-no-sub-fails
dpop-negative-tests
refresh-token
par-ensure-reused-request-uri-prior-to-auth-completion-succeeds
par-attempt-reuse-request_uri
par-attempt-to-use-expired-request_uri
par-attempt-to-use-request_uri-for-different-client
par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted
par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails
par-authorization-request-containing-request_uri-form-param
par-attempt-invalid-http-method
par-ensure-pkce-required
ensure-pkce-code-verifier-required
incorrect-pkce-code-verifier-rejected
par-plain-pkce-rejected
par-without-duplicate-parameters
par-test-array-as-audience-fails
par-test-par-endpoint-url-as-audience-fails
par-test-token-endpoint-url-as-audience-fails
""".split()


def test_every_module_of_fapi_2_has_a_test():
    """Those that apply to private_key_jwt, DPoP and OpenID, by the names that they have in the plan."""
    text = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_fapi2_*.py")))
    assert len(FAPI) == 56
    assert sorted(re.findall(r'^@fapi_module\("([^"]+)"', text, re.M)) == sorted(FAPI)


def test_every_module_has_a_test():
    """The Basic plan's modules run twice, by query and by form; the others once."""
    text = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))
    assert len(BASIC) == 38 and len(ONCE) == 14
    assert sorted(re.findall(r'^@basic_module\("([^"]+)"', text, re.M)) == sorted(BASIC)
    assert set(re.findall(r'^@module\("([^"]+)"', text, re.M)) == set(ONCE)
