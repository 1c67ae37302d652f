"""A code or a link that raises a session raises that session alone: who reads the mailbox gets nothing of what it has shown."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password
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
@pytest.mark.parametrize("has_factor", [False, True], ids=["a password", "and a second factor"])
def test_without_the_session_nothing_opens(site, way, wish, has_factor):
    email, password = new_name("vera"), new_password()
    refresh = site.sign_up(email, password)
    key = site.add_authenticator(email, refresh)[0] if has_factor else None
    answer = site.by_password(email, password).json()
    session = answer["refreshJwt"] if not has_factor else site.call(
        "totp/verify", {"loginId": email, "code": site.totp(key)}, answer["pendingRef"])["refreshJwt"]
    refused = way(site, email, {wish: True}, session, None)
    assert refused.status_code == 400 and "refreshJwt" not in refused.json(), refused.text
    assert site.is_alive(session)


@WAYS
@WISHES
def test_the_control_the_session_that_asked_is_raised(site, way, wish):
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    session = site.by_password(email, password).json()["refreshJwt"]
    answer = way(site, email, {wish: True}, session, session)
    said = payload_of(answer.json()["sessionJwt"])
    assert said.get("su") if wish == "stepup" else {"pwd", "email"} <= set(said["amr"]), said
