"""Tokens that services get without a user's doing: for whom, for what, and until when."""

from __future__ import annotations

import json

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, Person, secret_of
from support.operators import Management
from support.own_account import next_second
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider, RelyingParty
from support.server import Server

API = "https://api.example.test"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:access_token"
OLGA = Person(
    "55555555-5555-4555-8555-555555555555", "olga@acme.example", "correct-horse-battery",
    {"email": "olga@acme.example", "email_verified": True, "console_role": "owner", "tenants": [{"id": "acme"}]},
)
GUARD = Client("guard", secret_of("guard"), "client_secret_basic", (), {"grant_types": [], "resources": [API]})
DEPUTY = Client(
    "deputy", secret_of("deputy"), "client_secret_basic", (),
    {
        "grant_types": ["client_credentials", EXCHANGE],
        "scope": "api.read profile email keyturn:management ssf.manage",
        "may_impersonate": ["tenant:acme", f"user:{MARIA.sub}"],
    },
)


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {
                    "id": PROJECT_ID, "name": "Harbour", "resources": [API], "management_keys": [MANAGEMENT_KEY]},
                "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
                "clients": [GUARD.entry(), DEPUTY.entry()],
                "users": [MARIA.entry(), JONAS.entry() | {"tenants": [{"id": "globex"}]}, OLGA.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def service(self, client: Client = DEPUTY, **form) -> requests.Response:
        return self.at(client).post("token", {"grant_type": "client_credentials", "scope": "api.read"} | form)

    def token(self, client: Client = DEPUTY, **form) -> str:
        answer = self.service(client, **form)
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def is_active(self, token: str) -> bool:
        return self.at(GUARD).introspect(token)["active"]

    def manage(self, method: str, path: str, token: str, body: dict | None = None) -> requests.Response:
        return requests.request(
            method, f"{self.base}/v1/mgmt/{path}", data=body and json.dumps(body), timeout=30,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("services"))
    yield site
    assert site.server.stop() == 0


def of_user(person: Person) -> dict:
    return {"box_subject_type": "user", "box_subject_id": person.sub}


@pytest.mark.parametrize("whose", [{}, {"box_subject_type": "enterprise", "box_subject_id": "acme"}, of_user(OLGA)])
def test_no_token_of_a_service_is_an_operators(site, whose):
    """Nor one that it has in an owner's name, with the scope of the interface."""
    answer = site.service(scope="keyturn:management", **whose)
    if answer.status_code == 200:
        token = answer.json()["access_token"]
        for method, path in (("GET", "operator/all"), ("GET", "client/all"), ("POST", "user/create")):
            assert site.manage(method, path, token, {"loginId": "eve"}).status_code in (401, 403), path
    assert site.key.get("operator/all").status_code == 200, "the control"


def test_a_service_acts_for_those_whom_the_operator_named(site):
    for person, allowed in ((MARIA, True), (OLGA, True), (JONAS, False)):
        answer = site.service(**of_user(person))
        assert (answer.status_code == 200) == allowed, answer.text
    other = site.service(box_subject_type="enterprise", box_subject_id="globex")
    assert (other.status_code, other.json()["error"]) == (400, "invalid_grant")


def test_a_token_in_her_name_opens_nothing_of_hers_here(site):
    """No grant of hers stands behind it: nothing that she could see or end."""
    token = site.token(scope="profile email", **of_user(MARIA))
    assert site.userinfo(token).status_code == 401
    for shown in (token, f"{PROJECT_ID}:{token}"):
        me = requests.get(f"{site.base}/v1/auth/me", headers={"Authorization": f"Bearer {shown}"}, timeout=30)
        assert me.status_code == 401
    made = requests.post(f"{site.base}/v1/approvals", json={"refresh_token": token}, timeout=30)
    assert made.status_code in (400, 401, 403)
    stream = requests.get(f"{site.base}/ssf/stream", headers={"Authorization": f"Bearer {token}"}, timeout=30)
    assert stream.status_code in (401, 403), "a user's token is no receiver of events"


def test_less_of_a_service_s_token_is_no_more(site):
    token = site.token(scope="api.read", resource=API, **of_user(MARIA))
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": TOKEN}
    for more in ({"scope": "api.read email"}, {"scope": "keyturn:management"}, {"scope": "openid"}):
        answer = site.at(DEPUTY).post("token", form | more)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_scope"), more
    assert site.at(DEPUTY).post("token", form | {"audience": site.issuer}).json()["error"] == "invalid_target"
    assert site.at(DEPUTY).post("token", form | {"scope": "api.read"}).status_code == 200


@pytest.mark.parametrize("end", ["disabled", "everywhere"])
def test_a_token_in_her_name_stays_over(site, end):
    """Also when she may sign in again: it was made before."""
    token = site.token(resource=API, **of_user(MARIA))
    less = site.at(DEPUTY).post("token", {
        "grant_type": EXCHANGE, "subject_token": token, "subject_token_type": TOKEN, "scope": "api.read"})
    assert site.is_active(token) and site.is_active(less.json()["access_token"])
    if end == "disabled":
        for status in ("disabled", "enabled"):
            site.key.done("user/update/status", {"loginId": MARIA.login, "status": status})
    else:
        site.key.done("user/logout", {"loginId": MARIA.login})
    assert not site.is_active(token) and not site.is_active(less.json()["access_token"])
    assert site.is_active(site.token(resource=API, **of_user(MARIA))), "a new one"


def test_a_revoked_token_of_a_service_is_over_with_what_comes_of_it(site):
    token = site.token(resource=API)
    less = site.at(DEPUTY).post("token", {
        "grant_type": EXCHANGE, "subject_token": token, "subject_token_type": TOKEN, "scope": "api.read"})
    child = less.json()["access_token"]
    assert site.at(GUARD).revoke(token).status_code in (200, 401)
    assert site.is_active(token), "who only receives a token does not end it"
    assert site.at(DEPUTY).revoke(token).status_code == 200
    assert not site.is_active(token) and not site.is_active(child)


def test_a_token_of_a_service_that_was_removed_is_not_one_of_its_namesake(site):
    def make() -> str:
        made = site.key.done("client/create", {
            "client_id": "clerk", "redirect_uris": [], "grant_types": ["client_credentials"], "scope": "api.read",
            "token_endpoint_auth_method": "client_secret_basic", "resources": [API]})
        return made["client_secret"]

    def token(secret: str) -> dict:
        answer = requests.post(f"{site.base}/oauth2/token", auth=("clerk", secret), timeout=30, data={
            "grant_type": "client_credentials", "scope": "api.read", "resource": API})
        assert answer.status_code == 200, answer.text
        return answer.json()

    old = token(make())["access_token"]
    assert site.is_active(old)
    site.key.done("client/delete", {"client_id": "clerk"})
    assert not site.is_active(old)
    next_second()
    new = token(make())["access_token"]
    assert site.is_active(new), "the control"
    assert not site.is_active(old), "it was another client's"
