"""A thief adds an address of an organisation, whose directory takes the account in: none of it outlasts the dispute."""

from __future__ import annotations

import pytest

from support.directories import Directory
from support.operators import command
from support.own_account import APP, OwnAccounts, new_name, new_password, next_second

THIEF = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/120"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("provisioned"), tenants=[{"id": "harbour", "name": "Harbour"}], clients=[APP])
    command(made.server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield made
    made.close()


@pytest.fixture(scope="module")
def directory(site) -> Directory:
    token = site.manage("scim/token/create", {"tenantId": "harbour", "name": "d"})["cleartext"]
    return Directory(site.server, token)


class Robbed:
    """Her account, to which a thief has added an address of the organisation."""

    def __init__(self, site: OwnAccounts):
        self.site, self.email, password = site, new_name("vera"), new_password()
        self.work = f"{self.email.split('@')[0]}@harbour.example"
        site.sign_up(self.email, password)
        site.by_password(self.email, password)
        next_second()
        before = len(site.letters(self.email))
        thief = site.post("password/signin", {"loginId": self.email, "password": password}, headers=THIEF)
        self.thief = thief.json()["refreshJwt"]
        self.link = next(
            link for each in site.letters(self.email)[before:] for link in each["links"] if "dispute" in link)
        site.call(
            "otp/update/email", {"loginId": self.email, "email": self.work, "addToLoginIDs": True}, self.thief)
        site.call("otp/verify/email", {"loginId": self.email, "code": site.code(self.work)}, self.thief)

    def tenants(self) -> list[str]:
        return [each["tenantId"] for each in self.site.user(self.email)["userTenants"]]

    def dispute(self) -> None:
        reader = self.site.visitor()
        reader.submit(reader.open(self.link))


@pytest.mark.parametrize("states", [(), (False,), (False, True)], ids=["once", "taken", "taken and given"])
def test_what_the_directory_gave_goes_with_the_address(site, directory, states):
    robbed = Robbed(site)
    resource = directory.make(robbed.work)
    assert robbed.tenants() == ["harbour"], "the control: the directory has the account"
    for active in states:
        assert directory.patch(resource, active=active).status_code == 200
    next_second()
    robbed.dispute()
    assert robbed.tenants() == [], "the organisation has a user who is not its own"
    assert robbed.work not in site.user(robbed.email)["loginIds"]
    assert directory.patch(resource, active=True).status_code == 404
    assert robbed.tenants() == []


def test_a_directory_that_has_the_user_as_inactive_gives_nothing_later(site, directory):
    robbed = Robbed(site)
    resource = directory.make(robbed.work, active=False)
    next_second()
    robbed.dispute()
    assert directory.patch(resource, active=True).status_code == 404
    assert robbed.tenants() == []
