"""Basic OP and Form Post OP: codes are good once, refresh tokens for one client (RFC 6749 §4.1.2, §6; Core §12)."""

from __future__ import annotations

import time

import pytest

from support import checks
from support.modules import basic_module


@basic_module("oidcc-codereuse")
def test_code_is_good_once(plan):
    """The second time at once: `invalid_grant`."""
    signed_in = plan.first.sign_in()
    checks.check_refused(plan.first.redeem(signed_in.callback, signed_in.request), "invalid_grant", status=(400,))


@pytest.mark.late
@basic_module("oidcc-codereuse-30seconds")
def test_code_replayed_later_ends_what_was_issued(plan, redeemed_early):
    """After 30 seconds: refused, and the access token of the first time is dead."""
    aged = redeemed_early[plan.mode]
    signed_in = aged.signed_in
    aged.wait_until(31)
    assert plan.provider.is_good(signed_in.access_token)
    checks.check_refused(plan.first.redeem(signed_in.callback, signed_in.request), "invalid_grant", status=(400,))
    assert not plan.provider.is_good(signed_in.access_token)


@basic_module("oidcc-refresh-token")
def test_refresh_token(plan):
    """Works for its client, with consistent ID tokens; for another client it is nothing."""
    rp = plan.first
    signed_in = rp.sign_in(scope="openid offline_access", prompt="consent")
    time.sleep(1)
    answer = rp.accepted(rp.refresh(signed_in.refresh_token))
    assert answer["access_token"] != signed_in.access_token
    if "id_token" in answer:
        # Core §12.2: nonce may be left out, but must not change.
        claims = rp.check_id_token(answer, signed_in.request, nonce=None)
        for name in ("iss", "sub", "aud", "auth_time", "azp", "acr"):
            assert claims.get(name) == signed_in.claims.get(name), f"{name} changed"
        assert claims["iat"] >= signed_in.claims["iat"]
    assert plan.provider.is_good(answer["access_token"])
    current = answer.get("refresh_token", signed_in.refresh_token)
    checks.check_refused(plan.second.refresh(current), "invalid_grant", status=(400,))
    rp.accepted(rp.refresh(current))
