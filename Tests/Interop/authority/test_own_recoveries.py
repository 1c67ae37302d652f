"""A lost second factor is removed beside a password that is good now, not one that was expired meanwhile."""

from __future__ import annotations

import sqlite3

import pytest

from support.own_account import OwnAccounts, new_name, new_password

DAYS = 3 * 86_400


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("lost"), project={})
    yield made
    made.close()


@pytest.fixture
def una(site) -> tuple[str, str]:
    """Whose mailbox and password another person has, and who has an authenticator."""
    name, password = new_name("una"), new_password()
    own = site.sign_up(name)
    site.manage("user/password/set/active", {"loginId": name, "password": password})
    site.add_authenticator(name, site.signed_in_by_code(name))
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE new_address SET proved_at = proved_at - ?", (40 * 86_400,))
    return name, password


def proved(site, una, first: str):
    """Both factors, in either order; the page that follows."""
    visitor = site.visitor()
    page = visitor.open("/settings")
    if first == "password":
        page = visitor.submit(page, {"username": una[0], "password": una[1]})
        page = visitor.submit(visitor.submit(page, button="lost"), button="0")
        return visitor, visitor.submit(page, {"code": site.code(una[0])})
    page = visitor.submit(page, {"username": una[0]}, button="code")
    page = visitor.submit(page, {"code": site.code(una[0])})
    page = visitor.submit(page, button="lost")
    return visitor, visitor.submit(page, {"password": una[1]})


def waited(site, una) -> None:
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        assert database.execute(
            f"UPDATE recovery SET begun_at = begun_at - {DAYS}, ready_at = ready_at - {DAYS},"
            f" expires_at = expires_at - {DAYS} WHERE user_id = ?", (site.user(una[0])["userId"],)).rowcount == 1


@pytest.mark.parametrize("expires", [False, True])
@pytest.mark.parametrize("first", ["password", "mailbox"])
def test_a_password_that_was_expired_meanwhile_removes_no_factor(site, una, first, expires):
    proved(site, una, first)
    waited(site, una)
    visitor, page = proved(site, una, first)
    assert "remove" in {value for _, value in page.form.buttons}, page
    if expires:
        site.manage("user/password/expire", {"loginId": una[0]})
    visitor.submit(page, button="remove")
    assert site.user(una[0])["TOTP"] == expires


def test_a_password_that_was_expired_before_removes_no_factor(site, una):
    """The control: the page offers no removal."""
    proved(site, una, "password")
    waited(site, una)
    site.manage("user/password/expire", {"loginId": una[0]})
    visitor = site.visitor()
    page = visitor.submit(visitor.open("/settings"), {"username": una[0], "password": una[1]})
    page = visitor.submit(page, button="lost")
    assert "0" not in {value for _, value in page.form.buttons}, page
