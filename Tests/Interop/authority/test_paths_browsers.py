"""A browser whose user signs in again: what the new sign-in takes over, and what it does not."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from authority.test_users_device_keys import BANK, Somebody
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed, encoded
from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.pages import Page
from support.project import PROJECT_ID
from support.visitor import Callback

FLOW = {
    "name": "welcome", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}}, {"name": "end", "done": True}]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("browsers"), clients=[APP, BANK], project={"approval": {"seconds": 120}},
        journeys=[FLOW])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def app_in(site: OwnAccounts, visitor, **fields) -> Authgear:
    """The app, after a sign-in in this browser."""
    app = Authgear(site.base, BANK.client_id, BANK.redirect_uri)
    app.authenticate(visitor, **fields)
    return app


def goes_on(app: Authgear) -> bool:
    try:
        app.refresh()
    except AuthgearFailed as failure:
        assert failure.error == "invalid_grant", failure.error
        return False
    return True


def change_password(site: OwnAccounts, visitor, app: Authgear, vera: tuple[str, str]) -> None:
    """By the app's action, on the pages of the browser's own session; everything else is signed out."""
    app.refresh_id_token()
    page = visitor.open(app.document["authorization_endpoint"], {
        "response_type": "urn:authgear:params:oauth:response-type:settings-action", "client_id": BANK.client_id,
        "redirect_uri": BANK.redirect_uri, "scope": f"openid offline_access {FULL_ACCESS}",
        "code_challenge_method": "S256", "code_challenge": encoded(hashlib.sha256(b"v" * 50).digest()),
        "id_token_hint": app.id_token, "x_settings_action": "change_password"})
    assert isinstance(page, Page) and page.name == "settings-password", page
    new = new_password()
    arrived = visitor.submit(page, {"current_password": vera[1], "password": new, "end_others": "true"})
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    assert site.by_password(vera[0], new).status_code == 200


def test_a_new_password_ends_what_an_earlier_sign_in_gave_the_app(site, vera):
    """A thief has the refresh token of an earlier sign-in. She signs in again in the same browser, and secures the
    account in the app that asked."""
    browser = Somebody(site, *vera)
    stolen = app_in(site, browser)
    next_second()
    app = app_in(site, browser, prompt="login")
    elsewhere = app_in(site, Somebody(site, *vera))
    change_password(site, browser, app, vera)
    assert goes_on(app), "the app that asked stays signed in"
    assert not goes_on(elsewhere), "the control: another browser's sign-in"
    assert not goes_on(stolen), "the sign-in of before"


def test_a_new_password_ends_what_another_user_of_the_browser_has_not(site, vera):
    """The password of one user is no other's: the browser's former user was signed out, and keeps the app's tokens."""
    nora = (new_name("nora"), new_password())
    site.sign_up(*nora)
    browser = Somebody(site, *nora)
    hers = app_in(site, browser)
    browser.person = Somebody(site, *vera).person
    app = app_in(site, browser, prompt="login")
    change_password(site, browser, app, vera)
    assert goes_on(app) and goes_on(hers)


def test_a_link_to_a_flow_signs_nobody_out(site, vera):
    """A flow ends the session of the browser that it hands to an app. A stranger's link must not lead there."""
    browser, _ = site.browse(*vera)
    page = browser.open(f"/login/{PROJECT_ID}", {"flow": "welcome"})
    assert page.name == "login", page
    assert browser.open("/settings").name == "settings"
    page = browser.submit(page, {"username": vera[0], "password": vera[1]})
    assert page.name == "flow-end", page
    assert browser.send(page).status_code == 200 and browser.open("/settings").name == "login"


def test_a_flow_that_another_browser_began_hands_out_nothing(site, vera):
    began, other = site.visitor(), site.browse(*vera)[0]
    page = began.open(f"/login/{PROJECT_ID}", {"flow": "welcome"})
    page = began.submit(page, {"username": vera[0], "password": vera[1]})
    assert page.name == "flow-end", page
    assert other.send(page).status_code == 403
    assert began.send(page).status_code == 200, "the control"
    assert began.send(page).status_code in (400, 403), "once"


def test_several_sign_ins_at_once_in_one_browser_all_succeed(site, vera):
    """A form that is sent twice: one of the sessions is the browser's, and no answer is an error."""
    browser, _ = site.browse(*vera)
    site.age(vera[0])
    pages = [browser.open("/settings/password") for _ in range(4)]
    assert {page.name for page in pages} == {"login"}
    cookies = browser.session.cookies.copy()

    def send(page: Page) -> requests.Response:
        form = page.form
        return requests.post(
            form.action.replace(site.issuer, site.base), data=form.filled({"username": vera[0], "password": vera[1]}),
            cookies=cookies, allow_redirects=False, timeout=30)

    with ThreadPoolExecutor(len(pages)) as pool:
        answers = list(pool.map(send, pages))
    assert [answer.status_code for answer in answers] == [303] * len(pages)
    opened = [answer for answer in answers if "keyturn-session" in answer.headers.get("Set-Cookie", "")]
    assert len(opened) == len(pages)


def test_a_desk_of_an_approval_becomes_the_users_own_by_a_password_alone(site, vera):
    """Her own sign-in in the same browser is no approval any more; the approval is none before it."""
    phone, _ = site.browse(*vera)
    desk, page, number = site.ask_for_approval(vera[0])
    site.approve(phone, number)
    assert desk.submit(page, button="refresh").name == "settings"
    page = desk.open("/settings/password")
    assert page.name == "login", page
    assert desk.submit(page, {"username": vera[0], "password": vera[1]}).name == "settings-password"


def test_a_session_of_before_the_sign_in_is_no_cookie_any_more(site, vera):
    """The name of the session stays, its cookie does not: whoever copied it before has nothing."""
    browser, _ = site.browse(*vera)
    stolen = site.visitor()
    for cookie in browser.session.cookies:
        stolen.session.cookies.set_cookie(cookie)
    assert stolen.open("/settings").name == "settings", "the control"
    site.age(vera[0])
    page = browser.open("/settings/password")
    assert browser.submit(page, {"username": vera[0], "password": vera[1]}).name == "settings-password"
    assert stolen.open("/settings").name == "login"
