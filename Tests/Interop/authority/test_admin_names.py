"""Names that a comparison takes for one: of tenants, and of users of the file. And who may be an operator."""

from __future__ import annotations

import subprocess
from itertools import count

import pytest

from support.own_account import OwnAccounts, new_name, new_password
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import binary
from support.tokens import payload_of

numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("names"), project={"usernames": True})
    yield made
    made.close()


def manage(site: OwnAccounts, path: str, body: dict):
    return site.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")


def tenants(site: OwnAccounts) -> dict[bytes, str]:
    listed = site.wire.send("GET", "/v1/mgmt/tenant/all", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}").json()["tenants"]
    return {each["id"].encode(): each["name"] for each in listed}


class Lookalike:
    """A customer's tenant, and another one whose identifier has other letters that count as the same."""

    def __init__(self, site: OwnAccounts, first: str, second: str):
        self.first, self.second = f"{first}-{next(numbers)}", ""
        self.second = self.first.replace(first, second)
        assert self.first.encode() != self.second.encode()
        site.manage("tenant/create", {"id": self.first, "name": "The first customer"})
        self.made = manage(site, "tenant/create", {"id": self.second, "name": "The second customer"})


@pytest.fixture(params=[("Kontor", "\u212aontor"), ("caf\u00e9", "cafe\u0301")], ids=["Kelvin sign", "accent"])
def pair(site, request) -> Lookalike:
    return Lookalike(site, *request.param)


def test_a_program_that_changes_one_tenant_changes_no_other(site, pair):
    """A program that takes the identifier of its customers is refused, or has two tenants."""
    answer = manage(site, "tenant/update", {"id": pair.second, "name": "Changed"})
    names = tenants(site)
    assert names.get(pair.first.encode()) == "The first customer", f"{answer.status_code}: {names}"


def test_a_user_of_one_tenant_selects_no_other(site, pair):
    if pair.made.status_code != 200:
        return
    login = new_name("customer")
    site.sign_up(login)
    site.manage("user/update/tenant/add", {"loginId": login, "tenantId": pair.second})
    session = site.signed_in_by_code(login)
    control = site.post("tenant/select", {"tenant": "unknown"}, session)
    assert control.status_code == 400, control.text
    selected = site.post("tenant/select", {"tenant": pair.first}, session)
    told = payload_of(selected.json()["sessionJwt"]).get("dct", "") if selected.status_code == 200 else ""
    assert told.encode() != pair.first.encode(), "a session of a tenant that the user is not of"


def test_a_tenant_that_wants_its_own_sign_in_still_wants_it(site, pair):
    """Its rule is not that of a tenant whose identifier looks like its own."""
    login, password = new_name("strict"), new_password()
    site.sign_up(login, password)
    first = f"{pair.first}-strict"
    site.manage("tenant/create", {"id": first, "name": "Strict", "enforceSSO": True})
    site.manage("user/update/tenant/add", {"loginId": login, "tenantId": first})
    before = site.by_password(login, password)
    manage(site, "tenant/create", {"id": f"{pair.second}-strict", "name": "Open"})
    after = site.by_password(login, password)
    told = [payload_of(each.json()["sessionJwt"]).get("tenants") if each.status_code == 200 else None
            for each in (before, after)]
    assert not told[0], f"the control: {before.status_code}"
    assert not told[1], f"a password opens a session of the tenant: {told[1]}"


def entry(login: str, password: str | None = None, **more) -> dict:
    """A user of the file."""
    known = {"password": password} if password else {}
    return {"login_ids": [login], "email": login, "email_verified": True} | known | more


def take_name(site: OwnAccounts, login: str, password: str, name: str) -> None:
    """Any user may have a user name that is free."""
    browser, page = site.browse(login, password, "/settings/identifiers")
    assert isinstance(page, Page) and page.name == "settings-identifiers", page
    form = next(form for form in page.forms if "identifier" in form.values)
    browser.post(form.action, data=form.filled({"identifier": name}, "add"))
    assert sorted(site.user(login)["loginIds"]) == sorted([login, name])


@pytest.mark.parametrize("role", [None, "viewer"])
def test_who_has_a_user_name_before_the_file_is_not_its_user(site, role):
    """Also an operator of the same role: the file means whose address it names."""
    holder, password, boss, name = new_name("holder"), new_password(), new_name("boss"), f"chief{next(numbers)}"
    site.restart(users=[entry(holder, password, **({"console_role": role} if role else {}))])
    take_name(site, holder, password, name)
    assert site.by_password(name, password).status_code == 200
    site.restart(users=[entry(boss, login_ids=[boss, name], console_role="viewer")])
    found = site.user(boss)
    assert (found["email"], found["verifiedEmail"]) == (boss, True)
    entering = [site.by_password(login, password) for login in (name, boss)]
    opened = [each.json()["user"]["userId"] for each in entering if each.status_code == 200]
    assert found["userId"] not in opened, "the holder's password opens the account of the file's user"


def owners(site: OwnAccounts) -> list[str]:
    listed = site.wire.send("GET", "/v1/mgmt/operator/all", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}").json()
    return [each["userId"] for each in listed["operators"] if each["role"] == "owner"]


def test_no_command_makes_an_owner_of_who_named_a_colleagues_address(site):
    """The telephone is proved, the contact is not."""
    phone, colleague = f"+4915112348{next(numbers):03}", new_name("colleague")
    site.call("otp/signup/sms", {"loginId": phone, "user": {"phone": phone, "email": colleague}})
    user = site.call("otp/verify/sms", {"loginId": phone, "code": site.code(phone)})["user"]["userId"]
    grant = lambda: subprocess.run(
        [binary(), "operator", "grant", phone, "--role", "owner", "--config", site.server.config, "--database",
         f"sqlite:{site.folder / 'keyturn.db'}"], capture_output=True, text=True, timeout=60, check=False)
    refused = grant()
    assert refused.returncode != 0 and colleague in refused.stderr, refused.stderr
    site.manage("user/update/email", {"loginId": phone, "email": colleague, "verified": True})
    assert grant().returncode == 0 and user in owners(site), "as soon as it is"


def test_no_test_user_is_an_operator(site):
    """Its codes are told to programs."""
    login, real = new_name("test"), new_name("real")
    manage(site, "user/create/test", {"loginId": login, "email": login, "verifiedEmail": True})
    site.sign_up(real)
    given = {each: manage(site, "operator/update", {"loginId": each, "role": "viewer"}).status_code
             for each in (login, real)}
    assert given == {login: 400, real: 200}
