"""A flow in an app's web view hands out a session of the methods: by what the account wants when it does."""

from __future__ import annotations

import pytest

from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import challenge_of, make_verifier
from support.tokens import payload_of
from support.visitor import Callback, Visitor

FLOWS = [
    {"name": "welcome", "steps": [{"name": "proof", "prove": {}}, {"name": "end", "done": True}]},
    {"name": "card", "steps": [
        {"name": "proof", "prove": {}},
        {"name": "card", "collect": {"fields": [{"name": "card", "type": "text", "label": "Your card"}]}},
        {"name": "end", "done": True}]},
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("flows"), journeys=FLOWS,
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def begin(site, vera, flow: str) -> tuple[Visitor, Page]:
    """In a web view, by the password; to the page that waits."""
    visitor = site.visitor()
    page = visitor.open(f"/login/{PROJECT_ID}", {"flow": flow})
    return visitor, visitor.submit(page, {"username": vera[0], "password": vera[1]})


def result(visitor: Visitor, page: Page):
    """What the script of the last page fetches; nothing if the flow did not come there."""
    if page.name != "flow-end":
        return None
    answer = visitor.post(page.form.action, data=page.form.values)
    return answer.json() if answer.status_code == 200 else None


def nothing(site, vera) -> None:
    pass


def an_authenticator(site, vera) -> None:
    site.add_authenticator(vera[0], site.signed_in_by_code(vera[0]))


def a_role(site, vera) -> None:
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})


def a_sign_out(site, vera) -> None:
    site.manage("user/logout", {"loginId": vera[0]})


def a_lock(site, vera) -> None:
    site.manage("user/update/status", {"loginId": vera[0], "status": "disabled"})


COMES = [(nothing, True), (an_authenticator, False), (a_role, False), (a_sign_out, False), (a_lock, False)]
IDS = [come.__name__ for come, _ in COMES]


@pytest.mark.parametrize(("comes", "goes_on"), COMES, ids=IDS)
def test_the_last_page_of_a_flow_hands_out_nothing_that_lacks_what_the_account_has_by_now(site, vera, comes, goes_on):
    """Whoever has the password leaves the page open until the authenticator is there."""
    visitor, page = begin(site, vera, "welcome")
    assert page.name == "flow-end", page
    comes(site, vera)
    answer = result(visitor, page)
    assert (answer is not None) == goes_on, payload_of(answer["sessionJwt"]) if answer else answer
    assert (missing(site.by_password(*vera)) is not None) if comes in (an_authenticator, a_role) else True


@pytest.mark.parametrize(("comes", "goes_on"), COMES, ids=IDS)
def test_a_step_of_a_flow_leads_to_nothing_that_lacks_what_the_account_has_by_now(site, vera, comes, goes_on):
    visitor, page = begin(site, vera, "card")
    assert page.name == "journey-step", page
    comes(site, vera)
    field = next(name for name in page.form.inputs if "card" in name)
    page = visitor.submit(page, {field: "4711"})
    answer = result(visitor, page)
    assert (answer is not None) == goes_on, payload_of(answer["sessionJwt"]) if answer else page


def test_a_browser_of_before_gets_no_session_of_the_methods_by_a_flow(site, vera):
    """A flow always asks."""
    visitor, _ = site.browse(*vera)
    an_authenticator(site, vera)
    page = visitor.open(f"/login/{PROJECT_ID}", {"flow": "welcome"})
    assert page.name == "login", page


def test_a_flow_is_handed_out_once_and_to_its_own_browser(site, vera):
    visitor, page = begin(site, vera, "welcome")
    other, _ = site.browse(*vera)
    assert other.post(page.form.action, data=page.form.values).status_code != 200
    assert result(visitor, page) is not None, "the control"
    assert result(visitor, page) is None


@pytest.mark.parametrize(("comes", "goes_on"), COMES, ids=IDS)
def test_a_step_of_a_journey_opens_no_browser_session_without_what_the_account_has_by_now(site, vera, comes, goes_on):
    """The session begins at the end of the journey, and not when the password was typed."""
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256", "journey": "card"})
    page = visitor.submit(page, {"username": vera[0], "password": vera[1]})
    assert page.name == "journey-step", page
    assert visitor.open("/settings").name == "login", "nobody is signed in yet"
    comes(site, vera)
    field = next(name for name in page.form.inputs if "card" in name)
    answer = visitor.submit(page, {field: "4711"})
    assert (isinstance(answer, Callback) and bool(answer.get("code"))) == goes_on, answer
    assert (visitor.open("/settings").name == "settings") == goes_on, "signed in, by the password alone"
