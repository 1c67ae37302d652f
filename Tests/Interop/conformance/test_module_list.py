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


def test_every_module_has_a_test():
    """The Basic plan's modules run twice, by query and by form; the others once."""
    text = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))
    assert len(BASIC) == 38 and len(ONCE) == 14
    assert sorted(re.findall(r'^@basic_module\("([^"]+)"', text, re.M)) == sorted(BASIC)
    assert set(re.findall(r'^@module\("([^"]+)"', text, re.M)) == set(ONCE)
