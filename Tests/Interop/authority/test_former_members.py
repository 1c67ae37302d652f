"""A user who was taken out of a tenant is not its provider's any more: what this one says opens nothing of theirs."""

from __future__ import annotations

import base64
import json
import time

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, Management, Operator, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

APP = {
    "client_id": "app", "redirect_uris": ["https://app.example/back"], "token_endpoint_auth_method": "none",
    "application_type": "web", "grant_types": ["authorization_code", "refresh_token"], "first_party": True,
    "scope": "openid profile email",
}
BACK, PASSWORD = "https://app.example/back", "Nine-blue-herons-1!"


def claims(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


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
    """The directory's user, who has made the account their own: a proved address elsewhere, and a password."""

    def __init__(self, own, told, directory, name: str):
        self.own, self.told, self.directory = own, told, directory
        self.subject, self.work, self.home = f"x-{name}", f"{name}@harbour.example", f"{name}@home.example"
        self.resource = directory.make(
            self.work, externalId=self.subject, emails=[{"value": self.work, "primary": True}])
        self.id = self.opened()
        auth(own, "otp/signin/email", {"loginId": self.work})
        refresh = auth(own, "otp/verify/email", {
            "loginId": self.work, "code": code(own, self.work)}).json()["refreshJwt"]
        auth(own, "otp/update/email", {"loginId": self.work, "email": self.home, "addToLoginIDs": True}, refresh)
        proved = auth(own, "otp/verify/email", {"loginId": self.work, "code": code(own, self.home)}, refresh)
        assert proved.status_code == 200, proved.text
        set_ = auth(own, "password/update", {"loginId": self.work, "newPassword": PASSWORD}, refresh)
        assert set_.status_code == 200, set_.text

    def opened(self) -> str | None:
        """Whose account the provider opens."""
        answer = by_provider(self.own, self.told, self.subject, self.work)
        return claims(answer["sessionJwt"])["sub"] if answer else None

    def leave(self, key: Management, how: str) -> None:
        if how == "active: false":
            assert self.directory.patch(self.resource, active=False).status_code == 200
        elif how == "DELETE":
            assert self.directory.send("DELETE", f"/Users/{self.resource}").status_code == 204
        else:
            key.done("user/update/tenant/remove", {"loginId": self.home, "tenantId": "harbour"})


@pytest.mark.parametrize("end", ["active: false", "DELETE", "by an operator"])
@pytest.mark.parametrize("goes_on", ["in no tenant", "in another"])
def test_a_former_members_account_is_not_its_former_tenants(own, told, key, directory, end, goes_on):
    member = Member(own, told, directory, "".join(filter(str.isalpha, f"{end}{goes_on}")).lower())
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


def test_a_member_again_is_the_providers_again(own, told, key, directory):
    member = Member(own, told, directory, "again")
    member.leave(key, "by an operator")
    assert member.opened() is None
    key.done("user/update/tenant/add", {"loginId": member.home, "tenantId": "harbour"})
    assert member.opened() == member.id
