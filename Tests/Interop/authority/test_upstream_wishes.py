"""What an app says when it begins a sign-in at a provider: a stranger can begin one as well, for somebody else."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.configuration import Client
from support.own_account import OwnAccounts
from support.told_provider import CLIENT_ID, SECRET
from support.tokens import payload_of
from support.visitor import Visitor

BACK = "https://app.example/back"
APP = Client("app", None, "none", (BACK,))
KINDS = {"oauth": "provider=trusted", "sso": "tenant=acme"}


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
    made = OwnAccounts(
        tmp_path_factory.mktemp("wishes"), clients=[APP], tenants=[{"id": "acme", "name": "Acme"}], connections=[
            connection | {"id": "trusted", "trust_email": True},
            connection | {"id": "acme", "tenant": "acme", "domains": ["acme.example"]},
        ])
    yield made
    made.close()


class Kim:
    """A user of a provider, whose browser it lets in without a question."""

    def __init__(self, site, told, kind: str):
        self.site, self.told, self.kind = site, told, kind
        domain = "all.example" if kind == "oauth" else "acme.example"
        self.login = f"kim{secrets.token_hex(4)}@{domain}"
        self.subject = secrets.token_hex(4)
        self.browser = Visitor(site.base, site.issuer)

    def address(self, options: dict | None = None, shown: str | None = None) -> str:
        """Where a browser leaves for the provider."""
        return self.site.call(
            f"{self.kind}/authorize?{KINDS[self.kind]}&redirectUrl={BACK}", options or {}, shown)["url"]

    def code(self, address: str) -> str:
        """Kim opens an address; what comes to the app."""
        self.told.token = {"sub": self.subject, "email": self.login, "email_verified": True}
        self.told.userinfo = {"sub": self.subject}
        answer = self.browser.get(address)
        while answer.is_redirect and not answer.headers["Location"].startswith(BACK):
            answer = self.browser.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def exchange(self, code: str, shown: str | None = None) -> dict:
        return self.site.call(f"{self.kind}/exchange", {"code": code}, shown)

    def sign_in(self) -> str:
        return self.exchange(self.code(self.address()))["refreshJwt"]


@pytest.fixture(params=KINDS)
def kim(request, site, told) -> Kim:
    return Kim(site, told, request.param)


def test_a_strangers_wish_ends_no_session(site, kim):
    """The address is on this server, the provider asks nothing, and the app exchanges the code that it gets."""
    own = kim.sign_in()
    kim.exchange(kim.code(kim.address({"revokeOtherSessions": True})))
    assert site.is_alive(own), "an anonymous caller ended all sessions of the user"


def test_the_users_own_wish_ends_the_other_sessions(site, kim):
    """The control: one of the user's own sessions asked for it."""
    first, own = kim.sign_in(), kim.sign_in()
    code = kim.code(kim.address({"stepup": True, "revokeOtherSessions": True}, own))
    kim.exchange(code, own)
    assert not site.is_alive(first)


def test_a_stranger_says_nothing_in_the_users_session(kim):
    """Claims that a client adds stay apart from those of this server, whoever chose them."""
    wish = {"customClaims": {"permissions": ["all"], "roles": ["admin"], "tenants": {"acme": {"roles": ["admin"]}}}}
    claims = payload_of(kim.exchange(kim.code(kim.address(wish)))["sessionJwt"])
    assert not claims.get("roles") and not claims.get("permissions")
    assert "admin" not in str(claims.get("tenants", {}))


def test_another_users_session_is_not_raised(site, told, kim):
    """A stranger's session asks for the step-up, and Kim answers at the provider."""
    other = Kim(site, told, kim.kind)
    strangers = other.sign_in()
    kim.sign_in()
    answer = site.post(f"{kim.kind}/exchange", {"code": kim.code(kim.address({"stepup": True}, strangers))})
    assert answer.status_code == 400 and "refreshJwt" not in answer.json(), answer.text
    assert site.is_alive(strangers)


@pytest.mark.parametrize("shown", [False, True])
def test_a_code_without_the_session_that_asked_has_none_of_its_factors(site, kim, shown):
    """Any program of the machine may get what goes to an app's address. The session that asked had an authenticator."""
    own = kim.sign_in()
    _, strong = site.add_authenticator(kim.login, own)
    code = kim.code(kim.address({"stepup": True}, strong))
    answer = site.post(f"{kim.kind}/exchange", {"code": code}, strong if shown else None)
    raised = answer.json().get("refreshJwt")
    if shown:
        assert answer.status_code == 200, answer.text
    changed = raised and site.post(
        "password/update", {"loginId": kim.login, "newPassword": f"nine-blue-herons-{secrets.token_hex(4)}"}, raised)
    if shown:
        assert changed.status_code == 200, changed.text
    elif changed:
        assert changed.status_code == 403, "a code alone set a password beside an authenticator"
