"""Who acts as others keeps the account, whatever a tenant's directory or its provider says."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import ADMIN, CALLBACK, Management, Operator, auth, command, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
SPYS = "a-spy-chose-this-password"
OWNER, ACTING = "olga@example.com", "users.impersonate"
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post", "may_impersonate": ["tenant:harbour"],
}
RENAMES = {
    "PATCH": lambda d, user, to: d.patch(user, userName=to, emails=[{"value": to, "primary": True}]),
    "PUT": lambda d, user, to: d.send("PUT", f"/Users/{user}", {
        "userName": to, "emails": [{"value": to, "primary": True}]}),
    "bulk": lambda d, user, to: d.send("POST", "/Bulk", {"Operations": [
        {"method": "PATCH", "path": f"/Users/{user}", "data": {"Operations": [
            {"op": "replace", "value": {"userName": to, "emails": [{"value": to, "primary": True}]}}]}}]}),
    "off and on": lambda d, user, to: [
        d.patch(user, active=False), d.patch(user, userName=to, emails=[{"value": to, "primary": True}]),
        d.patch(user, active=True)][-1],
}


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    """Who is a deputy acts for the users of `harbour`; an owner is one. The tenant has proven a domain."""
    server = serve(
        tmp_path_factory.mktemp("deputies"), clients=[ADMIN, APP],
        roles=[{"name": "deputy", "permissions": [ACTING]}, {"name": "payer", "permissions": ["pay"]}],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    key = Management(server)
    key.done("user/update/tenant/add", {"loginId": OWNER, "tenantId": "harbour"})
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


@contextmanager
def directory(own, bearer: Management, tenant: str = "harbour"):
    """The organisation's directory, by a token of the bearer's. A tenant has few."""
    made = bearer.done("scim/token/create", {"tenantId": tenant})
    yield Directory(own, made["cleartext"])
    bearer.done("scim/token/revoke", {"tenantId": tenant, "id": made["token"]["id"]})


@pytest.fixture(scope="module")
def theirs(own, tokens) -> Directory:
    """By a token of an owner."""
    with directory(own, tokens["olga"]) as found:
        yield found


@pytest.fixture(scope="module")
def early(own, tokens) -> Directory:
    """By a token of an operator, who made it before any of the rights was given."""
    with directory(own, tokens["oper"]) as found:
        yield found


def make(of: Directory) -> tuple[str, str]:
    login = f"member{next(numbers)}@harbour.example"
    return login, of.make(login, emails=[{"value": login, "primary": True}])


def spys() -> str:
    """A mailbox that the operator reads."""
    return f"spy{next(numbers)}@harbour.example"


def give(tokens, login: str, role: str = "deputy", tenant: str | None = None) -> None:
    """An owner gives a role."""
    where = {"tenantId": tenant} if tenant else {}
    tokens["olga"].done("user/update/role/add", {"loginId": login, "roleNames": [role]} | where)


def take_over(own, mailbox: str) -> bool:
    """Whether a code to the mailbox opens an account, which then has the spy's password."""
    if auth(own, "otp/signin/email", {"loginId": mailbox}).status_code != 200:
        return False
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    codes = [each["code"] for each in sent if each["to"] == mailbox and each.get("code")]
    opened = auth(own, "otp/verify/email", {"loginId": mailbox, "code": codes[-1]}) if codes else None
    if opened is None or opened.status_code != 200:
        return False
    session = opened.json()["refreshJwt"]
    return auth(own, "password/update", {"loginId": mailbox, "newPassword": SPYS}, session).status_code == 200


def acts(own, key: Management, login: str) -> bool:
    """Whether who knows the spy's password reads what an API has of an owner."""
    visitor = Visitor(own.base)
    page = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s"})
    arrived = visitor.submit(page, {"username": login, "password": SPYS})
    if not (isinstance(arrived, Callback) and arrived.get("code")):
        return False
    shown = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "authorization_code", "code": arrived["code"], "redirect_uri": CALLBACK,
        "client_id": "web", "client_secret": APP["client_secret"]}).json()["access_token"]
    return requests.get(f"{own.base}/2.0/users/me", timeout=20, headers={
        "Authorization": f"Bearer {shown}", "As-User": key.user(OWNER)["userId"]}).status_code == 200


@pytest.mark.parametrize("way", RENAMES)
def test_an_operators_directory_renames_who_acts_as_no_one_else(own, key, tokens, theirs, early, way):
    """The control: the mailbox that it names opens the account."""
    (login, user), spy = make(theirs), spys()
    give(tokens, login, "payer", "harbour")
    assert RENAMES[way](early, user, spy).status_code == 200
    assert key.user(spy)["loginIds"] == [spy]
    assert take_over(own, spy) and not acts(own, key, spy)


def test_a_deputys_own_password_acts(own, key, tokens, theirs):
    """The control: the right is one, also in an account that a directory made."""
    login, _ = make(theirs)
    give(tokens, login)
    assert take_over(own, login) and acts(own, key, login)


def refused(own, key: Management, mine: Directory, login: str, user: str, way: str) -> None:
    """The directory's change is taken into its resource, and changes nothing about the account."""
    spy = spys()
    assert RENAMES[way](mine, user, spy).status_code == 200
    assert mine.send("GET", f"/Users/{user}").json()["userName"] == spy
    assert key.user(login)["loginIds"] == [login] and key.user(login)["email"] == login
    assert not take_over(own, spy), "the operator's mailbox opens the account of a deputy"


