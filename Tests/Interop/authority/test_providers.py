"""What the word of a provider that lies is worth: names, addresses, subjects, flags, groups, factors and ages."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import MARIA, Client, Person, secret_of
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.tokens import payload_of

KEY = "a-management-key-for-the-tests-of-providers"
APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
SCOPE = "openid profile email phone"
OLGA = Person(
    "55555555-5555-4555-8555-555555555555", "olga@acme.example", "correct-horse-battery",
    {"email": "olga@acme.example", "email_verified": True, "console_role": "owner", "name": "Olga Owner"},
)
GINA = Person(
    "66666666-6666-4666-8666-666666666666", "gina@globex.example", "correct-horse-battery",
    {"email": "gina@globex.example", "email_verified": True, "tenants": [{"id": "globex"}]},
)


@dataclass
class Site:
    provider: ToldProvider
    server: Server

    @property
    def rp(self) -> RelyingParty:
        return RelyingParty(Provider(self.server.base), APP)

    def sign_in(self, connection: str, token: dict, browser: requests.Session | None = None, **more):
        """To the app's address, or the page at which it ends."""
        self.provider.token = token
        self.provider.userinfo = {"sub": token.get("sub")}
        browser, request = browser or requests.Session(), self.rp.request(scope=SCOPE, connection=connection, **more)
        answer = browser.get(
            f"{self.server.base}/oauth2/authorize", params=request.parameters, timeout=30, allow_redirects=False)
        while answer.is_redirect and not answer.headers["location"].startswith(APP.redirect_uri):
            answer = browser.get(
                requests.compat.urljoin(answer.url, answer.headers["location"]), timeout=30, allow_redirects=False)
        return answer

    def told(self, answer) -> dict:
        """Everything that the app hears: ID token, UserInfo, introspection."""
        assert answer.is_redirect, answer.text[:600]
        code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
        tokens = self.rp.post("token", {
            "grant_type": "authorization_code", "code": code, "redirect_uri": APP.redirect_uri}).json()
        told = self.rp.provider.userinfo(tokens["access_token"]).json()
        return told | payload_of(tokens["id_token"]) | {"introspected": self.rp.introspect(tokens["access_token"])}

    def manage(self, method: str, path: str, body: dict | None = None, **query) -> dict:
        project = self.rp.provider.metadata["keyturn_project_id"]
        answer = requests.request(
            method, f"{self.server.base}{path}", json=body, params=query, timeout=30,
            headers={"Authorization": f"Bearer {project}:{KEY}"})
        assert answer.status_code == 200, f"{path}: {answer.text}"
        return answer.json()

    def user(self, login: str) -> dict:
        return self.manage("GET", "/v1/mgmt/user", loginId=login)["user"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    provider = ToldProvider()
    connection = {"issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
    server = Server(
        tmp_path_factory.mktemp("providers"),
        {
            "project": {"name": "Harbour", "management_keys": [KEY]},
            "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
            "roles": [{"name": "admin", "permissions": ["write"]}],
            "connections": [
                connection | {"id": "anyone", "name": "Anyone"},
                connection | {"id": "trusted", "name": "Trusted", "trust_email": True, "roles": {"admins": "admin"}},
                connection | {"id": "acme", "name": "Acme", "tenant": "acme", "domains": ["acme.example"]},
                connection | {"id": "globex", "name": "Globex", "tenant": "globex", "domains": ["globex.example"]},
            ],
            "delivery": {"outbox": True}, "clients": [APP.entry()],
            "users": [MARIA.entry(), OLGA.entry(), GINA.entry()],
        },
    )
    yield Site(provider, server)
    assert server.stop() == 0
    provider.stop()


def person(subject: str, email: str | None = None, **more) -> dict:
    return {"sub": subject, "email": email, "email_verified": True if email else None} | more


@pytest.mark.parametrize("connection", ["trusted", "acme"])
@pytest.mark.parametrize("form", ["{}", "Maria <{}>", "mailto:{}"])
def test_a_name_from_a_provider_is_nobodys_address(site, connection, form):
    victim = form.format(MARIA.login)
    claims = ["name", "given_name", "family_name", "middle_name", "nickname", "preferred_username"]
    names = dict.fromkeys(claims, victim)
    own = f"n{secrets.token_hex(4)}@acme.example"
    told = site.told(site.sign_in(connection, person(own, own, phone_number="+351210000000", **names)))
    assert told["email"] == own and told["email_verified"] is True
    assert MARIA.login not in json.dumps(told) and "351210000000" not in json.dumps(told)


def test_a_provider_without_trust_tells_no_user_name_and_no_address(site):
    told = site.told(site.sign_in("acme", person("pu", "pu@acme.example", preferred_username="maria")))
    assert "preferred_username" not in told
    page = site.sign_in("anyone", person("stranger", "fresh@nowhere.example"))
    assert not page.is_redirect and "to link" in page.text, "an address that nobody proved opens no account"
    told = site.told(site.sign_in("anyone", person("nameless")))
    assert "email" not in told and "preferred_username" not in told


@pytest.mark.parametrize("flag", ["false", 0, None, "", "yes", 2, [True], {"a": True}])
def test_only_a_yes_verifies_an_address(site, flag):
    """At a connection whose addresses link accounts: nobody becomes Maria by an odd flag."""
    answer = site.sign_in("trusted", {"sub": secrets.token_hex(4), "email": MARIA.login, "email_verified": flag})
    assert not answer.is_redirect and "to link" in answer.text
    denied = site.sign_in("acme", {"sub": "odd", "email": "odd@acme.example", "email_verified": flag})
    assert not denied.is_redirect, f"signed in with {flag!r}"


@pytest.mark.parametrize("address", [
    "{} ", "{}\n", "{}.", "Maria <{}>", "{},maria@evil.example", "{}\u200b", "m\u0430ria@example.test",
    "\uff4daria@example.test", "maria@example.test\x00", "maria@example.test@evil.example", '"maria"@example.test',
])
def test_an_address_that_looks_like_hers_opens_nothing_of_hers(site, address):
    answer = site.sign_in("trusted", person(secrets.token_hex(4), address.format(MARIA.login)))
    if answer.is_redirect:
        told = site.told(answer)
        assert told["sub"] != MARIA.sub and told.get("email") != MARIA.login
    assert len(site.user(MARIA.login)["loginIds"]) == 1


def test_the_address_that_she_proved_opens_it_where_the_operator_trusts_the_provider(site):
    """The control of the two tests above."""
    assert site.told(site.sign_in("trusted", person("maria-at-trusted", MARIA.login)))["sub"] == MARIA.sub
    again = site.sign_in("trusted", person("another-maria", MARIA.login))
    assert not again.is_redirect and "to link" in again.text, "a second subject is another person"


@pytest.mark.parametrize("subject", ["case-a", "Case-A", "case-a.", "case-a%20", "case-\u0430"])
def test_a_subject_is_compared_letter_by_letter(site, subject):
    """Another spelling is another user, or none."""
    first = site.told(site.sign_in("anyone", person("case-a")))["sub"]
    answer = site.sign_in("anyone", person(subject))
    same = answer.is_redirect and site.told(answer)["sub"] == first
    assert same == (subject == "case-a")


@pytest.mark.parametrize("subject", ["", "a b", "a\x00", "x" * 256, None, 7, ["case-a"]])
def test_what_is_no_subject_signs_nobody_in(site, subject):
    assert not site.sign_in("anyone", {"sub": subject}).is_redirect


@pytest.mark.parametrize(("connection", "email"), [
    ("acme", GINA.login), ("acme", MARIA.login), ("acme", "new@globex.example"), ("acme", "new@sub.acme.example"),
    ("acme", "new@acme.example.evil.example"), ("globex", "new@acme.example"), ("acme", "new@xn--acme-.example"),
])
def test_an_organisation_speaks_for_its_own_domain_alone(site, connection, email):
    answer = site.sign_in(connection, person(f"foreign-{email}", email))
    assert not answer.is_redirect and "does not belong to your organisation" in answer.text, answer.text[:300]


def test_an_owner_of_the_console_is_nobody_that_a_provider_names(site):
    """Her address is in the organisation's domain, and the provider says that it verified it."""
    before = site.user(OLGA.login)
    for connection in ("acme", "trusted"):
        answer = site.sign_in(connection, person(f"olga-{connection}", OLGA.login, name="Not Olga", groups=["admins"]))
        assert not answer.is_redirect and "to link" in answer.text
    after = site.user(OLGA.login)
    assert (after["name"], after["roleNames"], after["userTenants"]) == (
        before["name"], before["roleNames"], before["userTenants"])


def test_a_known_person_with_another_address_is_who_they_were(site):
    """At a connection of the project: no address of the account changes, and nobody else's account opens."""
    first = site.told(site.sign_in("trusted", person("mover", "mover@all.example")))
    moved = site.told(site.sign_in("trusted", person("mover", GINA.login)))
    assert (moved["sub"], moved["email"]) == (first["sub"], "mover@all.example")
    assert site.user(GINA.login)["userId"] == GINA.sub


def test_the_providers_word_is_no_second_factor(site):
    """The operator named no classes that stand for two factors."""
    told = site.told(site.sign_in("trusted", person(
        "strong", "strong@all.example", amr=["mfa", "hwk", "otp"], acr="urn:keyturn:acr:mfa")))
    assert told["acr"] != "urn:keyturn:acr:mfa" and not {"mfa", "hwk", "otp"} & set(told["amr"])
    answer = site.sign_in(
        "trusted", person("strong", "strong@all.example", amr=["mfa"]), acr_values="urn:keyturn:acr:mfa")
    assert not answer.is_redirect, "a factor is set up or asked for here"


@pytest.mark.parametrize("age", [86_400, 700])
def test_a_sign_in_of_yesterday_at_the_provider_is_none_of_now_here(site, age):
    """The settings that need a recent sign-in ask for one."""
    browser = requests.Session()
    token = person("yesterday", "yesterday@all.example", auth_time=int(time.time()) - age)
    assert site.sign_in("trusted", token, browser).is_redirect
    page = browser.get(f"{site.server.base}/settings/password", timeout=30, allow_redirects=False)
    assert page.status_code == 303 and "/login?" in page.headers["Location"]
    fresh = requests.Session()
    assert site.sign_in("trusted", token | {"auth_time": int(time.time())}, fresh).is_redirect
    assert fresh.get(f"{site.server.base}/settings/password", timeout=30, allow_redirects=False).status_code == 200


def test_a_disabled_user_has_no_way_in_by_any_provider(site):
    told = site.told(site.sign_in("trusted", person("off", "off@all.example")))
    site.manage("POST", "/v1/mgmt/user/update/status", {"loginId": "off@all.example", "status": "disabled"})
    for subject, email in (("off", "off@all.example"), ("off-2", "off@all.example"), ("off", "new@all.example")):
        assert not site.sign_in("trusted", person(subject, email)).is_redirect
    site.manage("POST", "/v1/mgmt/user/update/status", {"loginId": "off@all.example", "status": "enabled"})
    assert site.told(site.sign_in("trusted", person("off", "off@all.example")))["sub"] == told["sub"]
