"""Flows in web views: DescopeKit's side of the bridge, in Chromium, through real sign-ins."""

from __future__ import annotations

import http.server
import threading
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from descope import DescopeClient

from support.configuration import MARIA
from support.flow_view import REDIRECT, FlowView
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import Server
from support.window import Window

SECRET = "a-secret-between-the-two-servers-3"
TEAM = {"name": "team", "label": {"en": "Your team", "de": "Ihr Team"}}
STEPS = [
    {"name": "who", "identify": {"sign_up": True}},
    {"name": "proof", "prove": {}},
    {"name": "more", "when": {"lacks": ["team"]}, "collect": {"fields": [TEAM]}},
    {"name": "end", "done": True},
]


SEATS = {"name": "seats", "type": "number", "min": 1, "max": 99, "label": {"en": "Seats", "de": "Plätze"}}
PLANS = [
    {"name": "proof", "prove": {}},
    {"name": "more", "when": {"input": {"plan": ["team"]}}, "collect": {"fields": [SEATS]}},
    {"name": "end", "done": True},
]


@pytest.fixture(scope="module")
def place(tmp_path_factory, upstream):
    """A server with a flow, and a provider."""
    server = Server(tmp_path_factory.mktemp("flows"), {
        "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
        "connections": [
            {"id": "elsewhere", "name": "Elsewhere", "issuer": upstream.issuer, "client_id": "keyturn",
             "client_secret": SECRET}
        ],
        "journeys": [{"name": "welcome", "steps": STEPS}, {"name": "plans", "steps": PLANS}],
        "delivery": {"outbox": True},
        "users": [MARIA.entry()],
    })
    # Users of the same second as a flow count as new.
    time.sleep(1.1)
    yield server
    assert server.stop() == 0


@pytest.fixture
def new_window(chromium, place, upstream):
    windows: list[Window] = []

    def make(**options) -> Window:
        window = Window(chromium, {place.base, upstream.base, "https://cdn.jsdelivr.net"}, **options)
        window.context.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())
        windows.append(window)
        return window

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def view(new_window):
    return FlowView(new_window(viewport={"width": 390, "height": 844}))


def sign_in(view: FlowView, password: str = MARIA.password) -> None:
    view.page.fill("#username", MARIA.login)
    view.page.fill("#password", password)
    view.page.click("button.primary")


def finish(view: FlowView) -> dict:
    """The form, if the user has no team yet, and the result."""
    view.pump(lambda: view.name() in ("journey-step", "flow-end"))
    if view.name() == "journey-step":
        view.page.fill("#field-team", "Blue")
        view.page.click("button.primary")
    view.pump(lambda: view.result is not None)
    assert view.name() == "flow-end" and not view.failures
    return view.result


def test_password(place, view):
    """Wrong first, then right, then the form: Descope's own package takes the session."""
    view.open(place.base, PROJECT_ID, "welcome", "&locale=en&theme=light")
    assert view.name() == "login" and view.page.locator("descope-wc").get_attribute("flow-id") == "welcome"
    sign_in(view, "not-my-password")
    view.pump(lambda: view.page.locator("[role=alert]").count() == 1)
    assert not view.failures, "a web view would show nothing but an error"
    sign_in(view)
    result = finish(view)
    assert result["user"]["loginIds"] == [MARIA.login] and result["firstSeen"] is False
    client = DescopeClient(project_id=PROJECT_ID, base_url=place.base)
    assert client.validate_session(result["sessionJwt"])["sub"] == MARIA.sub
    assert client.refresh_session(result["refreshJwt"])["sessionToken"]["jwt"]
    assert [name for name, _, _ in view.messages].count("success") == 1
    # The view is signed out again, and the next flow asks.
    view.ready = False
    view.open(place.base, PROJECT_ID, "welcome")
    assert view.name() == "login"


@pytest.mark.parametrize("plan", ["solo", "team"])
def test_inputs_of_the_app(place, new_window, plan):
    """What the app says is there before the user types anything, and leads to a step."""
    view = FlowView(new_window(viewport={"width": 390, "height": 844}), inputs={"plan": plan, "seats": 3})
    view.open(place.base, PROJECT_ID, "plans")
    view.pump(lambda: view.ready)
    assert [name for name, _, _ in view.messages].count("ready") == 1 and not view.failures
    sign_in(view)
    view.pump(lambda: view.name() == ("journey-step" if plan == "team" else "flow-end"))
    if plan == "team":
        view.page.fill("#field-seats", "7")
        view.page.click("button.primary")
    view.pump(lambda: view.result is not None)
    assert not view.failures


