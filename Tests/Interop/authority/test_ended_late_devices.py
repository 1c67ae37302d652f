"""A device that its user let in at the end of its code's time stays out, too, when something of the credentials ends."""

from __future__ import annotations

import sqlite3
import time

import pytest

from support.own_account import OwnAccounts, new_name, new_password
from support.visitor import Visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("late"))
    yield made
    made.close()


def code_is_over(site: OwnAccounts) -> None:
    """The time of the code ends a moment after the decision; the device may fetch its tokens for a minute more."""
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE device_authorization SET expires_at = ?", (int(time.time()) - 1,))
    database.close()


def new_password_alone(own: Visitor, password: str) -> None:
    page = own.open("/settings/password")
    answer = own.post(page.form.action, data={
        "csrf": page.form.values["csrf"], "action": "save", "current_password": password,
        "password": new_password()})
    assert answer.status_code == 303, answer.text[:300]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("ends", [False, True])
def test_a_device_that_she_let_in_by_mistake_stays_out(site, late, ends):
    email, password = new_name("una"), new_password()
    site.sign_up(email, password)
    own, _ = site.browse(email, password)
    device = site.begin_device()
    assert site.decide(own, device).name == "device-done"
    if late:
        code_is_over(site)
    if ends:
        new_password_alone(own, password)
    assert (site.collect(device).status_code == 200) == (not ends)
