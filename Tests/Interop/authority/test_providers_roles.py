"""Providers, the console and programs: a role that nobody maps any more, an owner whom a provider knows, and answers to
programs that nothing shows."""

from __future__ import annotations

import secrets
import subprocess
import time

import pyotp
import pytest
import requests

from support.configuration import Client, Person
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.server import Server, binary
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of
from support.visitor import Callback, Visitor

KEY = "a-management-key-for-the-tests-of-roles"
WEB = Client("web", "a-secret-of-the-app-0123456789", "client_secret_basic", ("https://app.example/back",))
NATIVE = Client("native", None, "none", ("com.example.app:/back",), {"application_type": "native"})
OLGA = Person(
    "55555555-5555-4555-8555-555555555555", "olga@acme.example", "correct-horse-battery",
    {"email": "olga@acme.example", "email_verified": True, "console_role": "owner", "name": "Olga Owner",
     "tenants": [{"id": "acme"}]},
)
CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}


class Site:
    def __init__(self, folder):
        self.provider = ToldProvider()
        connection = {"issuer": self.provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [KEY]},
                "tenants": [{"id": "acme", "name": "Acme"}],
                "roles": [{"name": "admin", "permissions": ["write"]}, {"name": "reader", "permissions": []}],
                "connections": [
                    connection | {
                        "id": "trusted", "trust_email": True, "roles": {"admins": "admin"}, "strong_contexts": ["mfa"]},
                    connection | {
                        "id": "acme", "tenant": "acme", "domains": ["acme.example"], "trust_email": True,
                        "strong_contexts": ["mfa"]},
                ],
                "delivery": {"outbox": True}, "clients": [WEB.entry(), NATIVE.entry()], "users": [OLGA.entry()],
            },
        )
        self.base, self.wire = self.server.base, Wire(self.server.base)

    def visitor(self) -> Visitor:
        return Visitor(self.base)

    def follow(self, visitor: Visitor, answer: requests.Response) -> Page | Callback:
        """As a browser, also through the provider, which asks nothing."""
        ours = (self.base, self.provider.issuer)
        while answer.is_redirect:
            target = requests.compat.urljoin(answer.url, answer.headers["Location"])
            if not target.startswith(ours):
                return Callback.from_location(target)
            answer = visitor.get(target)
        return Page(answer)

    def arrive(
        self, connection: str | None, token: dict | None, visitor: Visitor | None = None, client: Client = WEB, **more
    ) -> Page | Callback:
        if token:
            self.provider.token, self.provider.userinfo = token, {"sub": token["sub"]}
        visitor = visitor or self.visitor()
        parameters = {
            "client_id": client.client_id, "redirect_uri": client.redirect_uri, "response_type": "code",
            "scope": "openid email profile", "state": secrets.token_hex(4), "connection": connection} | CHALLENGE | more
        return self.follow(visitor, visitor.get(f"{self.base}/oauth2/authorize", params={
            name: value for name, value in parameters.items() if value is not None}))

    def get(self, path: str) -> requests.Response:
        return self.wire.send("GET", path, bearer=f"{PROJECT_ID}:{KEY}")

    def user(self, login: str) -> dict:
        return self.get(f"/v1/mgmt/user?loginId={login}").json()["user"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("roles"))
    yield site
    assert site.server.stop() == 0
    site.provider.stop()


def person(subject: str, email: str, **more) -> dict:
    return {"sub": subject, "email": email, "email_verified": True} | more


CONNECTED = person("olga-1", OLGA.login, amr=["mfa"], name="Not Olga", groups=["admins"])


@pytest.fixture(scope="module")
def connected(site):
    """Olga, an owner, connects her accounts at both providers by signing in herself."""
    for connection in ("trusted", "acme"):
        visitor = site.visitor()
        page = site.arrive(connection, CONNECTED, visitor)
        assert isinstance(page, Page) and page.name == "login" and "to link" in page.response.text
        assert isinstance(visitor.sign_in(page, OLGA), Callback)
    return site


