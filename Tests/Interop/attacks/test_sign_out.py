"""What ends with what: an API of others, which knows the standard alone, takes the logout notices."""

from __future__ import annotations

import time

import pytest

from support import tokens

EVENT = "http://schemas.openid.net/event/backchannel-logout"
OFFLINE = "openid email offline_access"
TRIES_MAX = 100


class Backend:
    """Checks access tokens by itself, and refuses those that were issued until a notice of their session."""

    def __init__(self, provider, receiver, path: str):
        self.provider = provider
        self.receiver = receiver
        self.path = path
        self.over: dict[str, int] = {}
        receiver.clear()

    def hear(self) -> dict:
        """Waits for the next notice, and applies it."""
        told = self.receiver.wait(lambda request: request.path == self.path)
        self.receiver.clear()
        header, claims = tokens.verify(told.form["logout_token"], self.provider.keys, ["ES256", "RS256"])
        assert header["typ"].lower() == "logout+jwt" and claims["events"] == {EVENT: {}}
        self.over[claims["sid"]] = max(claims["iat"], self.over.get(claims["sid"], 0))
        return claims

    def accepts(self, access_token: str) -> bool:
        header, claims = tokens.verify(access_token, self.provider.keys, ["ES256", "RS256"])
        assert header["typ"].lower() == "at+jwt"
        return claims["exp"] > time.time() and claims["iat"] > self.over.get(claims["sid"], 0)

    def takes(self, access_token: str) -> tuple[bool, bool]:
        """What the server and the API say of a token."""
        return self.provider.is_good(access_token), self.accepts(access_token)


@pytest.fixture
def rp(app):
    return app("backchannel-app")


@pytest.fixture
def backend(provider, backchannel_receiver) -> Backend:
    return Backend(provider, backchannel_receiver, "/backchannel-app")


def renew(rp, backend: Backend, refresh_token: str, sid: str) -> dict:
    """Renews until a token is of a later second than the sign-out: one of the same second is refused."""
    for _ in range(TRIES_MAX):
        answer = rp.accepted(rp.refresh(refresh_token))
        refresh_token = answer["refresh_token"]
        if tokens.payload_of(answer["access_token"])["iat"] > backend.over[sid]:
            return answer
        assert backend.takes(answer["access_token"])[1] is False
        time.sleep(0.1)
    raise AssertionError("the server's clock does not move")


def sign_out(rp, signed_in) -> None:
    signed_in.visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
    assert not rp.is_signed_in(signed_in.visitor)


def test_sign_out_in_the_browser_without_offline_access(rp, backend):
    """The grant ends, and its token at both."""
    signed_in = rp.sign_in(scope="openid email")
    assert backend.takes(signed_in.access_token) == (True, True)
    sign_out(rp, signed_in)
    assert backend.hear()["sid"] == signed_in.claims["sid"]
    assert backend.takes(signed_in.access_token) == (False, False)
    assert rp.refresh(signed_in.refresh_token).json()["error"] == "invalid_grant"


def test_sign_out_in_the_browser_with_offline_access(rp, backend):
    """Back-Channel Logout §2.7: the grant lives. The token of before is refused by both, later ones by neither."""
    signed_in = rp.sign_in(scope=OFFLINE)
    sid = signed_in.claims["sid"]
    sign_out(rp, signed_in)
    assert backend.hear()["sid"] == sid
    assert backend.takes(signed_in.access_token) == (False, False)
    answer = renew(rp, backend, signed_in.refresh_token, sid)
    assert tokens.payload_of(answer["access_token"])["sid"] == sid, "the same session, and yet not over"
    assert backend.takes(answer["access_token"]) == (True, True)


@pytest.mark.parametrize("kind", ["refresh_token", "access_token"])
@pytest.mark.parametrize("scope", ["openid email", OFFLINE])
def test_revocation_ends_the_grant_everywhere(rp, backend, kind, scope):
    """RFC 7009 §2.1: the grant and its access tokens; the API hears of it, and the browser stays signed in."""
    signed_in = rp.sign_in(scope=scope)
    elsewhere = rp.sign_in(scope=scope)
    assert rp.revoke(signed_in.tokens[kind]).status_code == 200
    assert backend.hear()["sid"] == signed_in.claims["sid"]
    assert backend.takes(signed_in.access_token) == (False, False)
    assert rp.refresh(signed_in.refresh_token).json()["error"] == "invalid_grant"
    assert rp.is_signed_in(signed_in.visitor)
    assert backend.takes(elsewhere.access_token) == (True, True), "another session"


def test_a_revoked_token_cannot_be_revoked_into_a_second_notice(rp, backend, backchannel_receiver):
    """Nor can another client's: what is over, or foreign, is told to nobody."""
    signed_in = rp.sign_in(scope=OFFLINE)
    rp.revoke(signed_in.refresh_token)
    backend.hear()
    for _ in range(3):
        assert rp.revoke(signed_in.refresh_token).status_code == 200
    # The next notice is of the next session.
    another = rp.sign_in(scope=OFFLINE)
    rp.revoke(another.refresh_token)
    assert backend.hear()["sid"] == another.claims["sid"]


def test_a_sign_out_after_a_revocation_is_told_again(rp, backend):
    """Two grants of one browser session: the second ends later than the first notice."""
    first = rp.sign_in(scope=OFFLINE)
    second = rp.sign_in(first.visitor, person=None, scope="openid email")
    assert first.claims["sid"] == second.claims["sid"]
    rp.revoke(first.refresh_token)
    early = backend.hear()
    sign_out(rp, second)
    late = backend.hear()
    assert late["sid"] == early["sid"] and late["iat"] >= early["iat"]
    for token in (first.access_token, second.access_token):
        assert backend.takes(token) == (False, False)
