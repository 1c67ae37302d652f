"""What a tenant's directory does to an account that its user also enters by an address of her own."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import PASSWORD, Management, auth, command, serve

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """`harbour` has proven a domain, `other` has not."""
    server = serve(tmp_path_factory.mktemp("directories"))
    command(server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def harbour(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"])


@pytest.fixture(scope="module")
def other(own, key) -> Directory:
    return Directory(own, key.done("scim/token/create", {"tenantId": "other"})["cleartext"])


def name() -> str:
    return f"user{next(numbers)}@harbour.example"


def private() -> str:
    return f"private{next(numbers)}@home.example"


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


def account(key: Management, user: str) -> dict:
    answer = key.get(f"user?userId={user}")
    return answer.json()["user"] if answer.status_code == 200 else {"loginIds": [], "status": "removed"}


def named(key: Management, tenant: str, shown: str) -> str:
    """Whom a directory has made, by the name."""
    found = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": [tenant]}).json()["users"]
    return next(each["userId"] for each in found if each["name"] == shown)


class Hers:
    """A user of the directory, who has proved an address of her own by a code, in a session of her own."""

    def __init__(self, own, key: Management, directory: Directory):
        self.own, self.login, self.private = own, name(), private()
        self.resource = directory.make(self.login)
        self.user = key.user(self.login)["userId"]
        session = by_mail(own, self.login).json()["refreshJwt"]
        begun = auth(own, "otp/update/email", {
            "loginId": self.login, "email": self.private, "addToLoginIDs": True}, session)
        assert begun.status_code == 200, begun.text
        proved = auth(own, "otp/verify/email", {"loginId": self.login, "code": code(own, self.private)}, session)
        assert proved.status_code == 200, proved.text
        assert sorted(account(key, self.user)["loginIds"]) == sorted([self.login, self.private])


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
    "moved on": lambda d, user: d.patch(user, userName=name(), emails=[]),
}


@pytest.mark.parametrize(("way", "end"), [
    ("userName", "removed"), ("userName", "deactivated"), *((way, "moved on") for way in NAMING)])
def test_a_directory_takes_no_address_of_her_own_by_naming_it_first(own, key, harbour, way, end):
    """An address that the directory says after she proved it is none that it gave."""
    hers = Hers(own, key, harbour)
    assert NAMING[way](harbour, hers.resource, hers.private).status_code == 200
    assert ENDS[end](harbour, hers.resource).status_code in (200, 204)
    after = account(key, hers.user)
    assert hers.private in after["loginIds"], f"{after['status']}: {after['loginIds']}"
    assert enters(own, hers.private)


@pytest.mark.parametrize("end", ENDS)
def test_the_address_of_the_organisation_is_the_directorys(own, key, harbour, end):
    """The control: what it gave it takes, and what she proved is left."""
    hers = Hers(own, key, harbour)
    assert ENDS[end](harbour, hers.resource).status_code in (200, 204)
    assert enters(own, hers.private)
    assert end != "moved on" or hers.login not in account(key, hers.user)["loginIds"]


@pytest.mark.parametrize("change", [{"emails": [{"value": "elsewhere@evil.example"}]}, {"emails": []}])
def test_a_contact_that_she_proved_is_an_address_of_her_own(own, key, other, change):
    """The tenant has proven no domain: the directory's address was a contact, and she made it a login ID."""
    address, shown = private(), f"Kim {next(numbers)}"
    resource = other.make(f"kim-{shown}", displayName=shown, emails=[{"value": address}])
    user = named(key, "other", shown)
    key.done("user/update", {
        "userId": user, "loginId": address, "additionalLoginIds": [address], "displayName": shown,
        "userTenants": [{"tenantId": "other"}]})
    assert enters(own, address)
    assert other.patch(resource, **change).status_code == 200
    after = account(key, user)
    assert after["loginIds"] == [address] and enters(own, address), f"{after['loginIds']}, {after['email']}"


def test_a_name_that_looks_like_another_is_no_login_id(own, key, harbour):
    """A Cyrillic letter in a Latin word: whoever makes it, nobody signs in under it."""
    key.done("user/create", {"loginId": "olaf@harbour.example", "email": "olaf@harbour.example", "verifiedEmail": True})
    shown = f"Look {next(numbers)}"
    harbour.make("\u043elaf@harbour.example", displayName=shown)
    found = account(key, named(key, "harbour", shown))
    assert (found["loginIds"], found["verifiedEmail"]) == ([], False)
    plain = name()
    harbour.make(plain)
    assert key.user(plain)["loginIds"] == [plain]


