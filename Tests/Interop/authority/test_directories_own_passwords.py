"""An organisation's directory decides about the passwords of its own people, and not about a person who is not its own."""

from __future__ import annotations

import pytest

from support.directory import Directory, person, slapd
from support.own_account import OwnAccounts, new_name, new_password

pytestmark = pytest.mark.skipif(slapd() is None, reason="slapd is not installed")
AT_DIRECTORY = "the-password-at-the-directory"
PEOPLE = ["jane", "kim", "lena"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("passwords")
    directory = Directory(folder / "slapd", [person(name, f"{name} Doe", AT_DIRECTORY) for name in PEOPLE])
    made = OwnAccounts(
        folder, tenants=[{"id": "acme", "name": "Acme"}],
        connections=[directory.connection(tenant="acme", domains=["acme.example"])])
    yield made
    made.close()
    directory.stop()


def enter(site: OwnAccounts, name: str) -> str:
    """Somebody of the directory, who signs in there; the address."""
    work = f"{name}@acme.example"
    assert site.browse(work, AT_DIRECTORY)[1].name == "settings"
    return work


def own_password(site: OwnAccounts, work: str) -> tuple[str, str]:
    """An address of their own, and a password."""
    home, password = new_name("home"), new_password()
    refresh = site.signed_in_by_code(work)
    site.call("otp/update/email", {"loginId": work, "email": home, "addToLoginIDs": True}, refresh)
    refresh = site.call("otp/verify/email", {"loginId": work, "code": site.code(home)}, refresh)["refreshJwt"]
    site.call("password/update", {"loginId": home, "newPassword": password}, refresh)
    return home, password


def opens(site: OwnAccounts, login: str, password: str) -> bool:
    return site.by_password(login, password).status_code == 200


def test_the_own_password_of_a_former_member_is_good(site):
    home, password = own_password(site, enter(site, "jane"))
    assert not opens(site, home, password), "the control: the directory decides about its own people"
    site.manage("user/update/tenant/remove", {"loginId": home, "tenantId": "acme"})
    assert opens(site, home, password)
    assert not opens(site, "jane@acme.example", AT_DIRECTORY)


def test_so_is_that_of_who_brought_an_account_of_the_directory(site):
    home, password, work = new_name("vera"), new_password(), enter(site, "kim")
    refresh = site.sign_up(home, password)
    site.call("otp/update/email", {"loginId": home, "email": work, "addToLoginIDs": True}, refresh)
    site.call("otp/verify/email", {"loginId": home, "code": site.code(work)}, refresh)
    assert [each["tenantId"] for each in site.user(home)["userTenants"]] == ["acme"], "the control: one account"
    assert opens(site, home, password)


def test_so_is_that_of_who_connected_an_account(site):
    work, password = "lena@acme.example", new_password()
    site.sign_up(work, password)
    visitor, page = site.browse(work, AT_DIRECTORY)
    page = visitor.submit(page, {"username": work, "password": password})
    assert page.name == "settings", page
    assert [each["tenantId"] for each in site.user(work)["userTenants"]] == ["acme"], "the control: it is connected"
    assert opens(site, work, password)
    assert opens(site, work, AT_DIRECTORY), "so is the directory's"
