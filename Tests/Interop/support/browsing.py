"""What people do on the pages, in a real browser."""

from __future__ import annotations

import contextlib
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, TimeoutError

from support.configuration import MARIA, Person
from support.relying_party import AuthorizationRequest, RelyingParty

PRIMARY = "form[method=post i] :is(button:not([value=deny]):not([type=button]), input[type=submit])"


def address(rp: RelyingParty, request: AuthorizationRequest) -> str:
    """Where the app sends the browser."""
    return f"{rp.provider.endpoint('authorization')}?{urlencode(request.parameters)}"


def page_name(page: Page) -> str | None:
    return page.locator("body").get_attribute("data-page")


def check_page(page: Page, name: str) -> None:
    """The page is the one expected; its one heading, its language and its title are there. A script may be about to post
    the form that leads to it."""
    page.wait_for_load_state()
    with contextlib.suppress(TimeoutError):
        page.wait_for_selector(f"body[data-page='{name}']", timeout=5000)
    assert page_name(page) == name, f"{page_name(page)!r} at {page.url.split('?')[0]}: {page.inner_text('body')[:300]}"
    assert page.locator("h1").count() == 1 and page.locator("h1").inner_text().strip()
    assert page.locator("html").get_attribute("lang") and page.title().strip()


def primary(page: Page) -> Locator:
    """The one button that goes on."""
    return page.locator(PRIMARY).first


def fill_and_send(page: Page, person: Person = MARIA, password: str | None = None) -> None:
    username = page.locator("input[name=username]")
    if username.count() and username.is_visible():
        username.fill(person.login)
    page.locator("input[name=password]").fill(password or person.password)
    primary(page).click()


def wait_for_app(page: Page, rp: RelyingParty) -> None:
    """Until the browser is back in the app."""
    try:
        page.wait_for_url(lambda url: url.startswith(rp.redirect_uri))
    except TimeoutError:
        shown = page.inner_text("body").replace("\n", " ")[:300]
        raise AssertionError(f"the app was not reached, but {page.url.split('?')[0]}: {shown}") from None
    assert page.locator("h1").inner_text() == "Back in the app"
