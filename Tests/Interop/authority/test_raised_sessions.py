"""A code or a link that raises a session raises that session alone: who reads the mailbox gets nothing of what it has shown."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, missing, new_name, new_password
from support.tokens import payload_of


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("raised"))
    yield made
    made.close()


def by_code(site: OwnAccounts, email: str, options: dict, asker: str, shown: str | None):
    site.call("otp/signin/email", {"loginId": email, "loginOptions": options}, asker)
    return site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}, shown)


def by_link(site: OwnAccounts, email: str, options: dict, asker: str, shown: str | None):
    site.call("magiclink/signin/email", {"loginId": email, "loginOptions": options}, asker)
    return site.post("magiclink/verify", {"token": site.tokens(email)[0]}, shown)


WAYS = pytest.mark.parametrize("way", [by_code, by_link], ids=lambda each: each.__name__)
WISHES = pytest.mark.parametrize("wish", ["stepup", "mfa"])


@WAYS
@WISHES
def test_without_the_session_the_second_factor_is_asked_for(site, way, wish):
    email, password = new_name("vera"), new_password()
    key, _ = site.add_authenticator(email, site.sign_up(email, password))
    pending = site.by_password(email, password).json()["pendingRef"]
    session = site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, pending)["refreshJwt"]
    assert missing(way(site, email, {wish: True}, session, None)) == "second_factor"
    assert site.is_alive(session)


@WAYS
@WISHES
def test_nor_has_it_the_password_of_the_session(site, way, wish):
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    session = site.by_password(email, password).json()["refreshJwt"]
    answer = way(site, email, {wish: True}, session, None)
    assert answer.status_code == 200, "a sign-in by itself"
    said = payload_of(answer.json()["sessionJwt"])
    assert "pwd" not in said["amr"] and "mfa" not in said["amr"] and not said.get("su"), said


@WAYS
@WISHES
def test_the_control_the_session_that_asked_is_raised(site, way, wish):
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    session = site.by_password(email, password).json()["refreshJwt"]
    answer = way(site, email, {wish: True}, session, session)
    said = payload_of(answer.json()["sessionJwt"])
    assert said.get("su") if wish == "stepup" else {"pwd", "email"} <= set(said["amr"]), said
