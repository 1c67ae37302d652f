"""Sessions in which one user acts as another: what they may not do, and when they end."""

from __future__ import annotations

import pytest
import requests

from support.own_account import CLOSED, OwnAccounts, new_name, new_password


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("acting"), project={"approval": {"seconds": 120}},
        roles=[{"name": "helper", "permissions": ["Impersonate"]}])
    yield made
    made.close()


@pytest.fixture
def acting(site) -> tuple[str, str, str, str]:
    """The user, the helper, the user's own session, and the one in which the helper acts."""
    email, helper = new_name("vera"), new_name("hugo")
    own = site.sign_up(email)
    site.sign_up(helper)
    site.manage("user/update/role/add", {"loginId": helper, "roleNames": ["helper"]})
    made = site.manage("impersonate", {"loginId": email, "impersonatorId": site.user(helper)["userId"]})
    return email, helper, own, made["jwt"]


def test_whoever_acts_as_a_user_changes_nothing_about_the_sign_in(site, acting):
    """Each call succeeds in the user's own session."""
    email, _, own, session = acting
    calls = {
        "webauthn/update/start": {"loginId": email, "origin": site.issuer},
        "totp/update": {"loginId": email},
        "magiclink/update/email": {"loginId": email, "email": new_name("mallory")},
        "enchantedlink/update/email": {"loginId": email, "email": new_name("mallory")},
        "otp/update/email": {"loginId": email, "email": new_name("mallory")},
        "otp/update/phone/sms": {"loginId": email, "phone": "+4915112345678"},
        "password/update": {"loginId": email, "newPassword": new_password()},
    }
    for path, body in calls.items():
        answer = site.post(path, body, session)
        assert (answer.status_code, answer.json()["errorCode"]) == (403, CLOSED), f"{path}: {answer.text}"
        assert "missing" not in answer.json(), path
    for path, body in calls.items():
        site.call(path, body, own)


def test_whoever_acts_as_a_user_raises_no_session_and_opens_no_settings(site, acting):
    email, _, own, session = acting
    for path in ("otp/signin/email", "magiclink/signin/email", "enchantedlink/signin/email"):
        for option in ("stepup", "mfa"):
            body = {"loginId": email, "loginOptions": {option: True}}
            answer = site.post(path, body, session)
            assert (answer.status_code, answer.json()["errorCode"]) == (400, CLOSED), f"{path}: {answer.text}"
            site.call(path, body, own)
    for path, body in {
        "/oauth2/app_session_token": {}, "/api/anonymous_user/promotion_code": {"session_type": "refresh_token"},
    }.items():
        answer = requests.post(f"{site.base}{path}", json={"refresh_token": session, **body}, timeout=20)
        assert answer.status_code == 403, f"{path}: {answer.text}"
    assert site.settings_of_app(own).name == "settings"


def test_whoever_acts_as_a_user_signs_nobody_else_out(site, acting):
    _, _, own, session = acting
    site.call("logoutall", {}, session)
    assert site.is_alive(own) and not site.is_alive(session)


def test_a_user_ends_the_sessions_of_those_who_act(site, acting):
    _, _, own, session = acting
    assert site.is_alive(session)
    site.call("logoutall", {}, own)
    assert not site.is_alive(session)


@pytest.mark.parametrize("end", ["disabled", "deleted", "without the permission"])
def test_nobody_acts_any_more_who_may_not(site, acting, end):
    """A helper who has left keeps no way in to another user's account."""
    _, helper, own, session = acting
    assert site.is_alive(session)
    match end:
        case "disabled":
            site.manage("user/update/status", {"loginId": helper, "status": "disabled"})
        case "deleted":
            site.manage("user/delete", {"loginId": helper})
        case _:
            site.manage("user/update/role/remove", {"loginId": helper, "roleNames": ["helper"]})
    answer = site.post("refresh", {}, session)
    assert answer.status_code == 401, f"a helper who is {end} still acts"
    assert site.is_alive(own)
