"""Attacks 39-41: who the client says it is."""

from __future__ import annotations

import base64
import statistics
import time

import pytest

from support import checks
from support.measured import report
from support.relying_party import RelyingParty

SAMPLES = 40


def ask(rp: RelyingParty, *, auth=None, **form: str):
    """A token request with credentials of the test's own making. The grant type is always permitted."""
    data = {"grant_type": "refresh_token", "refresh_token": "not-a-token", **form}
    return rp.http.post(rp.provider.endpoint("token"), data=data, auth=auth, timeout=10)


@pytest.mark.parametrize("client_id", ["first-app", "post-app"])
def test_attack_39_two_methods_at_once(app, client_id):
    """RFC 6749 §2.3, even if both are right."""
    rp = app(client_id)
    pair = (rp.client_id, rp.client.secret)
    checks.check_refused(
        ask(rp, auth=pair, client_id=pair[0], client_secret=pair[1]), "invalid_client", "invalid_request"
    )


def test_attack_39_header_and_body_name_different_clients(app):
    rp = app("first-app")
    response = ask(rp, auth=(rp.client_id, rp.client.secret), client_id="second-app")
    checks.check_refused(response, "invalid_client", "invalid_request")


def test_attack_40_method_that_was_not_registered(app):
    """Each client has one way; the right secret in the wrong place is nothing."""
    basic, post, public = app("first-app"), app("post-app"), app("native-app")
    attempts = {
        "basic client by body": ask(basic, client_id=basic.client_id, client_secret=basic.client.secret),
        "post client by header": ask(post, auth=(post.client_id, post.client.secret)),
        "basic client without secret": ask(basic, client_id=basic.client_id),
        "post client without secret": ask(post, client_id=post.client_id),
        "post client with an empty secret": ask(post, client_id=post.client_id, client_secret=""),
        "public client with a secret": ask(public, auth=(public.client_id, "made-up-secret-of-mine")),
        "public client with an empty secret": ask(public, auth=(public.client_id, "")),
    }
    for name, response in attempts.items():
        answer = checks.check_refused(response, status=(400, 401))
        assert answer["error"] == "invalid_client", f"{name}: {answer}"


@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic !!!!",
        "Basic Zmlyc3QtYXBw",
        "Basic " + "A" * 9000,
        "Bearer x",
        "Basic Og==",
        "Digest a=b",
    ],
    ids=lambda header: header[:30],
)
def test_attack_40_malformed_credentials(app, header):
    """Refused in OAuth's words, never a fault of the server."""
    rp = app("first-app")
    data = {"grant_type": "refresh_token", "refresh_token": "not-a-token"}
    response = rp.http.post(rp.provider.endpoint("token"), data=data, headers={"Authorization": header}, timeout=10)
    checks.check_refused(response, "invalid_client", "invalid_request")


def test_attack_40_special_characters_are_form_encoded(app, provider):
    """RFC 6749 §2.3.1: identifier and secret are encoded before they are joined; either form of ours is the same."""
    rp = app("first-app")
    encoded = "".join(f"%{ord(letter):02X}" for letter in rp.client_id)
    pair = base64.b64encode(f"{encoded}:{rp.client.secret}".encode()).decode()
    data = {"grant_type": "refresh_token", "refresh_token": "not-a-token"}
    response = rp.http.post(
        provider.endpoint("token"), data=data, headers={"Authorization": f"Basic {pair}"}, timeout=10
    )
    checks.check_refused(response, "invalid_grant", status=(400,))


@pytest.mark.timed
def test_attack_41_unknown_client_is_like_a_wrong_secret(app):
    """The same answer; how long it took is reported."""
    rp = app("first-app")
    pairs = {
        "wrong secret": (rp.client_id, "x" * len(rp.client.secret)),
        "nearly right": (rp.client_id, rp.client.secret[:-1] + "!"),
        "unknown client": ("no-such-app", rp.client.secret),
    }
    answers, times = {}, {name: [] for name in pairs}
    for _ in range(SAMPLES):
        for name, pair in pairs.items():
            start = time.perf_counter()
            response = ask(rp, auth=pair)
            times[name].append(time.perf_counter() - start)
            checks.check_refused(response, "invalid_client", status=(401,))
            answers[name] = response.json(), response.headers.get("WWW-Authenticate")
    assert len({str(answer) for answer in answers.values()}) == 1, answers
    for name, seconds in times.items():
        report(f"attack 41, {name}: median {statistics.median(seconds) * 1000:.2f} ms of {SAMPLES}")
