"""A second factor that the account gets, or needs, after a sign-in: a page that waits lets nobody in without it."""

from __future__ import annotations

import itertools

import pytest

from support.configuration import Client, Person, secret_of
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.totp import Codes
from support.visitor import Callback

PARTNER = Client("partner", secret_of("partner"), "client_secret_basic", ("https://partner.example/back",), {
    "first_party": False, "scope": "openid profile offline_access"})
NUMBERS = itertools.count(1)


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
                "roles": [{"name": "treasurer", "second_factor": "required"}],
                "delivery": {"outbox": True}, "clients": [PARTNER.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.wire = Wire(self.base)

    def call(self, path: str, body: dict, bearer: str = "") -> dict:
        answer = self.wire.post(f"/v1/{path}", body, bearer=f"{PROJECT_ID}{bearer and ':' + bearer}")
        assert answer.status_code == 200, f"{path}: {answer.text}"
        return answer.json()

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def new_user(self) -> Person:
        """Somebody with a proved address and a password."""
        person = Person("", f"una{next(NUMBERS)}@example.test", "nine-blue-herons-abreast")
        self.call("mgmt/user/create", {"loginId": person.login, "email": person.login, "verifiedEmail": True},
                  MANAGEMENT_KEY)
        self.call("mgmt/user/password/set/active", {"loginId": person.login, "password": person.password},
                  MANAGEMENT_KEY)
        return person

    def add_authenticator(self, una: Person) -> str:
        """In a session of its own; its key."""
        opened = self.call("auth/password/signin", {"loginId": una.login, "password": una.password})["refreshJwt"]
        key = self.call("auth/totp/update", {"loginId": una.login}, opened)["key"]
        self.call("auth/totp/verify", {"loginId": una.login, "code": Codes(key).next()}, opened)
        return key

    def make_treasurer(self, una: Person) -> None:
        self.call("mgmt/user/update/role/add", {"loginId": una.login, "roleNames": ["treasurer"]}, MANAGEMENT_KEY)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("later"))
    yield site
    assert site.server.stop() == 0


def nothing(site, una: Person) -> None:
    pass


def an_authenticator(site, una: Person) -> None:
    site.add_authenticator(una)


def a_role(site, una: Person) -> None:
    site.make_treasurer(una)


@pytest.mark.parametrize(("comes", "goes_on"), [(nothing, True), (an_authenticator, False), (a_role, False)])
def test_a_page_that_waits_for_her_yes_lets_no_app_in_by_the_password_alone(site, comes, goes_on):
    """Whoever has the password signs in, and leaves the page of the consent open until the authenticator is there."""
    una, visitor, rp = site.new_user(), site.visitor(), site.at(PARTNER)
    request = rp.request(scope="openid offline_access")
    page = visitor.sign_in(rp.open(visitor, request), una)
    assert isinstance(page, Page) and page.name == "consent", page
    comes(site, una)
    answer = visitor.submit(page, button="allow")
    assert (isinstance(answer, Callback) and bool(answer.get("code"))) == goes_on, answer
