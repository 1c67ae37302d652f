"""What a provider's word means when it changes: groups, addresses, flags, ages, keys, and people who come and go."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import MARIA, Client
from support.server import Server, binary
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of

APP_SECRET = "a-secret-of-the-first-app-0123456"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


@dataclass
class Site:
    server: Server
    provider: ToldProvider
    callback: str

    def begin(self, browser: requests.Session, connection: str, **more) -> requests.Response:
        """To the app's address, or the page at which it ends."""
        answer = browser.get(
            f"{self.server.base}/oauth2/authorize", timeout=10, allow_redirects=False,
            params={
                "client_id": "first-app", "redirect_uri": self.callback, "response_type": "code",
                "scope": "openid profile email", "state": "the-state", "code_challenge_method": "S256",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "connection": connection} | more)
        while answer.is_redirect and not answer.headers["location"].startswith(self.callback):
            answer = browser.get(
                requests.compat.urljoin(answer.url, answer.headers["location"]), timeout=20, allow_redirects=False)
        return answer

    def arrived(self, answer: requests.Response) -> dict:
        """The claims of the ID token."""
        assert answer.is_redirect, answer.text[:800]
        code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
        tokens = requests.post(
            f"{self.server.base}/oauth2/token", auth=("first-app", APP_SECRET), timeout=10,
            data={"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER,
                  "redirect_uri": self.callback})
        assert tokens.status_code == 200, tokens.text
        bearer = {"Authorization": f"Bearer {tokens.json()['access_token']}"}
        told = requests.get(f"{self.server.base}/oauth2/userinfo", headers=bearer, timeout=10).json()
        return payload_of(tokens.json()["id_token"]) | told

    def sign_in(self, connection: str, token: dict, userinfo: dict | None = None, **more) -> requests.Response:
        self.provider.token = token
        self.provider.userinfo = {"sub": token["sub"]} | (userinfo or {})
        return self.begin(requests.Session(), connection, **more)

    def command(self, *arguments: str) -> tuple[dict | list, str]:
        done = subprocess.run(
            [binary(), *arguments, "--config", self.server.config, "--json",
             "--database", f"sqlite:{self.server.folder / 'keyturn.db'}"],
            capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        return (json.loads(done.stdout) if done.stdout else {}), done.stderr

    def user(self, login: str) -> dict:
        return self.command("user", "show", login)[0]

    def roles(self, login: str) -> list:
        return self.user(login).get("roles", [])


@pytest.fixture(scope="module")
def site(tmp_path_factory, callback_receiver):
    provider = ToldProvider()
    callback = f"{callback_receiver.base}/first-app"
    app = Client("first-app", APP_SECRET, "client_secret_basic", (callback,))
    connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET, "trust_email": True}
    configuration = {
        "project": {"name": "Harbour"},
        "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
        "roles": [{"name": "admin", "permissions": ["write"]}, {"name": "editor", "permissions": ["edit"]}],
        "connections": [
            connection | {"id": "all", "name": "All", "roles": {"admins": "admin"}},
            connection | {"id": "acme", "name": "Acme", "tenant": "acme", "domains": ["acme.example"]},
            connection | {"id": "globex", "name": "Globex", "tenant": "globex", "domains": ["globex.example"]},
        ],
        "delivery": {"outbox": True},
        "clients": [app.entry() | {"first_party": True}],
        "users": [MARIA.entry()],
    }
    server = Server(tmp_path_factory.mktemp("over-time"), configuration)
    yield Site(server, provider, callback)
    assert server.stop() == 0
    provider.stop()


def person(subject: str, email: str, **more) -> dict:
    return {"sub": subject, "email": email, "email_verified": True} | more


def test_the_last_group_takes_the_last_role(site):
    """F-42"""
    def sign(**claims):
        site.arrived(site.sign_in("all", person("groups-1", "groups@all.example", **claims)))
        return site.roles("groups@all.example")

    assert sign(groups=["admins"]) == ["admin"]
    assert sign(_claim_names={"groups": "src1"}) == ["admin"], "more than are told"
    assert sign() == []
    assert sign(groups="admins") == ["admin"], "one, as a text"
    assert sign(groups=[]) == []


def test_a_new_person_with_an_old_address_is_asked(site):
    """F-11"""
    for connection, address in (("all", "jane@all.example"), ("acme", "jane@acme.example")):
        old = site.arrived(site.sign_in(connection, person("old-jane", address)))
        answer = site.sign_in(connection, person("new-jane", address))
        assert not answer.is_redirect and "to link" in answer.text
        assert site.arrived(site.sign_in(connection, person("old-jane", address)))["sub"] == old["sub"]


def test_a_flag_of_the_token_is_not_about_an_address_of_userinfo(site):
    maria = MARIA.claims["email"]
    for told in ({"email": maria, "email_verified": False}, {"email": maria}):
        answer = site.sign_in("all", {"sub": "borrower", "email_verified": True}, told)
        assert not answer.is_redirect, "signed in as another user"
    answer = site.sign_in(
        "acme", {"sub": "borrower", "email_verified": True}, {"email": "ceo@acme.example", "email_verified": False})
    assert not answer.is_redirect and "says that your address is not verified" in answer.text


def test_an_organisations_provider_need_not_say_that_addresses_are_verified(site):
    claims = site.arrived(site.sign_in("acme", {"sub": "silent", "email": "silent@acme.example"}))
    assert claims["email"] == "silent@acme.example" and claims["email_verified"] is True
    denied = site.sign_in("acme", {"sub": "no", "email": "no@acme.example", "email_verified": False})
    assert "says that your address is not verified" in denied.text


