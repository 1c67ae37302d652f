"""Attacks 11, 12, 25-28: codes that were stolen, copied, raced, or kept."""

from __future__ import annotations

from collections import Counter

import pytest

from support import checks
from support.raw import all_at_once
from support.relying_party import RelyingParty, make_verifier

PARALLEL = 100


def begun(rp: RelyingParty, **options):
    """A code that waits to be redeemed, and its request."""
    request = rp.request(**options)
    return rp.authorize(rp.provider.visitor(), request), request


def test_attack_11_verifier_for_a_code_without_challenge(app):
    """RFC 9700 §4.8: somebody took the challenge out of the request."""
    rp = app("first-app")
    callback, request = begun(rp)
    checks.check_refused(rp.redeem(callback, request, code_verifier=make_verifier()), "invalid_grant", status=(400,))


VERIFIERS = {
    "absent": lambda right: None,
    "empty": lambda right: "",
    "short": lambda right: right[:42],
    "long": lambda right: right * 3,
    "other": lambda right: make_verifier(),
    "one letter changed": lambda right: ("A" if right[0] != "A" else "B") + right[1:],
    "characters that are not allowed": lambda right: right[:-1] + "é",
}


@pytest.mark.parametrize("client_id", ["native-app", "first-app"])
@pytest.mark.parametrize("kind", VERIFIERS)
def test_attack_12_wrong_verifier(app, client_id, kind):
    """RFC 7636 §4.6."""
    rp = app(client_id)
    callback, request = begun(rp, pkce=True)
    response = rp.redeem(callback, request, code_verifier=VERIFIERS[kind](request.verifier))
    checks.check_refused(response, "invalid_grant", status=(400,))


@pytest.mark.parametrize("client_id", ["first-app", "native-app"])
def test_attack_25_replayed_code_ends_the_grant(app, client_id):
    """RFC 9700 §4.5: one of the two is a thief, so nobody keeps anything."""
    rp = app(client_id)
    signed_in = rp.sign_in()
    assert rp.provider.is_good(signed_in.access_token)
    checks.check_refused(rp.redeem(signed_in.callback, signed_in.request), "invalid_grant", status=(400,))
    assert not rp.provider.is_good(signed_in.access_token)
    checks.check_refused(rp.refresh(signed_in.refresh_token), "invalid_grant", status=(400,))


def test_attack_25_replay_spares_other_grants(app):
    """The same person, the same app, another sign-in."""
    rp = app("first-app")
    first = rp.sign_in()
    second = rp.sign_in(first.visitor, person=None)
    checks.check_refused(rp.redeem(first.callback, first.request), "invalid_grant")
    assert not rp.provider.is_good(first.access_token)
    assert rp.provider.is_good(second.access_token)
    rp.accepted(rp.refresh(second.refresh_token))


def test_attack_26_parallel_redemptions(app):
    """Fifty at once: one success, and only refusals in OAuth's words beside it."""
    rp = app("first-app")
    callback, request = begun(rp)

    def redeem(_: int):
        return RelyingParty(rp.provider, rp.client).redeem(callback, request)

    responses = all_at_once(PARALLEL, redeem)
    assert Counter(response.status_code for response in responses) == {200: 1, 400: PARALLEL - 1}
    for response in responses:
        if response.status_code == 400:
            checks.check_refused(response, "invalid_grant")
    winner = next(response.json() for response in responses if response.status_code == 200)
    assert not rp.provider.is_good(winner["access_token"]), "replays end the grant"


def test_attack_27_code_of_another_client(app):
    """Refused, and not consumed: a stranger cannot spoil it."""
    rp, stranger = app("first-app"), app("second-app")
    callback, request = begun(rp)
    checks.check_refused(stranger.redeem(callback, request), "invalid_grant", status=(400,))
    rp.accepted(rp.redeem(callback, request))


@pytest.mark.parametrize("address", ["other", "absent", "longer"])
def test_attack_27_code_for_another_address(app, address):
    """RFC 6749 §4.1.3: the address of the request, letter by letter. Refused, and not consumed."""
    rp = app("first-app")
    callback, request = begun(rp)
    wrong = {"other": "https://evil.example/", "absent": None, "longer": f"{rp.redirect_uri}/"}[address]
    checks.check_refused(rp.redeem(callback, request, redirect_uri=wrong), "invalid_grant", status=(400,))
    rp.accepted(rp.redeem(callback, request))


def test_attack_27_refused_resource_leaves_the_code(app):
    """A request that is refused for what it asks changes nothing."""
    rp = app("first-app")
    callback, request = begun(rp, resource="https://api.example.test")
    refused = rp.redeem(callback, request, resource="https://other.example.test")
    checks.check_refused(refused, "invalid_target", status=(400,))
    rp.accepted(rp.redeem(callback, request))


@pytest.mark.late
def test_attack_28_code_after_a_minute(app, early):
    rp = app("first-app")
    early.wait_until(62)
    checks.check_refused(rp.redeem(early.unredeemed, early.request), "invalid_grant", status=(400,))
