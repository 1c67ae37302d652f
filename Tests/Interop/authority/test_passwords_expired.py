"""A password that must be replaced, beside an authenticator: its owner replaces it, and nobody with it alone."""

from __future__ import annotations

import sqlite3

import pytest

from support.own_account import OwnAccounts, missing, new_name, new_password
from support.pages import Page


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("expired"), project={"password_policy": {"min_length": 8, "expiration_weeks": 26}})
    yield made
    made.close()


def expired(site, login: str, password: str) -> str:
    site.manage("user/password/expire", {"loginId": login})
    return password


def temporary(site, login: str, password: str) -> str:
    fresh = new_password()
    site.manage("user/password/set/temporary", {"loginId": login, "password": fresh})
    return fresh


def old(site, login: str, password: str) -> str:
    """Of more than the weeks that the project allows."""
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        database.execute(
            "UPDATE password_state SET set_at = set_at - 27 * 7 * 86400 WHERE user_id = ?",
            (site.user(login)["userId"],))
    return password


WHY = [expired, temporary, old]


def by_page(site, login: str, password: str, key: str | None, new: str) -> Page:
    """What the pages ask for, one after the other; the last one."""
    visitor, page = site.browse(login, password)
    for _ in range(4):
        if page.name == "settings":
            break
        names = page.form.inputs
        if "code" in names:
            if key is None:
                break
            page = visitor.submit(page, {"code": site.totp(key)})
        elif "password" in names:
            values = {"password": new}
            if "current_password" in names:
                values["current_password"] = password
            page = visitor.submit(page, values)
        else:
            break
    return page


@pytest.mark.parametrize("why", WHY, ids=lambda why: why.__name__)
@pytest.mark.parametrize("has_authenticator", [False, True])
@pytest.mark.parametrize("name", ["address", "user name"])
def test_its_owner_replaces_it_on_the_pages(site, why, has_authenticator, name):
    login, password, new = new_name("ida"), new_password(), new_password()
    if name == "address":
        own = site.sign_up(login, password)
    else:
        login = login.split("@")[0] + "-by-name"
        own = site.call("password/signup", {"loginId": login, "password": password})["refreshJwt"]
        site.call("password/update", {"loginId": login, "newPassword": password + "+"}, own)
        password += "+"
    key = site.add_authenticator(login, own)[0] if has_authenticator else None
    password = why(site, login, password)
    page = by_page(site, login, password, key, new)
    assert page.name == "settings", f"{page}: the owner does not come in"
    answer = site.by_password(login, new)
    assert missing(answer) == "second_factor" if has_authenticator else answer.status_code == 200


@pytest.mark.parametrize("why", WHY, ids=lambda why: why.__name__)
def test_the_password_alone_replaces_none_beside_an_authenticator(site, why):
    login, password, new = new_name("ida"), new_password(), new_password()
    site.add_authenticator(login, site.sign_up(login, password))
    password = why(site, login, password)
    page = by_page(site, login, password, None, new)
    assert page.name == "code", page
    body = {"loginId": login, "oldPassword": password, "newPassword": new}
    assert missing(site.post("password/replace", body)) == "second_factor"
    assert site.by_password(login, new).status_code == 400


def test_a_mailbox_and_the_authenticator_lead_to_a_new_password(site):
    """The way of a forgotten password, for who has an address."""
    login, password, new = new_name("ida"), new_password(), new_password()
    key, _ = site.add_authenticator(login, site.sign_up(login, password))
    expired(site, login, password)
    browser = site.visitor()
    page = browser.open("/settings")
    page = browser.open(f"/login/reset?transaction={page.form.values['transaction']}")
    page = browser.submit(page, {"username": login})
    page = browser.submit(page, {"code": site.code(login)})
    page = browser.submit(page, {"code": site.totp(key)})
    browser.submit(page, {"password": new})
    assert missing(site.by_password(login, new)) == "second_factor"


def test_a_page_for_a_new_password_asks_again_what_the_account_has(site):
    """Whoever reads the mailbox leaves the page open until the authenticator is there."""
    for comes in (False, True):
        login, new = new_name("ida"), new_password()
        own = site.sign_up(login, new_password())
        browser = site.visitor()
        page = browser.open("/settings")
        page = browser.open(f"/login/reset?transaction={page.form.values['transaction']}")
        page = browser.submit(page, {"username": login})
        page = browser.submit(page, {"code": site.code(login)})
        assert "password" in page.form.inputs, page
        if comes:
            site.add_authenticator(login, own)
        browser.submit(page, {"password": new})
        answer = site.by_password(login, new)
        assert answer.status_code == (400 if comes else 200), answer.text
        assert (browser.open("/settings").name == "settings") != comes
