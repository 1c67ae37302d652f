"""What an app of Authgear does in its life, call by call, against our server."""

from __future__ import annotations

import time

import pytest
import requests
from joserfc.jwk import RSAKey

from support.authgear_client import CLAIM, FULL_ACCESS, AuthgearFailed, Keychain, payload
from support.configuration import JONAS, MARIA
from support.server import Server
from support.visitor import Visitor

from .conftest import CONFIGURATION


def test_somebody_signs_in_and_the_app_reads_who_it_is(authgear, visitor):
    app = authgear()
    info = app.authenticate(visitor)
    assert info.sub == MARIA.sub and app.state == "AUTHENTICATED"
    assert (info.is_anonymous, info.is_verified, info.can_reauthenticate) == (False, True, True)
    # Full access is all that the person has, without profile or email having been asked for.
    assert info.members["email"] == MARIA.login and info.members["name"] == MARIA.claims["name"]
    assert app.keychain.refresh_token and "cnf" not in payload(app.access_token)
    assert payload(app.id_token)[CLAIM + "can_reauthenticate"] is True
    assert app.fetch_user_info().sub == MARIA.sub


def test_a_device_with_rsa_keys_signs_in_too(authgear, visitor):
    app = authgear(proof_key=RSAKey.generate_key(2048))
    assert app.authenticate(visitor).sub == MARIA.sub
    app.refresh()


def test_an_address_that_nobody_proved_is_not_verified(site, authgear):
    app = authgear()
    code, verifier = None, None

    class Jonas(Visitor):
        def authorize(self, url, params, person=JONAS, **more):
            return super().authorize(url, params, person, **more)

    info = app.authenticate(Jonas(site.base, site.issuer))
    assert info.sub == JONAS.sub and not info.is_verified


def test_a_refresh_brings_bearer_tokens_and_wants_the_key(signed_in):
    first, used = signed_in.access_token, signed_in.keychain.refresh_token
    signed_in.refresh()
    assert signed_in.access_token != first and "cnf" not in payload(signed_in.access_token)
    assert signed_in.fetch_user_info().sub == MARIA.sub
    thief = type(signed_in)(signed_in.endpoint, signed_in.client_id, signed_in.redirect_uri)
    thief.keychain.refresh_token = signed_in.keychain.refresh_token
    with pytest.raises(AuthgearFailed) as failure:
        thief.refresh()
    assert failure.value.error == "invalid_grant" and used


def test_it_is_proved_again(signed_in, visitor):
    before = payload(signed_in.id_token)["auth_time"]
    token, access = signed_in.keychain.refresh_token, signed_in.access_token
    time.sleep(1.1)
    info = signed_in.reauthenticate(visitor)
    assert info.sub == MARIA.sub and payload(signed_in.id_token)["auth_time"] > before
    assert signed_in.answers[-2].json().get("refresh_token") is None, "nothing that lasts comes of it"
    assert (signed_in.keychain.refresh_token, signed_in.access_token) == (token, access)
    # The session knows of it: what it brings later says so as well.
    again = payload(signed_in.id_token)["auth_time"]
    signed_in.refresh()
    assert payload(signed_in.id_token)["auth_time"] == again


def test_the_id_token_is_renewed_by_the_access_token(signed_in):
    old = payload(signed_in.id_token)
    time.sleep(1.1)
    answer = signed_in.refresh_id_token()
    new = payload(signed_in.id_token)
    assert "access_token" not in answer and "refresh_token" not in answer
    assert new["iat"] > old["iat"] and new["auth_time"] == old["auth_time"]
    assert (new["sub"], new["aud"], new["sid"]) == (old["sub"], old["aud"], old["sid"])
    assert new[CLAIM + "can_reauthenticate"] is True
    with pytest.raises(AuthgearFailed) as failure:
        signed_in.token("urn:authgear:params:oauth:grant-type:id-token", {"x_device_info": signed_in.device_info})
    assert (failure.value.status, failure.value.error) == (401, "invalid_grant")


def test_a_touch_is_set_up_and_signs_in(signed_in):
    signed_in.enable_biometric()
    signed_in.logout()
    assert signed_in.state == "NO_SESSION" and signed_in.keychain.biometric_key_id
    info = signed_in.authenticate_biometric()
    assert info.sub == MARIA.sub and signed_in.state == "AUTHENTICATED"
    assert payload(signed_in.id_token)["amr"] == ["x_biometric"]
    signed_in.refresh()
    assert signed_in.fetch_user_info().sub == MARIA.sub


def test_a_touch_can_be_set_up_after_it_was_proved_again(signed_in, visitor):
    """Set-up wants a recent sign-in: of the session whose access token comes along."""
    signed_in.reauthenticate(visitor)
    signed_in.enable_biometric()


