"""Sign-ins that pysaml2 begins, and single logout both ways, by redirects and by forms, in a real browser."""

from __future__ import annotations

import pytest
import requests

from support.own_account import next_second
from support.saml_site import Site, needs_pysaml2
from support.window import Window

pytestmark = needs_pysaml2


@pytest.fixture(scope="module", params=["redirect", "post"])
def site(request, tmp_path_factory, callback_receiver):
    made = Site(
        tmp_path_factory.mktemp("saml"), f"{callback_receiver.base}/first-app", response=True, assertion=True,
        binding=request.param, saml={"idp_initiated": True})
    yield made
    made.stop()


@pytest.fixture
def page(chromium, site, callback_receiver):
    window = Window(chromium, {site.server.base, site.provider_base, callback_receiver.base})
    yield window.page
    window.close()


def is_signed_in(site, page) -> bool:
    page.goto(f"{site.server.base}/settings")
    return page.get_by_text("kim@acme.example").first.is_visible()


def open_from_portal(site, page, state: str = "") -> None:
    page.goto(f"{site.provider_base}/portal" + (f"?RelayState={state}" if state else ""))
    page.get_by_role("button", name="Open Harbour").click()


def test_a_request_in_the_binding_of_the_metadata_is_signed(site, page):
    site.begin(page)
    page.get_by_role("button", name="Sign in at Acme").click()
    page.wait_for_url(f"{site.callback}*")
    assert is_signed_in(site, page)


@pytest.mark.parametrize("state", ["", "https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_the_provider_begins_a_sign_in(site, page, state):
    open_from_portal(site, page, state)
    page.wait_for_url(f"{site.server.base}/settings")
    assert page.get_by_text("kim@acme.example").first.is_visible()


def test_a_response_without_a_request_counts_once(site, page):
    page.goto(f"{site.provider_base}/portal")
    form = {"SAMLResponse": page.locator("input[name=SAMLResponse]").input_value()}
    page.get_by_role("button", name="Open Harbour").click()
    page.wait_for_url(f"{site.server.base}/settings")
    answer = requests.post(f"{site.server.base}/saml/acme-sso/acs", data=form, timeout=10)
    assert answer.status_code == 400


def test_a_sign_out_at_the_provider_ends_the_session_here(site, page):
    open_from_portal(site, page)
    page.wait_for_url(f"{site.server.base}/settings")
    page.goto(f"{site.provider_base}/logout")
    page.wait_for_url(f"{site.provider_base}/slo*")
    assert page.get_by_text("Harbour: Success, the-provider's-state").is_visible()
    assert not is_signed_in(site, page)
    # What the provider says within the second of a sign-out may be from before it.
    next_second()


def test_a_sign_out_here_goes_on_to_the_provider_and_comes_back(site, page):
    open_from_portal(site, page)
    page.wait_for_url(f"{site.server.base}/settings")
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    page.goto(f"{site.server.base}/logout")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector("body[data-page=signed-out]")
    assert any(url.startswith(f"{site.provider_base}/slo") for url in seen)
    assert not is_signed_in(site, page)
