"""What a provider's word does to accounts: who joins whom, what unlinking leaves, roles, tenants, new accounts."""

from __future__ import annotations

import json
import secrets
import time

import pytest
import requests
from joserfc import jwt

from support.configuration import MARIA, Client, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

KEY = "a-management-key-for-the-tests-of-accounts"
BACK = "https://app.example/back"
APP = Client("app", "a-secret-of-the-app-0123456789", "client_secret_basic", (BACK,))
EVENT = "http://schemas.openid.net/event/backchannel-logout"
DORA = Person(
    "77777777-7777-4777-8777-777777777777", "dora@acme.example", "correct-horse-battery",
    {"email": "dora@acme.example", "email_verified": True,
     "tenants": [{"id": "acme"}, {"id": "globex", "roles": ["admin"]}]},
)


class Site:
    def __init__(self, folder, provider: ToldProvider, **project):
        connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.provider = provider
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY], **project},
                "tenants": [
                    {"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex", "require_sso": True}],
                "roles": [{"name": "admin", "permissions": ["write"]}, {"name": "reader", "permissions": ["read"]}],
                "connections": [
                    connection | {"id": "trusted", "trust_email": True, "roles": {"admins": "admin"}},
                    connection | {"id": "anyone"},
                    connection | {
                        "id": "acme", "tenant": "acme", "domains": ["acme.example"], "roles": {"readers": "reader"}},
                    connection | {"id": "globex", "tenant": "globex", "domains": ["globex.example"]},
                ],
                "delivery": {"outbox": True}, "clients": [APP.entry()], "users": [MARIA.entry(), DORA.entry()],
            },
        )
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def visitor(self) -> Visitor:
        return Visitor(self.base)

    def arrive(self, connection: str, token: dict, visitor: Visitor | None = None) -> Page | Callback:
        """Signs in at the provider, for the app."""
        self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}
        visitor = visitor or self.visitor()
        answer = visitor.get(f"{self.base}/oauth2/authorize", params={
            "client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "openid email",
            "state": secrets.token_hex(4), "connection": connection})
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return visitor.follow(answer)

    def sub(self, arrival: Page | Callback) -> str | None:
        """Whom the app hears of; `None`: it got no code."""
        if not isinstance(arrival, Callback) or not arrival.get("code"):
            return None
        answer = requests.post(
            f"{self.base}/oauth2/token", auth=(APP.client_id, APP.secret), timeout=30,
            data={"grant_type": "authorization_code", "code": arrival["code"], "redirect_uri": BACK})
        return payload_of(answer.json()["id_token"])["sub"]

    def wire_session(self, kind: str, query: str, token: dict) -> dict:
        """The session JWT of the methods' wire."""
        self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}
        url = self.wire.post(f"/v1/auth/{kind}/authorize?{query}&redirectUrl={BACK}").json()["url"]
        visitor = self.visitor()
        answer = visitor.get(url)
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        code = Callback.from_location(answer.headers["Location"])["code"]
        done = self.wire.post(f"/v1/auth/{kind}/exchange", {"code": code})
        assert done.status_code == 200, done.text
        return payload_of(done.json()["sessionJwt"])

    def user(self, login: str) -> dict:
        answer = self.wire.send("GET", f"/v1/mgmt/user?loginId={login}", bearer=f"{PROJECT_ID}:{KEY}")
        assert answer.status_code == 200, answer.text
        return answer.json()["user"]

    def exists(self, login: str) -> bool:
        return self.wire.send("GET", f"/v1/mgmt/user?loginId={login}", bearer=f"{PROJECT_ID}:{KEY}").status_code == 200


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("accounts"), told)
    yield site
    assert site.server.stop() == 0


def person(subject: str, email: str | None = None, **more) -> dict:
    return {"sub": subject, "email": email, "email_verified": True if email else None} | more


def enter(visitor: Visitor, page: Page, who: Person = MARIA) -> Page | Callback:
    assert isinstance(page, Page) and page.name == "login", page
    return visitor.sign_in(page, who)


