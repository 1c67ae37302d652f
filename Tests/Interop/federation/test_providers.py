"""Users sign in at a provider that is not ours, in a real browser."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from support.configuration import MARIA
from support.tour import DEVICES, Tour


def begin(site, page, **more) -> None:
    parameters = {
        "client_id": "first-app", "redirect_uri": site.callback, "response_type": "code", "scope": "openid email",
        "state": "the-state", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    } | more
    page.goto(f"{site.base}/oauth2/authorize?{urlencode(parameters)}")


def at_provider(page, upstream, subject: str, *, denies: bool = False) -> None:
    """What the user does at the provider."""
    page.wait_for_url(f"{upstream.base}/**")
    if denies:
        page.get_by_role("button", name="Deny").click()
        return
    page.locator("input[name=sub]").fill(subject)
    page.get_by_role("button", name="Authorize").first.click()


def arrived(site, page) -> dict:
    page.wait_for_url(f"{site.callback}*")
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def name_of(page) -> str:
    return page.locator("body").get_attribute("data-page")


def test_a_user_comes_back_and_is_known(site, upstream, open_window):
    page = open_window().page
    begin(site, page)
    page.get_by_role("link", name="Continue with Elsewhere").click()
    at_provider(page, upstream, "nobody-knows-me")
    assert arrived(site, page)["code"]
    begin(site, page, prompt="login")
    assert page.get_by_text("Last used").is_visible()
    page.goto(f"{site.base}/settings/connections")
    assert page.get_by_text("Elsewhere").first.is_visible()


def test_an_address_alone_links_nothing_and_its_owner_does(site, upstream, open_window):
    """F-2: the provider says an address of a local user."""
    page = open_window().page
    begin(site, page)
    page.get_by_role("link", name="Continue with Elsewhere").click()
    at_provider(page, upstream, "maria-0815")
    page.wait_for_selector("body[data-page=login]")
    assert page.get_by_text("to link Elsewhere").is_visible()
    page.locator("input[name=username]").fill(MARIA.login)
    page.locator("input[name=password]").fill(MARIA.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    assert arrived(site, page)["code"]
    second = open_window().page
    begin(site, second)
    second.get_by_role("link", name="Continue with Elsewhere").click()
    at_provider(second, upstream, "maria-0815")
    assert arrived(site, second)["code"]


def test_an_answer_without_state_ends_on_a_page_with_words(site, upstream, open_window):
    """When its user declines, this provider forgets the state (RFC 6749 §4.1.2.1)."""
    page = open_window().page
    begin(site, page)
    page.get_by_role("link", name="Continue with Elsewhere").click()
    at_provider(page, upstream, "", denies=True)
    page.wait_for_selector("body[data-page=error]")
    assert "This page has expired" in page.locator("h1").inner_text()


def test_an_address_leads_to_the_organisation(site, upstream, open_window):
    page = open_window().page
    begin(site, page)
    page.locator("input[name=username]").fill("jane@acme.example")
    page.get_by_role("button", name="Continue with your organisation").click()
    at_provider(page, upstream, "jane-4711")
    assert arrived(site, page)["code"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_can_be_read(site, upstream, open_window, theme, device):
    window = open_window(color_scheme=theme, **DEVICES[device])
    tour, page = Tour(window.page, f"{theme}-{device}"), window.page
    begin(site, page)
    tour.look("federation-login")
    page.goto(f"{page.url}&problem=provider_unavailable&connection=elsewhere")
    tour.look("federation-login-problem")
    page.get_by_role("link", name="Continue with Elsewhere").click()
    at_provider(page, upstream, f"reader-{theme}-{device}")
    assert arrived(site, page)["code"]
    page.goto(f"{site.base}/settings/connections")
    assert name_of(page) == "settings-connections"
    tour.look("settings-connections")
    assert not tour.problems, tour.problems
