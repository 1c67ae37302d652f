"""A session of the methods' wire that another one takes the place of: what ends the later one ends it too."""

from __future__ import annotations

import json

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, missing, new_name, new_password


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("replaced"))
    yield made
    made.close()


@pytest.fixture
def nora(site) -> tuple[str, str, str]:
    """Name, password, and a session of a moment ago."""
    email, password = new_name("nora"), new_password()
    site.sign_up(email, password)
    return email, password, site.by_password(email, password).json()["refreshJwt"]


def a_step_up(site, nora) -> str:
    body = {"loginId": nora[0], "password": nora[1], "loginOptions": {"stepup": True}}
    return site.call("password/signin", body, nora[2])["refreshJwt"]


def an_address(site, nora) -> str:
    mine = new_name("mine")
    site.call("otp/update/email", {"loginId": nora[0], "email": mine, "addToLoginIDs": True}, nora[2])
    return site.call("otp/verify/email", {"loginId": nora[0], "code": site.code(mine)}, nora[2])["refreshJwt"]


def an_authenticator(site, nora) -> str:
    return site.add_authenticator(nora[0], nora[2])[1]


WAYS = [a_step_up, an_address, an_authenticator]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_sign_out_ends_the_session_of_before_too(site, nora, way):
    """The client has the later token alone; whoever copied the earlier one would go on after the sign-out."""
    later = way(site, nora)
    assert site.is_alive(later)
    site.call("logout", {}, later)
    assert not site.is_alive(later)
    assert not site.is_alive(nora[2]), "the session of before goes on after the sign-out"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_sign_out_ends_no_session_elsewhere(site, nora, way):
    elsewhere = site.signed_in_by_code(nora[0])
    site.call("logout", {}, way(site, nora))
    assert site.is_alive(elsewhere)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_ends_everything_ends_both(site, nora, way):
    later = way(site, nora)
    site.call("logoutall", {}, later)
    assert not site.is_alive(later) and not site.is_alive(nora[2])


def test_a_passkey_that_waits_ends_with_the_session_that_began_it(site, nora):
    own = site.signed_in_by_code(nora[0])
    with Authenticator() as device:
        def finish(shown: str, *, sign_out: bool):
            started = site.call("webauthn/update/start", {"loginId": nora[0], "origin": site.issuer}, shown)
            made = device.create(json.loads(started["options"]), origin=site.issuer)
            if sign_out:
                site.call("logout", {}, shown)
            return site.post("webauthn/update/finish", {
                "transactionId": started["transactionId"], "response": json.dumps(made)})

        assert finish(nora[2], sign_out=True).status_code in (400, 401)
        assert not site.user(nora[0])["webauthn"]
        assert finish(own, sign_out=False).status_code == 200, "the control"


def test_an_authenticator_that_waits_in_a_browser_ends_with_its_session(site, nora):
    """A thief of the password began it; the user signs that browser out. Its code counts on no way."""
    thief, page = site.browse(nora[0], nora[1], "/settings/authenticators/add")
    if page.name != "settings-authenticator-add":
        page = thief.open("/settings/authenticators")
        page = thief.submit(page)
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    own, overview = site.browse(nora[0], nora[1], "/settings/sessions")
    form = next(form for form in overview.forms if form.values.get("kind") == "session")
    own.post(form.action, data=form.filled({}, button="end"))
    assert thief.open("/settings").name == "login"
    answer = site.post("totp/verify", {"loginId": nora[0], "code": site.totp(key)})
    assert answer.status_code in (400, 401) and not site.user(nora[0])["TOTP"], answer.text
    assert site.by_password(nora[0], nora[1]).status_code == 200


@pytest.mark.parametrize("ends", [False, True])
def test_half_a_step_up_ends_with_the_session_that_it_continues(site, nora, ends):
    """It waits for the authenticator that came since; the session is signed out meanwhile."""
    email, password, old = nora
    key, _ = site.add_authenticator(email, site.by_password(email, password).json()["refreshJwt"])
    body = {"loginId": email, "password": password, "loginOptions": {"stepup": True}}
    refused = site.post("password/signin", body, old)
    assert missing(refused) == "second_factor"
    if ends:
        site.call("logout", {}, old)
    answer = site.post("totp/verify", {"loginId": email, "code": site.totp(key)}, refused.json()["pendingRef"])
    assert (answer.status_code == 200) != ends, answer.text
