"""A link is a first factor: opened beside a sign-in that waits for its second one, it is not that one."""

from __future__ import annotations

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, new_name, new_password, next_second


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("beside"),
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield made
    made.close()


@pytest.fixture
def una(site):
    """A role of hers wants two factors. A thief has her password and her mailbox."""
    name, password = new_name("una"), new_password()
    site.sign_up(name, password)
    return name, password


def with_a_passkey(site, una) -> None:
    with Authenticator() as device:
        site.add_passkey(una[0], site.signed_in_by_code(una[0]), device)


def with_no_factor_yet(site, una) -> None:
    pass


def link(site, name: str) -> str:
    site.call("magiclink/signin/email", {"loginId": name, "redirectUrl": f"{site.issuer}/link"})
    return site.tokens(name)[0]


def wait_in(visitor, sealed: str) -> None:
    """The browser is the thief's: it says what it likes about which sign-in waits there."""
    name = next(each.name for each in visitor.session.cookies if each.name.endswith("-browser"))
    visitor.session.cookies.set(name.replace("browser", "waiting"), sealed)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(("has", "page"), [(with_a_passkey, "methods"), (with_no_factor_yet, "totp-setup")])
def test_a_link_is_no_second_factor_of_a_sign_in_that_waits(site, una, has, page, beside):
    has(site, una)
    site.manage("user/update/role/add", {"loginId": una[0], "roleNames": ["auditor"]})
    visitor, waits = site.browse(*una)
    assert waits.name == page, waits
    if beside:
        wait_in(visitor, waits.form.values["transaction"])
    arrived = visitor.submit(visitor.open("/link", {"t": link(site, una[0])}))
    assert arrived.name == page, arrived
    assert visitor.open("/settings").name != "settings"


@pytest.mark.parametrize("beside", [False, True])
def test_a_link_brings_back_no_sign_in_that_a_new_password_ended(site, una, beside):
    """The thief's page waits since before: by the password that she has replaced, and signed everything out with."""
    with_a_passkey(site, una)
    site.manage("user/update/role/add", {"loginId": una[0], "roleNames": ["auditor"]})
    visitor, waits = site.browse(*una)
    site.manage("user/password/set/active", {"loginId": una[0], "password": new_password()})
    if beside:
        wait_in(visitor, waits.form.values["transaction"])
    visitor.submit(visitor.open("/link", {"t": link(site, una[0])}))
    assert visitor.open("/settings").name != "settings"


@pytest.mark.parametrize("beside", [False, True])
def test_a_link_opens_no_console_beside_a_passkey(site, una, beside):
    with_a_passkey(site, una)
    site.manage("operator/update", {"loginId": una[0], "role": "owner"})
    visitor, waits = site.browse(*una, path="/admin")
    if beside:
        wait_in(visitor, waits.form.values["transaction"])
    visitor.submit(visitor.open("/link", {"t": link(site, una[0])}))
    arrived = visitor.open("/admin")
    assert not arrived.name.startswith(("admin", "console")), arrived


def codes_on(page) -> list[str]:
    return [each.get_text(strip=True) for each in page.soup.select("li")]


@pytest.mark.parametrize("beside", [False, True])
def test_recovery_codes_of_before_stand_for_no_later_authenticator(site, una, beside):
    """The page shows them to who set an authenticator up. The owner's own, by an app, comes days later."""
    site.manage("user/update/role/add", {"loginId": una[0], "roleNames": ["auditor"]})
    visitor, waits = site.browse(*una)
    if beside:
        wait_in(visitor, waits.form.values["transaction"])
    codes = codes_on(visitor.submit(visitor.open("/link", {"t": link(site, una[0])})))
    site.manage("user/update/role/remove", {"loginId": una[0], "roleNames": ["auditor"]})
    next_second()
    site.add_authenticator(una[0], site.signed_in_by_code(una[0]))
    thief, page = site.browse(*una)
    page = thief.submit(thief.submit(page, button="other"), button="recovery")
    page = thief.submit(page, {next(iter(page.form.inputs)): [*codes, "AAAA-AAAA-AAAA"][0]})
    assert page.name == "recovery" and thief.open("/settings").name == "login", page
