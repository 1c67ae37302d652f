"""An identity that its user has disconnected stays out, also at a connection to the same provider, made again."""

from __future__ import annotations

from itertools import count

import pytest

from support.operators import ADMIN, CALLBACK, Management, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
APP = {
    "client_id": "web", "client_secret": "a-secret-of-the-app-0123456789abcdef", "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code"], "scope": "openid profile email", "first_party": True,
    "token_endpoint_auth_method": "client_secret_post",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("disconnected"), clients=[ADMIN, APP])
    yield server
    assert server.stop() == 0


class Ann:
    """Whom the provider brought, and who disconnected it: another person has the account there by now."""

    def __init__(self, own, told: ToldProvider, key: Management, unlinks: bool = True):
        number = next(numbers)
        self.own, self.told, self.key, self.connection = own, told, key, f"trusted{number}"
        self.address, self.subject = f"ann{number}@home.example", f"s-{number}"
        self.connect()
        self.visitor = Visitor(own.base)
        assert self.is_in(self.visitor)
        if unlinks:
            page = self.visitor.open(f"{own.base}/settings/connections")
            form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
            done = self.visitor.post(form.action, data=form.filled({}, "unlink"))
            assert done.status_code == 303 and "done=unlinked" in done.headers["Location"], done.text[:300]

    def connect(self) -> None:
        self.key.done("connection/create", {
            "id": self.connection, "name": "Trusted", "issuer": self.told.issuer, "client_id": CLIENT_ID,
            "client_secret": SECRET, "trust_email": True})

    def make_again(self) -> None:
        self.key.done("connection/delete", {"id": self.connection})
        self.connect()

    def is_in(self, visitor: Visitor | None = None) -> bool:
        """Whether a sign-in at the provider opens a session."""
        said = {"sub": self.subject, "email": self.address, "email_verified": True}
        self.told.token, self.told.userinfo = said, {"sub": self.subject}
        visitor = visitor or Visitor(self.own.base)
        departure = visitor.open(f"{self.own.base}/oauth2/authorize", {
            "client_id": "web", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
            "connection": self.connection})
        assert isinstance(departure, Callback) and departure.uri.startswith(self.told.issuer), departure
        arrived = visitor.follow(visitor.get(departure.url))
        return isinstance(arrived, Callback) and arrived.get("code") is not None


def test_an_identity_that_is_connected_comes_back_by_its_address(own, told, key):
    """The control: the provider may vouch for it, and the user never took that back."""
    ann = Ann(own, told, key, unlinks=False)
    ann.make_again()
    assert ann.is_in()


def test_an_identity_that_was_disconnected_stays_out(own, told, key):
    ann = Ann(own, told, key)
    assert not ann.is_in(), "the control: before"
    user = ann.key.user(ann.address)["userId"]
    ann.make_again()
    assert not ann.is_in(), f"an identity that she disconnected is in as {user}"


def test_who_got_her_address_since_is_not_her(own, told, key):
    """The provider gave the address to another person. The connection knew her by another name."""
    ann = Ann(own, told, key, unlinks=False)
    ann.subject = f"another-{ann.subject}"
    assert not ann.is_in(), "the control: before"
    ann.make_again()
    assert not ann.is_in(), "another person at the provider has her account"
