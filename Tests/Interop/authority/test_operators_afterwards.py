"""What is left of an operator's ten minutes: nothing that outlives the sign-in, the role or the account."""

from __future__ import annotations

import re

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, aged, auth, serve

NEW_PASSWORD = "Seven-grey-herons-1!"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("afterwards"))
    key = Management(server)
    key.done("permission/create", {"name": "Impersonate"})
    key.done("role/create", {"name": "stand-in", "permissionNames": ["Impersonate"]})
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def nina(key) -> str:
    return key.user("nina@example.com")["userId"]


def hire(own, key: Management, name: str, role: str = "operator") -> tuple[Operator, str]:
    """A new operator, signed in."""
    login = f"{name}@example.com"
    user = key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})["user"]["userId"]
    key.done("operator/update", {"userId": user, "role": role})
    one = Operator(own, name)
    one.enter()
    return one, user


def stand_in(own, key: Management, name: str, user: str) -> tuple[str, str]:
    """A new operator who acts as a user: the operator's identifier, and the refresh token."""
    one, operator = hire(own, key, name)
    key.done("user/update/role/add", {"loginId": f"{name}@example.com", "roleNames": ["stand-in"]})
    return operator, act(own, one, user)


def act(own, one: Operator, user: str) -> str:
    """The refresh token of a session in which the operator acts as a user."""
    page = one.send(f"/admin/users/user/change?id={user}", {"id": user, "action": "impersonate"})
    assert page.status_code == 200, page.text[:300]
    refresh = re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]+", page.text).group(0)
    assert auth(own, "refresh", bearer=refresh).status_code == 200
    return refresh


@pytest.fixture(scope="module")
def lasting(own, key) -> Operator:
    """An operator who may act as others, and stays."""
    one, _ = hire(own, key, "lasting")
    key.done("user/update/role/add", {"loginId": "lasting@example.com", "roleNames": ["stand-in"]})
    return one


@pytest.mark.parametrize(("name", "path", "body"), [
    ("signed-out", "user/logout", {}),
    ("dismissed", "operator/update", {"role": ""}),
    ("disabled", "user/update/status", {"status": "disabled"}),
    ("deleted", "user/delete", {}),
])
def test_who_acts_as_another_user_stops_when_the_operator_does(own, key, nina, name, path, body):
    user, refresh = stand_in(own, key, name, nina)
    key.done(path, {"userId": user} | body)
    after = auth(own, "refresh", bearer=refresh)
    assert after.status_code == 401, f"still Nina, after {name}: {after.status_code}"


def test_who_acts_as_another_user_stops_when_the_permission_goes(own, key, nina):
    _, refresh = stand_in(own, key, "unpermitted", nina)
    key.done("user/update/role/remove", {"loginId": "unpermitted@example.com", "roleNames": ["stand-in"]})
    assert auth(own, "refresh", bearer=refresh).status_code == 401


def test_nobody_acts_as_a_user_who_has_become_an_owner(own, key, lasting, nina):
    """An operator acts as nobody with as much to say, whenever the other one was given it."""
    rising = key.done("user/create", {
        "loginId": "rising@example.com", "email": "rising@example.com", "verifiedEmail": True})["user"]["userId"]
    refresh = act(own, lasting, rising)
    key.done("operator/update", {"userId": rising, "role": "owner"})
    refused = lasting.send(
        f"/admin/users/user/change?id={nina}", {"id": rising, "action": "impersonate"}, to="/admin/users/user/change")
    assert refused.status_code == 403
    assert auth(own, "refresh", bearer=refresh).status_code == 401


def test_who_acts_as_another_user_changes_nothing_about_the_sign_in(own, key, lasting, nina):
    refresh = act(own, lasting, nina)
    one = {"loginId": "nina@example.com"}
    for path, body in [
        ("password/update", {"newPassword": NEW_PASSWORD}), ("totp/update", {}),
        ("otp/update/email", {"email": "evil@example.com"}),
    ]:
        refused = auth(own, path, one | body, refresh)
        told = refused.json()
        assert (refused.status_code, told["errorCode"]) == (403, "E011003"), f"{path}: {refused.text}"
        assert "another user" in told["errorMessage"], told
    session = auth(own, "password/signin", one | {"password": PASSWORD})
    assert session.status_code == 200, "the password is the old one"
    changed = auth(own, "password/update", one | {"newPassword": NEW_PASSWORD}, session.json()["refreshJwt"])
    assert changed.status_code == 200, changed.text
    key.done("user/password/set/active", one | {"password": PASSWORD})