def test_no_attribute_of_a_resource_is_a_password_or_a_role(own, key, harbour):
    """What the schema has not is left out, or refused where it is named."""
    login = name()
    user = harbour.make(login, password=PASSWORD, roles=[{"value": "owner"}], groups=[{"value": "x"}])
    assert auth(own, "password/signin", {"loginId": login, "password": PASSWORD}).status_code == 400
    for path, kind in [("password", "invalidPath"), ("groups", "mutability"), ("id", "mutability"),
                       ("meta", "mutability")]:
        refused = harbour.patch(user, **{path: PASSWORD})
        assert (refused.status_code, refused.json()["scimType"]) == (400, kind), f"{path}: {refused.text}"
    assert harbour.patch(user, title="Boatswain").status_code == 200
    found = key.user(login)
    assert (found["password"], found["roleNames"]) == (False, [])


def test_a_group_has_members_of_its_own_tenant_alone(own, key, harbour, other):
    """Neither a user of another tenant nor a group, by whatever call."""
    key.done("role/create", {"name": "keeper", "tenantId": "harbour"})
    foreign, shown = other.make(f"foreign{next(numbers)}"), f"Keepers {next(numbers)}"
    group = harbour.send("POST", "/Groups", {"displayName": shown}).json()["id"]
    command(own, "scim", "group", "map", shown, "--role", "keeper", "--tenant", "harbour")
    for member in (foreign, group, "nobody"):
        body = {"displayName": shown, "members": [{"value": member}]}
        patch = {"Operations": [{"op": "add", "path": "members", "value": [{"value": member}]}]}
        for method, path, sent in [
            ("POST", "/Groups", body | {"displayName": f"{shown}-2"}), ("PUT", f"/Groups/{group}", body),
            ("PATCH", f"/Groups/{group}", patch),
        ]:
            refused = harbour.send(method, path, sent)
            assert (refused.status_code, refused.json()["scimType"]) == (400, "invalidValue"), refused.text
    mine = name()
    user = harbour.make(mine)
    joined = harbour.send("PUT", f"/Groups/{group}", {"displayName": shown, "members": [{"value": user}]})
    assert joined.status_code == 200, joined.text
    assert key.user(mine)["userTenants"][0]["roleNames"] == ["keeper"]


def test_a_bulk_request_reaches_no_further_than_its_calls(own, key, harbour, other):
    """Other methods, other collections, and resources of another tenant by a reference."""
    foreign = other.make(f"foreign{next(numbers)}")
    sent = harbour.send("POST", "/Bulk", {"Operations": [
        {"method": "DELETE", "path": f"/Users/{foreign}"},
        {"method": "PATCH", "path": f"/Users/{foreign}", "data": {"Operations": [
            {"op": "replace", "path": "active", "value": False}]}},
        {"method": "POST", "path": "/Users/.search", "bulkId": "s", "data": {}},
        {"method": "GET", "path": "/Users"},
        {"method": "POST", "path": "/Bulk", "bulkId": "b", "data": {"Operations": []}},
        {"method": "DELETE", "path": f"/Groups/../Users/{foreign}"},
        {"method": "POST", "path": "/Users", "bulkId": "own", "data": {"userName": name()}},
    ]})
    assert [each["status"] for each in sent.json()["Operations"]] == ["404", "404", "400", "400", "400", "400", "201"]
    assert other.send("GET", f"/Users/{foreign}").json()["active"] is True


def test_no_search_shows_what_another_tenant_has(harbour, other):
    """At the root, by a group, by an order, by an identifier."""
    foreign = other.make(f"zz-foreign{next(numbers)}")
    group = other.send("POST", "/Groups", {"displayName": f"G{next(numbers)}", "members": [{"value": foreign}]})
    mine = harbour.make(name())
    for path, body in [
        ("/.search", {"filter": "id pr", "count": 100}), ("/Users/.search", {"sortBy": "userName", "count": 100}),
        ("/Users/.search", {"filter": f'groups.value eq "{group.json()["id"]}" or userName pr', "count": 100}),
        ("/.search", {"filter": f'id eq "{foreign}" or id eq "{mine}"', "count": 100}),
        ("/.search", {"filter": f'not (id eq "{mine}") or userName pr', "count": 100}),
    ]:
        found = harbour.send("POST", path, body)
        assert found.status_code == 200, found.text
        shown = [each["id"] for each in found.json()["Resources"]]
        assert mine in shown and not {foreign, group.json()["id"]} & set(shown), f"{path} {body}"
