"""Whom a tenant's directory has deactivated stays out of the tenant, though the tenant's provider still knows them."""

from __future__ import annotations

import json
from itertools import count
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.operators import CALLBACK, PASSWORD, Management, auth, serve
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Callback, Visitor

numbers = count(1)
CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email offline_access",
    "first_party": True,
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("deactivated"), clients=[APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    yield server
    assert server.stop() == 0


class Directory:
    def __init__(self, own, key: Management):
        self.base = f"{own.base}/scim/v2"
        self.token = key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"]

    def send(self, method: str, path: str, body: dict | None = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/scim+json"}
        data = None if body is None else json.dumps(body)
        answer = requests.request(method, self.base + path, headers=headers, data=data, timeout=20)
        assert answer.status_code < 300, answer.text
        return answer

    def make(self, **body) -> str:
        return self.send("POST", "/Users", body).json()["id"]

    def set(self, user: str, **values) -> None:
        self.send("PATCH", f"/Users/{user}", {"Operations": [
            {"op": "replace", "path": path, "value": value} for path, value in values.items()]})


@pytest.fixture(scope="module")
def directory(own, key) -> Directory:
    return Directory(own, key)


class Person:
    """Somebody of the tenant, with a password of their own and an identity at the tenant's provider."""

    def __init__(self, own, told, key: Management, directory: Directory, **more):
        number = next(numbers)
        self.own, self.told, self.key = own, told, key
        self.login, self.subject = f"person{number}@harbour.example", f"s-{number}"
        self.claims = {"sub": self.subject, "email": self.login, "email_verified": True}
        self.resource = directory.make(userName=self.login, externalId=self.subject, **more)

    def with_password(self) -> Person:
        self.key.done("user/password/set/active", {"loginId": self.login, "password": PASSWORD})
        return self

    def arrive(self, **more) -> Page | Callback:
        """A sign-in at the provider, in a fresh browser."""
        self.told.token, self.told.userinfo = self.claims | more, {"sub": self.subject}
        browser = Visitor(self.own.base)
        departure = browser.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid email",
            "state": "s", "connection": "corp"} | CHALLENGE)
        assert isinstance(departure, Callback), departure
        return browser.follow(browser.get(departure.url))

    def by_wire(self) -> requests.Response:
        """The same sign-in, for an app of the methods' wire."""
        self.told.token, self.told.userinfo = self.claims, {"sub": self.subject}
        begun = auth(self.own, f"sso/authorize?tenant=harbour&redirectUrl={self.own.base}/back")
        assert begun.status_code == 200, begun.text
        browser = Visitor(self.own.base)
        answer = browser.get(begun.json()["url"])
        while answer.is_redirect and "/back?" not in answer.headers["Location"]:
            answer = browser.get(answer.headers["Location"])
        code = parse_qs(urlsplit(answer.headers.get("Location", "")).query).get("code", ["none"])[0]
        return auth(self.own, "sso/exchange", {"code": code})

    def is_in(self) -> bool:
        """Whether a sign-in at the provider opens a session, and whether anybody of this address is of the tenant."""
        answer = self.arrive()
        return isinstance(answer, Callback) and answer.get("code") is not None or self.login in self.members()

    def members(self) -> list[str]:
        found = self.key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]}).json()["users"]
        return [login for each in found for login in each["loginIds"]]


@pytest.fixture
def person(own, told, key, directory) -> Person:
    return Person(own, told, key, directory).with_password()


def test_a_person_who_is_active_is_in(person):
    """The control of what follows."""
    assert person.is_in() and person.login in person.members()
    answer = person.by_wire()
    assert answer.status_code == 200 and "harbour" in payload_of(answer.json()["sessionJwt"])["tenants"], answer.text


@pytest.mark.parametrize("was_in", [True, False])
def test_a_deactivated_person_is_out_on_every_way(directory, person, was_in):
    if was_in:
        assert person.is_in()
    directory.set(person.resource, active=False)
    assert not person.is_in()
    assert "sessionJwt" not in person.by_wire().json()
    session = auth(person.own, "password/signin", {"loginId": person.login, "password": PASSWORD})
    assert not payload_of(session.json()["sessionJwt"]).get("tenants"), "the account is their own, without the tenant"
    refused = auth(person.own, "tenant/select", {"tenant": "harbour"}, session.json()["refreshJwt"])
    assert refused.status_code == 400, refused.text


@pytest.mark.parametrize("call", [
    ("user/update/tenant/add", {"tenantId": "harbour"}), ("user/update", {"userTenants": [{"tenantId": "harbour"}]})])
