"""Back-channel logout (OpenID Connect Back-Channel Logout 1.0 §2)."""

from __future__ import annotations

import secrets
import time

import pytest

from support import tokens
from support.configuration import make_clients, make_configuration
from support.modules import module
from support.receivers import Receiver
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port
from support.visitor import Callback

EVENT = "http://schemas.openid.net/event/backchannel-logout"
LIFETIME_SECONDS_MAX = 120


@module("oidcc-backchannel-logout-discovery-endpoint-verification")
def test_backchannel_logout_is_published(provider):
    assert provider.metadata["backchannel_logout_supported"] is True
    assert provider.metadata["backchannel_logout_session_supported"] is True
    assert provider.metadata["end_session_endpoint"]


@pytest.fixture
def logged_out(app, backchannel_receiver):
    """A sign-in, its logout by the app, the address that the browser reached, and what the app was told."""
    rp = app("backchannel-app")
    backchannel_receiver.clear()
    signed_in = rp.sign_in()
    state = secrets.token_urlsafe(12)
    arrival = signed_in.visitor.open(
        rp.provider.endpoint("end_session"),
        {
            "id_token_hint": signed_in.id_token,
            "post_logout_redirect_uri": rp.client.entry_extra["post_logout_redirect_uris"][0],
            "state": state,
        },
    )
    assert isinstance(arrival, Callback), f"no redirect: {arrival}"
    assert arrival.parameters == {"state": state}
    told = backchannel_receiver.wait(lambda request: request.path == "/backchannel-app")
    return rp, signed_in, told


@module("oidcc-backchannel-rp-initiated-logout")
def test_logout_token(logged_out):
    """Posted as a form; signed; about this session; nothing in it that could pass for an ID token."""
    rp, signed_in, told = logged_out
    assert told.method == "POST"
    assert told.headers["content-type"].split(";")[0] == "application/x-www-form-urlencoded"
    assert set(told.form) == {"logout_token"}
    header, claims = tokens.verify(told.form["logout_token"], rp.provider.keys, [rp.id_token_algorithm])
    assert header.get("typ", "").lower() in ("logout+jwt", "application/logout+jwt")
    assert claims["iss"] == rp.provider.issuer
    assert rp.client_id in (claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]])
    assert abs(claims["iat"] - time.time()) < 60
    assert claims["iat"] < claims["exp"] <= claims["iat"] + LIFETIME_SECONDS_MAX, "attack 77: at most two minutes"
    assert isinstance(claims["jti"], str) and claims["jti"]
    assert claims["events"] == {EVENT: {}}
    assert "nonce" not in claims
    assert claims.get("sub") or claims.get("sid"), "neither sub nor sid"
    for name in ("sub", "sid"):
        if name in claims:
            assert claims[name] == signed_in.claims.get(name), f"{name} is not the ID token's"


@module("oidcc-backchannel-rp-initiated-logout")
def test_logout_ends_the_session(logged_out):
    """No session, and no grant of it that was not for offline use."""
    rp, signed_in, _ = logged_out
    assert not rp.is_signed_in(signed_in.visitor)
    assert rp.refresh(signed_in.refresh_token).json().get("error") == "invalid_grant"
    assert not rp.provider.is_good(signed_in.access_token)


@module("oidcc-backchannel-rp-initiated-logout")
def test_only_apps_of_the_session_are_told(app, backchannel_receiver):
    """Somebody who never used the app signs out: the app hears nothing of it."""
    backchannel_receiver.clear()
    rp = app("first-app")
    signed_in = rp.sign_in()
    signed_in.visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
    assert not rp.is_signed_in(signed_in.visitor)
    time.sleep(0.5)
    assert not [request for request in backchannel_receiver.arrived if request.path == "/backchannel-app"]


def test_notice_survives_a_kill(tmp_path):
    """The relying party is away, the server is killed after the logout and started again: the notice arrives."""
    port = free_port()
    away = f"http://127.0.0.1:{port}"
    clients = make_clients(away, away, (away, away))
    server = Server(tmp_path, make_configuration(clients))
    rp = RelyingParty(Provider(server.base), clients["backchannel-app"])
    signed_in = rp.sign_in()
    signed_in.visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
    assert not rp.is_signed_in(signed_in.visitor)
    time.sleep(1)
    server.kill()
    receiver = Receiver(port=port)
    again = Server(tmp_path, make_configuration(clients), port=server.address[1])
    try:
        told = receiver.wait(lambda request: request.path == "/backchannel-app", seconds=60)
        _, claims = tokens.verify(told.form["logout_token"], rp.provider.keys, [rp.id_token_algorithm])
        assert claims["sid"] == signed_in.claims["sid"]
        assert abs(claims["iat"] - time.time()) < 60, "signed when it is sent"
    finally:
        receiver.close()
        again.stop()