def test_links_inside_and_cancelling(place, view):
    """A web view follows no link by itself: those of the server are followed all the same."""
    view.open(place.base, PROJECT_ID, "standard")
    view.page.click("text=Create an account")
    view.shows("signup")
    assert not view.intercepted
    view.page.click("button[value=deny]")
    view.shows("login")
    view.page.click("button[value=deny]")
    view.pump(lambda: bool(view.aborts))
    assert view.aborts == [""] and view.name() == "flow-cancelled"


def test_magic_link(place, view):
    """The link of the mail is opened with the app, which hands it to the page."""
    view.open(place.base, PROJECT_ID, "standard")
    view.page.fill("#username", MARIA.login)
    view.page.click("button[value=code]")
    view.shows("code")
    answer = requests.get(f"{place.base}/dev/outbox.json", timeout=10).json()
    messages = answer["messages"] if isinstance(answer, dict) else answer
    newest = [message for message in messages if message["to"] == MARIA.login][-1]
    (link,) = {link for link in newest.get("links", []) if "/link?t=" in link}
    before = view.page.url
    for foreign in ("https://evil.example/link?t=abc", f"{place.base}/settings?t=abc", "not a link"):
        view.resume("magicLink", {"url": foreign})
    view.page.wait_for_timeout(200)
    assert view.page.url == before
    view.resume("magicLink", {"url": link})
    view.shows("link")
    view.page.click("button.primary")
    view.pump(lambda: view.result is not None)
    assert view.result["user"]["userId"] == MARIA.sub


def test_provider_in_the_system_browser(place, view):
    """The page asks for the browser, and goes on with the code that it brings; one of another flow is refused."""
    view.open(place.base, PROJECT_ID, "welcome")
    view.page.click("a.provider")
    view.pump(lambda: bool(view.requests))
    assert view.name() == "flow-provider"
    asked = view.requests.pop()
    assert asked["type"] == "oauthWeb"
    view.resume("oauthWeb", {"exchangeCode": "x" * 43})
    view.shows("login")
    assert view.page.locator("[role=alert]").count() == 1
    view.page.click("a.provider")
    view.pump(lambda: bool(view.requests))
    code = at_provider(view.requests.pop()["payload"]["startUrl"])
    view.resume("oauthWeb", {"exchangeCode": code})
    result = finish(view)
    # The provider's user is new here, and no session was there before.
    assert result["firstSeen"] is True and result["user"]["userId"]


def at_provider(url: str) -> str:
    """The system's browser, as far as the address that its app takes: the code. A browser without a window, for Chromium
    reports no answer that leads to another program."""
    browser = requests.Session()
    gone = browser.get(url, allow_redirects=False, timeout=20)
    answer = browser.post(gone.headers["location"], data={"sub": "someone-new"}, allow_redirects=False, timeout=20)
    back = browser.get(answer.headers["location"], allow_redirects=False, timeout=20)
    end = back.headers["location"]
    assert end.startswith(f"{REDIRECT}?code="), end
    return parse_qs(urlsplit(end).query)["code"][0]


def test_cancelled_at_the_provider(place, view):
    view.open(place.base, PROJECT_ID, "standard")
    view.page.click("a.provider")
    view.pump(lambda: bool(view.requests))
    view.resume("failure", {"failure": "WebAuthCancelled"})
    view.shows("login")
    assert not view.failures


def test_plain_browser(place, new_window):
    """Without an app the pages work, and the last one says what to do."""
    page = new_window().page
    page.goto(f"{place.base}/login/{PROJECT_ID}?flow=standard")
    page.fill("#username", MARIA.login)
    page.fill("#password", MARIA.password)
    page.click("button.primary")
    page.wait_for_selector("body[data-page=flow-end]")
    assert "close this window" in page.locator("main").inner_text()
    assert page.goto(f"{place.base}/login/{PROJECT_ID}?flow=none").status == 404
    page.goto(f"{place.base}/login/{PROJECT_ID}?flow=standard")
    page.click("a.provider")
    page.wait_for_selector("input[name=sub]")


def test_FW_1_no_frame_of_another_site_shows_a_flow(place, chromium):
    """A page of another origin cannot hold a flow in a frame, and hears nothing of it."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = f'<iframe src="{place.base}/login/{PROJECT_ID}?flow=welcome"></iframe>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    site = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{site.server_port}/")
        page.wait_for_timeout(500)
        assert all(frame.query_selector("descope-wc") is None for frame in page.frames)
    finally:
        context.close()
        site.shutdown()
