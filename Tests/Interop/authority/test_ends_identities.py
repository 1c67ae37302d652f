"""A tenant that was removed, and another customer's of the same name: its provider signs nobody of the first one in."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Visitor

KEY = "a-management-key-for-the-tests-of-roles"
BACK = "https://app.example/back"
PASSWORD = "quiet-harbour-lantern-42"


class Site:
    def __init__(self, folder):
        self.first, self.second = ToldProvider(), ToldProvider()
        self.server = Server(folder, {
            "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY]}, "delivery": {"outbox": True},
            "clients": [{"client_id": "app", "redirect_uris": [BACK], "first_party": True,
                         "token_endpoint_auth_method": "none", "application_type": "native"}]}, log_level="error")
        self.wire = Wire(self.server.base)

    def stop(self) -> None:
        self.first.stop()
        self.second.stop()
        assert self.server.stop() == 0

    def manage(self, path: str, body: dict) -> dict:
        answer = self.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def make(self, tenant: str, told: ToldProvider, issuer: str, isNew: bool = True) -> None:
        """A customer with its own provider, which says itself by which name its tokens are issued."""
        if isNew:
            self.manage("tenant/create", {"id": tenant, "name": tenant.title()})
        self.manage("sso/oidc", {"tenantId": tenant, "settings": {
            "name": tenant, "clientId": CLIENT_ID, "clientSecret": SECRET, "issuer": issuer, "redirectUrl": BACK,
            "scope": ["openid"], "authUrl": f"{told.issuer}/authorize", "tokenUrl": f"{told.issuer}/token",
            "JWKsUrl": f"{told.issuer}/keys"}})

    def by_password(self, login: str, password: str) -> requests.Response:
        return self.wire.post("/v1/auth/password/signin", {"loginId": login, "password": password})

    def by_provider(self, tenant: str, told: ToldProvider, token: dict) -> requests.Response:
        told.token = token
        url = self.wire.post(f"/v1/auth/sso/authorize?tenant={tenant}&redirectUrl={BACK}").json()["url"]
        visitor = Visitor(self.server.base)
        answer = visitor.get(url)
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = parse_qs(urlsplit(answer.headers["Location"]).query).get("code", [""])[0]
        return self.wire.post("/v1/auth/sso/exchange", {"code": code})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(tmp_path_factory.mktemp("identities"))
    yield made
    made.stop()


def member(site: Site, tenant: str) -> tuple[dict, str]:
    """A user whom the first customer's provider made: what it says of the user, and the user's identifier."""
    issuer = site.first.issuer
    site.make(tenant, site.first, issuer)
    said = {"iss": issuer, "sub": f"kim-{secrets.token_hex(3)}"}
    made = site.by_provider(tenant, site.first, said)
    assert made.status_code == 200, made.text
    return said, made.json()["user"]["userId"]


def remove(site: Site, tenant: str) -> None:
    site.manage("tenant/delete", {"id": tenant, "cascade": True})


def test_its_own_provider_signs_a_member_in(site):
    """The control."""
    said, user = member(site, "alone")
    again = site.by_provider("alone", site.first, said)
    assert again.status_code == 200 and again.json()["user"]["userId"] == user


def test_the_first_customers_own_session_is_over(site):
    """The control: what its provider vouched for went with the tenant."""
    said, _ = member(site, "over")
    session = site.by_provider("over", site.first, said).json()["refreshJwt"]
    remove(site, "over")
    renewed = site.wire.post("/v1/auth/refresh", {}, bearer=f"{PROJECT_ID}:{session}")
    assert renewed.status_code == 401, renewed.text


def test_another_customers_provider_signs_no_user_of_the_first_one_in(site):
    """The first customer is gone, and its people are on their own. The second one says the first one's names."""
    said, user = member(site, "phoenix")
    remove(site, "phoenix")
    site.make("phoenix", site.second, site.first.issuer)
    stolen = site.by_provider("phoenix", site.second, said)
    assert stolen.status_code != 200 or stolen.json()["user"]["userId"] != user, "a user who was never its own"


def test_another_customers_provider_sets_no_password_of_theirs(site):
    """The user has a password and another customer's roles by now."""
    said, user = member(site, "ashes")
    login = f"{said['sub']}@home.example"
    site.manage("user/update", {
        "userId": user, "loginId": login, "additionalLoginIds": [login], "email": login, "verifiedEmail": True})
    site.manage("user/password/set/active", {"loginId": login, "password": PASSWORD})
    assert site.by_password(login, PASSWORD).status_code == 200, "the control"
    remove(site, "ashes")
    site.make("ashes", site.second, site.first.issuer)
    stolen = site.by_provider("ashes", site.second, said)
    if stolen.status_code == 200:
        site.wire.post("/v1/auth/password/update", {"loginId": login, "newPassword": f"{PASSWORD}-of-thieves"},
                       bearer=f"{PROJECT_ID}:{stolen.json()['refreshJwt']}")
    assert site.by_password(login, PASSWORD).status_code == 200, "the account is the second customer's"
    assert site.by_password(login, f"{PASSWORD}-of-thieves").status_code != 200


def test_a_connection_that_is_made_again_signs_nobody_of_the_former_one_in(site):
    """The connection alone is removed, and made again with what another provider says of itself."""
    said, user = member(site, "again")
    name = next(each["id"] for each in site.wire.send(
        "GET", "/v1/mgmt/connection/all", bearer=f"{PROJECT_ID}:{KEY}").json()["connections"]
        if each.get("tenant") == "again")
    site.manage("connection/delete", {"id": name})
    site.manage("user/update/tenant/remove", {"userId": user, "tenantId": "again"})
    site.make("again", site.second, site.first.issuer, isNew=False)
    stolen = site.by_provider("again", site.second, said)
    assert stolen.status_code != 200 or stolen.json()["user"]["userId"] != user, "a user who is the tenant's no more"
