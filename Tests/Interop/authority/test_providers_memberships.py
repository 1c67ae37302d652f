"""Tenants and roles after their source changed: a tenant that is left or made again, a moved connection, a merge."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import Client, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

KEY = "a-management-key-for-the-tests-of-roles"
BACK = "https://app.example/back"
APP = Client("app", "a-secret-of-the-app-0123456789", "client_secret_basic", (BACK,))
GINA = Person(
    "66666666-6666-4666-8666-666666666666", "gina@all.example", "correct-horse-battery",
    {"email": "gina@all.example", "email_verified": True, "name": "Gina",
     "tenants": [{"id": "acme"}, {"id": "globex"}]},
)
TEAMS = {
    "name": "teams", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}},
        {"name": "team", "choose_tenant": True}, {"name": "end", "done": True}]}


class Site:
    def __init__(self, folder, provider: ToldProvider):
        connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.folder, self.provider, self.port = folder, provider, 0
        self.configuration = {
            "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY]},
            "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
            "roles": [{"name": "admin", "permissions": ["write"]}, {"name": "reader", "permissions": ["read"]}],
            "connections": [
                connection | {"id": "trusted", "trust_email": True, "roles": {"admins": "admin"}},
                connection | {"id": "mobile", "tenant": "acme", "roles": {"readers": "reader"}},
            ],
            "journeys": [TEAMS], "delivery": {"outbox": True}, "clients": [APP.entry()], "users": [GINA.entry()],
        }
        self.start()

    def start(self) -> None:
        self.server = Server(self.folder, self.configuration, port=self.port)
        self.port = self.server.address[1]
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def restart(self, **changes) -> None:
        assert self.server.stop() == 0
        self.configuration |= changes
        self.start()

    def manage(self, path: str, body: dict, status: int = 200) -> dict:
        answer = self.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == status, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def user(self, **by) -> dict:
        query = "&".join(f"{name}={value}" for name, value in by.items())
        answer = self.wire.send("GET", f"/v1/mgmt/user?{query}", bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == 200, answer.text
        return answer.json()["user"]

    def tenants(self, user: str) -> dict[str, list[str]]:
        return {entry["tenantId"]: entry["roleNames"] for entry in self.user(userId=user)["userTenants"]}

    def follow(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        while answer.is_redirect:
            target = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if not target.startswith((self.base, self.provider.issuer)):
                return Callback.from_location(target)
            answer = visitor.get(target)
        return Page(answer)

    def begin(self, visitor: Visitor, **more) -> Page | Callback:
        return self.follow(visitor, visitor.get(f"{self.base}/oauth2/authorize", params={
            "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid email offline_access",
            "state": secrets.token_hex(4)} | more))

    def token(self, **form) -> dict:
        answer = requests.post(
            f"{self.base}/oauth2/token", auth=(APP.client_id, APP.secret), timeout=30, data=form)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def redeem(self, arrival: Page | Callback) -> dict:
        assert isinstance(arrival, Callback) and arrival.get("code"), arrival
        return self.token(grant_type="authorization_code", code=arrival["code"], redirect_uri=BACK)

    def arrive(self, connection: str, token: dict, visitor: Visitor | None = None) -> str:
        """Who signed in at a provider."""
        self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}
        tokens = self.redeem(self.begin(visitor or Visitor(self.base), connection=connection))
        return payload_of(tokens["id_token"])["sub"]

    def exchanged(self, query: str, token: dict) -> requests.Response:
        """A session of the methods' wire by a tenant's connection."""
        self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}
        url = self.wire.post(f"/v1/auth/sso/authorize?{query}&redirectUrl={BACK}").json()["url"]
        visitor = Visitor(self.base)
        answer = visitor.get(url)
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        return self.wire.post("/v1/auth/sso/exchange", {"code": code})


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("roles"), told)
    yield site
    assert site.server.stop() == 0


def person(name: str | None = None, **more) -> dict:
    name = name or f"p{secrets.token_hex(4)}"
    return {"sub": name, "email": f"{name}@all.example", "email_verified": True} | more


@pytest.mark.parametrize("end", ["left", "strict", "removed"])
def test_a_tenant_that_is_not_hers_any_more_is_not_in_her_tokens(site, end):
    """She chose it at the sign-in; the app must not take her for a member afterwards, as the methods' wire does not."""
    tenant, login = f"team-{end}", f"{end}@all.example"
    site.manage("tenant/create", {"id": tenant, "name": tenant})
    site.manage("user/create", {
        "loginId": login, "email": login, "verifiedEmail": True, "password": GINA.password,
        "userTenants": [{"tenantId": tenant}, {"tenantId": "acme"}]})
    visitor = Visitor(site.base)
    page = visitor.sign_in(site.begin(visitor, journey="teams"), Person("", login, GINA.password))
    assert isinstance(page, Page) and page.name == "journey-step", page
    tokens = site.redeem(visitor.submit(page, button=tenant))
    assert payload_of(tokens["id_token"])["dct"] == tenant
    session = site.wire.post("/v1/auth/password/signin", {"loginId": login, "password": GINA.password}).json()
    on_wire = f"{PROJECT_ID}:{session['refreshJwt']}"
    chosen = site.wire.post("/v1/auth/tenant/select", {"tenant": tenant}, bearer=on_wire)
    assert payload_of(chosen.json()["sessionJwt"])["dct"] == tenant
    match end:
        case "left":
            site.manage("user/update/tenant/remove", {"loginId": login, "tenantId": tenant})
        case "strict":
            site.manage("tenant/update", {"id": tenant, "name": tenant, "enforceSSO": True})
        case "removed":
            site.manage("tenant/delete", {"id": tenant, "cascade": True})
    renewed = site.wire.post("/v1/auth/refresh", {}, bearer=f"{PROJECT_ID}:{chosen.json()['refreshJwt']}")
    assert renewed.status_code == 200, renewed.text
    assert tenant not in str(payload_of(renewed.json()["sessionJwt"])), "the methods' wire"
    renewed = site.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
    for name in ("access_token", "id_token"):
        assert payload_of(renewed[name]).get("dct") is None, f"{name} names {tenant}"