def test_an_identity_that_waits_is_joined_to_nobody_in_another_browser(site):
    """The thief signs in at the provider, and hands the page that asks for a sign-in to Maria."""
    thief = site.visitor()
    page = site.arrive("anyone", person("thief", "thief@evil.example"), thief)
    assert isinstance(page, Page) and "to link" in page.response.text
    maria = site.visitor()
    enter(maria, maria.open(page.url))
    assert site.sub(site.arrive("anyone", person("thief", "thief@evil.example"))) is None
    assert site.sub(site.arrive("anyone", person("thief", "thief@evil.example"), thief)) is None


def test_an_identity_that_waits_joins_who_signs_in_where_it_waits(site):
    """The control: her own browser, her own identity. It is told."""
    visitor, own = site.visitor(), person("maria-herself", "maria@private.example")
    assert site.sub(enter(visitor, site.arrive("anyone", own, visitor))) == MARIA.sub
    assert site.sub(site.arrive("anyone", own)) == MARIA.sub
    told = requests.get(f"{site.base}/dev/outbox.json", timeout=30).json()
    told = told["messages"] if isinstance(told, dict) else told
    assert any(message["to"] == MARIA.login for message in told)
    other = site.visitor()
    assert site.sub(enter(other, site.arrive("anyone", own | {"sub": "hers-too"}, other), DORA)) == DORA.sub
    assert site.sub(site.arrive("anyone", own)) == MARIA.sub, "the first one stays hers"


def unlink(site: Site, visitor: Visitor, name: str | None = None) -> str:
    """Disconnects an identity in the settings; its name there."""
    page = visitor.open(f"{site.base}/settings/connections")
    form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
    done = visitor.post(form.action, data=form.filled({"id": name} if name else {}, "unlink"))
    assert done.status_code == 303, done.text[:300]
    assert ("done=unlinked" in done.headers["Location"]) == (name is None), done.headers["Location"]
    return form.values["id"]


def test_a_disconnected_identity_opens_nothing_and_leaves_no_role(site):
    """A role of the groups goes with the identity, and only the owner joins it again."""
    groups = person("grouped", "grouped@all.example", groups=["admins"])
    visitor = site.visitor()
    sub = site.sub(site.arrive("trusted", groups, visitor))
    assert site.user("grouped@all.example")["roleNames"] == ["admin"]
    name = unlink(site, visitor)
    stranger = site.visitor()
    site.arrive("trusted", person("another", "another@all.example"), stranger)
    assert unlink(site, stranger, name) != name, "another user's form names nothing of hers"
    assert site.user("grouped@all.example")["roleNames"] == []
    again = site.arrive("trusted", groups)
    assert site.sub(again) is None and "to link" in again.response.text
    assert site.user("grouped@all.example")["roleNames"] == [] and site.user("grouped@all.example")["userId"] == sub


def test_an_organisation_vouches_for_its_own_tenant_alone(site):
    """Dora is of two organisations, and the other one lets its users in by its own provider only."""
    mine = site.wire_session("sso", "tenant=acme", person("dora-at-acme", DORA.login))
    assert mine["sub"] == DORA.sub and "acme" in mine["tenants"]
    assert "globex" not in json.dumps(mine) and "admin" not in json.dumps(mine)
    forged = site.arrive("globex", person("dora-at-globex", DORA.login))
    assert site.sub(forged) is None and "does not belong to your organisation" in forged.response.text


def test_groups_of_one_organisation_give_roles_there_and_nowhere_else(site):
    told = site.wire_session("sso", "tenant=acme", person("role-1", "role@acme.example", groups=["readers", "admins"]))
    assert told["tenants"]["acme"]["roles"] == ["reader"] and "admin" not in json.dumps(told)
    user = site.user("role@acme.example")
    assert user["roleNames"] == [] and [tenant["tenantId"] for tenant in user["userTenants"]] == ["acme"]
    told = site.wire_session("sso", "tenant=acme", person("role-1", "role@acme.example", groups=[]))
    assert told["tenants"]["acme"].get("roles", []) == []