@pytest.mark.parametrize(("way", "tenant"), [
    ("PATCH", None), ("PATCH", "harbour"), ("PUT", "harbour"), ("bulk", None)])
def test_a_token_that_an_operator_makes_takes_no_deputy_over(own, key, tokens, theirs, way, tenant):
    """It is made: it changes the membership alone."""
    login, user = make(theirs)
    give(tokens, login, tenant=tenant)
    with directory(own, tokens["oper"]) as mine:
        refused(own, key, mine, login, user, way)
    assert take_over(own, login) and acts(own, key, login), "the deputy's own mailbox does"


@pytest.mark.parametrize("tenant", [None, "harbour"])
@pytest.mark.parametrize("maker", ["the owner's directory", "the operator's"])
def test_nor_does_a_token_of_before(own, key, tokens, theirs, early, maker, tenant):
    """The operator set the directory up; afterwards an owner gave the right to one of its users."""
    login, user = make(early if maker == "the operator's" else theirs)
    give(tokens, login, tenant=tenant)
    refused(own, key, early, login, user, "PATCH")


@pytest.mark.parametrize("tenant", [None, "harbour"])
def test_nor_by_a_membership_that_goes_and_comes_back(own, key, tokens, theirs, early, tenant):
    """A role in the tenant goes with the membership, and is an owner's to give again."""
    (login, user), spy = make(theirs), spys()
    give(tokens, login, tenant=tenant)
    assert RENAMES["off and on"](early, user, spy).status_code == 200
    assert not (take_over(own, spy) and acts(own, key, spy)), "the operator acts as an owner"
    assert tenant or key.user(login)["loginIds"] == [login]


@pytest.mark.parametrize("role", ["deputy", "payer"])
def test_once_the_right_is_gone_the_directory_has_the_user_again(key, tokens, theirs, role):
    login, user = make(theirs)
    give(tokens, login, role)
    moved, again = spys(), spys()
    assert theirs.patch(user, userName=moved, emails=[{"value": moved, "primary": True}]).status_code == 200
    present = login if role == "deputy" else moved
    assert key.user(present)["loginIds"] == [present]
    tokens["olga"].done("user/update/role/remove", {"loginId": present, "roleNames": [role]})
    assert theirs.patch(user, userName=again, emails=[{"value": again, "primary": True}]).status_code == 200
    assert key.user(again)["loginIds"] == [again]


ENDS = {
    "deactivated": lambda d, user: d.patch(user, active=False),
    "removed": lambda d, user: d.send("DELETE", f"/Users/{user}"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("is_deputy", [True, False])
def test_the_directory_takes_a_deputy_out_of_its_tenant_and_no_further(own, key, theirs, end, is_deputy):
    """The role is one in the tenant, and goes with the membership."""
    login, user = make(theirs)
    key.done("user/update/role/add", {
        "loginId": login, "tenantId": "harbour", "roleNames": ["deputy" if is_deputy else "payer"]})
    assert ENDS[end](theirs, user).status_code in (200, 204)
    found = key.get(f"user?loginId={login}")
    enabled = found.status_code == 200 and found.json()["user"]["status"] == "enabled"
    assert enabled == is_deputy, found.text
    assert not is_deputy or found.json()["user"]["userTenants"] == []


def test_whom_the_directory_made_inactive_comes_in_later(own, key, tokens):
    """Where a default role acts as others: the directory's own users are not kept out by what the tenant gives them."""
    key.done("role/create", {
        "name": "greeter", "tenantId": "other", "permissionNames": [ACTING], "default": True})
    name = f"late{next(numbers)}"
    with directory(own, tokens["olga"], "other") as theirs:
        user = theirs.make(name, displayName=name, active=False)
        assert theirs.patch(user, active=True).status_code == 200
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["other"]}).json()["users"]
    late = [each for each in found if each["name"] == name]
    assert [(each["status"], each["userTenants"][0]["roleNames"]) for each in late] == [("enabled", ["greeter"])]


def arrives(own, told: ToldProvider, subject: str, email: str) -> bool:
    """Whether a sign-in at the tenant's provider, which says the address, leads back to the app."""
    told.token = {"sub": subject, "email": email, "email_verified": True}
    told.userinfo = {"sub": subject}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    arrived = visitor.follow(visitor.get(departure.url))
    return isinstance(arrived, Callback) and bool(arrived.get("code"))


@pytest.mark.parametrize("tenant", [None, "harbour"])
@pytest.mark.parametrize("role", ["deputy", "payer"])
def test_a_provider_moves_no_address_of_a_deputy(own, told, key, tokens, role, tenant):
    """The deputy signs in there as before."""
    login, spy = f"member{next(numbers)}@harbour.example", spys()
    assert arrives(own, told, f"s-{login}", login)
    give(tokens, login, role, tenant)
    assert arrives(own, told, f"s-{login}", spy)
    kept = login if role == "deputy" else spy
    assert key.user(kept)["loginIds"] == [kept]
    assert take_over(own, spy) == (role == "payer")


@pytest.mark.parametrize("role", ["deputy", "payer"])
def test_a_providers_word_alone_opens_no_account_of_a_deputy(own, told, key, tokens, theirs, role):
    """A user of the directory, whom the provider has never named: the deputy signs in here first, and connects it."""
    login, _ = make(theirs)
    give(tokens, login, role, "harbour")
    assert arrives(own, told, f"stranger-{login}", login) == (role == "payer")
