"""A link with a number that another device opened is no proof in a recovery, as an approval is none."""

from __future__ import annotations

import sqlite3

import pytest

from support.own_account import OwnAccounts, new_name, new_password

FORTY_DAYS = 40 * 86_400


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("lost"), project={
        "approval": {"seconds": 180}, "recovery": {"enabled": True, "delay_hours": 72}})
    yield made
    made.close()


def of_long_ago(site: OwnAccounts) -> str:
    """A user with a password, a proved address and an authenticator app, who has had them for long."""
    login = new_name("rita")
    site.add_authenticator(login, site.sign_up(login, new_password()))
    user = site.user(login)["userId"]
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        database.execute("DELETE FROM new_address WHERE user_id = ?", (user,))
        database.execute(
            "UPDATE password_state SET set_at = set_at - ?, reset_at = NULL WHERE user_id = ?", (FORTY_DAYS, user))
    return login


def lost_after_code(site, login):
    browser = site.visitor()
    page = browser.submit(browser.open("/settings"), {"username": login}, button="code")
    return browser.press(browser.submit(page, {"code": site.code(login)}), "lost")


def lost_after_number(site, login):
    """Another person's browser asks for a link; the mailbox's reader opens it on a telephone."""
    browser = site.visitor()
    page = browser.submit(browser.open("/settings"), {"username": login}, button="code")
    page = browser.press(browser.press(page, "other"), "link")
    number = page.soup.select_one(".number strong").get_text(strip=True)
    phone = site.visitor()
    link = next(link for link in site.letters(login)[-1]["links"] if link.endswith(f"n={number}"))
    assert phone.submit(phone.open(link)).name == "done"
    return browser.press(browser.open(page.url), "lost")


def test_a_code_is_a_proof_and_the_password_the_other(site):
    """The control."""
    assert "password" in lost_after_code(site, of_long_ago(site)).form.inputs


def test_a_link_that_another_device_opened_is_none(site):
    page = lost_after_number(site, of_long_ago(site))
    assert "password" not in (page.form.inputs if page.forms else {})