def test_a_password_of_a_squatter_is_gone_when_the_owner_comes_by_a_trusted_provider(site):
    """The address was claimed and never proved; the account is emptied, and its sessions are over."""
    claimed = "claimed@all.example"
    made = site.wire.post("/v1/auth/password/signup", {
        "loginId": claimed, "password": "a-squatters-long-password", "user": {"email": claimed, "name": "Squatter"}})
    assert made.status_code == 200, made.text
    squatters = f"{PROJECT_ID}:{made.json()['refreshJwt']}"
    assert site.sub(site.arrive("trusted", person("claimer", claimed, name="True Owner"))) is not None
    again = site.wire.post("/v1/auth/password/signin", {"loginId": claimed, "password": "a-squatters-long-password"})
    assert (again.status_code, again.json()["errorCode"]) == (400, "E062108"), again.text
    assert site.wire.post("/v1/auth/refresh", {}, bearer=squatters).status_code == 401
    assert "Squatter" not in json.dumps(site.user(claimed))


def test_a_notice_of_a_sign_out_ends_sessions_of_its_own_connection_alone(site):
    """One provider stands behind two connections: its word at one says nothing about the other."""
    visitor = site.visitor()
    assert site.sub(site.arrive("trusted", person("leaver", "leaver@all.example"), visitor))

    def notify(connection: str) -> int:
        now = int(time.time())
        token = jwt.encode({"alg": "RS256", "kid": "k1", "typ": "logout+jwt"}, {
            "iss": site.provider.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "jti": secrets.token_hex(8),
            "sub": "leaver", "events": {EVENT: {}}}, site.provider._key)
        return requests.post(
            f"{site.base}/federation/{connection}/logout", data={"logout_token": token}, timeout=30).status_code

    def is_in() -> bool:
        return visitor.get(f"{site.base}/settings").status_code == 200

    for connection in ("anyone", "acme", "globex"):
        assert notify(connection) == 200
        assert is_in(), connection
    assert notify("trusted") == 200
    assert not is_in()


CLOSED = {
    "off": {"sign_up": "off"},
    "domains": {"sign_up": "domains", "sign_up_domains": ["welcome.example"]},
}


@pytest.mark.parametrize("policy", list(CLOSED))
def test_a_provider_opens_no_account_that_sign_up_does_not_allow(tmp_path, told, policy):
    """By the pages and by the methods' wire; an organisation decides about its own users, unless it is `off`."""
    site = Site(tmp_path, told, **CLOSED[policy])
    assert site.sub(site.arrive("trusted", person("maria", MARIA.login))) == MARIA.sub, "who is there signs in"
    for connection, token in (
        ("trusted", person("s-1", "s1@all.example")), ("trusted", person("s-2")), ("anyone", person("s-3")),
        ("trusted", person("s-4", "s4@sub.welcome.example")), ("anyone", person("s-5", "s5@welcome.example")),
    ):
        assert site.sub(site.arrive(connection, token)) is None, f"{connection}: {token}"
    told.token, told.userinfo = person("s-6", "s6@all.example"), {"sub": "s-6"}
    url = site.wire.post(f"/v1/auth/oauth/authorize?provider=trusted&redirectUrl={BACK}").json()["url"]
    visitor = site.visitor()
    answer = visitor.get(url)
    while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    assert "code=" not in answer.headers.get("Location", "")
    assert not any(site.exists(f"s{number}@all.example") for number in (1, 6))
    welcome = site.sub(site.arrive("trusted", person("w-1", "w1@welcome.example")))
    assert (welcome is not None) == (policy == "domains")
    staff = site.sub(site.arrive("acme", person("a-1", "a1@acme.example")))
    assert (staff is not None) == (policy != "off")
    assert site.server.stop() == 0
