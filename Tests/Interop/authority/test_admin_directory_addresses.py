"""Which login ID a directory gave, and which address is another account's: whatever domains the tenant has by then."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, Management, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post",
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """Two tenants with a domain each; `harbour` has a provider as well."""
    server = serve(
        tmp_path_factory.mktemp("addresses"), clients=[ADMIN, APP],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    for tenant in ("harbour", "other"):
        command(server, "tenant", "domain", "add", f"{tenant}.example", "--tenant", tenant, "--trust")
    yield server
    assert server.stop() == 0


def directory(own, key: Management, tenant: str) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": tenant})["cleartext"])


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return directory(own, key, "harbour")


@pytest.fixture(scope="module")
def other(own, key) -> Directory:
    return directory(own, key, "other")


def address(domain: str) -> str:
    return f"user{next(numbers)}@{domain}"


def account(key: Management, user: str) -> dict:
    answer = key.get(f"user?userId={user}")
    return answer.json()["user"] if answer.status_code == 200 else {"loginIds": [], "status": "removed"}


def named(key: Management, tenant: str, shown: str) -> str:
    """Whom a directory has made, by the name."""
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": [tenant]}).json()["users"]
    return next(each["userId"] for each in found if each["name"] == shown)


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


def by_mail(own, login: str) -> requests.Response:
    """What a code answers that is sent to the address."""
    begun = auth(own, "otp/signin/email", {"loginId": login})
    return auth(own, "otp/verify/email", {"loginId": login, "code": code(own, login)}) if begun.ok else begun


def enters(own, login: str) -> bool:
    answer = by_mail(own, login)
    assert answer.status_code in (200, 400, 401, 403), answer.text
    return answer.status_code == 200


def proves(own, login: str, new: str) -> None:
    """The user proves an address by a code, in a session of her own."""
    session = by_mail(own, login).json()["refreshJwt"]
    begun = auth(own, "otp/update/email", {"loginId": login, "email": new, "addToLoginIDs": True}, session)
    assert begun.status_code == 200, begun.text
    proved = auth(own, "otp/verify/email", {"loginId": login, "code": code(own, new)}, session)
    assert proved.status_code == 200, proved.text


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_deactivated_user_with_nothing_else_is_disabled(own, key, other, is_lost):
    """Also when the tenant has lost the domain since. The user with an address of her own is let in by that."""
    login, hers, private = address("other.example"), address("other.example"), address("home.example")
    resource, second = other.make(login), other.make(hers)
    user = key.user(login)["userId"]
    proves(own, hers, private)
    assert enters(own, login) and enters(own, private)
    if is_lost:
        command(own, "tenant", "domain", "remove", "other.example", "--tenant", "other")
    try:
        for each in (resource, second):
            assert other.patch(each, active=False).status_code == 200
        assert account(key, user)["status"] == "disabled" and not enters(own, login), account(key, user)
        assert enters(own, private), "an account that its user has proved an address for is hers"
        assert other.patch(resource, active=True).status_code == 200
        assert account(key, user)["status"] == "enabled"
        assert other.send("DELETE", f"/Users/{resource}").status_code == 204
        assert account(key, user)["status"] == "removed"
    finally:
        if is_lost:
            command(own, "tenant", "domain", "add", "other.example", "--tenant", "other", "--trust")


NAMING = {
    "userName": lambda d, user, to: d.patch(user, userName=to),
    "emails": lambda d, user, to: d.patch(user, emails=[{"value": to, "primary": True}]),
    "PUT": lambda d, user, to: d.send("PUT", f"/Users/{user}", {"userName": f"put-{user}", "emails": [{"value": to}]}),
    "bulk": lambda d, user, to: d.send("POST", "/Bulk", {"Operations": [
        {"method": "PATCH", "path": f"/Users/{user}", "data": {"Operations": [
            {"op": "replace", "value": {"userName": to}}]}}]}),
}
ENDS = {
    "removed": lambda d, user: d.send("DELETE", f"/Users/{user}"),
    "deactivated": lambda d, user: d.patch(user, active=False),
    "moved on": lambda d, user: d.patch(user, userName=address("harbour.example"), emails=[]),
    "taken away": lambda d, user: d.patch(user, userName=f"plain-{user}", emails=[]),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", NAMING)
def test_a_directory_takes_no_address_of_hers_in_its_own_domain(own, key, harbour, way, end):
    """She proved it, and the directory names it afterwards."""
    login, hers = address("harbour.example"), address("harbour.example")
    resource = harbour.make(login)
    user = key.user(login)["userId"]
    proves(own, login, hers)
    assert NAMING[way](harbour, resource, hers).status_code == 200
    assert ENDS[end](harbour, resource).status_code in (200, 204)
    after = account(key, user)
    assert hers in after["loginIds"] and enters(own, hers), f"{after['status']}: {after['loginIds']}"
    assert login not in after["loginIds"], "what the directory gave it took"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", NAMING)
def test_an_address_that_a_directory_gave_is_the_directorys(own, key, harbour, way, end):
    """The control: she has not proved it before."""
    login, given = address("harbour.example"), address("harbour.example")
    resource = harbour.make(login)
    user = key.user(login)["userId"]
    assert NAMING[way](harbour, resource, given).status_code == 200
    assert account(key, user)["loginIds"] == [given] and enters(own, given)
    assert ENDS[end](harbour, resource).status_code in (200, 204)
    assert not enters(own, given), account(key, user)


GIVING = {
    "made": lambda d, to, shown: d.make(to, displayName=shown),
    "renamed": lambda d, to, shown: d.patch(d.make(address("harbour.example"), displayName=shown), userName=to),
}


@pytest.mark.parametrize("is_proved", [True, False])
@pytest.mark.parametrize("way", GIVING)
def test_a_directory_gives_no_contact_that_another_account_has_proved(own, key, harbour, way, is_proved):
    """It is no login ID there. The control is an address that the other account only claims."""
    contact, hers, shown = address("harbour.example"), address("home.example"), f"Kim {next(numbers)}"
    key.done("user/create", {"loginId": hers, "email": contact, "verifiedEmail": is_proved})
    GIVING[way](harbour, contact, shown)
    found = account(key, named(key, "harbour", shown))
    assert found["loginIds"] == ([] if is_proved else [contact]), found
    assert found["verifiedEmail"] is not is_proved
    assert key.user(hers)["email"] == contact


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


@pytest.mark.parametrize("is_proved", [True, False])
def test_a_provider_moves_no_user_to_a_contact_that_another_account_has_proved(own, told, key, is_proved):
    """The control is an address that the other account only claims: the user's login ID follows the provider."""
    first, contact, hers = address("harbour.example"), address("harbour.example"), address("home.example")
    subject = f"s-{first}"
    arrive(own, told, subject, first)
    user = key.user(first)["userId"]
    key.done("user/create", {"loginId": hers, "email": contact, "verifiedEmail": is_proved})
    arrive(own, told, subject, contact)
    after = account(key, user)["loginIds"]
    assert (contact in after) is not is_proved, after
    assert key.user(hers)["email"] == contact
