"""A request that waits on a page while the account gets a second factor: the session lets its user in nowhere else."""

from __future__ import annotations

import pytest

from support.configuration import ALL_SCOPES, Client
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback, Visitor

OTHERS = Client(
    "eve-app", None, "none", ("https://eve.example/back",),
    {
        "scope": ALL_SCOPES, "first_party": False, "client_name": "Eve",
        "grant_types": ["authorization_code", "refresh_token"],
    },
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("transactions"), clients=[APP, OTHERS],
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def ask(visitor: Visitor, client: Client) -> Page | Callback:
    return visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": client.client_id, "redirect_uri": client.redirect_uri,
        "scope": "openid profile offline_access", "state": "s", "code_challenge": challenge_of(make_verifier()),
        "code_challenge_method": "S256"})


def signed_in_for_it(site, vera, client: Client) -> tuple[Visitor, Page]:
    """The password is typed on the way to the app that waits."""
    thief = site.visitor()
    page = ask(thief, client)
    assert page.name == "login", page
    return thief, thief.submit(page, {"username": vera[0], "password": vera[1]})


def signed_in_before(site, vera, client: Client) -> tuple[Visitor, Page]:
    """The browser has a session already."""
    thief, page = site.browse(*vera)
    assert page.name == "settings", page
    return thief, ask(thief, client)


# How the browser was signed in, the app, and the page on which its request waits.
WAITING = [
    (signed_in_for_it, OTHERS, "consent"), (signed_in_before, OTHERS, "consent"), (signed_in_before, APP, "continue")]


def new_authenticator(site, vera) -> None:
    site.add_authenticator(vera[0], site.by_password(*vera).json()["refreshJwt"])
    assert missing(site.by_password(*vera)) == "second_factor"


def new_role(site, vera) -> None:
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
    assert missing(site.by_password(*vera)) == "second_factor_setup"


def is_let_in(arrived: Page | Callback) -> bool:
    return isinstance(arrived, Callback) and arrived.get("code") is not None


@pytest.mark.parametrize("change", [new_authenticator, new_role])
@pytest.mark.parametrize("way, client, name", WAITING)
def test_a_request_that_waits_lets_no_app_in_without_the_new_factor(site, vera, way, client, name, change):
    """A thief has the password, and keeps the page open until the user has secured the account."""
    thief, page = way(site, vera, client)
    assert page.name == name, page
    change(site, vera)
    assert not is_let_in(thief.submit(page)), "an app is in without the factor"
    assert not is_let_in(ask(thief, client)), "a new request"


@pytest.mark.parametrize("way, client, name", WAITING)
def test_a_request_that_waits_lets_the_app_in(site, vera, way, client, name):
    """The control: nothing changed."""
    visitor, page = way(site, vera, client)
    assert page.name == name and is_let_in(visitor.submit(page))


@pytest.mark.parametrize("way, client, name", WAITING)
@pytest.mark.parametrize("end", ["a sign-out everywhere", "a new password", "disabled"])
def test_a_request_that_waits_ends_with_everything_else(site, vera, way, client, name, end):
    thief, page = way(site, vera, client)
    assert page.name == name
    session = site.signed_in_by_code(vera[0])
    if end == "a sign-out everywhere":
        site.call("logoutall", {}, session)
    elif end == "a new password":
        site.call("password/update", {"loginId": vera[0], "newPassword": new_password()}, session)
    else:
        site.manage("user/update/status", {"loginId": vera[0], "status": "disabled"})
    assert thief.send(page).status_code == 403, "the form is of a session that is over"
    assert not is_let_in(ask(thief, client))
