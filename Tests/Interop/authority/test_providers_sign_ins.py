"""Sign-ins at providers: whose answer it is, for which request, in which browser, and what it still is worth later."""

from __future__ import annotations

import secrets
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import MARIA, Client
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

KEY = "a-management-key-for-the-tests-of-sign-ins"
BACK = "https://app.example/back"
APP = Client("app", "a-secret-of-the-app-0123456789", "client_secret_basic", (BACK,))
OTHER = Client("other", "a-secret-of-the-other-0123456", "client_secret_basic", ("https://other.example/back",))
MEMBERS = {
    "name": "members", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}}, {"name": "end", "done": True}]}
TEAMS = {
    "name": "teams", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}},
        {"name": "team", "choose_tenant": True}, {"name": "end", "done": True}]}


class Site:
    def __init__(self, folder, provider: ToldProvider, **project):
        connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.provider = provider
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY], **project},
                "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
                "roles": [{"name": "admin", "permissions": ["write"]}],
                "connections": [
                    connection | {"id": "trusted", "trust_email": True, "roles": {"admins": "admin"}},
                    connection | {"id": "anyone"},
                    connection | {"id": "acme", "tenant": "acme", "domains": ["acme.example"]},
                    connection | {"id": "globex", "tenant": "globex", "roles": {"admins": "admin"}},
                ],
                "journeys": [MEMBERS, TEAMS],
                "delivery": {"outbox": True}, "clients": [APP.entry(), OTHER.entry()],
                "users": [MARIA.entry() | {"tenants": [{"id": "acme"}, {"id": "globex"}]}],
            },
        )
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def visitor(self) -> Visitor:
        return Visitor(self.base)

    def says(self, token: dict) -> None:
        self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}

    def walk(self, visitor: Visitor, answer: requests.Response, until=lambda url: False) -> requests.Response:
        """As a browser, also through the provider; stops before an address of an app, or where `until` says."""
        while answer.is_redirect:
            target = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if until(target) or not target.startswith((self.base, self.provider.issuer)):
                return answer
            answer = visitor.get(target)
        return answer

    def begin(self, visitor: Visitor, connection: str | None, client: Client = APP, **more) -> requests.Response:
        parameters = {
            "client_id": client.client_id, "redirect_uri": client.redirect_uri, "response_type": "code",
            "scope": "openid email profile", "state": secrets.token_hex(4)} | more
        if connection:
            parameters["connection"] = connection
        return visitor.get(f"{self.base}/oauth2/authorize", params=parameters)

    def arrive(self, connection: str, token: dict, visitor: Visitor | None = None, **more) -> Page | Callback:
        self.says(token)
        visitor = visitor or self.visitor()
        return visitor.follow(self.walk(visitor, self.begin(visitor, connection, **more)))

    def told(self, arrival: Page | Callback, client: Client = APP) -> dict | None:
        """What the app hears; `None`: it got no code."""
        if not isinstance(arrival, Callback) or not arrival.get("code"):
            return None
        answer = requests.post(
            f"{self.base}/oauth2/token", auth=(client.client_id, client.secret), timeout=30, data={
                "grant_type": "authorization_code", "code": arrival["code"], "redirect_uri": client.redirect_uri})
        return payload_of(answer.json()["id_token"])

    def sub(self, arrival: Page | Callback) -> str | None:
        told = self.told(arrival)
        return told and told["sub"]

    def callback(self, visitor: Visitor, connection: str, token: dict) -> str:
        """The address of the provider's answer, which is not opened yet."""
        self.says(token)
        answer = self.walk(visitor, self.begin(visitor, connection), until=lambda url: "/callback?" in url)
        return answer.headers["Location"]

    def code(self, kind: str, query: str, token: dict) -> str:
        """What an app of the methods' wire gets, to be exchanged."""
        self.says(token)
        url = self.wire.post(f"/v1/auth/{kind}/authorize?{query}&redirectUrl={BACK}").json()["url"]
        visitor = self.visitor()
        answer = self.walk(visitor, visitor.get(url))
        return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def exchange(self, kind: str, code: str) -> requests.Response:
        return self.wire.post(f"/v1/auth/{kind}/exchange", {"code": code})

    def manage(self, path: str, body: dict) -> None:
        answer = self.wire.post(f"/v1/mgmt/{path}", body, bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == 200, answer.text

    def user(self, login: str) -> requests.Response:
        return self.wire.send("GET", f"/v1/mgmt/user?loginId={login}", bearer=f"{PROJECT_ID}:{KEY}")


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("sign-ins"), told)
    yield site
    assert site.server.stop() == 0


