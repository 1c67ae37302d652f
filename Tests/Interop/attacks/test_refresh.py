"""Attacks 45-48, 50: refresh tokens that were stolen, lost, raced, or stretched."""

from __future__ import annotations

import pytest

from support import checks
from support.raw import all_at_once
from support.relying_party import RelyingParty

PARALLEL = 50


@pytest.mark.late
@pytest.mark.parametrize("client_id", ["first-app", "native-app"])
def test_attack_45_older_token_ends_the_grant(app, client_id, early):
    """RFC 9700 §4.14: two rotations ago, and later than a minute, is no honest retry."""
    rp = app(client_id)
    first, second, third = early.twice_rotated[client_id]
    early.wait_until(64)
    checks.check_refused(rp.refresh(first["refresh_token"]), "invalid_grant", status=(400,))
    checks.check_refused(rp.refresh(third["refresh_token"]), "invalid_grant", status=(400,))
    for answer in (first, second, third):
        assert not rp.provider.is_good(answer["access_token"])


@pytest.mark.parametrize("client_id", ["first-app", "native-app"])
def test_attack_47_copy_under_way(app, client_id):
    """Within a minute any older token gets the current one: a request that was overtaken signs nobody out."""
    rp = app(client_id)
    signed_in = rp.sign_in()
    current = signed_in.refresh_token
    for _ in range(20):
        current = rp.accepted(rp.refresh(current))["refresh_token"]
    assert rp.accepted(rp.refresh(signed_in.refresh_token))["refresh_token"] == current
    assert rp.accepted(rp.refresh(current))["refresh_token"] != current


def test_attack_46_parallel_refreshes(app):
    """Fifty tabs at once: everybody gets the same successor, nobody is signed out."""
    rp = app("first-app")
    signed_in = rp.sign_in()

    def refresh(_: int):
        return RelyingParty(rp.provider, rp.client).refresh(signed_in.refresh_token)

    answers = [rp.accepted(response) for response in all_at_once(PARALLEL, refresh)]
    successors = {answer["refresh_token"] for answer in answers}
    assert len(successors) == 1, f"{len(successors)} different successors"
    assert rp.provider.is_good(answers[0]["access_token"])
    rp.accepted(rp.refresh(successors.pop()))


def test_attack_47_lost_answer(app):
    """The predecessor, retried at once, gets the current successor again, and that one works."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    lost = rp.accepted(rp.refresh(signed_in.refresh_token))
    again = rp.accepted(rp.refresh(signed_in.refresh_token))
    assert again["refresh_token"] == lost["refresh_token"]
    assert again["refresh_token"] != signed_in.refresh_token
    following = rp.accepted(rp.refresh(again["refresh_token"]))
    assert following["refresh_token"] != again["refresh_token"]


@pytest.mark.late
def test_attack_47_lost_answer_that_was_noticed_late(app, early):
    """After a minute: forgiven, as long as the successor was never seen. Once that was used, it ends the grant."""
    rp = app("first-app")
    early.wait_until(63)
    forgiven = rp.accepted(rp.refresh(early.rotated.refresh_token))
    assert forgiven["refresh_token"] == early.successor
    following = rp.accepted(rp.refresh(early.successor))
    assert following["refresh_token"] != early.successor
    checks.check_refused(rp.refresh(early.rotated.refresh_token), "invalid_grant", status=(400,))
    checks.check_refused(rp.refresh(following["refresh_token"]), "invalid_grant", status=(400,))
    assert not rp.provider.is_good(forgiven["access_token"])


@pytest.mark.parametrize("scope", ["openid email phone", "openid phone", "no-such-scope", "openid  email \x7f"])
def test_attack_48_more_than_was_granted(app, scope):
    """RFC 6749 §6. The refusal changes nothing: the token is still the current one."""
    rp = app("first-app")
    signed_in = rp.sign_in(scope="openid email")
    checks.check_refused(rp.refresh(signed_in.refresh_token, scope=scope), "invalid_scope", status=(400,))
    assert rp.introspect(signed_in.refresh_token)["active"] is True, "a refused request rotated the token"
    rp.accepted(rp.refresh(signed_in.refresh_token))


def test_attack_48_less_than_was_granted(app):
    """Fine, for one access token; the grant keeps what it has."""
    rp = app("first-app")
    signed_in = rp.sign_in(scope="openid email")
    narrow = rp.accepted(rp.refresh(signed_in.refresh_token, scope="openid"))
    assert narrow.get("scope") == "openid"
    assert "email" not in rp.provider.userinfo(narrow["access_token"]).json()
    wide = rp.accepted(rp.refresh(narrow["refresh_token"]))
    assert "email" in rp.provider.userinfo(wide["access_token"]).json()


@pytest.mark.parametrize("stranger", ["second-app", "post-app", "native-app"])
def test_attack_50_refresh_token_of_another_client(app, stranger):
    """Refused, and its owner notices nothing."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    checks.check_refused(app(stranger).refresh(signed_in.refresh_token), "invalid_grant", status=(400,))
    rp.accepted(rp.refresh(signed_in.refresh_token))


@pytest.mark.parametrize(
    "cut", ["first letter", "last letter", "shorter", "longer", "empty", "garbage", "access token"]
)
def test_attack_50_altered_refresh_token(app, cut):
    """Garbage is refused, in OAuth's words, and harms nobody."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    token = signed_in.refresh_token
    altered = {
        "first letter": ("A" if token[0] != "A" else "B") + token[1:],
        "last letter": token[:-1] + ("A" if token[-1] != "A" else "Q"),
        "shorter": token[:-2],
        "longer": token + "AA",
        "empty": "",
        "garbage": "\u00e9\0" * 40,
        "access token": signed_in.access_token,
    }[cut]
    checks.check_refused(rp.refresh(altered), "invalid_grant", "invalid_request", status=(400,))
    rp.accepted(rp.refresh(token))


def test_attack_50_client_without_the_grant_type_gets_none(app):
    """No refresh token for those who did not register for it, and no use of anybody's."""
    rp = app("one-shot-app")
    assert "refresh_token" not in rp.sign_in().tokens
    foreign = app("first-app").sign_in().refresh_token
    checks.check_refused(rp.refresh(foreign), "unauthorized_client", "invalid_grant", status=(400,))
