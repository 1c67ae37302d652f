"""“Approve on another device” on the sign-in page, with two real browsers: a desktop and a telephone."""

from __future__ import annotations

import re

import pytest

from support.backchannel import open_approvals
from support.browsing import check_page
from support.configuration import MARIA
from support.tour import DEVICES, Tour
from support.window import Window


@pytest.fixture
def telephone(chromium, site):
    """The user's telephone, signed in."""
    window = Window(chromium, {site.issuer}, **DEVICES["phone"])
    open_approvals(window.page, site)
    yield window.page
    window.close()


def ask(page, site, name: str = MARIA.login) -> str:
    """Types the name on the sign-in page; the number that the page shows."""
    page.goto(site.issuer + "/settings")
    check_page(page, "login")
    page.locator("input[name=username]").fill(name)
    page.locator("button[value=approval]").click()
    check_page(page, "approval")
    return page.locator(".number strong").inner_text()


def approve(telephone, site, number: str) -> None:
    open_approvals(telephone, site)
    telephone.locator("input[name=number]").fill(number)
    telephone.locator("button[value=allow]").click()
    check_page(telephone, "settings-approvals")


def test_the_desktop_goes_on_when_the_telephone_approved(site, page, telephone):
    number = ask(page, site)
    assert re.fullmatch(r"\d\d", number)
    approve(telephone, site, number)
    page.wait_for_url(re.compile("/settings$"), timeout=15_000)
    check_page(page, "settings")


def test_without_scripts_there_is_a_button(site, chromium, telephone):
    window = Window(chromium, {site.issuer}, java_script_enabled=False)
    number = ask(window.page, site)
    approve(telephone, site, number)
    window.page.locator("button[value=refresh]").click()
    check_page(window.page, "settings")
    window.close()


def test_another_browser_gets_nothing(site, chromium, page, telephone):
    number = ask(page, site)
    address = page.url
    page.goto("about:blank")
    approve(telephone, site, number)
    thief = Window(chromium, {site.issuer})
    thief.page.goto(address)
    assert thief.page.locator("body").get_attribute("data-page") != "settings"
    thief.close()


def test_a_refusal_looks_like_no_answer(site, page, telephone):
    ask(page, site)
    open_approvals(telephone, site)
    telephone.locator("button[value=deny]").first.click()
    check_page(telephone, "settings-approvals")
    # The page asks every few seconds.
    page.wait_for_timeout(7_000)
    check_page(page, "approval")
    assert page.locator("button[value=again]").count() == 0


def test_an_unknown_name_gets_the_same_page(site, page):
    assert re.fullmatch(r"\d\d", ask(page, site, "unknown@example.com"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_the_pages_fit_and_can_be_read(site, chromium, theme, device):
    windows = [Window(chromium, {site.issuer}, color_scheme=theme, **DEVICES[device]) for _ in range(2)]
    first, second = (window.page for window in windows)
    open_approvals(second, site)
    tours = [Tour(page, f"{theme}-{device}") for page in (first, second)]
    first.goto(site.issuer + "/settings")
    tours[0].look("ciba-login")
    ask(first, site)
    tours[0].look("ciba-approval")
    waiting = first.url
    number = first.locator(".number strong").inner_text()
    open_approvals(second, site)
    tours[1].look("ciba-settings-approvals")
    approve(second, site, number)
    tours[1].look("ciba-settings-allowed")
    first.wait_for_url(re.compile("/settings$"), timeout=15_000)
    # What was collected before is over.
    first.goto(waiting)
    check_page(first, "approval")
    tours[0].look("ciba-approval-over")
    assert not tours[0].problems + tours[1].problems
    for window in windows:
        window.close()
