"""An operator names one user and what is another one's: nothing of the other one ends, and no name means two things."""

from __future__ import annotations

import unicodedata
from itertools import count

import pytest

from support.operators import PASSWORD, Management, Operator, auth, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("targets"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper", "sue")}
    for one in entered.values():
        one.enter()
    return entered


def opened(key: Management, login: str) -> dict:
    return key.get(f"user/sessions?loginId={login}").json()


@pytest.mark.parametrize(("member", "kind"), [("sessionId", "sessions"), ("grantId", "apps")])
@pytest.mark.parametrize("caller", ["sue", "oper"])
def test_a_support_operator_ends_no_owners_session_by_another_users_name(own, key, tokens, caller, member, kind):
    """The identifier is an owner's, whose sessions a viewer sees; the user of the call is an ordinary one."""
    theirs = opened(key, "olga@example.com")[kind][0][member]
    answer = tokens[caller].post("user/sessions/end", {"loginId": "nina@example.com", member: theirs})
    assert (answer.status_code, answer.json()["ended"]) == (200, False), answer.text
    assert theirs in [each[member] for each in opened(key, "olga@example.com")[kind]]
    refused = tokens[caller].post("user/sessions/end", {"loginId": "olga@example.com", member: theirs})
    assert refused.status_code == 403, refused.text


def test_a_support_operator_ends_a_users_session(own, key, tokens):
    """The control."""
    assert auth(own, "password/signin", {"loginId": "nina@example.com", "password": PASSWORD}).status_code == 200
    hers = opened(key, "nina@example.com")["apps"][0]["grantId"]
    answer = tokens["sue"].post("user/sessions/end", {"loginId": "nina@example.com", "grantId": hers})
    assert (answer.status_code, answer.json()["ended"]) == (200, True), answer.text


def test_a_form_about_one_user_ends_nothing_of_another_one(own, key, people):
    nina, theirs = key.user("nina@example.com")["userId"], opened(key, "olga@example.com")["apps"][0]["grantId"]
    people["sue"].send(f"/admin/users/user?id={nina}", {"id": nina, "action": "end", "grant": theirs},
                       to="/admin/users/user/sessions")
    assert theirs in [each["grantId"] for each in opened(key, "olga@example.com")["apps"]]


COMPOSED = "Zürich"
APART = unicodedata.normalize("NFD", COMPOSED)


def test_an_operator_names_no_tenant_role_or_permission_in_another_spelling(key, tokens):
    """What looks the same would be another one to a program that compares bytes."""
    oper = tokens["oper"]
    for path, body in [
        ("tenant/create", {"id": APART, "name": "Another"}), ("role/create", {"name": APART}),
        ("permission/create", {"name": APART}),
    ]:
        refused = oper.post(path, body)
        assert refused.status_code == 400, f"{path}: {refused.text}"
        made = oper.post(path, {name: COMPOSED if value == APART else value for name, value in body.items()})
        assert made.status_code == 200, f"{path}: {made.text}"


def test_a_tenant_in_another_spelling_is_nobodys(own, key, tokens):
    """In calls about users and roles it is none; a directory's token is for the one tenant there is."""
    number = next(numbers)
    tenant, login = f"Ö{number}", f"plain{number}@example.com"
    apart = unicodedata.normalize("NFD", tenant)
    tokens["oper"].post("tenant/create", {"id": tenant, "name": "Island"}).raise_for_status()
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    for path, body in [
        ("user/update/tenant/add", {"loginId": login, "tenantId": apart}),
        ("role/create", {"name": "islander", "tenantId": apart}),
        ("user/create", {"loginId": f"second-{login}", "userTenants": [{"tenantId": apart}]}),
    ]:
        refused = tokens["oper"].post(path, body)
        assert refused.status_code == 400, f"{path}: {refused.text}"
    assert key.user(login)["userTenants"] == []
    made = tokens["oper"].post("scim/token/create", {"tenantId": apart})
    assert (made.status_code, made.json()["token"]["tenantId"]) == (200, tenant), made.text
    joined = tokens["oper"].post("user/update/tenant/add", {"loginId": login, "tenantId": tenant})
    assert joined.status_code == 200, "the control"