def test_nothing_but_the_directory_gives_the_membership_back(key, directory, person, call):
    directory.set(person.resource, active=False)
    path, body = call
    key.post(path, {"loginId": person.login, "email": person.login} | body)
    assert person.login not in person.members() and not person.is_in()
    directory.set(person.resource, active=True)
    assert person.is_in()


def test_a_deactivated_person_does_not_come_back_under_another_name(directory, person):
    """The provider says another address, none, or another subject."""
    assert person.is_in()
    directory.set(person.resource, active=False)
    for address in (f"new-{person.login}", None, person.login.upper()):
        person.claims["email"] = address
        assert not person.is_in(), address
    person.claims["email"], person.subject = person.login, f"new-{person.subject}"
    person.claims["sub"] = person.subject
    assert not person.is_in()


class Settled(Person):
    """Somebody with an account of their own, whom the tenant's directory took in."""

    def __init__(self, own, told, key: Management, directory: Directory):
        number = next(numbers)
        self.private = f"private{number}@example.com"
        login = f"person{number + 1}@harbour.example"
        key.done("user/create", {
            "loginId": self.private, "additionalLoginIds": [login], "email": login, "verifiedEmail": True,
            "password": PASSWORD})
        user = key.user(self.private)["userId"]
        super().__init__(own, told, key, directory)
        assert key.user(self.login)["userId"] == user and self.login in self.members()

    def settings(self, path: str) -> tuple[Visitor, Page]:
        browser = Visitor(self.own.base)
        page = browser.submit(
            browser.open(f"{self.own.base}/settings/{path}"), {"username": self.private, "password": PASSWORD})
        assert isinstance(page, Page) and page.name == f"settings-{path}", page
        return browser, page


@pytest.fixture
def settled(own, told, key, directory) -> Settled:
    return Settled(own, told, key, directory)


def test_a_deactivated_person_does_not_come_back_by_giving_the_address_up(directory, settled):
    """The account stays, and the provider says the address of somebody who is new here."""
    directory.set(settled.resource, active=False)
    browser, page = settled.settings("identifiers")
    form = next(form for form in page.forms if settled.login in form.values.values())
    browser.post(form.action, data=form.filled({}, "remove"))
    assert settled.key.get(f"user?loginId={settled.login}").status_code == 400, "the address is free"
    assert not settled.is_in()


def test_a_deactivated_person_does_not_come_back_by_a_merge(key, directory, person):
    """What the directory said goes along with the account."""
    directory.set(person.resource, active=False)
    other = f"other-{person.subject}@example.com"
    key.done("user/create", {"loginId": other, "email": other, "verifiedEmail": True})
    key.done("user/merge", {"loginId": other, "otherLoginId": person.login})
    assert not person.is_in()
    directory.set(person.resource, active=True)
    assert other in person.members() or person.login in person.members(), "as soon as the directory says so"


def test_what_the_tenant_opened_ends_at_once(own, directory, person):
    """The session of the provider's sign-in ends, the password's does not."""
    theirs = person.by_wire().json()
    hers = auth(own, "password/signin", {"loginId": person.login, "password": PASSWORD}).json()
    directory.set(person.resource, active=False)
    assert auth(own, "refresh", bearer=theirs["refreshJwt"]).status_code == 401
    assert auth(own, "refresh", bearer=hers["refreshJwt"]).status_code in (200, 401)
    assert auth(own, "password/signin", {"loginId": person.login, "password": PASSWORD}).status_code == 200


def test_an_address_that_the_directory_says_is_told_to_no_client(own, told, key, directory):
    """A contact elsewhere is nobody's proof: an app hears no address of the owner's."""
    person = Person(own, told, key, directory)
    directory.set(person.resource, emails=[{"value": "olga@example.com", "primary": True}])
    person.claims = {"sub": person.subject, "groups": []}
    arrived = person.arrive()
    assert isinstance(arrived, Callback), arrived
    answer = requests.post(f"{own.base}/oauth2/token", timeout=20, auth=("web", APP["client_secret"]), data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"})
    assert answer.status_code == 200, answer.text
    heard = requests.get(f"{own.base}/oauth2/userinfo", timeout=20, headers={
        "Authorization": f"Bearer {answer.json()['access_token']}"}).json()
    assert "olga@example.com" not in json.dumps(heard), heard
    assert "olga@example.com" not in json.dumps(payload_of(answer.json()["id_token"]))