def test_another_spelling_of_an_address_is_another_mailbox(site):
    answer = site.sign_in("all", person("wide", MARIA.claims["email"].replace("m", "\uff4d", 1)))
    assert not answer.is_redirect and "to link" in answer.text


def test_ages_are_passed_on_compared_and_told(site):
    """F-37"""
    now = int(time.time())
    answer = site.sign_in("all", person("age", "age@all.example", auth_time=now - 600), max_age=86400)
    assert site.provider.asked[-1]["max_age"] == "86400" and "prompt" not in site.provider.asked[-1]
    assert abs(site.arrived(answer)["auth_time"] - (now - 600)) <= 1
    before = len(site.provider.asked)
    refused = site.sign_in("all", person("age", "age@all.example", auth_time=now - 7200), max_age=300)
    assert not refused.is_redirect and "did not ask you to sign in again" in refused.text
    assert [query.get("prompt") for query in site.provider.asked[before:]] == [None, "login"], "asked once more"
    old = site.arrived(site.sign_in("all", person("age", "age@all.example", auth_time=1)))
    assert old["auth_time"] == 1
    future = site.arrived(site.sign_in("all", person("age", "age@all.example", auth_time=now + 86400)))
    assert future["auth_time"] <= int(time.time())


def test_names_and_addresses_follow_an_organisations_provider(site):
    """F-12"""
    def sign(connection, email, name):
        return site.arrived(site.sign_in(connection, person("moving", email, name=name)))

    first = sign("acme", "moving@acme.example", "Mo Ving")
    second = sign("acme", "moved@acme.example", "Mo Ved")
    assert second["sub"] == first["sub"]
    assert (second["name"], second["email"]) == ("Mo Ved", "moved@acme.example")
    assert sign("all", "moving@all.example", "Mo Ving")["name"] == "Mo Ving"
    assert sign("all", "moved@all.example", "Mo Ved")["name"] == "Mo Ving", "the project's fills in alone"


def test_a_session_of_one_organisation_does_not_answer_for_another(site):
    browser = requests.Session()
    site.provider.token = person("two", "two@acme.example")
    site.provider.userinfo = {"sub": "two"}
    acme = site.arrived(site.begin(browser, "acme"))
    assert site.arrived(site.begin(browser, "acme"))["sub"] == acme["sub"]
    assert "login_required" in site.begin(browser, "globex", prompt="none").headers["location"]
    site.provider.token = person("two", "two@globex.example")
    globex = site.arrived(site.begin(browser, "globex"))
    assert globex["sub"] != acme["sub"] and globex["email"] == "two@globex.example"
    before = len(site.provider.asked)
    site.arrived(site.begin(browser, "globex", prompt="login"))
    assert site.provider.asked[before]["prompt"] == "login", "led to the connection, not to a page"


class Directory:
    def __init__(self, site: Site, tenant: str):
        made, self.warning = site.command("scim", "token", "create", "--tenant", tenant)
        self.base, self.token = f"{site.server.base}/scim/v2", made["token"]

    def send(self, method: str, path: str, body: dict | None = None) -> requests.Response:
        return requests.request(
            method, self.base + path, timeout=20, data=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/scim+json"})

    def user(self, name: str, **more) -> str:
        answer = self.send("POST", "/Users", {"userName": name} | more)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def deactivate(self, user: str) -> None:
        operations = [{"op": "replace", "path": "active", "value": False}]
        assert self.send("PATCH", f"/Users/{user}", {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": operations}).status_code == 200


def test_a_guest_signs_in_once_the_directory_has_them(site):
    guest = person("guest-1", "kim@gmail.example", preferred_username="kim@gmail.example")
    refused = site.sign_in("acme", guest)
    assert "does not belong to your organisation" in refused.text
    acme = Directory(site, "acme")
    assert "has proven no domain" not in acme.warning, "the file's word counts"
    kim = acme.user("kim@gmail.example")
    claims = site.arrived(site.sign_in("acme", guest))
    assert not claims.get("email_verified")
    assert site.arrived(site.sign_in("acme", guest))["sub"] == claims["sub"]
    acme.deactivate(kim)
    assert not site.sign_in("acme", guest).is_redirect


def test_an_offboarding_reaches_the_person_although_the_directory_began_too_early(site):
    site.command("tenant", "create", "early")
    early = Directory(site, "early")
    assert "has proven no domain" in early.warning
    otto, eva = early.user("otto@early.example"), early.user("eva@early.example")
    site.command(
        "connection", "add", "early", "--tenant", "early", "--issuer", site.provider.issuer, "--client-id", CLIENT_ID,
        "--domain", "early.example")
    time.sleep(1.5)
    first = site.arrived(site.sign_in("early", person("eva-1", "eva@early.example")))
    site.command("tenant", "domain", "add", "early.example", "--tenant", "early", "--trust")
    assert site.user("otto@early.example")["status"] == "active", "has a login ID now"
    assert site.user("eva@early.example")["sub"] == first["sub"]
    early.deactivate(eva)
    assert "early" not in json.dumps(site.user("eva@early.example").get("tenants", []))
    assert not site.sign_in("early", person("eva-1", "eva@early.example")).is_redirect
    assert early.send("DELETE", f"/Users/{otto}").status_code == 204


def test_keys_that_do_not_come_are_kept(site):
    """F-57"""
    site.arrived(site.sign_in("all", person("keys", "keys@all.example")))
    site.provider.has_keys = False
    try:
        for _ in range(3):
            site.arrived(site.sign_in("all", person("keys", "keys@all.example")))
    finally:
        site.provider.has_keys = True
