"""A provider's word is one factor for operators: in a session of before the role too, and where there is no second."""

from __future__ import annotations

import secrets
from urllib.parse import urlencode

import pyotp
import pytest
import requests

from support.operators import ADMIN, CALLBACK, KEY, PROJECT, SCOPE, Management, Operator, serve
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

STRONG = "urn:keyturn:acr:mfa"


@pytest.fixture(scope="module")
def own(tmp_path_factory, told):
    """Two factors at the provider are two factors here, by the operator's word: for users without a role."""
    connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
    server = serve(
        tmp_path_factory.mktemp("promoted"),
        project={"id": PROJECT, "name": "Harbour", "management_keys": [KEY]},
        connections=[
            connection | {"id": "trusted", "trust_email": True, "strong_contexts": ["mfa"]},
            connection | {
                "id": "harbour", "tenant": "harbour", "domains": ["harbour.example"], "strong_contexts": ["mfa"]},
        ])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def key(own):
    return Management(own)


class Provided:
    """Somebody whom the provider signs in with two factors, of which this server has seen none."""

    def __init__(self, own, told, connection: str):
        self.own, self.told, self.connection = own, told, connection
        domain = "all.example" if connection == "trusted" else "harbour.example"
        self.login = f"p{secrets.token_hex(4)}@{domain}"
        self.subject = secrets.token_hex(4)
        self.browser = Visitor(own.base)

    def tokens(self) -> dict:
        """Of the command line's client, with the scope of the management interface."""
        self.told.token = {"sub": self.subject, "email": self.login, "email_verified": True, "amr": ["mfa"]}
        self.told.userinfo = {"sub": self.subject}
        verifier = make_verifier()
        answer = self.browser.get(f"{self.own.base}/oauth2/authorize?" + urlencode({
            "client_id": ADMIN["client_id"], "response_type": "code", "redirect_uri": CALLBACK, "scope": SCOPE,
            "state": "s", "code_challenge": challenge_of(verifier), "code_challenge_method": "S256",
            "connection": self.connection, "acr_values": STRONG}))
        while answer.is_redirect and not answer.headers["Location"].startswith(CALLBACK):
            answer = self.browser.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        page = self.browser.follow(answer)
        if isinstance(page, Page):
            assert page.name == "consent", page
            page = self.browser.submit(page)
        assert isinstance(page, Callback) and page.get("code"), page
        made = requests.post(f"{self.own.base}/oauth2/token", timeout=20, data={
            "grant_type": "authorization_code", "code": page["code"], "redirect_uri": CALLBACK,
            "client_id": ADMIN["client_id"], "code_verifier": verifier})
        assert made.status_code == 200, made.text
        return made.json()

    def refreshed(self, tokens: dict) -> dict:
        made = requests.post(f"{self.own.base}/oauth2/token", timeout=20, data={
            "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": ADMIN["client_id"]})
        return made.json() if made.status_code == 200 else tokens


@pytest.fixture(params=["trusted", "harbour"])
def rising(request, own, key, told):
    """Her session is a provider's; then an owner gives her a role."""
    person = Provided(own, told, request.param)
    tokens = person.tokens()
    assert Management(own, tokens["access_token"]).get("operator/all").status_code == 403, "she is none yet"
    key.done("operator/update", {"loginId": person.login, "role": "owner"})
    return person, tokens


def test_a_providers_session_of_before_opens_no_console(own, rising):
    page = rising[0].browser.open(f"{own.base}/admin")
    assert isinstance(page, Page) and page.name in ("login", "code", "totp-setup", "methods"), page


def test_a_providers_token_of_before_opens_no_management_interface(own, rising):
    person, tokens = rising
    for token in (tokens, person.refreshed(tokens)):
        answer = Management(own, token["access_token"]).get("operator/all")
        assert answer.status_code in (401, 403), f"{answer.status_code} {answer.text[:200]}"


@pytest.mark.parametrize("connection", ["trusted", "harbour"])
def test_a_provider_sets_no_second_factor_up_for_an_operator(own, key, told, connection):
    """She has none yet. The first one is hers to choose, after something that she has here: a password, a mailbox."""
    person, visitor = Provided(own, told, connection), Visitor(own.base)
    person.tokens()
    key.done("operator/update", {"loginId": person.login, "role": "owner"})
    told.token = {"sub": person.subject, "email": person.login, "email_verified": True, "amr": ["pwd"]}
    told.userinfo = {"sub": person.subject}
    sealed = visitor.open(f"{own.base}/admin").url.split("transaction=")[1].split("&")[0]
    answer = visitor.get(
        f"{own.base}/federation/{connection}/start?transaction={sealed}", headers={"Sec-Fetch-Site": "same-origin"})
    while answer.is_redirect:
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    page = Page(answer)
    if page.name == "totp-setup":
        secret = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
        visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(secret).now()})
    page = visitor.open(f"{own.base}/admin")
    assert isinstance(page, Page) and not page.name.startswith("admin"), "the provider is the owner now"
    assert key.user(person.login)["TOTP"] is False, "the provider's authenticator is hers now"


def test_a_password_sets_one_up(own):
    """The control: as `support/operators.py` enters the console for the first time."""
    sue = Operator(own, "sue")
    sue.enter()
    assert sue.browser.open(f"{own.base}/admin").name.startswith("admin")


def test_a_session_of_her_own_factors_opens_them(own, key):
    """The control: an authenticator app that was used here, before the role."""
    oper = Operator(own, "oper")
    oper.enter()
    tokens = oper.tokens()
    for role, status in (("", 403), ("operator", 200)):
        key.done("operator/update", {"loginId": "oper@example.com", "role": role})
        assert Management(own, tokens["access_token"]).get("operator/all").status_code == status
        assert oper.browser.get(f"{own.base}/admin").status_code == status
