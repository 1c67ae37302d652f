"""Every page, light and dark, on a phone and on a desk: it fits, it can be read, and it is shown if asked.

`KEYTURN_SCREENSHOTS=folder` keeps a picture of each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.browsing import address, check_page, fill_and_send, primary
from support.configuration import MARIA
from support.pages import Page as PlainPage
from support.tour import DEVICES, Tour

GUESSES = 11


@pytest.fixture(scope="module")
def throttled_login(provider, app) -> str:
    """A name for which too many passwords were tried."""
    rp, visitor, login = app("first-app"), provider.visitor(), "too-often@example.test"
    page = rp.open(visitor, rp.request())
    for _ in range(GUESSES):
        page = PlainPage(visitor.send(page, {"username": login, "password": "guess-after-guess"}))
    return login


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(open_window, app, provider, throttled_login, theme, device):
    """Nothing is cut off at 320 px; contrast, names and structure hold."""
    window = open_window(color_scheme=theme, **DEVICES[device])
    tour, page = Tour(window.page, f"{theme}-{device}"), window.page
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
