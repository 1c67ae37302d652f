"""What was set up by a mailbox that a tenant's provider named for a while enters no console."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, Management, Operator, auth, command, enters_console, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
SPYS = "a-spy-chose-this-password"
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post",
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """The tenant has proven a domain, and its provider vouches for the addresses there."""
    server = serve(
        tmp_path_factory.mktemp("provided"), clients=[ADMIN, APP],
        roles=[{"name": "stand-in", "permissions": ["Impersonate"]}],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {"olga": Operator(own, "olga")}
    entered["olga"].enter()
    return entered


def arrive(own, told: ToldProvider, subject: str, email: str) -> None:
    """A sign-in at the tenant's provider, which says the address."""
    told.token = {"sub": subject, "email": email, "email_verified": True}
    told.userinfo = {"sub": subject}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    arrived = visitor.follow(visitor.get(departure.url))
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived


def by_mail(own, login: str) -> dict:
    """The session that a code to the address opens."""
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == login and each.get("code")][-1]
    return auth(own, "otp/verify/email", {"loginId": login, "code": code}).json()


def set_password(own, login: str) -> None:
    session = by_mail(own, login)
    answer = auth(own, "password/update", {"loginId": login, "newPassword": SPYS}, session["refreshJwt"])
    assert answer.status_code == 200, answer.text


def test_a_provider_sets_nothing_up_for_a_later_owner(own, told, key: Management, tokens):
    """It moves the colleague's login ID to a mailbox of its holder's for a moment, and then back."""
    login, spy = f"colleague{next(numbers)}@harbour.example", f"spy{next(numbers)}@harbour.example"
    subject = f"s-{login}"
    arrive(own, told, subject, login)
    arrive(own, told, subject, spy)
    assert key.user(spy)["loginIds"] == [spy]
    set_password(own, spy)
    arrive(own, told, subject, login)
    assert key.user(login)["loginIds"] == [login]
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert not enters_console(own, login, SPYS), "the organisation is the platform's owner"


def test_the_colleagues_own_password_enters(own, told, tokens):
    """The control: the provider moved nothing."""
    login = f"colleague{next(numbers)}@harbour.example"
    arrive(own, told, f"s-{login}", login)
    set_password(own, login)
    arrive(own, told, f"s-{login}", login)
    tokens["olga"].done("operator/update", {"loginId": login, "role": "owner"})
    assert enters_console(own, login, SPYS)


@pytest.mark.parametrize("is_moved", [True, False])
def test_who_acts_as_others_goes_on_when_the_address_changes(own, told, key: Management, tokens, is_moved):
    """A provider speaks for its users as it is: an organisation that changes its domain stops none of its agents."""
    login, spy = f"colleague{next(numbers)}@harbour.example", f"spy{next(numbers)}@harbour.example"
    arrive(own, told, f"s-{login}", login)
    if is_moved:
        arrive(own, told, f"s-{login}", spy)
    set_password(own, spy if is_moved else login)
    arrive(own, told, f"s-{login}", login)
    tokens["olga"].done("user/update/role/add", {"loginId": login, "roleNames": ["stand-in"]})
    answer = key.post("impersonate", {
        "loginId": "olga@example.com", "impersonatorId": key.user(login)["userId"], "validateConsent": False})
    assert answer.status_code == 200, answer.text