def test_who_acts_as_another_user_ends_no_session_of_hers(own, lasting, nina):
    """And she ends theirs."""
    one = {"loginId": "nina@example.com"}
    first, second = act(own, lasting, nina), act(own, lasting, nina)
    hers = auth(own, "password/signin", one | {"password": PASSWORD}).json()["refreshJwt"]
    assert auth(own, "logoutall", bearer=first).status_code == 200
    assert auth(own, "refresh", bearer=first).status_code == 401, "the session that was shown ends"
    assert auth(own, "refresh", bearer=hers).status_code == 200
    assert auth(own, "logoutall", bearer=hers).status_code == 200
    assert auth(own, "refresh", bearer=second).status_code == 401


def test_a_password_alone_makes_no_old_session_new(own, key):
    """The console sends an operator to the sign-in; the factor of the old session does not count again."""
    one, _ = hire(own, key, "half")
    make = {"name": "Planted again"}
    with aged(own):
        sent = one.send("/admin/tenants", make)
        page = one.browser.follow(sent)
        assert page.name == "login", page
        page = one.browser.submit(page, {"username": "half@example.com", "password": PASSWORD})
        assert page.name == "code", page
        assert one.send("/admin/tenants", make).headers["Location"].startswith("/login")
        one.walk(page)
        assert one.send("/admin/tenants", make).headers["Location"].startswith("/admin/tenants/tenant")


@pytest.mark.parametrize(("name", "path", "body", "console"), [
    ("ended", "user/logout", {}, 303),
    ("gone", "operator/update", {"role": ""}, 403),
    ("barred", "user/update/status", {"status": "disabled"}, 303),
    ("removed", "user/delete", {}, 303),
    ("reset", "user/password/set/active", {"password": NEW_PASSWORD}, 303),
])
def test_an_operator_who_is_one_no_longer_opens_nothing(own, key, name, path, body, console):
    """Console, access token and refresh token, from the next request on."""
    one, user = hire(own, key, name)
    told = one.tokens()
    bearer = Management(own, told["access_token"])
    assert one.browser.get(f"{own.base}/admin").status_code == 200 and bearer.get("operator/all").status_code == 200
    who = {"loginId": f"{name}@example.com"} if "password" in path else {"userId": user}
    key.done(path, who | body)
    assert one.browser.get(f"{own.base}/admin").status_code == console
    expected = 403 if name == "gone" else 401
    assert bearer.get("operator/all").status_code == expected
    refreshed = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": "keyturn-cli", "refresh_token": told["refresh_token"]})
    if name == "gone":
        assert Management(own, refreshed.json()["access_token"]).get("operator/all").status_code == 403
    else:
        assert (refreshed.status_code, refreshed.json()["error"]) == (400, "invalid_grant")


def test_a_refresh_and_a_new_code_are_no_newer_than_the_sign_in(own, key):
    one, _ = hire(own, key, "thief")
    told = one.tokens()
    change = lambda token: Management(own, token).post("tenant/create", {"id": "planted", "name": "Planted"})
    with aged(own):
        refreshed = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
            "grant_type": "refresh_token", "client_id": "keyturn-cli", "refresh_token": told["refresh_token"]}).json()
        again = one.tokens()
        for token in [told["access_token"], refreshed["access_token"], again["access_token"]]:
            refused = change(token)
            assert refused.status_code == 401 and "max_age" in refused.headers["WWW-Authenticate"], refused.text
    assert change(again["access_token"]).status_code == 200


def test_an_old_session_of_an_operator_adds_no_way_in(own, key):
    """The pages of the account ask as the console does."""
    one, _ = hire(own, key, "planter", "viewer")
    for path in ("passkeys", "authenticators", "password", "identifiers", "delete"):
        address = f"{own.base}/settings/{path}"
        page = one.browser.open(address)
        assert page.name == f"settings-{path}" and page.forms, page
        with aged(own):
            for form in page.forms:
                answer = one.browser.post(address, data=form.filled())
                goes = answer.headers.get("Location", "")
                assert goes.startswith("/login?transaction="), f"{path}: {answer.status_code} {goes}"
    page = one.browser.open(f"{own.base}/settings/identifiers")
    fresh = one.browser.post(page.url, data=page.forms[0].filled({"value": "planted@example.com"}))
    assert "/login" not in fresh.headers.get("Location", ""), "in the first ten minutes a user may"
