"""What a passkey signed before its user signed out everywhere opens nothing afterwards."""

from __future__ import annotations

import json

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, new_name, new_password, next_second


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("signed"))
    yield made
    made.close()


@pytest.fixture
def device():
    with Authenticator() as made:
        yield made


@pytest.fixture
def vera(site, device) -> tuple[str, str]:
    """The name of a user with a passkey, and her session."""
    login = new_name("vera")
    session = site.sign_up(login)
    site.add_passkey(login, session, device)
    return login, session


class Signed:
    """An answer of the passkey that waits. `path`: `signin` or `signup-in`."""

    def __init__(self, site: OwnAccounts, device: Authenticator, login: str, path: str = "signin"):
        started = site.call(f"webauthn/{path}/start", {"loginId": login, "origin": site.issuer})
        assert started.get("create") is not True
        shown = device.get(json.loads(started["options"]), origin=site.issuer)
        self.site = site
        self.body = {"transactionId": started["transactionId"], "response": json.dumps(shown)}

    def finish(self):
        return self.site.post("webauthn/signin/finish", self.body)


NAMED = [("signin", True), ("signin", False), ("signup-in", True)]


@pytest.mark.parametrize(("path", "is_named"), NAMED)
def test_it_opens_a_session_as_long_as_nothing_ended(site, device, vera, path, is_named):
    """The control."""
    assert Signed(site, device, vera[0] if is_named else "", path).finish().status_code == 200


@pytest.mark.parametrize(("path", "is_named", "later"), [
    ("signin", True, False), ("signin", True, True), ("signin", False, True), ("signup-in", True, False),
])
def test_it_opens_nothing_after_a_sign_out_everywhere(site, device, vera, path, is_named, later):
    """Within the same second, too, if the client named the user."""
    login, session = vera
    signed = Signed(site, device, login if is_named else "", path)
    if later:
        next_second()
    site.call("logoutall", {}, session)
    answer = signed.finish()
    assert answer.status_code == 401, answer.text
    next_second()
    assert Signed(site, device, login if is_named else "", path).finish().status_code == 200, "a new one does"


def test_it_opens_nothing_after_a_new_password_that_ends_the_sessions(site, device, vera):
    login, _ = vera
    session = site.by_passkey(login, device).json()["refreshJwt"]
    signed = Signed(site, device, login)
    site.call("password/update", {"loginId": login, "newPassword": new_password()}, session)
    assert signed.finish().status_code == 401


def test_the_sign_out_of_one_session_ends_no_sign_in_that_is_under_way(site, device, vera):
    """It is about that session alone."""
    login, session = vera
    signed = Signed(site, device, login)
    site.call("logout", {}, session)
    assert signed.finish().status_code == 200


def test_a_named_user_signs_in_in_the_second_of_the_sign_out(site, device, vera):
    """The server knows that it began afterwards."""
    login, session = vera
    site.call("logoutall", {}, session)
    assert Signed(site, device, login).finish().status_code == 200


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("way", ["otp", "magiclink"])
def test_codes_and_links_from_before_open_nothing_either(site, way, ends):
    """Without an end, the control, they do."""
    login = new_name("vera")
    session = site.sign_up(login)
    site.call(f"{way}/signin/email", {"loginId": login})
    if ends:
        site.call("logoutall", {}, session)
    if way == "otp":
        answer = site.post("otp/verify/email", {"loginId": login, "code": site.code(login)})
    else:
        answer = site.post("magiclink/verify", {"token": site.tokens(login)[0]})
    assert answer.status_code in ((400, 401) if ends else (200,)), answer.text