def make(site, tenant: str) -> None:
    """A tenant with a connection of its own, by the management interface."""
    site.manage("tenant/create", {"id": tenant, "name": tenant.title()})
    site.manage("sso/oidc", {"tenantId": tenant, "settings": {
        "name": tenant, "clientId": CLIENT_ID, "clientSecret": SECRET, "issuer": site.provider.issuer,
        "redirectUrl": BACK, "scope": ["openid"]}})


def test_a_tenant_that_is_made_again_is_another_one(site):
    """Neither its people nor their roles nor its provider come back with the name."""
    tenant = "phoenix"
    make(site, tenant)
    made = site.manage("user/create", {
        "loginId": "bird@all.example", "email": "bird@all.example", "verifiedEmail": True,
        "userTenants": [{"tenantId": "phoenix", "roleNames": ["admin"]}]})["user"]["userId"]
    assert site.tenants(made) == {"phoenix": ["admin"]}
    first = site.exchanged("tenant=phoenix", {"sub": "first"})
    assert first.status_code == 200 and "phoenix" in payload_of(first.json()["sessionJwt"])["tenants"], "the control"
    site.manage("tenant/delete", {"id": "phoenix", "cascade": True})
    assert site.wire.post(f"/v1/auth/sso/authorize?tenant=phoenix&redirectUrl={BACK}").status_code == 400
    site.manage("tenant/create", {"id": tenant, "name": tenant.title()})
    assert site.tenants(made) == {}
    begun = site.wire.post(f"/v1/auth/sso/authorize?tenant=phoenix&redirectUrl={BACK}")
    if begun.status_code == 200:
        stolen = site.exchanged("tenant=phoenix", {"sub": "second"})
        assert stolen.status_code != 200, payload_of(stolen.json()["sessionJwt"])["tenants"]
    assert begun.status_code == 400, begun.text


