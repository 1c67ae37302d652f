"""A theme in a real browser: its colours and its logo are what is seen, light and dark, also under the pointer."""

from __future__ import annotations

import pytest

from support.browsing import check_page, primary
from support.server import Server
from support.tour import DEVICES, Tour
from support.window import Window

ACCENTS = {"light": "#7a1f5c", "dark": "#f0a0d0"}
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><style>.a { fill: #7a1f5c }</style>'
    '<rect class="a" width="120" height="40" rx="8"/></svg>'
)


@pytest.fixture(scope="module")
def themed(tmp_path_factory):
    """A server with a theme, whose logo lies beside its configuration."""
    folder = tmp_path_factory.mktemp("theme")
    (folder / "logo.svg").write_text(LOGO)
    colors = {scheme: {"accent": accent} for scheme, accent in ACCENTS.items()}
    theme = {"logo": "logo.svg", "show_name": False, "corner": 4, "font": "serif", "colors": colors}
    server = Server(folder, {"dev": True, "project": {"name": "Harbour"}, "theme": theme})
    yield server
    server.stop()


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"


def style(page, selector: str, name: str) -> str:
    return page.evaluate(f"getComputedStyle(document.querySelector({selector!r})).{name}")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("scheme", ACCENTS)
def test_the_theme_is_what_is_seen(chromium, themed, scheme, device):
    """Button, links, corners, typeface and logo are the theme's, and axe finds nothing."""
    window = Window(chromium, {themed.base}, color_scheme=scheme, **DEVICES[device])
    page, tour = window.page, Tour(window.page, f"theme-{scheme}-{device}")
    page.goto(f"{themed.base}/settings")
    check_page(page, "login")
    assert style(page, ".primary", "backgroundColor") == rgb(ACCENTS[scheme])
    assert style(page, ".primary", "borderTopLeftRadius") == "4px"
    assert style(page, "body", "fontFamily").startswith("ui-serif")
    logo = page.locator("header img")
    assert logo.get_attribute("alt") == "Harbour" and logo.evaluate("image => image.naturalWidth") > 0
    assert logo.bounding_box()["height"] == 40 and page.locator("header span").count() == 0
    primary(page).hover()
    page.wait_for_timeout(300)
    hovered = style(page, ".primary", "backgroundColor")
    assert hovered not in (rgb(ACCENTS[scheme]), rgb("#0a6a55")) and style(page, ".primary", "filter") == "none"
    page.locator("input[name=username]").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineColor") == rgb(ACCENTS[scheme])
    tour.look("theme")
    window.close()
    assert not tour.problems, "\n".join(tour.problems)


def test_a_logo_that_is_opened_by_itself_does_nothing(chromium, themed):
    """Its own address shows it under a policy that allows its styles alone."""
    window = Window(chromium, {themed.base})
    window.page.goto(f"{themed.base}/settings")
    address = themed.base + window.page.locator("header img").get_attribute("src")
    answer = window.page.goto(address)
    assert answer.status == 200 and answer.headers["content-type"] == "image/svg+xml"
    policy = answer.headers["content-security-policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert window.page.evaluate("getComputedStyle(document.querySelector('rect')).fill") == rgb(ACCENTS["light"])
    window.close()