def test_signing_out_sends_the_token_and_nothing_else(signed_in):
    token = signed_in.keychain.refresh_token
    signed_in.logout()
    assert signed_in.state == "NO_SESSION" and signed_in.answers[-1].request.body == f"token={token}"
    signed_in.keychain.refresh_token = token
    with pytest.raises(AuthgearFailed) as failure:
        signed_in.refresh()
    assert failure.value.error == "invalid_grant"
    # It is over already, and unknown tokens are no error either (RFC 7009 §2.2).
    for dead in (token, "nobody.knows-this-one"):
        signed_in.keychain.refresh_token = dead
        signed_in.logout()


def test_the_apps_session_is_wiped_when_it_was_ended_elsewhere(signed_in):
    access = signed_in.access_token
    requests.post(
        signed_in.document["revocation_endpoint"],
        data={"token": signed_in.keychain.refresh_token, "client_id": signed_in.client_id},
        timeout=30,
    )
    with pytest.raises(AuthgearFailed) as failure:
        signed_in.fetch_user_info()
    assert (failure.value.status, failure.value.error) == (401, "invalid_grant")
    assert signed_in.state == "NO_SESSION"
    with pytest.raises(AuthgearFailed) as failure:
        signed_in.token(
            "urn:authgear:params:oauth:grant-type:id-token", {"x_device_info": signed_in.device_info}, bearer=access
        )
    assert (failure.value.status, failure.value.error) == (401, "invalid_grant")


def test_no_nonce_is_asked_for_after_a_start(tmp_path, authgear):
    """Its SDK could not answer `use_dpop_nonce`."""
    server = Server(tmp_path / "server", CONFIGURATION)
    try:
        app = authgear()
        app.endpoint = server.base
        app.authenticate(Visitor(server.base, server.issuer))
        keychain, key, port = app.keychain, app.proof_key, server.address[1]
        assert server.stop() == 0
        server = Server(tmp_path / "server", CONFIGURATION, port=port)
        again = authgear(Keychain(keychain.refresh_token), proof_key=key)
        again.endpoint = server.base
        again.refresh()
        again.refresh()
    finally:
        server.stop()


def test_clocks_may_differ_by_minutes(signed_in):
    """Nothing tells such an app what time it is."""
    for seconds in (-240, 240):
        late = signed_in.proof("POST", signed_in.document["token_endpoint"], iat=int(time.time()) + seconds)
        answer = requests.post(
            signed_in.document["token_endpoint"],
            data={
                "grant_type": "refresh_token",
                "client_id": signed_in.client_id,
                "refresh_token": signed_in.keychain.refresh_token,
            },
            headers={"DPoP": late},
            timeout=30,
        )
        assert answer.status_code == 200, answer.text
        signed_in.keychain.refresh_token = answer.json()["refresh_token"]


def test_full_access_is_the_apps_scope(signed_in):
    assert FULL_ACCESS in payload(signed_in.access_token)["scope"].split()


def test_the_settings_open_in_the_apps_session(site, signed_in):
    """In a sheet that has no cookies: the token takes the session there, once."""
    sheet, address = Visitor(site.base, site.issuer), signed_in.settings_address()
    page = sheet.open(address)
    assert page.name == "settings"
    assert sheet.open(f"{site.base}/settings/sessions").name == "settings-sessions"
    assert Visitor(site.base, site.issuer).open(address).name == "login", "it counts once"
    other = Visitor(site.base, site.issuer).open(signed_in.settings_address("/settings/identities"))
    assert other.name == "settings-identifiers"
    signed_in.logout()
    assert sheet.open(f"{site.base}/settings").name == "login", "it ends with the app's session"


def test_a_password_is_changed_in_the_apps_session(tmp_path, authgear):
    server = Server(tmp_path / "server", CONFIGURATION)
    try:
        app = authgear()
        app.endpoint = server.base
        app.authenticate(Visitor(server.base, server.issuer))
        sheet = Visitor(server.base, server.issuer)
        page, finish = app.begin_settings_action(sheet, "change_password")
        assert page.name == "settings-password"
        callback = sheet.submit(page, {"current_password": MARIA.password, "password": "another-long-password-1"})
        assert finish(callback["code"]) == {}
        app.refresh()
        page, _ = app.begin_settings_action(Visitor(server.base, server.issuer), "change_password")
        assert page.name == "settings-password"
    finally:
        server.stop()


def test_a_cancelled_action_is_a_cancel(site, signed_in):
    sheet = Visitor(site.base, site.issuer)
    page, _ = signed_in.begin_settings_action(sheet, "delete_account")
    callback = sheet.submit(page, button="deny")
    assert callback["error"] == "cancel"
    assert signed_in.fetch_user_info().sub == MARIA.sub
