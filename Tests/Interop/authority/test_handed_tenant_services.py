"""A service that acts for the users of a tenant: not for those of the next tenant of its name."""

from __future__ import annotations

import pytest
import requests

from support.operators import ADMIN, Management, Operator, serve

SERVICE = {
    "client_id": "deputy", "client_secret": "a-secret-of-the-service-0123456789", "grant_types": ["client_credentials"],
    "token_endpoint_auth_method": "client_secret_post", "scope": "profile email",
    "may_impersonate": ["tenant:brief"],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("services"), clients=[ADMIN, SERVICE], tenants=[{"id": "brief", "name": "Brief"}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def token(own) -> Management:
    operator = Operator(own, "oper")
    operator.enter()
    return Management(own, operator.tokens()["access_token"])


def service(own, **whose) -> requests.Response:
    return requests.post(f"{own.base}/oauth2/token", data={
        "grant_type": "client_credentials", "client_id": "deputy", "client_secret": SERVICE["client_secret"], **whose,
    }, timeout=20)


def member(key: Management, login: str) -> dict:
    made = key.done("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "userTenants": [{"tenantId": "brief"}]})
    return {"box_subject_type": "user", "box_subject_id": made["user"]["userId"]}


def test_an_operator_makes_no_room_for_the_next_customer(own, key, token):
    """The service would act for the users of the tenant that gets the name: that is an owner's to say."""
    assert service(own, **member(key, "bea@example.com")).status_code == 200, "the control"
    assert token.post("tenant/delete", {"id": "brief"}).status_code == 403
    assert service(own, **member(key, "cleo@example.com")).status_code == 200, "it is the same customer"


def test_an_operator_deletes_another_tenant(token):
    """The control: no service acts for its users."""
    token.done("tenant/create", {"id": "other", "name": "Other"})
    token.done("tenant/delete", {"id": "other"})
