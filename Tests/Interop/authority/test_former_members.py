"""A user who was taken out of a tenant is not its provider's any more: what this one says opens nothing of theirs."""

from __future__ import annotations

import time
from itertools import count
from urllib.parse import urljoin

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, Management, auth, command, serve
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Callback, Visitor

APP = {
    "client_id": "app", "redirect_uris": ["https://app.example/back"], "token_endpoint_auth_method": "none",
    "application_type": "web", "grant_types": ["authorization_code", "refresh_token"], "first_party": True,
    "scope": "openid profile email",
}
BACK, PASSWORD = "https://app.example/back", "Nine-blue-herons-1!"
numbers = count(1)
REQUEST = {
    "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid", "state": "s",
    "connection": "harbour", "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory, told):
    server = serve(tmp_path_factory.mktemp("former"), clients=[ADMIN, APP], connections=[{
        "id": "harbour", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
        "domains": ["harbour.example"]}])
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def directory(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour", "name": "d"})["cleartext"])


def by_provider(server, told, subject: str, email: str) -> dict | None:
    """A session of the project by what the provider says."""
    told.token = {"sub": subject, "email": email, "email_verified": True}
    visitor = Visitor(server.base)
    page = visitor.open(f"{server.base}/federation/harbour/initiate", {"iss": told.issuer, "target_link_uri": BACK})
    asked = requests.get(page.uri, params=dict(page.pairs), allow_redirects=False, timeout=20)
    page = visitor.open(asked.headers["Location"])
    if not isinstance(page, Callback) or not page.get("code"):
        return None
    answer = auth(server, "sso/exchange", {"code": page["code"]})
    assert answer.status_code == 200, answer.text
    return answer.json()


def code(server, to: str) -> str:
    for _ in range(40):
        sent = [each for each in requests.get(f"{server.base}/dev/outbox.json", timeout=20).json()
                if each["to"] == to and each.get("code")]
        if sent:
            return sent[-1]["code"]
        time.sleep(0.1)
    raise AssertionError(to)


class Member:
    """A user whom the directory made, or the provider alone, and who has made the account their own: a proved address
    elsewhere, and a password. Or one who had an account, which took in that of the directory by a merge."""

    def __init__(self, own, told, directory, name: str, by: str = "directory"):
        self.own, self.told, self.directory = own, told, directory
        self.subject, self.work, self.home = f"x-{name}", f"{name}@harbour.example", f"{name}@home.example"
        self.resource = None if by == "provider" else directory.make(
            self.work, externalId=self.subject, emails=[{"value": self.work, "primary": True}])
        self.id = self.opened()
        first, added = (self.home, self.work) if by == "merge" else (self.work, self.home)
        auth(own, "otp/signup-in/email", {"loginId": first})
        refresh = auth(own, "otp/verify/email", {"loginId": first, "code": code(own, first)}).json()["refreshJwt"]
        self.change(refresh, "otp/update/email", loginId=first, email=added, addToLoginIDs=True)
        proved = self.change(refresh, "otp/verify/email", loginId=first, code=code(own, added))
        self.change(proved.get("refreshJwt") or refresh, "password/update", loginId=first, newPassword=PASSWORD)
        if by == "merge":
            assert self.id != self.opened(), "the account that was there before has the identity now"
            self.id = self.opened()

    def change(self, refresh: str, path: str, **body) -> dict:
        answer = auth(self.own, path, body, refresh)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def opened(self) -> str | None:
        """Whose account the provider opens."""
        answer = by_provider(self.own, self.told, self.subject, self.work)
        return payload_of(answer["sessionJwt"])["sub"] if answer else None

    def enters(self) -> bool:
        answer = auth(self.own, "password/signin", {"loginId": self.home, "password": PASSWORD})
        return answer.status_code == 200

    def leave(self, key: Management, how: str) -> None:
        if how == "active: false":
            assert self.directory.patch(self.resource, active=False).status_code == 200
        elif how == "DELETE":
            assert self.directory.send("DELETE", f"/Users/{self.resource}").status_code == 204
        else:
            key.done("user/update/tenant/remove", {"loginId": self.home, "tenantId": "harbour"})


@pytest.mark.parametrize("end", ["active: false", "DELETE", "by an operator"])
@pytest.mark.parametrize("goes_on", ["in no tenant", "in another"])
@pytest.mark.parametrize("by", ["directory", "merge"])
def test_a_former_members_account_is_not_its_former_tenants(own, told, key, directory, end, goes_on, by):
    member = Member(own, told, directory, f"former{next(numbers)}", by)
    assert member.id and member.opened() == member.id, "the control"
    member.leave(key, end)
    if goes_on == "in another":
        key.done("user/update/tenant/add", {"loginId": member.home, "tenantId": "other"})
        command(own, "user", "remove-login-id", member.work)
    before = key.user(member.home)
    assert "harbour" not in [each["tenantId"] for each in before["userTenants"]]
    assert member.opened() is None
    assert key.user(member.home)["userTenants"] == before["userTenants"]
    assert auth(own, "password/signin", {"loginId": member.home, "password": PASSWORD}).status_code == 200


def test_a_member_lateris_the_providers_again(own, told, key, directory):
    member = Member(own, told, directory, "again")
    member.leave(key, "by an operator")
    assert member.opened() is None
    key.done("user/update/tenant/add", {"loginId": member.home, "tenantId": "harbour"})
    assert member.opened() == member.id


def again(member: Member) -> None:
    assert member.directory.patch(member.resource, active=True).status_code == 200


def off_and_on(member: Member) -> None:
    assert member.directory.patch(member.resource, active=False).status_code == 200
    again(member)


def a_new_user(member: Member) -> None:
    member.directory.make(f"new-{member.work}", externalId=member.subject)


def an_external_id(member: Member) -> None:
    patched = member.directory.patch(member.directory.make(f"any-{member.subject}"), externalId=member.subject)
    assert patched.status_code == 200


def an_own_address(member: Member) -> None:
    patched = member.directory.patch(member.directory.make(f"any-{member.subject}"), userName=member.work)
    assert patched.status_code == 200


CALLED_BACK = [
    ("directory", "active: false", again), ("directory", "by an operator", off_and_on),
    ("merge", "active: false", again), ("merge", "by an operator", off_and_on), ("merge", "DELETE", a_new_user),
    *((by, end, way) for by, end in [("directory", "DELETE"), ("provider", "by an operator")]
      for way in [a_new_user, an_external_id, an_own_address]),
]


@pytest.fixture(params=CALLED_BACK, ids=lambda each: f"{each[0]}, {each[1]}, {each[2].__name__}")
def called_back(request, own, told, key, directory) -> Member:
    by, end, way = request.param
    member = Member(own, told, directory, f"back{next(numbers)}", by)
    assert member.opened() == member.id, "the control"
    member.leave(key, end)
    way(member)
    assert "harbour" in [each["tenantId"] for each in key.user(member.home)["userTenants"]], "a member again"
    return member


def test_a_directory_gives_its_provider_no_account_that_is_the_persons_own(called_back):
    assert called_back.opened() is None
    assert called_back.enters()


@pytest.fixture(scope="module")
def present(own, told, directory) -> Member:
    return Member(own, told, directory, "present")


def set_own_sign_in(own, present: Member, option: str) -> None:
    """Whether the organisation's users sign in at its provider alone; the server reads it within a second."""
    command(own, "tenant", "sso", "harbour", option)
    for _ in range(1200):
        if present.enters() == (option == "--no-require"):
            return
        time.sleep(0.05)
    raise AssertionError(option)


def test_nor_does_it_keep_the_person_out_of_it(own, present, called_back):
    set_own_sign_in(own, present, "--require")
    try:
        assert called_back.enters()
        assert called_back.opened() is None
    finally:
        set_own_sign_in(own, present, "--no-require")


def test_the_person_comes_back_by_signing_in_once(own, told, called_back):
    told.token = {"sub": called_back.subject, "email": called_back.work, "email_verified": True}
    visitor = Visitor(own.base)
    answer = visitor.get(f"{own.base}/oauth2/authorize", params=REQUEST)
    while answer.is_redirect:
        answer = visitor.get(urljoin(answer.url, answer.headers["Location"]))
    page = visitor.submit(Page(answer), {"username": called_back.home, "password": PASSWORD})
    assert isinstance(page, Callback) and page.get("code"), page
    assert called_back.opened() == called_back.id


def test_an_account_that_the_tenant_holds_alone_is_open_again(own, told, key, directory):
    """Nothing was set up there that is the person's own: a pause at work asks nobody to sign in twice."""
    resource = directory.make("pause@harbour.example", externalId="x-pause")
    first = by_provider(own, told, "x-pause", "pause@harbour.example")
    for active in (False, True):
        assert directory.patch(resource, active=active).status_code == 200
    later = by_provider(own, told, "x-pause", "pause@harbour.example")
    assert payload_of(later["sessionJwt"])["sub"] == payload_of(first["sessionJwt"])["sub"]
    key.done("user/update/tenant/remove", {"loginId": "pause@harbour.example", "tenantId": "harbour"})
    for active in (False, True):
        assert directory.patch(resource, active=active).status_code == 200
    assert by_provider(own, told, "x-pause", "pause@harbour.example")


@pytest.mark.parametrize("by", ["directory", "merge"])
def test_what_began_at_the_provider_ends_with_the_membership(own, told, key, directory, by):
    member = Member(own, told, directory, f"open{next(numbers)}", by)
    opened = by_provider(own, told, member.subject, member.work)["refreshJwt"]
    mine = auth(own, "password/signin", {"loginId": member.home, "password": PASSWORD}).json()["refreshJwt"]
    assert auth(own, "refresh", bearer=opened).status_code == 200, "the control"
    member.leave(key, "by an operator")
    assert auth(own, "refresh", bearer=opened).status_code == 401
    assert auth(own, "refresh", bearer=mine).status_code == 200




def connected_by_code(own, told, name: str) -> tuple[str, str]:
    """A user who signed up alone, without a password, and connected the provider once; the subject and the address."""
    subject, work = f"x-{name}", f"{name}@harbour.example"
    auth(own, "otp/signup-in/email", {"loginId": work})
    assert auth(own, "otp/verify/email", {"loginId": work, "code": code(own, work)}).status_code == 200
    told.token = {"sub": subject, "email": work, "email_verified": True}
    visitor = Visitor(own.base)
    answer = visitor.get(f"{own.base}/oauth2/authorize", params=REQUEST)
    while answer.is_redirect:
        answer = visitor.get(urljoin(answer.url, answer.headers["Location"]))
    page = visitor.submit(Page(answer), {"username": work}, button="code")
    assert isinstance(visitor.submit(page, {"code": code(own, work)}), Callback)
    return subject, work


@pytest.mark.parametrize("end", ["by an operator", "active: false and true"])
def test_an_account_that_its_user_made_and_connected_is_not_the_tenants_alone(own, told, key, directory, end):
    subject, work = connected_by_code(own, told, f"alone{next(numbers)}")
    assert by_provider(own, told, subject, work), "the control: the provider opens it"
    if end == "by an operator":
        key.done("user/update/tenant/remove", {"loginId": work, "tenantId": "harbour"})
    else:
        resource = directory.make(work, externalId=subject, emails=[{"value": work, "primary": True}])
        for active in (False, True):
            assert directory.patch(resource, active=active).status_code == 200
    before = key.user(work)["userTenants"]
    assert by_provider(own, told, subject, work) is None
    assert key.user(work)["userTenants"] == before


def test_nor_is_one_that_took_in_another_account_of_its_users(own, told, key, directory):
    """The directory made the account; the user merged one of their own into it, with an address of the organisation's."""
    name = f"taken{next(numbers)}"
    subject, work, mine = f"x-{name}", f"{name}@harbour.example", f"mine-{name}@harbour.example"
    auth(own, "otp/signup-in/email", {"loginId": mine})
    assert auth(own, "otp/verify/email", {"loginId": mine, "code": code(own, mine)}).status_code == 200
    resource = directory.make(work, externalId=subject, emails=[{"value": work, "primary": True}])
    assert by_provider(own, told, subject, work), "the control: the tenant's account"
    auth(own, "otp/signup-in/email", {"loginId": work})
    refresh = auth(own, "otp/verify/email", {"loginId": work, "code": code(own, work)}).json()["refreshJwt"]
    auth(own, "otp/update/email", {"loginId": work, "email": mine, "addToLoginIDs": True}, refresh)
    assert auth(own, "otp/verify/email", {"loginId": work, "code": code(own, mine)}, refresh).status_code == 200
    assert key.user(mine)["userId"] == key.user(work)["userId"], "one account"
    assert directory.patch(resource, active=False).status_code == 200
    assert key.user(mine)["status"] == "enabled"
    assert directory.patch(resource, active=True).status_code == 200
    assert by_provider(own, told, subject, work) is None
    assert directory.send("DELETE", f"/Users/{resource}").status_code == 204
    assert key.user(mine)["status"] == "enabled", "a directory removes no account that has the user's own in it"
