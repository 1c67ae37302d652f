"""What an app of Trifork Identity Manager does in its life, call by call, against our server."""

from __future__ import annotations

import pytest
import requests

from support.configuration import MARIA
from support.tim_client import TIM, AuthFailed, KeyServiceFailed, jwt

KEY = ("POST", "keyservice/v1/key")
DISCOVERY = ("GET", ".well-known/openid-configuration")
TOKEN = ("POST", "token")


def restart(app: TIM) -> TIM:
    """The same telephone, after the app was closed."""
    return TIM(
        app.realm_base.split("/auth/")[0], app.realm_base.rsplit("/", 1)[1], app.client_id, app.redirect_uri, app.scope,
        app.device,
    )


def test_a_pin_is_set_up_and_signs_in(signed_in):
    stored = signed_in.device.items[f"refreshToken_{MARIA.sub}"]
    assert signed_in.session["refresh_token"] not in str(signed_in.device.items)
    app = restart(signed_in)
    app.login_with_password("1234", MARIA.sub, stores_new=True)
    assert app.traffic == [KEY, DISCOVERY, TOKEN, KEY], "as the wire's transcript has it"
    assert app.session["user"] == MARIA.sub and app.device.items[f"refreshToken_{MARIA.sub}"] != stored
    again = restart(app)
    again.login_with_password("1234", MARIA.sub, stores_new=False)
    assert again.traffic == [KEY, DISCOVERY, TOKEN]


def test_three_wrong_pins_lock_and_the_right_one_comes_too_late(signed_in):
    app = restart(signed_in)
    kinds = []
    for pin in ["0000", "0001", "0002", "1234"]:
        with pytest.raises(KeyServiceFailed) as failure:
            app.login_with_password(pin, MARIA.sub, stores_new=False)
        kinds.append(failure.value.kind)
    assert kinds == ["badPassword", "badPassword", "keyLocked", "keyLocked"]
    assert app.traffic == [KEY] * 4, "nothing else was asked"


def test_the_way_out_of_a_lock_is_a_new_sign_in(signed_in, visitor):
    app = restart(signed_in)
    for _ in range(3):
        with pytest.raises(KeyServiceFailed):
            app.login_with_password("0000", MARIA.sub, stores_new=False)
    app.sign_in(visitor)
    app.store_with_new_password("5678")
    restart(app).login_with_password("5678", MARIA.sub, stores_new=True)


def test_a_wrong_pin_is_forgotten_after_a_right_one(signed_in):
    app = restart(signed_in)
    for _ in range(3):
        for pin in ["0000", "0001"]:
            with pytest.raises(KeyServiceFailed):
                app.login_with_password(pin, MARIA.sub, stores_new=False)
        app.login_with_password("1234", MARIA.sub, stores_new=False)


def test_a_touch_signs_in_with_the_same_key(signed_in):
    app = restart(signed_in)
    app.enable_biometric("1234", MARIA.sub)
    app = restart(app)
    app.login_with_biometric(MARIA.sub, stores_new=True)
    assert app.traffic == [KEY, DISCOVERY, TOKEN, KEY]
    # What the touch stored, the PIN opens.
    restart(app).login_with_password("1234", MARIA.sub, stores_new=True)
    locked = restart(app)
    for _ in range(3):
        with pytest.raises(KeyServiceFailed):
            locked.login_with_password("0000", MARIA.sub, stores_new=False)
    with pytest.raises(KeyServiceFailed) as failure:
        locked.login_with_biometric(MARIA.sub, stores_new=False)
    assert failure.value.kind == "keyLocked"


def test_the_stored_token_survives_refreshes_that_nobody_writes_down(signed_in):
    app = restart(signed_in)
    app.login_with_password("1234", MARIA.sub, stores_new=False)
    for _ in range(5):
        app.refresh()
        assert jwt(app.session["refresh_token"])["sub"] == MARIA.sub
    # The app is killed; the token on the disk is six uses old.
    for _ in range(2):
        app = restart(app)
        app.login_with_password("1234", MARIA.sub, stores_new=False)
        app.refresh()


def test_two_people_on_one_device_have_keys_of_their_own(tim, visitor):
    """The second one is the same person here: what is looked at is the key."""
    first, second = tim(), tim()
    for app, pin in ((first, "1234"), (second, "9999")):
        app.sign_in(visitor)
        app.store_with_new_password(pin)
    with pytest.raises(KeyServiceFailed):
        restart(first).login_with_password("9999", MARIA.sub, stores_new=False)
    mixed = restart(first)
    mixed.device.items[f"keyId_{MARIA.sub}"] = second.device.items[f"keyId_{MARIA.sub}"]
    with pytest.raises(AuthFailed) as failure:
        mixed.login_with_password("9999", MARIA.sub, stores_new=False)
    assert failure.value.kind == "failedToDecryptData"


def test_a_key_of_another_realm_is_missing(signed_in, tim):
    elsewhere = tim("other", signed_in.device)
    with pytest.raises(KeyServiceFailed) as failure:
        elsewhere.login_with_password("1234", MARIA.sub, stores_new=False)
    assert failure.value.kind == "keyMissing"
    unknown = tim("nowhere", signed_in.device)
    with pytest.raises(KeyServiceFailed) as failure:
        unknown.ask("createkey", {"secret": "1234"})
    assert failure.value.kind == "keyMissing"


def test_a_session_that_was_ended_is_an_expired_token(signed_in):
    document = signed_in.session["document"]
    answer = requests.post(
        document["revocation_endpoint"],
        data={"token": signed_in.session["refresh_token"], "client_id": signed_in.client_id},
        timeout=30,
    )
    assert answer.status_code == 200
    with pytest.raises(AuthFailed) as failure:
        restart(signed_in).login_with_password("1234", MARIA.sub, stores_new=False)
    assert failure.value.kind == "refreshTokenExpired"
