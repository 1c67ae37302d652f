"""A person at a real browser lets a device in: other people's clients poll meanwhile."""

from __future__ import annotations

import pytest
from authlib.integrations.requests_client import OAuth2Session

from support.browsing import check_page, fill_and_send, primary
from support.devices import GRANT, ask, let_time_pass
from support.tokens import payload_of
from support.tour import DEVICES, Tour


def come_to_question(page, site, code: str, path: str = "/device") -> None:
    page.goto(site.issuer + path)
    check_page(page, "device")
    if path == "/device":
        page.locator("input[name=user_code]").fill(code)
    primary(page).click()
    if page.locator("body").get_attribute("data-page") == "login":
        fill_and_send(page)
    check_page(page, "device")


def test_a_code_is_typed_and_the_device_is_let_in(site, television, open_window):
    device = ask(site.issuer, television)
    assert device.error() == "authorization_pending"
    page = open_window().page
    typed = device.user_code.lower().replace("-", " ")
    come_to_question(page, site, typed)
    shown = page.inner_text("main")
    for text in ("Harbour Television", "Maria da Silva", device.user_code, "Did someone send you this code"):
        assert text in shown
    page.locator("button[value=allow]").click()
    check_page(page, "device-done")
    let_time_pass(site.folder / "keyturn.db", 5)
    # A client that is not ours redeems it.
    session = OAuth2Session(
        television["client_id"], television["client_secret"], token_endpoint_auth_method="client_secret_post"
    )
    token = session.fetch_token(
        device.metadata["token_endpoint"], grant_type=GRANT, device_code=device.answer["device_code"]
    )
    claims = payload_of(token["id_token"])
    assert claims["aud"] == "television" and claims["sub"] == payload_of(token["access_token"])["sub"]
    info = session.get(device.metadata["userinfo_endpoint"])
    assert info.json()["name"] == "Maria da Silva"
    renewed = session.refresh_token(device.metadata["token_endpoint"], refresh_token=token["refresh_token"])
    assert renewed["refresh_token"] != token["refresh_token"]
    # A code is good once.
    assert device.error() == "invalid_grant"


def test_the_address_with_the_code_fills_it_in_and_asks_all_the_same(site, television, open_window):
    device = ask(site.issuer, television)
    page = open_window().page
    path = device.answer["verification_uri_complete"].removeprefix(site.issuer)
    page.goto(site.issuer + path)
    assert page.locator("input[name=user_code]").input_value() == device.user_code
    come_to_question(page, site, device.user_code, path)
    assert device.error() == "authorization_pending"
    page.locator("button[value=deny]").click()
    check_page(page, "device-done")
    assert device.error() == "access_denied"


def test_without_scripts(site, television, open_window):
    device = ask(site.issuer, television)
    page = open_window(java_script_enabled=False).page
    come_to_question(page, site, device.user_code)
    page.locator("button[value=allow]").click()
    check_page(page, "device-done")
    assert device.poll().status_code == 200


def test_too_early_and_too_late(site, television, open_window):
    device = ask(site.issuer, television)
    assert device.error() == "authorization_pending"
    assert device.error() == "slow_down"
    page = open_window().page
    come_to_question(page, site, device.user_code)
    let_time_pass(site.folder / "keyturn.db", 1_000)
    assert device.error() == "expired_token"
    page.locator("button[value=allow]").click()
    check_page(page, "device-done")
    assert "no longer works" in page.inner_text("main")
    page.locator("a.primary").click()
    page.locator("input[name=user_code]").fill(device.user_code)
    primary(page).click()
    check_page(page, "device")
    assert "has expired" in page.locator("[role=alert]").inner_text()


@pytest.mark.parametrize("device_name", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en-US", "de-DE"])
def test_every_page(site, television, open_window, theme, device_name, language):
    """Nothing is cut off; contrast, names and structure hold."""
    window = open_window(color_scheme=theme, **{**DEVICES[device_name], "locale": language})
    tour, page = Tour(window.page, f"device-{theme}-{device_name}-{language[:2]}"), window.page
    page.goto(f"{site.issuer}/device")
    tour.look("entry")
    page.locator("input[name=user_code]").fill("bcdf ghjk")
    primary(page).click()
    check_page(page, "device")
    tour.look("unknown")
    come_to_question(page, site, ask(site.issuer, television, "openid profile email offline_access").user_code)
    tour.look("question")
    page.locator("button[value=deny]").click()
    check_page(page, "device-done")
    tour.look("denied")
    come_to_question(page, site, ask(site.issuer, television).user_code)
    page.locator("button[value=allow]").click()
    check_page(page, "device-done")
    tour.look("allowed")
    page.goto(f"{site.issuer}/device/done?outcome=too_late")
    tour.look("too-late")
    assert not tour.problems, "\n".join(tour.problems)