def test_the_provider_of_a_removed_tenant_signs_nobody_in(site):
    """Its people keep their accounts, if they have another way in."""
    tenant = "icarus"
    make(site, tenant)
    listed = site.wire.send("GET", "/v1/mgmt/connection/all", bearer=f"{PROJECT_ID}:{KEY}").json()["connections"]
    name = next(each["id"] for each in listed if each.get("tenant") == tenant)
    site.arrive(name, {"sub": "known"})
    site.manage("tenant/delete", {"id": tenant, "cascade": True})
    for subject in ("known", "stranger"):
        site.provider.token, site.provider.userinfo = {"sub": subject}, {"sub": subject}
        arrival = site.begin(Visitor(site.base), connection=name)
        assert isinstance(arrival, Page) and arrival.name == "login", f"{subject}: {arrival}"


def test_a_merge_makes_no_role_of_a_provider_lasting(site):
    """The identity goes along with its account, and gives and takes as before."""
    grouped = person(groups=["admins"])
    source = site.arrive("trusted", grouped)
    assert site.user(userId=source)["roleNames"] == ["admin"]
    target = site.manage("user/create", {
        "loginId": "target@all.example", "email": "target@all.example", "verifiedEmail": True})["user"]["userId"]
    site.manage("user/merge", {"userId": source, "otherUserId": target})
    holders = [user for user in (source, target) if site.wire.send(
        "GET", f"/v1/mgmt/user?userId={user}", bearer=f"{PROJECT_ID}:{KEY}").status_code == 200]
    assert len(holders) == 1, "one of them is left"
    assert site.arrive("trusted", grouped | {"groups": []}) == holders[0]
    assert site.user(userId=holders[0])["roleNames"] == []


def test_the_role_goes_with_the_last_of_two_identities(site):
    first, second = person(groups=["admins"]), person(groups=["admins"])
    user, other = site.arrive("trusted", first), site.arrive("trusted", second)
    site.manage("user/merge", {"userId": other, "otherUserId": user})
    left = site.arrive("trusted", first)
    assert left == site.arrive("trusted", second), "two identities of one user"
    site.arrive("trusted", first | {"groups": []})
    assert site.user(userId=left)["roleNames"] == ["admin"], "the other one gives it"
    site.arrive("trusted", second | {"groups": []})
    assert site.user(userId=left)["roleNames"] == []


@pytest.mark.parametrize("groups", [["Admins"], ["admins "], "admins,readers", {"admins": True}, [["admins"]], True])
def test_what_is_no_name_of_the_group_gives_no_role(site, groups):
    user = site.arrive("trusted", person(groups=groups))
    assert site.user(userId=user)["roleNames"] == []


def test_a_role_of_before_is_in_no_session_of_before(site):
    """The provider took it; a session that was opened with it is renewed without."""
    someone = {"sub": f"m{secrets.token_hex(3)}", "groups": ["readers"]}
    opened = site.exchanged("tenant=acme", someone).json()
    assert payload_of(opened["sessionJwt"])["tenants"]["acme"]["roles"] == ["reader"]
    site.arrive("mobile", someone | {"groups": []})
    renewed = site.wire.post("/v1/auth/refresh", {}, bearer=f"{PROJECT_ID}:{opened['refreshJwt']}")
    assert renewed.status_code == 200
    assert payload_of(renewed.json()["sessionJwt"])["tenants"]["acme"].get("roles", []) == []


def test_a_connection_that_moved_leaves_no_role_behind(site):
    """The operator gives the provider to another tenant: it speaks for nobody in the first one any more."""
    someone = {"sub": f"m{secrets.token_hex(3)}", "groups": ["readers"]}
    user = site.arrive("mobile", someone)
    assert site.tenants(user) == {"acme": ["reader"]}
    connections = [dict(each) for each in site.configuration["connections"]]
    connections[1]["tenant"] = "globex"
    site.restart(connections=connections)
    assert site.arrive("mobile", someone) == user
    tenants = site.tenants(user)
    assert tenants["globex"] == ["reader"]
    assert tenants.get("acme", []) == [], "a role that no provider gives"
