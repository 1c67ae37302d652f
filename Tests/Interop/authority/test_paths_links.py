"""A numbered link that raises a session: whoever opens it may not be who asked, as with a code or another link."""

from __future__ import annotations

import pytest

from support.messages import Message, token_of
from support.own_account import OwnAccounts, missing, new_name, new_password


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("numbered"))
    yield made
    made.close()


@pytest.fixture
def otto(site) -> tuple[str, str]:
    """A user with a password and an authenticator app: the name, and a session of both, 700 seconds ago."""
    email, password = new_name("otto"), new_password()
    key, _ = site.add_authenticator(email, site.sign_up(email, password))
    reference = site.by_password(email, password).json()["pendingRef"]
    session = site.call("totp/verify", {"loginId": email, "code": site.totp(key)}, reference)["refreshJwt"]
    site.age(email)
    assert missing(site.post("totp/update", {"loginId": email}, session)) == "recent_sign_in"
    return email, session


def ask(site: OwnAccounts, email: str, shown: str | None = None, **options) -> tuple[str, str]:
    """The reference of who waits, and the right link, which is in her mailbox."""
    started = site.call("enchantedlink/signin/email", {"loginId": email, "loginOptions": options}, shown)
    letter = site.letters(email)[-1]
    links = Message(email, letter["subject"], letter["body"]).numbered()
    return started["pendingRef"], token_of(links[started["linkId"]])


def gained(site: OwnAccounts, login: str, answer) -> list[str]:
    """What an answer's session changes about how its user signs in."""
    if answer.status_code != 200:
        return []
    calls = {
        "totp/update": {"loginId": login},
        "otp/update/email": {"loginId": login, "email": new_name("mallory")},
        "webauthn/update/start": {"loginId": login, "origin": site.issuer},
        "password/update": {"loginId": login, "newPassword": new_password()},
    }
    session = answer.json()["refreshJwt"]
    return [path for path, body in calls.items() if site.post(path, body, session).status_code == 200]


@pytest.mark.parametrize("option", ["stepup", "mfa"])
@pytest.mark.parametrize("collects", ["with the session", "with the reference alone"])
def test_a_numbered_link_that_is_opened_elsewhere_makes_no_old_session_recent(site, otto, option, collects):
    """A thief of an old refresh token asks; the user opens the link in her mail, and shows no session."""
    email, session = otto
    reference, token = ask(site, email, session, **{option: True})
    site.call("enchantedlink/verify", {"token": token})
    answer = site.post(
        "enchantedlink/pending-session", {"pendingRef": reference}, session if collects == "with the session" else None)
    assert gained(site, email, answer) == []


def test_a_numbered_link_makes_no_session_recent_that_is_older_than_a_second_factor_may_be(site, otto):
    """The factors of a session of an hour ago do not combine with a new one."""
    email, session = otto
    site.age(email, 3000)
    reference, token = ask(site, email, session, stepup=True)
    site.call("enchantedlink/verify", {"token": token})
    answer = site.post("enchantedlink/pending-session", {"pendingRef": reference}, session)
    assert answer.status_code == 200 and gained(site, email, answer) == []


def test_a_code_makes_the_session_recent_that_is_shown_with_it(site, otto):
    """The control: who asked reads the mailbox, too."""
    email, session = otto
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"stepup": True}}, session)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}, session)
    assert len(gained(site, email, answer)) == 4


def test_a_numbered_link_alone_opens_no_account_with_an_authenticator(site, otto):
    email, _ = otto
    reference, token = ask(site, email)
    site.call("enchantedlink/verify", {"token": token})
    assert missing(site.post("enchantedlink/pending-session", {"pendingRef": reference})) == "second_factor"


def test_another_users_session_raises_itself_by_no_numbered_link(site, otto):
    """The session that asks is of the user whose address it is."""
    mallory = site.sign_up(new_name("mallory"))
    answer = site.post(
        "enchantedlink/signin/email", {"loginId": otto[0], "loginOptions": {"stepup": True}}, mallory)
    assert answer.status_code == 400, answer.text


def test_a_numbered_link_is_collected_once(site):
    email = new_name("vera")
    site.sign_up(email)
    reference, token = ask(site, email)
    site.call("enchantedlink/verify", {"token": token})
    assert site.post("enchantedlink/pending-session", {"pendingRef": reference}).status_code == 200
    assert site.post("enchantedlink/pending-session", {"pendingRef": reference}).status_code != 200


def test_a_strangers_wish_ends_no_session_by_a_numbered_link(site):
    """As by any other link: anybody may ask for one."""
    email = new_name("vera")
    own = site.sign_up(email)
    reference, token = ask(site, email, revokeOtherSessions=True)
    site.call("enchantedlink/verify", {"token": token})
    assert site.post("enchantedlink/pending-session", {"pendingRef": reference}).status_code == 200
    assert site.is_alive(own), "her session is gone"