def person(name: str | None = None, domain: str = "all.example", **more) -> dict:
    name = name or f"p{secrets.token_hex(4)}"
    return {"sub": name, "email": f"{name}@{domain}", "email_verified": True} | more


def test_an_answer_counts_at_its_own_connection_and_in_its_own_browser(site):
    """One provider stands behind all of them: its code is as good everywhere."""
    for name in ("anyone", "acme", "globex"):
        visitor = site.visitor()
        address = site.callback(visitor, "trusted", person())
        moved = visitor.get(address.replace("/federation/trusted/", f"/federation/{name}/"))
        assert moved.status_code == 400, name
    visitor, stranger = site.visitor(), site.visitor()
    address = site.callback(visitor, "trusted", person())
    assert stranger.get(address).status_code == 400
    site.callback(stranger, "trusted", person())
    assert stranger.get(address).status_code == 400, "a mark of its own is another one"
    assert visitor.get(f"{address}&iss=https://evil.example").is_redirect
    address = site.callback(visitor, "trusted", person())
    first = visitor.follow(site.walk(visitor, visitor.get(address)))
    assert isinstance(first, Callback) and first.get("code"), "the control"
    assert visitor.get(address).status_code == 400, "once"


def test_another_issuer_beside_the_answer_signs_nobody_in(site):
    visitor = site.visitor()
    address = site.callback(visitor, "trusted", person("mixed"))
    page = visitor.follow(site.walk(visitor, visitor.get(f"{address}&iss=https://evil.example")))
    assert isinstance(page, Page) and page.name == "login"
    assert site.user("mixed@all.example").status_code != 200, "no account either"


@pytest.mark.parametrize("claim", [
    {"iss": "https://evil.example"}, {"aud": "another"}, {"aud": [CLIENT_ID, "another"], "azp": CLIENT_ID},
    {"nonce": "another"}, {"exp": 1}, {"azp": "another"},
])
def test_a_token_for_another_request_signs_nobody_in(site, claim):
    assert site.sub(site.arrive("trusted", person() | claim)) is None
    assert site.sub(site.arrive("trusted", person())) is not None, "the control"


def test_userinfo_is_about_who_signed_in(site):
    """It names Maria's address, and another subject, or the same one without a word of verification."""
    site.provider.token = {"sub": "quiet"}
    for told in ({"sub": "loud", "email": MARIA.login, "email_verified": True}, {"email": MARIA.login},
                 {"sub": "quiet", "email": MARIA.login, "email_verified": "false"}):
        visitor = site.visitor()
        site.provider.userinfo = told
        arrival = visitor.follow(site.walk(visitor, site.begin(visitor, "trusted")))
        assert site.sub(arrival) is None, told


@pytest.mark.parametrize("kind", ["oauth", "sso"])
def test_a_code_of_the_wire_is_good_for_its_own_call_and_once(site, kind):
    query = {"oauth": "provider=trusted", "sso": "tenant=acme"}[kind]
    other = {"oauth": "sso", "sso": "oauth"}[kind]
    domain = {"oauth": "all.example", "sso": "acme.example"}[kind]
    code = site.code(kind, query, person(domain=domain))
    assert site.exchange(other, code).status_code in (400, 401)
    assert site.exchange(kind, code).status_code in (400, 401), "it was used up"
    code = site.code(kind, query, person(domain=domain))
    assert site.exchange(kind, code).status_code == 200
    assert site.exchange(kind, code).status_code in (400, 401)


