"""A tenant that was removed, and another customer's of the same name: no token or session of before counts there."""

from __future__ import annotations

import json
import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import Client, secret_of
from support.project import PROJECT_ID, Wire
from support.relying_party import Provider
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Visitor

KEY = "a-management-key-for-the-tests-of-roles"
BACK = "https://app.example/back"
APP = Client("app", secret_of("app"), "client_secret_basic", (BACK,))


class Site(Provider):
    def __init__(self, folder, told):
        self.told = told
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY]},
            "delivery": {"outbox": True}, "clients": [APP.entry()]}, log_level="error")
        super().__init__(self.server.base)
        self.wire = Wire(self.server.base)

    def manage(self, path: str, body: dict) -> dict:
        answer = self.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def make(self, tenant: str) -> None:
        self.manage("tenant/create", {"id": tenant, "name": tenant.title()})
        self.manage("sso/oidc", {"tenantId": tenant, "settings": {
            "name": tenant, "clientId": CLIENT_ID, "clientSecret": SECRET, "issuer": self.told.issuer,
            "redirectUrl": BACK, "scope": ["openid"]}})

    def by_provider(self, tenant: str, token: dict) -> dict:
        self.told.token, self.told.userinfo = token, {"sub": token["sub"]}
        url = self.wire.post(f"/v1/auth/sso/authorize?tenant={tenant}&redirectUrl={BACK}").json()["url"]
        visitor = Visitor(self.base)
        answer = visitor.get(url)
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        answer = self.wire.post("/v1/auth/sso/exchange", {"code": code})
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("phoenix"), told)
    yield site
    assert site.server.stop() == 0


def test_only_its_own_provider_opens_the_tenant(site):
    """The control: a member's password leads on without it."""
    site.make("alone")
    site.manage("tenant/update", {"id": "alone", "name": "Alone", "enforceSSO": True})
    site.manage("tenant/create", {"id": "open", "name": "Open"})
    site.manage("user/create", {
        "loginId": "lea@all.example", "email": "lea@all.example", "verifiedEmail": True,
        "userTenants": [{"tenantId": "alone"}, {"tenantId": "open"}]})
    site.manage("user/password/set/active", {"loginId": "lea@all.example", "password": "correct-horse-battery"})
    session = site.wire.post(
        "/v1/auth/password/signin", {"loginId": "lea@all.example", "password": "correct-horse-battery"}).json()
    assert set(payload_of(session["sessionJwt"])["tenants"]) == {"open"}


def test_a_session_that_the_first_one_vouched_for_is_none_of_the_second(site):
    """The second one lets its people in by its own provider alone, and has never seen this session."""
    site.make("strict")
    kim = f"kim-{secrets.token_hex(3)}"
    session = site.by_provider("strict", {"sub": kim})
    user = session["user"]["userId"]
    assert "strict" in payload_of(session["sessionJwt"])["tenants"], "the control"
    site.manage("tenant/delete", {"id": "strict", "cascade": True})
    site.make("strict")
    site.manage("tenant/update", {"id": "strict", "name": "Another customer", "enforceSSO": True})
    site.manage("user/update/tenant/add", {"userId": user, "tenantId": "strict"})
    renewed = site.wire.post("/v1/auth/refresh", {}, bearer=f"{PROJECT_ID}:{session['refreshJwt']}")
    if renewed.status_code == 200:
        tenants = payload_of(renewed.json()["sessionJwt"]).get("tenants", {})
        assert "strict" not in tenants, json.dumps(tenants)