@pytest.mark.parametrize("connection", ["trusted", "acme"])
def test_a_provider_opens_no_console(connected, connection):
    """Its word is one factor for her, whatever the operator says of its classes."""
    site, visitor = connected, connected.visitor()
    assert isinstance(site.arrive(connection, CONNECTED, visitor), Callback)
    page = visitor.open(f"{site.base}/admin")
    assert isinstance(page, Page) and not page.name.startswith("admin"), page
    again = site.arrive(connection, CONNECTED, visitor, acr_values="urn:keyturn:acr:mfa")
    assert isinstance(again, Page) and again.name in ("totp-setup", "code", "login"), again


@pytest.mark.parametrize("connection", ["trusted", "acme"])
def test_a_provider_changes_neither_name_nor_address_nor_role_of_an_owner(connected, connection):
    before = connected.user(OLGA.login)
    moved = person("olga-1", "moved@acme.example", name="Somebody", groups=["admins"])
    assert isinstance(connected.arrive(connection, moved), Callback)
    after = connected.user(OLGA.login)
    for member in ("name", "email", "loginIds", "roleNames", "status"):
        assert after[member] == before[member], member
    other = person("somebody-1", "somebody@acme.example", name="One", groups=["admins"])
    for name in ("One", "Two"):
        assert isinstance(connected.arrive("acme", other | {"name": name}), Callback)
    assert connected.user("somebody@acme.example")["name"] == "Two", "others follow their organisation"


def test_a_provider_answers_no_program_that_nothing_shows(site):
    """A link leads the browser straight to the provider, which asks nothing: RFC 8252 §8.6."""
    token, visitor = person("lead", "lead@all.example"), site.visitor()
    page = site.arrive("trusted", token, visitor, NATIVE)
    assert isinstance(page, Page) and page.name == "continue", page
    silent = site.arrive("trusted", token, visitor, NATIVE, prompt="none")
    assert isinstance(silent, Callback) and silent["error"] == "interaction_required"
    answer = visitor.submit(page)
    assert isinstance(answer, Callback) and answer.get("code"), "the user continues"
    assert isinstance(site.arrive("trusted", token), Callback), "a client that authenticates needs no page"


def test_the_button_of_a_provider_is_pressed_on_a_page_of_ours(site):
    """Its address in a link is no button: the browser says which site led it there."""
    site.provider.token, site.provider.userinfo = person("lead", "lead@all.example"), {"sub": "lead"}
    for site_of_request, name in (("cross-site", "continue"), ("none", "continue"), (None, "continue")):
        visitor = site.visitor()
        login = site.arrive(None, None, visitor, NATIVE)
        sealed = login.url.split("transaction=")[1].split("&")[0]
        headers = {"Sec-Fetch-Site": site_of_request} if site_of_request else {}
        start = f"{site.base}/federation/trusted/start?transaction={sealed}"
        page = site.follow(visitor, visitor.get(start, headers=headers))
        assert isinstance(page, Page) and page.name == name, f"{site_of_request}: {page}"
    visitor = site.visitor()
    sealed = site.arrive(None, None, visitor, NATIVE).url.split("transaction=")[1].split("&")[0]
    start = f"{site.base}/federation/trusted/start?transaction={sealed}"
    assert isinstance(site.follow(visitor, visitor.get(start, headers={"Sec-Fetch-Site": "same-origin"})), Callback)


@pytest.fixture(scope="module")
def guarded(site) -> str:
    """A user of the provider, who sets an authenticator app up here. The login ID."""
    login = "guarded@all.example"
    assert isinstance(site.arrive("trusted", person("guarded", login)), Callback)
    session = by_mail(site, login)
    bearer = f"{PROJECT_ID}:{session['refreshJwt']}"
    made = site.wire.post("/v1/auth/totp/update", {"loginId": login}, bearer=bearer)
    assert made.status_code == 200, made.text
    code = pyotp.TOTP(made.json()["key"]).now()
    assert site.wire.post("/v1/auth/totp/verify", {"loginId": login, "code": code}, bearer=bearer).status_code == 200
    return login


