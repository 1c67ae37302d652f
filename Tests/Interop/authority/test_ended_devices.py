"""A device that a user has let in, and that has not fetched its tokens when something of the credentials ends."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password, next_second
from support.visitor import Visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("devices"))
    yield made
    made.close()


def nothing(own: Visitor, password: str) -> None:
    pass


def new_password_alone(own: Visitor, password: str) -> None:
    """The other sessions go on, and nothing that could become one does."""
    page = own.open("/settings/password")
    answer = own.post(page.form.action, data={
        "csrf": page.form.values["csrf"], "action": "save", "current_password": password,
        "password": new_password()})
    assert answer.status_code == 303, answer.text[:300]


@pytest.mark.parametrize(("end", "goes_on"), [(nothing, True), (new_password_alone, False)])
def test_a_device_that_she_let_in_by_mistake_stays_out(site, end, goes_on):
    """As a browser that waits for the same approval does."""
    email, password = new_name("una"), new_password()
    site.sign_up(email, password)
    own, _ = site.browse(email, password)
    device = site.begin_device()
    assert site.decide(own, device).name == "device-done"
    end(own, password)
    assert own.open("/settings").name == "settings", "her own browser goes on"
    assert (site.collect(device).status_code == 200) == goes_on


def test_a_device_of_before_the_dispute_stays_out(site):
    """A thief had her let it in before; she says of the thief's later sign-in that it was not hers."""
    email, password = new_name("una"), new_password()
    site.sign_up(email, password)
    own, _ = site.browse(email, password)
    device = site.begin_device()
    assert site.decide(own, device).name == "device-done"
    next_second()
    site.browse(email, password)
    letter = [each["links"][0] for each in site.letters(email) if each["kind"] == "new-sign-in"][-1]
    reader = site.visitor()
    reader.submit(reader.open(letter))
    assert site.collect(device).status_code == 400
