"""A tenant that wants its own sign-in, and a person who had an account before: a merge makes the person no user of its own."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, PASSWORD, Management, auth, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("merged"), clients=[ADMIN],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    yield server
    assert server.stop() == 0


class Ann:
    """A person with an account of her own, who begins to work at Harbour."""

    def __init__(self, own, told: ToldProvider, key: Management):
        number = next(numbers)
        self.own, self.told, self.key = own, told, key
        self.home, self.work, self.subject = f"ann{number}@home.example", f"ann{number}@harbour.example", f"a-{number}"
        key.done("user/create", {
            "loginId": self.home, "email": self.home, "verifiedEmail": True, "password": PASSWORD})
        assert self.sign_in().status_code == 200

    def sign_in(self, login: str | None = None) -> requests.Response:
        return auth(self.own, "password/signin", {"loginId": login or self.home, "password": PASSWORD})

    def begin_work(self) -> None:
        """An account of the provider's making, with the address there."""
        self.arrive()
        assert self.tenants(self.work) == ["harbour"]

    def arrive(self, address: str | None = None) -> None:
        """Harbour's provider brings her."""
        said = {"sub": self.subject, "email": address or self.work, "email_verified": True}
        self.told.token, self.told.userinfo = said, {"sub": self.subject}
        visitor = Visitor(self.own.base)
        departure = visitor.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
            "state": "s", "connection": "corp"})
        assert isinstance(departure, Callback) and departure.uri.startswith(self.told.issuer), departure
        visitor.follow(visitor.get(departure.url))

    def tenants(self, login: str) -> list[str]:
        return [each["tenantId"] for each in self.key.user(login)["userTenants"]]

    def bring_it_home(self) -> None:
        """She proves the address in a session of her own account, which takes the other one in."""
        shown = self.sign_in().json()["refreshJwt"]
        begun = auth(self.own, "otp/update/email", {
            "loginId": self.home, "email": self.work, "addToLoginIDs": True}, shown)
        assert begun.status_code == 200, begun.text
        done = auth(self.own, "otp/verify/email", {"loginId": self.home, "code": self.code(self.work)}, shown)
        assert done.status_code == 200, done.text
        assert self.tenants(self.home) == ["harbour"] and self.work in self.key.user(self.home)["loginIds"]

    def disconnect(self) -> None:
        visitor, at = Visitor(self.own.base), f"{self.own.base}/settings/connections"
        visitor.submit(visitor.open(at), {"username": self.home, "password": PASSWORD})
        form = next(form for form in visitor.open(at).forms if ("action", "unlink") in form.buttons)
        assert "done=unlinked" in visitor.post(form.action, data=form.filled({}, "unlink")).headers["Location"]

    def enters_by_code(self, address: str) -> bool:
        """Whether who reads a mailbox has her account."""
        if auth(self.own, "otp/signin/email", {"loginId": address}).status_code != 200:
            return False
        code = self.code(address)
        if code is None:
            return False
        answer = auth(self.own, "otp/verify/email", {"loginId": address, "code": code})
        return answer.status_code == 200 and self.home in answer.json()["user"]["loginIds"]

    def code(self, to: str) -> str | None:
        """The newest; `None`: none was sent, as to an address that no account has."""
        sent = requests.get(f"{self.own.base}/dev/outbox.json", timeout=20).json()
        return next((each["code"] for each in reversed(sent) if each["to"] == to and each.get("code")), None)


@pytest.fixture
def strict(own, key):
    """Harbour wants its own sign-in while this lasts."""
    def begin():
        key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": True})
    yield begin
    key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": False})


def test_who_has_no_account_beside_the_tenants_signs_in_there(own, told, key, strict):
    """The control: an account of the provider's making, with a password that came later."""
    ann = Ann(own, told, key)
    ann.begin_work()
    key.done("user/password/set/active", {"loginId": ann.work, "password": PASSWORD})
    strict()
    assert ann.sign_in(ann.work).status_code == 403


def test_the_account_of_before_is_open_beside_it(own, told, key, strict):
    ann = Ann(own, told, key)
    ann.begin_work()
    strict()
    assert ann.sign_in().status_code == 200


def test_the_tenant_shuts_no_one_out_of_an_account_of_before(own, told, key, strict):
    ann = Ann(own, told, key)
    ann.begin_work()
    ann.bring_it_home()
    assert ann.sign_in().status_code == 200, "the control: as long as the tenant lets all in"
    strict()
    answer = ann.sign_in()
    assert answer.status_code == 200, f"the tenant decides who enters her own account: {answer.text}"


@pytest.mark.parametrize("leaving", ["disconnects", "disconnects and takes the address away"])
def test_nor_of_one_that_has_left_the_provider(own, told, key, strict, leaving):
    ann = Ann(own, told, key)
    ann.begin_work()
    ann.bring_it_home()
    ann.disconnect()
    if "address" in leaving:
        key.done("user/update/loginid", {"loginId": ann.work, "newLoginId": ""})
    strict()
    assert ann.sign_in().status_code == 200, "she is the provider's user for good"


def test_the_provider_keeps_the_addresses_of_its_own_users(own, told, key):
    """The control: an account that is the organisation's alone follows it."""
    ann = Ann(own, told, key)
    ann.begin_work()
    ann.arrive(f"boss-{ann.work}")
    assert key.user(f"boss-{ann.work}")["loginIds"] == [f"boss-{ann.work}"]


def test_the_provider_names_no_way_into_an_account_of_before(own, told, key):
    """Who reads the mailbox that the provider names would have a code of hers."""
    ann = Ann(own, told, key)
    ann.begin_work()
    ann.bring_it_home()
    assert ann.enters_by_code(ann.home), "the control"
    ann.arrive(f"boss-{ann.work}")
    ann.disconnect()
    assert not ann.enters_by_code(f"boss-{ann.work}"), "the provider's mailbox opens her own account, for good"
    assert sorted(key.user(ann.home)["loginIds"]) == sorted([ann.home, ann.work])