def test_the_providers_word_asks_for_the_code_without_a_class_of_the_operators(site, guarded):
    page = site.arrive("trusted", person("guarded", guarded, amr=["pwd"]))
    assert isinstance(page, Page) and page.name == "code"


def test_the_providers_word_is_not_the_accounts_second_factor_on_the_methods_wire(site, guarded):
    """The control of what follows: no session comes of it."""
    site.provider.token, site.provider.userinfo = person("guarded", guarded, amr=["mfa"]), {"sub": "guarded"}
    back = WEB.redirect_uri
    url = site.wire.post(f"/v1/auth/oauth/authorize?provider=trusted&redirectUrl={back}").json()["url"]
    visitor = site.visitor()
    code = site.follow(visitor, visitor.get(url))["code"]
    refused = site.wire.post("/v1/auth/oauth/exchange", {"code": code})
    assert (refused.status_code, refused.json()["missing"]) == (403, "second_factor")


@pytest.mark.parametrize(("path", "values"), [
    ("password", {"password": "a-thiefs-long-pass-word"}), ("authenticators", {"action": "renew-codes"}),
    ("authenticators", {"action": "remove"})])
def test_the_providers_word_is_not_the_accounts_second_factor_on_the_pages(site, guarded, path, values):
    visitor = site.visitor()
    assert isinstance(site.arrive("trusted", person("guarded", guarded, amr=["mfa"]), visitor), Callback)
    page = visitor.open(f"{site.base}/settings/{path}")
    if page.name == f"settings-{path}":
        answer = visitor.post(page.form.action, data=page.form.values | values)
        assert "/login?" in answer.headers.get("Location", ""), answer.headers.get("Location")
    else:
        assert page.name in ("login", "code"), page
    user = site.user(guarded)
    assert user["TOTP"] is True and user["password"] is False


def run(site: Site, *arguments: str) -> None:
    done = subprocess.run(
        [binary(), *arguments, "--config", site.server.config,
         "--database", f"sqlite:{site.server.folder / 'keyturn.db'}"],
        capture_output=True, text=True, timeout=60, input=SECRET, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


def known(site: Site, identifier: str) -> dict | None:
    """A connection as the running server has it."""
    answer = site.get(f"/v1/mgmt/connection?id={identifier}")
    return answer.json() if answer.status_code == 200 else None


def wait_until(holds) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("the running server does not see the change")


def by_mail(site: Site, login: str) -> dict:
    """The session that a code by email opens."""
    site.wire.post("/v1/auth/otp/signin/email", {"loginId": login})
    code = site.wire.send("GET", "/dev/outbox.json", bearer=None).json()[-1]["code"]
    answer = site.wire.post("/v1/auth/otp/verify/email", {"loginId": login, "code": code})
    assert answer.status_code == 200, answer.text
    return answer.json()


def roles_by_mail(site: Site, login: str) -> list[str]:
    return payload_of(by_mail(site, login)["sessionJwt"]).get("roles", [])


@pytest.mark.parametrize("change", [
    ["remove"], ["change", "--unset", "roles"], ["change", "--role", "admins=reader"],
], ids=["removed", "no mapping", "another role"])
def test_a_role_that_a_connection_gives_no_longer_is_nobodys(site, change):
    """A session by another way has it no longer: no group gives it any more."""
    name = f"late-{secrets.token_hex(3)}"
    login = f"{name}@all.example"
    run(
        site, "connection", "add", name, "--issuer", site.provider.issuer, "--client-id", CLIENT_ID,
        "--client-secret-file", "-", "--trust-email", "--role", "admins=admin", "--allow-private")
    wait_until(lambda: known(site, name))
    assert isinstance(site.arrive(name, person(name, login, groups=["admins"])), Callback)
    assert roles_by_mail(site, login) == ["admin"]
    before = known(site, name)
    run(site, "connection", *change, name)
    wait_until(lambda: known(site, name) != before)
    assert roles_by_mail(site, login) == []
