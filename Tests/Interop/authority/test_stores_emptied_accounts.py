"""Who gets a colleague's account by an operator's change of its address acts as no other user by a group's role."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, PASSWORD, Management, Operator, auth, command, serve
from support.visitor import Callback, Visitor

numbers = count(1)
OWNER, ACTING = "olga@example.com", "users.impersonate"
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Who is in a group that an owner mapped acts for the users of `harbour`; an owner is one."""
    server = serve(tmp_path_factory.mktemp("emptied"), clients=[ADMIN, APP])
    key = Management(server)
    key.done("permission/create", {"name": ACTING})
    key.done("role/create", {"name": "deputy", "tenantId": "harbour", "permissionNames": [ACTING]})
    key.done("user/update/tenant/add", {"loginId": OWNER, "tenantId": "harbour"})
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


@pytest.fixture(scope="module")
def directory(own, tokens) -> Directory:
    """An owner's."""
    return Directory(own, tokens["olga"].done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


def acts(own, key: Management, login: str) -> bool:
    """Whether the user, with the password, reads what an API has of an owner."""
    visitor = Visitor(own.base)
    page = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = visitor.submit(page, {"username": login, "password": PASSWORD})
    if not (isinstance(arrived, Callback) and arrived.get("code")):
        return False
    shown = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]
    return requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {shown}", "As-User": key.user(OWNER)["userId"]}).status_code == 200


@pytest.fixture
def away(own, key, directory) -> tuple[str, str]:
    """A member of the group, with a password, whom the directory has deactivated for a while."""
    login = f"member{next(numbers)}@harbour.example"
    user = directory.make(login)
    key.done("user/password/set/active", {"loginId": login, "password": PASSWORD})
    group = directory.send("POST", "/Groups", {
        "displayName": f"Deputies {login}", "members": [{"value": user}]}).json()["id"]
    command(own, "scim", "group", "map", group, "--role", "deputy", "--tenant", "harbour")
    assert directory.patch(user, active=False).status_code == 200
    return login, user


def test_the_member_acts_again(own, key, directory, away):
    """The control."""
    login, user = away
    assert directory.patch(user, active=True).status_code == 200
    assert acts(own, key, login)


def test_a_mailbox_that_an_operator_typed_acts_for_no_one_else(own, key, people, directory, away):
    """The operator calls nothing verified and sets no password: who reads the mailbox proves it."""
    login, user = away
    account, spy = key.user(login)["userId"], f"spy{next(numbers)}@private.example"
    people["oper"].send(f"/admin/users/user/change?id={account}", {"id": account, "action": "profile", "email": spy})
    if auth(own, "otp/signin/email", {"loginId": spy}).status_code == 200:
        sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
        code = [each["code"] for each in sent if each["to"] == spy and each.get("code")][-1]
        entered = auth(own, "otp/verify/email", {"loginId": spy, "code": code})
        if entered.status_code == 200 and entered.json()["user"]["userId"] == account:
            auth(own, "password/update", {"loginId": spy, "newPassword": PASSWORD}, entered.json()["refreshJwt"])
    assert directory.patch(user, active=True).status_code == 200
    assert not acts(own, key, spy), "the operator acts for an owner"
