"""An identity that its user has disconnected stays out, also after the account became another one of hers."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, PASSWORD, Management, auth, serve
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
    """A provider whose word for addresses the operator trusts."""
    server = serve(
        tmp_path_factory.mktemp("disconnected"), clients=[ADMIN, APP],
        connections=[{
            "id": "trusted", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "trust_email": True}])
    yield server
    assert server.stop() == 0


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


class Ann:
    """Whom the provider brought, and who disconnected it: somebody else has the account there by now."""

    def __init__(self, own, told: ToldProvider, key: Management):
        number = next(numbers)
        self.own, self.told, self.key = own, told, key
        self.address, self.subject = f"ann{number}@home.example", f"s-{number}"
        self.other = f"ann{number}@work.example"
        visitor = Visitor(own.base)
        assert self.is_in(visitor)
        key.done("user/create", {
            "loginId": self.other, "email": self.other, "verifiedEmail": True, "password": PASSWORD})
        page = visitor.open(f"{own.base}/settings/connections")
        form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
        done = visitor.post(form.action, data=form.filled({}, "unlink"))
        assert done.status_code == 303 and "done=unlinked" in done.headers["Location"], done.text[:300]

    def is_in(self, visitor: Visitor | None = None) -> bool:
        """Whether a sign-in at the provider opens a session."""
        said = {"sub": self.subject, "email": self.address, "email_verified": True}
        self.told.token, self.told.userinfo = said, {"sub": self.subject}
        visitor = visitor or Visitor(self.own.base)
        departure = visitor.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
            "connection": "trusted"})
        assert isinstance(departure, Callback) and departure.uri.startswith(self.told.issuer), departure
        arrived = visitor.follow(visitor.get(departure.url))
        return isinstance(arrived, Callback) and arrived.get("code") is not None

    def merge_herself(self) -> None:
        """She proves the address in a session of her other account."""
        answer = auth(self.own, "password/signin", {"loginId": self.other, "password": PASSWORD})
        shown = answer.json()["refreshJwt"]
        begun = auth(self.own, "otp/update/email", {
            "loginId": self.other, "email": self.address, "addToLoginIDs": True}, shown)
        assert begun.status_code == 200, begun.text
        done = auth(self.own, "otp/verify/email", {"loginId": self.other, "code": code(self.own, self.address)}, shown)
        assert done.status_code == 200, done.text

    def merge_by_program(self) -> None:
        self.key.done("user/merge", {"loginId": self.other, "otherLoginId": self.address})


MERGING = {"the user": Ann.merge_herself, "a program": Ann.merge_by_program}


@pytest.mark.parametrize("merging", MERGING)
def test_an_identity_that_was_disconnected_opens_no_account_that_the_old_one_went_into(own, told, key, merging):
    ann = Ann(own, told, key)
    assert not ann.is_in(), "the control: before the merge"
    MERGING[merging](ann)
    assert ann.address in key.user(ann.other)["loginIds"], "the control: one account"
    assert not ann.is_in(), "an identity that she disconnected is in"


def test_an_identity_that_is_connected_goes_along(own, told, key):
    """The control."""
    ann = Ann(own, told, key)
    ann.address, ann.subject = f"second-{ann.address}", f"second-{ann.subject}"
    assert ann.is_in()
    ann.merge_by_program()
    assert ann.is_in() and ann.address in key.user(ann.other)["loginIds"]
