"""Users of an organisation sign in at its SAML provider, which is pysaml2, in a real browser."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.saml_site import Site, needs_pysaml2
from support.window import Window

pytestmark = needs_pysaml2


@pytest.fixture(scope="module", params=["assertion", "response", "both"])
def site(request, tmp_path_factory, callback_receiver):
    made = Site(
        tmp_path_factory.mktemp("saml"), f"{callback_receiver.base}/first-app",
        response=request.param != "assertion", assertion=request.param != "response")
    yield made
    made.stop()


@pytest.fixture
def page(chromium, site, callback_receiver):
    window = Window(chromium, {site.server.base, site.provider_base, callback_receiver.base})
    yield window.page
    window.close()


def code(site, page) -> str:
    page.wait_for_url(f"{site.callback}*")
    return parse_qs(urlsplit(page.url).query)["code"][0]


def test_a_user_of_the_organisation_signs_in(site, page):
    """The request is signed, and pysaml2 checks it; the response is what pysaml2 makes of it."""
    site.begin(page)
    page.get_by_role("button", name="Sign in at Acme").click()
    assert code(site, page)
    page.goto(f"{site.server.base}/settings")
    assert page.get_by_text("kim@acme.example").first.is_visible()


def test_a_response_counts_once_and_in_its_browser(site, page):
    site.begin(page)
    form = {name: page.locator(f"input[name={name}]").input_value() for name in ("SAMLResponse", "RelayState")}
    consumer = f"{site.server.base}/saml/acme-sso/acs"
    # Another browser brings it.
    answer = requests.post(consumer, data=form, timeout=10)
    assert answer.status_code == 400 and "not begun in this browser" in answer.text
    page.get_by_role("button", name="Sign in at Acme").click()
    assert code(site, page)
    answer = requests.post(consumer, data=form, timeout=10)
    assert answer.status_code == 400


def test_a_changed_response_is_refused_in_words(site, page):
    site.begin(page)
    field = page.locator("input[name=SAMLResponse]")
    changed = base64.b64decode(field.input_value()).replace(b"kim@acme.example", b"ceo@acme.example")
    field.evaluate("(field, value) => { field.value = value }", base64.b64encode(changed).decode())
    page.get_by_role("button", name="Sign in at Acme").click()
    page.wait_for_selector("body[data-page=login]")
    assert page.get_by_text("could not be accepted").is_visible()
