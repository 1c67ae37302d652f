"""One browser, several sign-ins: each cookie is worth one session, and each sign-out ends what came of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, secret_of
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.visitor import Callback

USUAL = {"grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile offline_access"}
FIRST = Client("first", secret_of("first"), "client_secret_basic", ("https://first.example/back",), USUAL)
SECOND = Client("second", secret_of("second"), "client_secret_basic", ("https://second.example/back",), USUAL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("browser"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "clients": [FIRST.entry(), SECOND.entry()], "users": [MARIA.entry(), JONAS.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


@pytest.fixture
def maria(site) -> SignedIn:
    return RelyingParty(site, FIRST).sign_in()


def goes_on(site, signed_in: SignedIn) -> bool:
    good = site.is_good(signed_in.access_token)
    assert RelyingParty(site, FIRST).refresh(signed_in.refresh_token).status_code == (200 if good else 400)
    return good


def with_cookies(site, cookies: requests.cookies.RequestsCookieJar) -> str:
    """The page that a browser with these cookies sees."""
    visitor = site.visitor()
    visitor.session.cookies.update(cookies)
    return visitor.open(f"{site.base}/settings").name


def copied(visitor) -> requests.cookies.RequestsCookieJar:
    return visitor.session.cookies.copy()


def again(site, maria: SignedIn, person=MARIA) -> SignedIn:
    return RelyingParty(site, SECOND).sign_in(maria.visitor, person, prompt="login")


def test_a_copy_of_the_cookie_is_over_with_the_next_sign_in(site, maria):
    before = copied(maria.visitor)
    assert with_cookies(site, before) == "settings", "the control"
    again(site, maria)
    assert with_cookies(site, before) == "login"
    assert maria.visitor.open(f"{site.base}/settings").name == "settings"


def test_the_name_of_the_session_is_no_cookie(site, maria):
    """It stays the same from one sign-in to the next, and each app knows it."""
    visitor = site.visitor()
    for cookie in maria.visitor.session.cookies:
        visitor.session.cookies.set(cookie.name, maria.claims["sid"])
    assert visitor.open(f"{site.base}/settings").name == "login"


def test_two_sign_ins_at_once_in_one_browser_end_with_one_sign_out(site, maria):
    """Two tabs: one of them may be refused, and nothing goes on after the sign-out."""
    rp = RelyingParty(site, SECOND)
    requests_ = [rp.request(prompt="login", scope="openid") for _ in range(2)]
    pages = [rp.open(maria.visitor, request) for request in requests_]
    cookies = copied(maria.visitor)

    def send(page: Page) -> requests.Response:
        return requests.post(
            page.form.action, data=page.form.values | {"username": MARIA.login, "password": MARIA.password},
            cookies=cookies, timeout=30, allow_redirects=False)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(send, pages))
    assert any(answer.status_code == 303 for answer in answers), [answer.status_code for answer in answers]
    opened = []
    for answer, request in zip(answers, requests_, strict=True):
        jar = requests.cookies.RequestsCookieJar()
        jar.update(cookies)
        jar.update(answer.cookies)
        if answer.is_redirect and answer.headers["Location"].startswith(SECOND.redirect_uri):
            callback = Callback.from_location(answer.headers["Location"])
            opened.append((jar, rp.accepted(rp.redeem(callback, request))))
    assert opened
    live = [jar for jar, _ in opened if with_cookies(site, jar) == "settings"]
    assert live, "nobody is signed in"
    for jar in live:
        visitor = site.visitor()
        visitor.session.cookies.update(jar)
        visitor.submit(visitor.open(f"{site.base}/logout"))
    assert all(with_cookies(site, jar) == "login" for jar, _ in opened)
    assert not any(site.is_good(tokens["access_token"]) for _, tokens in opened), "an app goes on"
    assert not site.is_good(maria.access_token), "the app of before goes on"


def test_another_user_in_the_browser_ends_the_session_of_before(site, maria):
    """Neither the other one nor a copy of the cookie goes on in it."""
    before = copied(maria.visitor)
    page = RelyingParty(site, SECOND).open(maria.visitor, RelyingParty(site, SECOND).request(prompt="select_account"))
    assert isinstance(page, Page) and page.name == "login", page
    assert goes_on(site, maria)
    assert isinstance(maria.visitor.sign_in(page, JONAS), Callback)
    assert with_cookies(site, before) == "login"
    assert goes_on(site, maria), "two users may share a browser: apps of the first one go on"


def test_a_sign_in_of_another_user_renews_nothing_of_hers(site, maria):
    """The code goes to the app that asked, and names who signed in."""
    rp = RelyingParty(site, SECOND)
    request = rp.request(prompt="select_account", scope="openid")
    callback = maria.visitor.sign_in(rp.open(maria.visitor, request), JONAS)
    claims = rp.check_id_token(rp.accepted(rp.redeem(callback, request)), request, code=callback["code"])
    assert claims["sub"] == JONAS.sub and claims["sid"] != maria.claims["sid"]
