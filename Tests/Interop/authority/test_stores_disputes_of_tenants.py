"""A link that went to a mailbox of an organisation's opens no account of a former member."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, auth, command, serve
from support.own_account import next_second
from support.visitor import Visitor

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("left"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def directory(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


def letters(own, to: str) -> list[dict]:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each for each in sent if each["to"] == to]


def code(own, to: str) -> str:
    return next((each["code"] for each in reversed(letters(own, to)) if each.get("code")), "000000")


def by_mail(own, login: str) -> requests.Response:
    """What a code answers that is sent to the address."""
    begun = auth(own, "otp/signin/email", {"loginId": login})
    return auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)}) if begun.ok else begun


def spied(own, directory: Directory, resource: str, given: str) -> tuple[str, str]:
    """The directory names a mailbox of its holder's for a moment, who signs in: the mailbox, and the link in it."""
    spy = f"spy{next(numbers)}@harbour.example"
    assert directory.patch(resource, emails=[{"value": spy, "primary": True}]).status_code == 200
    next_second()
    browser = Visitor(own.base)
    page = browser.submit(browser.open(f"{own.base}/settings"), {"username": spy}, button="code")
    assert browser.submit(page, {"code": code(own, spy)}).name == "settings"
    link = [each["links"][0] for each in letters(own, spy) if each["kind"] == "new-sign-in"][-1]
    assert directory.patch(resource, emails=[{"value": given, "primary": True}]).status_code == 200
    return spy, link


def make_own(own, key: Management, given: str) -> str:
    """The user adds a mailbox and a password; then the organisation's address goes."""
    mailbox, session = f"person{next(numbers)}@private.example", by_mail(own, given).json()["refreshJwt"]
    begun = auth(own, "otp/update/email", {
        "loginId": given, "email": mailbox, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    assert begun.status_code == 200, begun.text
    done = auth(own, "otp/verify/email", {"loginId": given, "code": code(own, mailbox)}, session)
    assert done.status_code == 200, done.text
    done = auth(own, "password/update", {"loginId": mailbox, "newPassword": PASSWORD}, session)
    assert done.status_code == 200, done.text
    return mailbox


@pytest.mark.parametrize("disputed", [False, True], ids=["the control", "a link that was sent before"])
def test_the_organisation_is_no_former_member(own, key, directory, disputed):
    given = f"person{next(numbers)}@harbour.example"
    resource = directory.make(given)
    person = by_mail(own, given).json()["user"]["userId"]
    spy, link = spied(own, directory, resource, given)
    next_second()
    mailbox = make_own(own, key, given)
    assert directory.patch(resource, active=False).status_code == 200
    key.done("user/update/loginid", {"loginId": given})
    assert key.user(mailbox)["loginIds"] == [mailbox] and not key.user(mailbox)["userTenants"]
    if disputed:
        browser = Visitor(own.base)
        page = browser.open(link)
        if page.forms:
            browser.submit(page)
    entered = by_mail(own, spy)
    is_person = entered.status_code == 200 and entered.json()["user"]["userId"] == person
    assert not is_person, "the former organisation is the person"
    if not disputed:
        assert auth(own, "password/signin", {"loginId": mailbox, "password": PASSWORD}).status_code == 200
