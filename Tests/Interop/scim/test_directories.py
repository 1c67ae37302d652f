"""What Entra and Okta really send, and the commands of an operator."""

from __future__ import annotations

import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


def find(directory, kind: str, text: str) -> dict:
    answer = directory.send("GET", f"/{kind}?filter={quote(text)}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/scim+json"
    return answer.json()


def patch(directory, path: str, *operations: dict):
    return directory.send("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})


def test_entra_provisions_a_user(acme):
    assert find(acme, "Users", 'userName eq "d7a1c2f0-0000-4000-8000-2f5b6c7d8e9f"')["totalResults"] == 0
    made = acme.send("POST", "/Users", {
        "schemas": [USER, ENTERPRISE], "externalId": "0a21f0f2", "userName": "Test_User@acme.example", "active": True,
        "emails": [{"primary": True, "type": "work", "value": "Test_User@acme.example"}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"},
        "roles": [],
    })
    assert made.status_code == 201, made.text
    user = made.json()
    assert user["userName"] == "Test_User@acme.example" and user["meta"]["location"] == made.headers["Location"]
    path = f"/Users/{user['id']}"
    for text in ['externalId eq "0a21f0f2"', 'emails[type eq "work"].value eq "test_user@acme.example"',
                 'emails[type eq "work" and value eq "TEST_USER@acme.example"]']:
        assert [found["id"] for found in find(acme, "Users", text)["Resources"]] == [user["id"]], text
    # Without the flag: a Replace for each attribute, and elements that are not there yet.
    changed = patch(
        acme, path, {"op": "Replace", "path": "name.givenName", "value": "New"},
        {"op": "Add", "path": 'phoneNumbers[type eq "mobile"].value', "value": "+1 (555) 010"},
        {"op": "Add", "path": f"{ENTERPRISE}:department", "value": "Sales"},
        {"op": "Add", "path": f"{ENTERPRISE}:manager", "value": "4711"})
    assert changed.status_code == 200, changed.text
    shown = changed.json()
    assert shown["phoneNumbers"] == [{"type": "mobile", "value": "+1 (555) 010"}], "stored as it was sent"
    assert shown[ENTERPRISE] == {"department": "Sales", "manager": {"value": "4711"}}
    # With the flag aadOptscim062020: one replace, whose names are paths.
    flagged = patch(acme, path, {"op": "replace", "value": {
        "displayName": "Flagged", "name.familyName": "Flag", f"{ENTERPRISE}:employeeNumber": "7"}})
    assert flagged.json()["name"]["familyName"] == "Flag" and flagged.json()[ENTERPRISE]["employeeNumber"] == "7"
    off = patch(acme, path, {"op": "Replace", "path": "active", "value": "False"})
    assert off.status_code == 200 and off.json()["active"] is False
    assert find(acme, "Users", 'userName eq "Test_User@acme.example"')["Resources"][0]["active"] is False
    assert patch(acme, path, {"op": "Replace", "path": "active", "value": "True"}).json()["active"] is True
    assert acme.send("DELETE", path).status_code == 204
    assert acme.send("GET", path).status_code == 404


def test_entra_fills_a_group_in_parallel(acme):
    made = acme.send("POST", "/Groups", {
        "schemas": [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0", "displayName": "Staff of Acme", "meta": {"resourceType": "Group"},
    })
    assert made.status_code == 201, made.text
    path = f"/Groups/{made.json()['id']}"
    users = [acme.send("POST", "/Users", {"userName": f"member{number}"}).json()["id"] for number in range(12)]
    operations = [{"op": "Add", "path": "members", "value": [{"$ref": None, "value": user}]} for user in users]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda operation: patch(acme, path, operation), operations))
    assert {answer.status_code for answer in answers} == {204}
    assert {member["value"] for member in acme.send("GET", path).json()["members"]} == set(users)
    gone = patch(acme, path, {"op": "Remove", "path": "members", "value": [{"$ref": None, "value": users[0]}]})
    assert gone.status_code == 204
    assert len(acme.send("GET", path).json()["members"]) == 11, "the one that was named, not all"
    assert "members" not in acme.send("GET", f"{path}?excludedAttributes=members").json()


def test_okta_provisions_a_user_and_a_group(acme):
    found = acme.send("GET", "/Users?filter=userName%20eq%20%22kim%40okta.example%22&startIndex=1&count=100").json()
    assert (found["totalResults"], found["startIndex"], found["itemsPerPage"]) == (0, 1, 0)
    made = acme.send("POST", "/Users", {
        "schemas": [USER], "userName": "kim@okta.example", "name": {"givenName": "Kim", "familyName": "Lee"},
        "emails": [{"primary": True, "value": "kim@okta.example", "type": "work"}], "displayName": "Kim Lee",
        "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": True,
    })
    assert made.status_code == 201 and "1mz050nq" not in made.text
    user = made.json()
    # A PUT after a GET echoes what it got, read-only parts among them.
    echoed = acme.send("PUT", f"/Users/{user['id']}", user | {"title": "Captain", "unknown": {"a": 1}})
    assert echoed.status_code == 200 and echoed.json()["title"] == "Captain"
    off = patch(acme, f"/Users/{user['id']}", {"op": "replace", "value": {"active": False}})
    assert off.json()["active"] is False
    assert acme.send("PUT", f"/Users/{user['id']}", user).json()["active"] is True
    group = acme.send("POST", "/Groups", {
        "schemas": [GROUP], "displayName": "Okta group",
        "members": [{"value": user["id"], "display": "kim@okta.example"}]}).json()
    assert [member["value"] for member in group["members"]] == [user["id"]]
    path = f"/Groups/{group['id']}"
    renamed = patch(acme, path, {"op": "replace", "value": {"id": group["id"], "displayName": "Renamed"}})
    assert renamed.status_code in (200, 204)
    assert acme.send("GET", path).json()["displayName"] == "Renamed"
    emptied = patch(acme, path, {"op": "remove", "path": f'members[value eq "{user["id"]}"]'})
    assert emptied.status_code in (200, 204) and "members" not in acme.send("GET", path).json()
    pushed = patch(acme, path, {"op": "replace", "path": "members", "value": [{"value": user["id"]}]})
    assert pushed.status_code in (200, 204) and len(acme.send("GET", path).json()["members"]) == 1


def test_an_operator_rotates_and_revokes_tokens(site, acme):
    tokens = site.command("scim", "token", "list", "--tenant", "acme")
    assert tokens and acme.token not in str(tokens)
    second = site.directory("acme")
    assert second.send("GET", "/Users?count=0").status_code == 200
    assert acme.send("GET", "/Users?count=0").status_code == 200
    newest = [token for token in site.command("scim", "token", "list", "--tenant", "acme") if "used_at" in token]
    identifier = {token["id"] for token in newest} - {token["id"] for token in tokens}
    site.command("scim", "token", "revoke", identifier.pop(), "--tenant", "acme")
    assert second.send("GET", "/Users?count=0").status_code == 401
    assert acme.send("GET", "/Users?count=0").status_code == 200
    assert acme.token not in site.server.log_text()


class NameServer:
    """Answers each question for TXT with the texts that it has for the name."""

    def __init__(self):
        self.texts: dict[str, list[str]] = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            question, sender = self.socket.recvfrom(4096)
            labels, at = [], 12
            while question[at]:
                labels.append(question[at + 1:at + 1 + question[at]].decode())
                at += question[at] + 1
            texts = self.texts.get(".".join(labels).lower(), [])
            flags = 0x8180 if texts else 0x8183
            answer = question[:2] + struct.pack(">HHHHH", flags, 1, len(texts), 0, 0) + question[12:at + 5]
            for text in texts:
                # In two parts, as long records come.
                parts = [text[:9].encode(), text[9:].encode()]
                data = b"".join(bytes([len(part)]) + part for part in parts)
                answer += b"\xc0\x0c" + struct.pack(">HHIH", 16, 1, 60, len(data)) + data
            self.socket.sendto(answer, sender)


@pytest.fixture
def names():
    return NameServer()


def test_a_domain_is_proven_by_the_dns_and_moves_with_the_proof(site, names):
    resolver = f"127.0.0.1:{names.port}"
    claim = site.command("tenant", "domain", "add", "Acme.Example", "--tenant", "acme")
    assert claim["state"] == "pending" and claim["domain"] == "acme.example"
    verify = ("tenant", "domain", "verify", "acme.example", "--resolver", resolver, "--tenant")
    site.command(*verify, "acme", code=2)
    names.texts[claim["record_name"]] = ["v=spf1 -all", claim["record_text"]]
    assert site.command(*verify, "acme")["state"] == "proven"
    other = site.command("tenant", "domain", "add", "acme.example", "--tenant", "other")
    assert other["record_text"] != claim["record_text"]
    site.command(*verify, "other", code=2)
    states = {domain["tenant"]: domain["state"] for domain in site.command("tenant", "domain", "list")}
    assert states == {"acme": "proven", "other": "pending"}, "F-30: a claim takes nothing"
    names.texts[claim["record_name"]] = [other["record_text"]]
    site.command(*verify, "other")
    states = {domain["tenant"]: domain["state"] for domain in site.command("tenant", "domain", "list")}
    assert states == {"acme": "lost", "other": "proven"}
    assert site.command("tenant", "domain", "add", "b.example", "--tenant", "acme", "--trust")["state"] == "trusted"
    for text in ["gmail.com", "example", "a.example.", "", "exämple.de"]:
        site.command("tenant", "domain", "add", text, "--tenant", "acme", code=2)
    site.command("tenant", "domain", "remove", "b.example", "--tenant", "acme")
    kinds = {event["action"] for event in site.command("audit")}
    assert {"tenant_domain.claimed", "tenant_domain.proven", "tenant_domain.trusted", "tenant_domain.lost"} <= kinds


def test_only_a_proven_domain_makes_a_login_id(site):
    site.command("tenant", "domain", "add", "proven.example", "--tenant", "acme", "--trust")
    directory = site.directory("acme")
    for name in ["kim@proven.example", "kim@elsewhere.example", "kim@sub.proven.example"]:
        made = directory.send("POST", "/Users", {"userName": name, "emails": [{"value": name, "primary": True}]})
        assert made.status_code == 201
    users = {login["value"] for user in site.command("user", "list") for login in user["identifiers"]}
    assert "kim@proven.example" in users
    assert not {"kim@elsewhere.example", "kim@sub.proven.example"} & users
