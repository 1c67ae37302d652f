"""A squatter joins an organisation with an account that claims another person's address: its owner is no member."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, PASSWORD, Management, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
SERVICE = {
    "client_id": "deputy", "client_secret": "a-secret-of-the-service-0123456789", "grant_types": ["client_credentials"],
    "token_endpoint_auth_method": "client_secret_post", "scope": "profile email", "may_impersonate": ["tenant:harbour"],
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("squatted"), clients=[ADMIN, SERVICE],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    key.done("user/create", {
        "loginId": "known@harbour.example", "email": "known@harbour.example", "verifiedEmail": True})
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


def squat(own, told: ToldProvider, address: str, subject: str) -> None:
    """An account that claims the address, to which its maker connects an identity at the organisation's provider."""
    made = auth(own, "password/signup", {"loginId": address, "password": PASSWORD, "user": {"email": address}})
    assert made.status_code == 200, made.text
    told.token = {"sub": subject, "email": "known@harbour.example", "email_verified": True}
    told.userinfo = {"sub": subject}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    page = visitor.follow(visitor.get(departure.url))
    assert page.name == "login", page
    visitor.submit(page, {"username": address, "password": PASSWORD})


def prove(own, address: str) -> None:
    """The owner of the mailbox."""
    assert auth(own, "otp/signin/email", {"loginId": address}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == address and each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": address, "code": code}).status_code == 200
    assert auth(own, "password/signin", {"loginId": address, "password": PASSWORD}).status_code != 200


def tenants(key: Management, login: str) -> list[str]:
    return [each["tenantId"] for each in key.user(login)["userTenants"]]


def named(own, told: ToldProvider) -> tuple[str, str]:
    number = next(numbers)
    address, subject = f"victim{number}@home.example", f"x-{number}"
    squat(own, told, address, subject)
    return address, subject


def acts_for(own, user: str) -> bool:
    """Whether the organisation's own service gets a token in the user's name."""
    return requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "client_credentials", "client_id": "deputy", "client_secret": SERVICE["client_secret"],
        "box_subject_type": "user", "box_subject_id": user}).status_code == 200


def test_whom_an_operator_made_a_member_stays_one(own, key):
    """The control: a user of the organisation's who proves the address later."""
    login = "made@home.example"
    key.done("user/create", {"loginId": login, "email": login, "userTenants": [{"tenantId": "harbour"}]})
    key.done("user/password/set/active", {"loginId": login, "password": PASSWORD})
    prove(own, login)
    assert tenants(key, login) == ["harbour"]


def test_the_owner_of_the_address_is_no_member(own, told, key, harbour):
    address, _ = named(own, told)
    assert tenants(key, address) == ["harbour"], "the control: the squatter joined it"
    prove(own, address)
    assert tenants(key, address) == [], "the organisation has a user who is not its own"


def test_the_directory_brings_the_membership_not_back(own, told, key, harbour):
    address, subject = named(own, told)
    resource = harbour.make(f"resource-{subject}", externalId=subject)
    prove(own, address)
    harbour.patch(resource, active=False)
    harbour.patch(resource, active=True)
    assert tenants(key, address) == [], "the directory has a user who is not its own"


def test_no_service_of_the_organisation_acts_for_the_owner(own, told, key, harbour):
    address, _ = named(own, told)
    user = key.user(address)["userId"]
    assert acts_for(own, user), "the control: for the squatter, who joined"
    assert not acts_for(own, key.user("known@harbour.example")["userId"]), "the control: for no other user"
    prove(own, address)
    assert not acts_for(own, user), "the organisation acts in her name"


def test_the_organisation_shuts_the_owner_not_out(own, told, key, harbour):
    address, _ = named(own, told)
    prove(own, address)
    key.done("user/password/set/active", {"loginId": address, "password": "another-horse-battery"})
    enter = lambda: auth(own, "password/signin", {"loginId": address, "password": "another-horse-battery"})
    assert enter().status_code == 200, "the control"
    key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": True})
    try:
        assert enter().status_code == 200, enter().text
    finally:
        key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": False})
