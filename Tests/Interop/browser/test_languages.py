"""The pages in other languages, in a real browser: they fit, they can be read, and Arabic runs from right to left."""

from __future__ import annotations

import pytest

from support.browsing import address, check_page, fill_and_send
from support.configuration import JONAS
from support.tour import DEVICES, Tour

HEADINGS = {"ar": "تسجيل الدخول", "ja": "サインイン", "pl": "Zaloguj się", "fr": "Se connecter"}
SECTIONS = ["profile", "identifiers", "passkeys", "password", "sessions"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", HEADINGS)
def test_pages_fit_and_can_be_read(open_window, app, provider, language, theme, device):
    """Sign-in, a mistake, a code, and the settings; at 320 px as well."""
    window = open_window(color_scheme=theme, locale=language, **DEVICES[device])
    tour, page, rp = Tour(window.page, f"{language}-{theme}-{device}"), window.page, app("first-app")
    page.goto(address(rp, rp.request()))
    check_page(page, "login")
    html = page.locator("html")
    assert html.get_attribute("lang") == language
    assert html.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    assert page.locator("h1").inner_text() == HEADINGS[language]
    tour.look("login")
    fill_and_send(page, JONAS, password="not-this-one-at-all")
    check_page(page, "login")
    tour.look("login-wrong")
    page.goto(f"{provider.base}/device")
    tour.look("device")
    page.goto(f"{provider.base}/settings")
    check_page(page, "login")
    fill_and_send(page, JONAS)
    check_page(page, "settings")
    tour.look("settings")
    for section in SECTIONS:
        page.goto(f"{provider.base}/settings/{section}")
        tour.look(f"settings-{section}")
    assert not tour.problems, "\n".join(tour.problems)


def test_what_is_read_from_left_to_right_stays_so_in_arabic(open_window, app, provider):
    """A code, and an address in a field of its own; the button to show a password is at the other end."""
    page = open_window(locale="ar", **DEVICES["phone"]).page
    rp = app("first-app")
    page.goto(address(rp, rp.request()))
    check_page(page, "login")
    field, button = page.locator("input[name=password]").bounding_box(), page.locator("button.quiet").bounding_box()
    assert button["x"] < field["x"] + field["width"] / 2
    page.goto(f"{provider.base}/device")
    code = page.locator("input.letters, input.digits, input.typed").first
    assert code.evaluate("element => getComputedStyle(element).direction") == "ltr"
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
