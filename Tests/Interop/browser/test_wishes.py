"""The language and the colours that an app asks for, as a browser computes them; and a start page that fits."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
import requests

from support.browsing import address, check_page, fill_and_send
from support.configuration import JONAS
from support.server import binary, die_with_parent, free_port
from support.window import Window

DARK, LIGHT = "rgb(16, 21, 20)", "rgb(245, 244, 239)"


def background(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def check_look(page, colour: str, language: str) -> None:
    assert background(page) == colour, f"{page.url.split('?')[0]}: {background(page)}"
    assert page.locator("html").get_attribute("lang") == language
    # What the browser draws by itself, such as scroll bars and the arrows of lists.
    canvas = page.evaluate("""() => { document.body.append(Object.assign(document.createElement("i"), { id: "probe" }));
        const probe = document.getElementById("probe"); probe.style.backgroundColor = "Canvas";
        const found = getComputedStyle(probe).backgroundColor; probe.remove(); return found; }""")
    assert (canvas != "rgb(255, 255, 255)") == (colour == DARK), f"the browser's own parts are {canvas}"


@pytest.mark.parametrize(("asked", "prefers", "colour"), [("dark", "light", DARK), ("light", "dark", LIGHT)])
def test_the_sign_in_page_is_as_the_app_asks(open_window, app, asked, prefers, colour):
    """Whatever the browser prefers; after a mistake as well."""
    rp, page = app("first-app"), open_window(color_scheme=prefers).page
    page.goto(address(rp, rp.request(ui_locales="de", x_color_scheme=asked)))
    check_page(page, "login")
    check_look(page, colour, "de")
    fill_and_send(page, JONAS, password="not-this-one-at-all")
    check_page(page, "login")
    assert page.locator("[role=alert]").is_visible()
    check_look(page, colour, "de")


@pytest.mark.parametrize(("asked", "prefers", "colour"), [("dark", "light", DARK), ("light", "dark", LIGHT)])
def test_the_settings_are_as_the_app_asks_for_the_whole_visit(open_window, provider, asked, prefers, colour):
    """The sign-in on the way, each page, and the page after a form."""
    page = open_window(color_scheme=prefers).page
    page.goto(f"{provider.base}/settings?ui_locales=de&x_color_scheme={asked}")
    check_page(page, "login")
    check_look(page, colour, "de")
    fill_and_send(page, JONAS)
    check_page(page, "settings")
    check_look(page, colour, "de")
    page.locator("a[href='/settings/profile']:visible").first.click()
    check_page(page, "settings-profile")
    check_look(page, colour, "de")
    page.locator("main form button.primary").click()
    page.wait_for_selector("[role=status]")
    check_page(page, "settings-profile")
    check_look(page, colour, "de")


def test_without_a_wish_the_settings_are_as_the_browser_prefers(open_window, provider):
    """In a browser of one's own; values that mean nothing change nothing."""
    for prefers, colour in (("light", LIGHT), ("dark", DARK)):
        page = open_window(color_scheme=prefers).page
        page.goto(f"{provider.base}/settings?ui_locales=xx&x_color_scheme=pink")
        check_page(page, "login")
        fill_and_send(page, JONAS)
        check_page(page, "settings")
        check_look(page, colour, "en")


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """`keyturn dev`."""
    folder, port = tmp_path_factory.mktemp("dev"), free_port()
    process = subprocess.Popen(
        [binary(), "dev", "--listen", f"127.0.0.1:{port}"],
        cwd=folder,
        env=os.environ | {"HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    base = f"http://127.0.0.1:{port}"
    for _ in range(100):
        try:
            requests.get(f"{base}/healthz", timeout=1)
            break
        except requests.ConnectionError:
            time.sleep(0.1)
    yield base
    process.terminate()
    process.wait(10)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_samples_of_the_start_page_do_not_scroll(chromium, demonstration, width):
    """Nobody scrolls sideways to read a line of code."""
    window = Window(chromium, {demonstration}, viewport={"width": width, "height": 900})
    page = window.page
    page.goto(demonstration)
    check_page(page, "home")
    boxes = page.locator("pre").evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
    assert len(boxes) >= 2 and all(inside <= outside for inside, outside in boxes), boxes
    if width == 1280:
        code = page.locator("pre code").last
        lines = len(code.inner_text().rstrip("\n").split("\n"))
        shown = code.evaluate("one => new Set([...one.getClientRects()].map(box => Math.round(box.top))).size")
        assert shown <= lines, "no line is broken either"
    window.close()
