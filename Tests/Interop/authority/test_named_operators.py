"""A role in the console goes to the person whom an owner names by an address, not to who has put one in the account."""

from __future__ import annotations

import pytest

from support.operators import PASSWORD, Management, Operator, auth, serve
from support.own_account import new_name


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("named"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def key(own) -> Management:
    return Management(own)


@pytest.fixture(scope="module")
def owner(own) -> Management:
    operator = Operator(own, "olga")
    operator.enter()
    return Management(own, operator.tokens()["access_token"])


@pytest.fixture(scope="module")
def helper(own) -> Operator:
    operator = Operator(own, "oper")
    operator.enter()
    return operator


@pytest.fixture
def prepared(own, key, helper) -> tuple[str, str]:
    """A member whose only address an operator below owner has replaced; who it is, and the operator's mailbox."""
    login, mailbox = new_name("quin"), new_name("mallory")
    user = key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})["user"]["userId"]
    key.done("user/password/set/active", {"loginId": login, "password": PASSWORD})
    changed = helper.send(f"/admin/users/user/change?id={user}", {
        "id": user, "action": "profile", "displayName": "Quin", "givenName": "", "familyName": "", "email": mailbox,
        "phone": ""})
    assert changed.status_code == 303, changed.text[:300]
    key.done("user/update/email", {"loginId": user, "email": mailbox, "verified": True})
    return user, mailbox


@pytest.mark.parametrize("caller", ["owner", "key"])
@pytest.mark.parametrize("member", ["userId", "loginId"])
def test_an_identifier_names_no_address(request, key, prepared, caller, member):
    user, _ = prepared
    answer = request.getfixturevalue(caller).post("operator/update", {member: user, "role": "owner"})
    assert answer.status_code == 400 and "name the user by the address" in answer.text, answer.text
    assert user not in [each["userId"] for each in key.get("operator/all").json()["operators"]]


def test_the_control_an_address_does(own, key, owner, prepared):
    user, mailbox = prepared
    answer = owner.done("operator/update", {"loginId": mailbox, "role": "viewer"})
    assert answer["credentialsRemoved"] is True
    assert auth(own, "password/signin", {"loginId": mailbox, "password": PASSWORD}).status_code != 200


def test_the_control_an_account_that_no_one_else_touched_is_named_by_its_identifier(key, owner):
    login = new_name("rosa")
    user = key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})["user"]["userId"]
    owner.done("operator/update", {"userId": user, "role": "viewer"})
    assert user in [each["userId"] for each in key.get("operator/all").json()["operators"]]
