"""A link with a number, opened for another's request: who asked gets no session that is the reader's own."""

from __future__ import annotations

import re

import pytest

from support.messages import Message, token_of
from support.own_account import OwnAccounts, missing, new_name, new_password, next_second

FAR = "203.0.113.9"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("numbers"), project={"approval": {"seconds": 180}})
    yield made
    made.close()


@pytest.fixture(scope="module")
def lenient(tmp_path_factory):
    """Old sessions change how their users sign in."""
    made = OwnAccounts(tmp_path_factory.mktemp("lenient"), methods={"old_sessions_change_sign_in": True})
    yield made
    made.close()


def right_link(site: OwnAccounts, to: str, number: str) -> str:
    letter = [each for each in site.letters(to) if each.get("links")][-1]
    return next(link for one, link in re.findall(r"(\d\d): (\S+)", letter["body"]) if one == number)


def collected(site: OwnAccounts, login: str, path: str = "signin", meanwhile=lambda: None) -> dict:
    """The session of a stranger who asked, after the reader of the mailbox opened the right link."""
    started = site.call(f"enchantedlink/{path}/email", {"loginId": login}, network=FAR)
    letter = site.letters(login)[-1]
    link = Message(login, letter["subject"], letter["body"]).numbered()[started["linkId"]]
    site.call("enchantedlink/verify", {"token": token_of(link)})
    meanwhile()
    return site.call("enchantedlink/pending-session", {"pendingRef": started["pendingRef"]}, network=FAR)


def changes(login: str) -> dict[str, dict]:
    return {
        "password/update": {"loginId": login, "newPassword": new_password()},
        "otp/update/email": {"loginId": login, "email": new_name("mallory"), "addToLoginIDs": True},
        "totp/update": {"loginId": login},
    }


def test_it_changes_nothing_about_the_sign_in(site):
    login, password = new_name("vera"), new_password()
    own = site.sign_up(login, password)
    next_second()
    session = collected(site, login)["refreshJwt"]
    for path, body in changes(login).items():
        assert missing(site.post(path, body, session, network=FAR)) == "recent_sign_in", path
    assert site.by_password(login, password).status_code == 200 and site.is_alive(own)


def test_a_code_that_its_reader_types_opens_an_own_session(site):
    """The control."""
    login = new_name("vera")
    site.sign_up(login, new_password())
    session = site.signed_in_by_code(login)
    site.call("password/update", changes(login)["password/update"], session)


def test_it_ends_no_other_session_and_says_so(site):
    login = new_name("vera")
    own = site.sign_up(login)
    session = collected(site, login)["refreshJwt"]
    assert missing(site.post("logoutall", {}, session, network=FAR)) == "recent_sign_in"
    assert site.is_alive(own) and site.is_alive(session)


def test_it_is_a_session_all_the_same(site):
    """Descope's clients ask who is signed in, renew it, and end it."""
    login = new_name("vera")
    site.sign_up(login)
    refresh = collected(site, login)["refreshJwt"]
    assert site.is_alive(refresh)
    renewed = site.call("refresh", {}, refresh)
    refresh = renewed.get("refreshJwt") or refresh
    assert site.is_alive(refresh)
    site.call("logout", {}, refresh)
    assert not site.is_alive(refresh)


def test_old_sessions_that_may_change_the_sign_in_are_the_readers_own(lenient):
    login = new_name("vera")
    own = lenient.sign_up(login)
    session = collected(lenient, login)["refreshJwt"]
    assert missing(lenient.post("password/update", changes(login)["password/update"], session)) == "recent_sign_in"
    lenient.age(login)
    lenient.call("password/update", changes(login)["password/update"], own)


@pytest.mark.parametrize("path", ["signup", "signup-in"])
def test_who_signs_up_by_one_has_a_session_of_their_own(site, path):
    """There was no account to get into."""
    login = new_name("new")
    site.call("password/update", changes(login)["password/update"], collected(site, login, path)["refreshJwt"])