@pytest.mark.parametrize("end", ["everywhere", "disabled", "deleted"])
def test_a_code_of_the_wire_ends_with_its_user(site, end):
    someone = person()
    code = site.code("oauth", "provider=trusted", someone)
    login = {"loginId": someone["email"]}
    match end:
        case "everywhere":
            site.manage("user/logout", login)
        case "disabled":
            for status in ("disabled", "enabled"):
                site.manage("user/update/status", login | {"status": status})
        case "deleted":
            site.manage("user/delete", login)
    assert site.exchange("oauth", code).status_code in (400, 401)
    assert site.exchange("oauth", site.code("oauth", "provider=trusted", someone)).status_code == 200


def test_an_organisation_s_connection_is_none_of_the_social_calls(site):
    for kind in ("oauth/authorize?provider=acme", "oauth/authorize?provider=globex", "sso/authorize?tenant=trusted"):
        answer = site.wire.post(f"/v1/auth/{kind}&redirectUrl={BACK}")
        assert answer.status_code >= 400 and "url" not in answer.json(), kind
    named = site.wire.post(f"/v1/auth/sso/authorize?tenant=acme&ssoId=globex&redirectUrl={BACK}")
    assert named.status_code >= 400, "another tenant's connection by its name"


def test_a_request_for_her_is_answered_by_nobody_else(site):
    """The hint names Maria; the provider names somebody. Her account hears nothing of it."""
    visitor = site.visitor()
    page = visitor.follow(site.begin(visitor, None))
    hint = site.told(visitor.sign_in(page, MARIA))
    assert hint["sub"] == MARIA.sub
    for connection, domain in (("trusted", "all.example"), ("acme", "acme.example")):
        wish = f'{{"id_token":{{"sub":{{"value":"{MARIA.sub}"}}}}}}'
        arrival = site.arrive(connection, person(domain=domain), claims=wish)
        assert site.sub(arrival) is None, connection


def test_a_connection_opens_no_account_where_the_journey_lets_nobody_sign_up(site):
    """A link names the provider, and skips the page that would say so. An organisation decides about its own people."""
    known = person()
    assert site.sub(site.arrive("trusted", known)) is not None
    for connection, stranger in (("trusted", person()), ("anyone", person()), ("anyone", {"sub": "nobody-at-all"})):
        assert site.sub(site.arrive(connection, stranger, journey="members")) is None, connection
        assert site.user(f"{stranger['sub']}@all.example").status_code != 200
    assert site.sub(site.arrive("trusted", known, journey="members")) is not None, "who is there signs in"


@pytest.mark.parametrize("policy", ["off", "invited"])
def test_an_organisation_without_domains_opens_accounts_by_the_same_rule(tmp_path, told, policy):
    """`off` closes even that; its people have no address here, and are its own alone."""
    closed = Site(tmp_path, told, sign_up=policy)
    told_of = closed.sub(closed.arrive("globex", {"sub": "nameless", "groups": ["admins"]}))
    assert (told_of is not None) == (policy == "invited")
    assert closed.sub(closed.arrive("trusted", {"sub": "nameless-2"})) is None
    assert closed.server.stop() == 0


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize(("age", "allowed"), [(0, True), (86_400, False)])
def test_a_sign_in_of_yesterday_at_the_provider_is_none_of_now_on_the_wire(site, stepped, age, allowed):
    """A new session, and one that is raised by it."""
    someone = person(auth_time=int(time.time()) - age)
    opened = site.exchange("oauth", site.code("oauth", "provider=trusted", someone)).json()
    bearer = f"{PROJECT_ID}:{opened['refreshJwt']}"
    if stepped:
        begun = site.wire.post(
            f"/v1/auth/oauth/authorize?provider=trusted&redirectUrl={BACK}", {"stepup": True}, bearer=bearer)
        url = begun.json()["url"]
        visitor = site.visitor()
        answer = site.walk(visitor, visitor.get(url))
        code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        raised = site.exchange("oauth", code)
        assert raised.status_code == 200, raised.text
        bearer = f"{PROJECT_ID}:{raised.json()['refreshJwt']}"
    changed = site.wire.post(
        "/v1/auth/password/update", {"loginId": someone["email"], "newPassword": "nine-blue-herons-abreast"},
        bearer=bearer)
    assert (changed.status_code == 200) == allowed, changed.text
    if not allowed:
        assert changed.status_code == 403 and changed.json()["missing"] == "recent_sign_in"
