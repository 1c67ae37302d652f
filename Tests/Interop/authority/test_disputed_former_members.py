"""An organisation reads the mailbox that a former member had there: "This was not me" gives it nothing of theirs."""

from __future__ import annotations

import pytest

from support.directories import Directory
from support.operators import command
from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.told_provider import CLIENT_ID, SECRET

LAPTOP = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0"}


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("former"), tenants=[{"id": "harbour", "name": "Harbour"}], clients=[APP], connections=[{
            "id": "harbour", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["quay.example"]}])
    command(made.server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield made
    made.close()


@pytest.fixture(scope="module")
def directory(site) -> Directory:
    return Directory(site.server, site.manage("scim/token/create", {"tenantId": "harbour", "name": "d"})["cleartext"])


def link(site: OwnAccounts, to: str) -> str:
    return [each["links"][0] for each in site.letters(to) if each["kind"] == "new-sign-in"][-1]


def remove(site: OwnAccounts, login: str, password: str, address: str) -> None:
    visitor, page = site.browse(login, password, "/settings/identifiers")
    form = next(form for form in page.forms if address in form.filled({}).values())
    visitor.follow(visitor.post(form.action, data={**form.filled({}), "action": "remove"}))


@pytest.mark.parametrize("end", ["active: false", "by an operator"])
@pytest.mark.parametrize("domain", ["harbour.example", "quay.example"])
def test_the_address_of_work_does_not_come_back(site, directory, domain, end):
    work, home, password = f"{new_name('fay').split('@')[0]}@{domain}", new_name("fay"), new_password()
    resource = directory.make(work, emails=[{"value": work, "primary": True}])
    session = site.signed_in_by_code(work)
    site.call("otp/update/email", {"loginId": work, "email": home, "addToLoginIDs": True}, session)
    site.call("otp/verify/email", {"loginId": work, "code": site.code(home)}, session)
    site.call("password/update", {"loginId": home, "newPassword": password}, site.signed_in_by_code(home))
    if end == "active: false":
        assert directory.patch(resource, active=False).status_code == 200
    else:
        site.manage("user/update/tenant/remove", {"loginId": home, "tenantId": "harbour"})
    next_second()
    assert site.post("password/signin", {"loginId": home, "password": password}, headers=LAPTOP).status_code == 200
    read_there, read_at_home = link(site, work), link(site, home)
    next_second()
    reader = site.visitor()
    opened = reader.open(read_there)
    assert opened.forms, "the control: the address is on the account"
    remove(site, home, password, work)
    next_second()
    reader.submit(opened)
    assert not site.visitor().open(read_there).forms
    assert site.by_password(home, password).status_code == 200
    reader.submit(reader.open(read_at_home))
    assert site.user(home)["loginIds"] == [home]
    assert site.by_password(home, password).status_code != 200, "the control: the owner's link works"
    before = len(site.letters(work))
    site.post("otp/signin/email", {"loginId": work})
    assert len(site.letters(work)) == before