@pytest.mark.parametrize("end", [None, "logout"])
def test_nor_is_it_an_own_one_if_the_reader_signed_in_first(site, end):
    """The link made the account, and the mailbox's reader had its first session."""
    login = new_name("new")

    def reader() -> None:
        session = site.signed_in_by_code(login)
        if end:
            site.call(end, {}, session)

    stranger = collected(site, login, "signup-in", reader)
    assert not stranger["firstSeen"]
    for path, body in changes(login).items():
        assert missing(site.post(path, body, stranger["refreshJwt"], network=FAR)) == "recent_sign_in", path


def test_a_second_factor_of_who_asked_makes_it_their_own(site):
    login = new_name("vera")
    key, _ = site.add_authenticator(login, site.sign_up(login))
    started = site.call("enchantedlink/signin/email", {"loginId": login})
    letter = site.letters(login)[-1]
    link = Message(login, letter["subject"], letter["body"]).numbered()[started["linkId"]]
    site.call("enchantedlink/verify", {"token": token_of(link)})
    waits = site.post("enchantedlink/pending-session", {"pendingRef": started["pendingRef"]})
    assert missing(waits) == "second_factor"
    reference = waits.json()["pendingRef"]
    session = site.call("totp/verify", {"loginId": login, "code": site.totp(key)}, reference)["refreshJwt"]
    site.call("otp/update/email", changes(login)["otp/update/email"], session)


# The pages.


def waits_at_a_desk(site: OwnAccounts, login: str):
    """A browser that waits for a link with a number, its page, and the number."""
    desk = site.visitor()
    page = desk.submit(desk.open("/settings"), {"username": login}, button="code")
    page = desk.submit(page, button="other")
    form = next(form for form in page.forms if ("method", "link") in form.buttons)
    page = desk.follow(desk.post(form.action, data=form.filled({}, "link")))
    assert page.name == "link-sent", page
    return desk, page, page.soup.select_one(".number strong").get_text(strip=True)


def local(site: OwnAccounts, link: str) -> str:
    return link.replace(site.issuer, "")


def test_a_desk_that_a_link_elsewhere_lets_in_signs_in_again_before_it_changes_anything(site):
    login = new_name("vera")
    site.sign_up(login)
    next_second()
    desk, page, number = waits_at_a_desk(site, login)
    browser = site.visitor()
    assert browser.submit(browser.open(local(site, right_link(site, login, number)))).name == "done"
    assert desk.open(page.url).name == "settings", "it is signed in"
    answer = desk.open("/settings/identifiers")
    form = next((form for form in answer.forms if ("action", "add") in form.buttons), None)
    if form is not None:
        evil = new_name("evil")
        assert desk.follow(desk.post(form.action, data=form.filled({"identifier": evil}, "add"))).name == "login"
        assert not site.letters(evil)
    else:
        assert answer.name == "login"
    assert desk.open("/settings/password").name == "login"
    assert site.user(login)["loginIds"] == [login]


def test_a_link_that_is_opened_in_the_browser_that_waits_opens_an_own_session(site):
    """The control: it is who asked that reads the mailbox."""
    login = new_name("vera")
    site.sign_up(login)
    desk, _, number = waits_at_a_desk(site, login)
    assert desk.submit(desk.open(local(site, right_link(site, login, number)))).name == "settings"
    assert desk.open("/settings/password").name != "login"


def test_an_approved_browser_may_not_either(site):
    """As the link does, so does the approval."""
    login, password = new_name("vera"), new_password()
    site.sign_up(login, password)
    victim, _ = site.browse(login, password)
    desk, page, number = site.ask_for_approval(login)
    site.approve(victim, number)
    assert (desk.submit(page) if page.forms else desk.open(page.url)).name == "settings"
    assert desk.open("/settings/password").name == "login"
