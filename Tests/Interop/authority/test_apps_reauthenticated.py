"""A browser in which the user has signed in again: what began there before ends with it, as the table of ends says."""

from __future__ import annotations

import sqlite3

import pytest

from support.configuration import MARIA, Client, secret_of
from support.project import PROJECT_ID
from support.receivers import Receiver
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.tokens import payload_of

OUT = ["https://second.example/out"]
USUAL = {"grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile offline_access"}
SECOND = Client("second", secret_of("second"), "client_secret_basic", ("https://second.example/back",), USUAL | {
    "post_logout_redirect_uris": OUT})


class Site(Provider):
    def __init__(self, folder, receiver: Receiver):
        self.receiver = receiver
        self.first = Client(
            "first", secret_of("first"), "client_secret_basic", ("https://first.example/back",),
            USUAL | {
                "backchannel_logout_uri": f"{receiver.base}/first", "backchannel_logout_private_address": True})
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "clients": [client.entry() for client in (self.first, SECOND)], "users": [MARIA.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def goes_on(self, signed_in: SignedIn) -> bool:
        """Whether the first app does."""
        good = self.is_good(signed_in.access_token)
        assert self.at(self.first).refresh(signed_in.refresh_token).status_code == (200 if good else 400)
        return good


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    receiver = Receiver()
    site = Site(tmp_path_factory.mktemp("again"), receiver)
    yield site
    assert site.server.stop() == 0
    receiver.close()


def not_at_all(site, maria: SignedIn) -> SignedIn:
    return site.at(SECOND).sign_in(maria.visitor)


def for_another_app(site, maria: SignedIn) -> SignedIn:
    return site.at(SECOND).sign_in(maria.visitor, prompt="login")


def for_the_settings(site, maria: SignedIn) -> SignedIn:
    """The page of the password asks for a sign-in of a moment ago."""
    with sqlite3.connect(site.server.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE session SET auth_time = auth_time - 601")
    page = maria.visitor.open(f"{site.base}/settings/password")
    assert page.name == "login", page
    assert maria.visitor.sign_in(page).name == "settings-password"
    return site.at(SECOND).sign_in(maria.visitor)


def by_the_page(site, later: SignedIn) -> None:
    later.visitor.submit(later.visitor.open(f"{site.base}/logout"))


def by_an_app(site, later: SignedIn) -> None:
    answer = later.visitor.get(site.endpoint("end_session"), params={
        "id_token_hint": later.id_token, "post_logout_redirect_uri": OUT[0]})
    assert answer.is_redirect, answer.text[:200]


def in_the_settings(site, later: SignedIn) -> None:
    """She ends it from another browser."""
    other = site.at(SECOND).sign_in()
    page = other.visitor.open(f"{site.base}/settings/sessions")
    answer = other.visitor.post(page.form.action, data=page.form.values | {
        "action": "end", "kind": "session", "id": later.claims["sid"]})
    assert answer.status_code == 303, answer.text[:200]


@pytest.mark.parametrize("again", [not_at_all, for_another_app, for_the_settings], ids=lambda way: way.__name__)
@pytest.mark.parametrize("end", [by_the_page, by_an_app, in_the_settings], ids=lambda end: end.__name__)
def test_a_sign_out_ends_the_apps_of_before(site, again, end):
    maria = site.at(site.first).sign_in()
    later = again(site, maria)
    assert site.goes_on(maria)
    end(site, later)
    assert maria.visitor.open(f"{site.base}/settings").name == "login"
    assert not site.is_good(later.access_token)
    assert not site.goes_on(maria), "she is signed out, and the first app goes on"
    site.receiver.wait(lambda notice: payload_of(notice.form["logout_token"])["sid"] == maria.claims["sid"])
