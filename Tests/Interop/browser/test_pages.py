"""Every page, light and dark, on a phone and on a desk: it fits, it can be read, and it is shown if asked.

`KEYTURN_SCREENSHOTS=folder` keeps a picture of each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from support.browsing import address, check_page, fill_and_send, primary
from support.configuration import MARIA
from support.pages import Page as PlainPage

DEVICES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}
NARROW = {"width": 320, "height": 640}
# WCAG 2.2 A and AA: what a machine can tell.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
GUESSES = 11


@pytest.fixture(scope="module")
def throttled_login(provider, app) -> str:
    """A name for which too many passwords were tried."""
    rp, visitor, login = app("first-app"), provider.visitor(), "too-often@example.test"
    page = rp.open(visitor, rp.request())
    for _ in range(GUESSES):
        page = PlainPage(visitor.send(page, {"username": login, "password": "guess-after-guess"}))
    return login


class Tour:
    """Walks through the pages, looks at each, takes a picture of each."""

    def __init__(self, window, name: str):
        self.page, self.name = window.page, name
        folder = os.environ.get("KEYTURN_SCREENSHOTS")
        self.folder = Path(folder) if folder else None
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
        self.problems: list[str] = []

    def look(self, title: str) -> None:
        page = self.page
        if self.folder:
            page.screenshot(path=self.folder / f"{title}-{self.name}.png", full_page=True)
        size = page.viewport_size
        for width in {size["width"], NARROW["width"]}:
            page.set_viewport_size({"width": width, "height": size["height"]})
            overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if overflow > 0:
                self.problems.append(f"{title}: {overflow} px too wide at {width} px")
        page.set_viewport_size(size)
        for violation in Axe().run(page, options=RULES).response["violations"]:
            targets = [node["target"] for node in violation["nodes"]]
            self.problems.append(f"{title}: {violation['id']}: {violation['help']}: {targets}")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(open_window, app, provider, throttled_login, theme, device):
    """Nothing is cut off at 320 px; contrast, names and structure hold."""
    window = open_window(color_scheme=theme, **DEVICES[device])
    tour, page = Tour(window, f"{theme}-{device}"), window.page
    first, asking = app("first-app"), app("consent-app-two")

    page.goto(f"{provider.base}/")
    tour.look("home")
    page.goto(f"{provider.base}/dev/outbox")
    check_page(page, "outbox")
    tour.look("outbox")
    page.goto(f"{provider.base}/there-is-nothing-here")
    check_page(page, "error")
    tour.look("not-found")
    page.goto(f"{provider.endpoint('authorization')}?client_id=no-such-app")
    check_page(page, "error")
    tour.look("error")
    page.goto(address(first, first.request(ui_locales="de")))
    check_page(page, "login")
    tour.look("login-german")
    page.goto(address(first, first.request()))
    fill_and_send(page, password="not-the-right-one")
    check_page(page, "login")
    tour.look("login-wrong")
    page.goto(address(first, first.request()))
    page.locator("input[name=username]").fill(throttled_login)
    page.locator("input[name=password]").fill("guess-after-guess")
    primary(page).click()
    check_page(page, "login")
    tour.look("login-throttled")
    page.goto(address(asking, asking.request(scope="openid profile email phone address offline_access")))
    check_page(page, "login")
    tour.look("login")
    fill_and_send(page, MARIA)
    check_page(page, "consent")
    tour.look("consent")
    page.goto(address(first, first.request(prompt="login")))
    check_page(page, "login")
    tour.look("login-again")
    page.goto(provider.endpoint("end_session"))
    check_page(page, "logout")
    tour.look("logout")
    primary(page).click()
    check_page(page, "signed-out")
    tour.look("signed-out")
    assert not tour.problems, "\n".join(tour.problems)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_form_post_page_without_scripts(open_window, app, theme, device):
    """The page that only people without scripts see."""
    window = open_window(color_scheme=theme, java_script_enabled=False, **DEVICES[device])
    rp, page = app("first-app", "form_post"), window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page)
    page.wait_for_load_state()
    assert page.locator("h1").count() == 1
    assert page.locator("form button, form input[type=submit]").first.is_visible()
    folder = os.environ.get("KEYTURN_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"form-post-{theme}-{device}.png", full_page=True)


def test_colour_scheme_follows_the_reader(open_window, app):
    """Dark is dark."""
    rp = app("first-app")
    backgrounds = {}
    for theme in ("light", "dark"):
        page = open_window(color_scheme=theme).page
        page.goto(address(rp, rp.request()))
        backgrounds[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        if backgrounds[theme] == "rgba(0, 0, 0, 0)":
            backgrounds[theme] = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert backgrounds["light"] != backgrounds["dark"], backgrounds
