"""An address that a tenant's directory writes, and nobody proved: what reaches it."""

from __future__ import annotations

import json

import pytest
import requests

from support.operators import PASSWORD, Management, auth, serve

EVIL = "thief@evil.example"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("contacts"))
    yield server
    assert server.stop() == 0


class Hers:
    """A user of the directory of a tenant that has proven no domain, with a user name and a password of her own."""

    def __init__(self, own, key: Management, name: str):
        self.own, self.name = own, name
        self.token = key.done("scim/token/create", {"tenantId": "harbour"})["cleartext"]
        made = self.scim("POST", "/Users", {"userName": f"scim-{name}", "displayName": name})
        self.resource = made.json()["id"]
        users = key.send("POST", "/v2/mgmt/user/search", {"tenantIds": ["harbour"]}).json()["users"]
        self.account = next(each["userId"] for each in users if each["name"] == name)
        named = key.post("user/update", {"userId": self.account, "loginId": name, "additionalLoginIds": [name],
                                         "displayName": name, "userTenants": [{"tenantId": "harbour"}]})
        assert named.status_code == 200 and named.json()["user"]["loginIds"] == [name], named.text
        key.done("user/password/set/active", {"loginId": name, "password": PASSWORD})
        assert self.enters(PASSWORD)

    def scim(self, method: str, path: str, body: dict) -> requests.Response:
        return requests.request(method, f"{self.own.base}/scim/v2{path}", data=json.dumps(body), timeout=20, headers={
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/scim+json"})

    def enters(self, password: str) -> bool:
        return auth(self.own, "password/signin", {"loginId": self.name, "password": password}).status_code == 200

    def says(self, address: str) -> None:
        changed = self.scim("PATCH", f"/Users/{self.resource}", {"Operations": [
            {"op": "replace", "path": "emails", "value": [{"value": address, "primary": True}]}]})
        assert changed.status_code == 200, changed.text


def sent(own, to: str) -> list[dict]:
    return [each for each in requests.get(f"{own.base}/dev/outbox.json", timeout=20).json() if each["to"] == to]


def test_no_code_for_a_users_account_goes_where_the_directory_says(own, key):
    """It is a contact: she has a way in of her own, and the directory none into her account."""
    hers = Hers(own, key, "hers")
    hers.says(EVIL)
    auth(own, "otp/signin/email", {"loginId": "hers"})
    codes = [each["code"] for each in sent(own, EVIL) if each.get("code")]
    opened = codes and auth(own, "otp/verify/email", {"loginId": "hers", "code": codes[-1]}).status_code == 200
    assert not opened, "the directory's address opened her account"


def test_no_new_password_for_a_users_account_goes_where_the_directory_says(own, key):
    hers = Hers(own, key, "theirs")
    hers.says(EVIL)
    before = len(sent(own, EVIL))
    auth(own, "password/reset", {"loginId": "theirs", "redirectUrl": f"{own.base}/new"})
    assert len(sent(own, EVIL)) == before, sent(own, EVIL)[-1]["subject"]
    assert hers.enters(PASSWORD)


def test_an_address_that_its_user_proved_does_not_give_way_to_the_directorys(own, key):
    """Not even where the directory may say addresses: hers is proved, and its is not."""
    hers = Hers(own, key, "both")
    private = "both-private@example.com"
    session = auth(own, "password/signin", {"loginId": "both", "password": PASSWORD}).json()["refreshJwt"]
    added = auth(own, "otp/update/email", {"loginId": "both", "email": private, "addToLoginIDs": True}, session)
    assert added.status_code == 200, added.text
    code = [each["code"] for each in sent(own, private) if each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": "both", "code": code}, session).status_code == 200
    before = len(sent(own, EVIL))
    hers.says(EVIL)
    auth(own, "otp/signin/email", {"loginId": "both"})
    stolen = [each["code"] for each in sent(own, EVIL)[before:] if each.get("code")]
    opened = stolen and auth(own, "otp/verify/email", {"loginId": "both", "code": stolen[-1]}).status_code == 200
    assert not opened, f"the directory's address opened her account: {key.user('both')['loginIds']}"
    assert private in key.user("both")["loginIds"]


def test_a_code_goes_to_an_address_that_its_user_proved(own, key):
    """The control: whatever the directory says, she is reached where she proved that she is."""
    hers = Hers(own, key, "proved")
    key.done("user/update/email", {"loginId": "proved", "email": "proved@example.com", "verified": True})
    auth(own, "otp/signin/email", {"loginId": "proved"})
    code = [each["code"] for each in sent(own, "proved@example.com") if each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": "proved", "code": code}).status_code == 200
    assert hers.enters(PASSWORD)
