"""What a tenant or the file demands of sign-ins, where an operator or a program helps the user in."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, serve
from support.tokens import payload_of

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A tenant and a role whose users need a second factor, and a tenant that wants its own sign-in."""
    server = serve(
        tmp_path_factory.mktemp("sign-ins"),
        tenants=[{"id": "harbour", "name": "Harbour"}, {"id": "careful", "name": "C", "second_factor": "required"},
                 {"id": "strict", "name": "Strict", "require_sso": True}],
        roles=[{"name": "guarded", "permissions": ["x"], "second_factor": "required"}],
        connections=[{"id": "strict", "tenant": "strict", "issuer": "https://idp.example", "client_id": "x",
                      "client_secret": "y", "domains": ["strict.example"]}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    operator = Operator(own, "oper")
    operator.enter()
    return {"oper": operator}


def person(key: Management, **more) -> str:
    login = f"person{next(numbers)}@example.com"
    key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD} | more)
    return login


def code(own, login: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]


def by_mail(own, key: Management, login: str) -> requests.Response:
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    return auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)})


WAYS = {
    "password": lambda own, key, login: auth(own, "password/signin", {"loginId": login, "password": PASSWORD}),
    "code": by_mail,
    "a program's link": lambda own, key, login: auth(own, "magiclink/verify", {
        "token": key.done("user/signin/embeddedlink", {"loginId": login})["token"]}),
}
DEMANDING = {
    "a tenant": {"userTenants": [{"tenantId": "careful"}]},
    "a role": {"roleNames": ["guarded"]},
    "the role in a tenant": {"userTenants": [{"tenantId": "harbour", "roleNames": ["guarded"]}]},
}


@pytest.mark.parametrize("demand", DEMANDING)
@pytest.mark.parametrize("way", WAYS)
def test_one_factor_opens_no_session_where_two_are_demanded(own, key, way, demand):
    """Whoever makes the user a member, and whoever makes the link."""
    refused = WAYS[way](own, key, person(key, **DEMANDING[demand]))
    assert (refused.status_code, refused.json()["missing"]) == (403, "second_factor_setup"), refused.text
    assert "sessionJwt" not in refused.json()
    assert WAYS[way](own, key, person(key)).status_code == 200


def test_a_tenants_own_role_of_that_name_demands_as_much(own, key, tokens):
    """An operator makes one, which takes the place of the project's."""
    made = tokens["oper"].post("role/create", {"name": "guarded", "tenantId": "harbour"})
    assert made.status_code == 200, made.text
    login = person(key, userTenants=[{"tenantId": "harbour", "roleNames": ["guarded"]}])
    refused = auth(own, "password/signin", {"loginId": login, "password": PASSWORD})
    assert (refused.status_code, refused.json()["missing"]) == (403, "second_factor_setup")


@pytest.mark.parametrize("way", WAYS)
def test_nothing_but_its_provider_opens_a_tenant_that_wants_it(own, key, way):
    refused = WAYS[way](own, key, person(key, userTenants=[{"tenantId": "strict"}]))
    assert (refused.status_code, refused.json()["errorCode"]) == (403, "E011003"), refused.text
    both = WAYS[way](own, key, person(key, userTenants=[{"tenantId": "strict"}, {"tenantId": "harbour"}]))
    assert list(payload_of(both.json()["sessionJwt"])["tenants"]) == ["harbour"], "another tenant, without this one"


def test_a_session_of_before_has_no_tenant_that_an_operator_makes_strict_for_it(own, key):
    """The rule counts at the next session token."""
    key.done("tenant/create", {"id": "later", "name": "Later"})
    login = person(key, userTenants=[{"tenantId": "later"}, {"tenantId": "harbour"}])
    session = auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).json()["refreshJwt"]
    tenants = lambda: list(payload_of(auth(own, "refresh", bearer=session).json()["sessionJwt"])["tenants"])
    assert sorted(tenants()) == ["harbour", "later"]
    strict = key.send("PATCH", "/v1/mgmt/tenant/patch", {"id": "later", "enforceSSO": True})
    assert strict.status_code == 200, strict.text
    assert tenants() == ["harbour"]
    chosen = auth(own, "tenant/select", {"tenant": "later"}, session)
    told = payload_of(chosen.json()["sessionJwt"]) if chosen.ok else {}
    assert "later" not in told.get("tenants", {}) and told.get("dct") != "later", told


@pytest.mark.parametrize("excluded", ["person@example.com", "nobody", "client:keyturn-cli"])
def test_an_exclusion_names_a_user_by_the_identifier_alone(key, excluded):
    """A login ID may become another user's."""
    refused = key.send("PATCH", "/v1/mgmt/tenant/patch", {"id": "strict", "enforceSSOExclusions": [excluded]})
    assert refused.status_code == 400, refused.text
    user = key.user("nina@example.com")["userId"]
    known = key.send("PATCH", "/v1/mgmt/tenant/patch", {"id": "strict", "enforceSSOExclusions": [user]})
    assert known.status_code == 200, known.text
    key.send("PATCH", "/v1/mgmt/tenant/patch", {"id": "strict", "enforceSSOExclusions": []})
