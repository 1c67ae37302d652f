"""People and the pages: signing in, making mistakes, agreeing, leaving."""

from __future__ import annotations

import re

import pytest

from support.browsing import address, check_page, fill_and_send, page_name, primary, wait_for_app
from support.configuration import JONAS, MARIA


@pytest.fixture
def rp(app):
    return app("first-app")


def test_sign_in(window, rp):
    """The page, the password, the app; the code is good."""
    request = rp.request(pkce=True)
    page = window.page
    page.goto(address(rp, request))
    check_page(page, "login")
    fill_and_send(page)
    wait_for_app(page, rp)
    code = re.search(r"[?&]code=([^&]+)", page.url)[1]
    answer = rp.accepted(rp.post("token", rp.redemption(code, request)))
    assert rp.check_id_token(answer, request, code=code)["sub"] == MARIA.sub


def test_fields_help_password_managers(window, rp):
    """Autocomplete tokens, a real form, a label for each field."""
    page = window.page
    page.goto(address(rp, rp.request()))
    username, password = page.locator("input[name=username]"), page.locator("input[name=password]")
    assert username.get_attribute("autocomplete") == "username webauthn"
    assert password.get_attribute("autocomplete") == "current-password"
    assert password.get_attribute("type") == "password"
    for field in (username, password):
        name = field.get_attribute("id")
        assert page.locator(f"label[for='{name}']").count() or field.evaluate("field => !!field.closest('label')")


def test_wrong_password_then_right(window, rp):
    """An alert; the name stays; the page still works."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page, JONAS, password="not-this-one-at-all")
    check_page(page, "login")
    alert = page.locator("[role=alert]")
    assert alert.is_visible() and alert.inner_text().strip()
    assert page.locator("input[name=password]").input_value() == ""
    fill_and_send(page, JONAS)
    wait_for_app(page, rp)


def test_keyboard_alone(window, rp):
    """Tab and Enter; the focus is where somebody starts to type."""
    page = window.page
    page.goto(address(rp, rp.request()))
    for _ in range(15):
        if page.evaluate("document.activeElement.name") == "username":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "username", "the name cannot be reached"
    page.keyboard.type(MARIA.login)
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "password":
            break
    assert page.evaluate("document.activeElement.name") == "password", "the password cannot be reached"
    page.keyboard.type(MARIA.password)
    page.keyboard.press("Enter")
    wait_for_app(page, rp)


def test_enter_in_a_form_never_refuses(window, app):
    """The button that Enter presses is the one that goes on."""
    rp = app("consent-app-two")
    page = window.page
    page.goto(address(rp, rp.request(scope="openid profile")))
    page.locator("input[name=username]").fill(MARIA.login)
    page.locator("input[name=password]").fill(MARIA.password)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    check_page(page, "consent")


def test_double_click_signs_in_once(window, rp):
    """Impatience is no error."""
    page = window.page
    page.goto(address(rp, rp.request()))
    page.locator("input[name=username]").fill(MARIA.login)
    page.locator("input[name=password]").fill(MARIA.password)
    primary(page).dblclick(no_wait_after=True)
    wait_for_app(page, rp)


def test_cancel_goes_back_to_the_app(window, rp):
    """Refusing needs no password."""
    page = window.page
    page.goto(address(rp, rp.request()))
    page.locator("button[name=action][value=deny]").click()
    wait_for_app(page, rp)
    assert "error=access_denied" in page.url and "code=" not in page.url


def test_german(window, rp):
    """`ui_locales`: language, heading and button, on the page and after a mistake."""
    page = window.page
    page.goto(address(rp, rp.request(ui_locales="en")))
    english = page.locator("h1").inner_text(), primary(page).inner_text()
    page.goto(address(rp, rp.request(ui_locales="de-CH")))
    check_page(page, "login")
    assert page.locator("html").get_attribute("lang").split("-")[0] == "de"
    german = page.locator("h1").inner_text(), primary(page).inner_text()
    assert english[0] != german[0] and english[1] != german[1]
    fill_and_send(page, JONAS, password="auch-nicht-richtig")
    check_page(page, "login")
    assert page.locator("html").get_attribute("lang").split("-")[0] == "de"
    fill_and_send(page, JONAS)
    wait_for_app(page, rp)


def test_language_of_the_browser(open_window, rp):
    """Without a wish of the app, the browser's."""
    page = open_window(locale="de-DE").page
    page.goto(address(rp, rp.request()))
    assert page.locator("html").get_attribute("lang").split("-")[0] == "de"


def test_consent_allow_and_deny(open_window, app):
    """Who asks and for what; saying no reaches the app too; a yes is remembered."""
    rp = app("browser-app")
    page = open_window().page
    page.goto(address(rp, rp.request(scope="openid email")))
    fill_and_send(page, JONAS)
    check_page(page, "consent")
    assert "Browser App" in page.inner_text("body"), "it does not say who asks"
    page.locator("button[name=action][value=deny]").click()
    wait_for_app(page, rp)
    assert "error=access_denied" in page.url
    page.goto(address(rp, rp.request(scope="openid email")))
    check_page(page, "consent")
    primary(page).click()
    wait_for_app(page, rp)
    assert "code=" in page.url
    page.goto(address(rp, rp.request(scope="openid email")))
    wait_for_app(page, rp)
    page.goto(address(rp, rp.request(scope="openid email phone")))
    check_page(page, "consent")


def test_logout_is_confirmed_and_final(window, rp, provider):
    """A question, a page that says so; going back shows nothing that is over."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page)
    wait_for_app(page, rp)
    page.goto(provider.endpoint("end_session"))
    check_page(page, "logout")
    primary(page).click()
    check_page(page, "signed-out")
    page.go_back()
    page.wait_for_load_state()
    assert page_name(page) in ("logout", "signed-out", "error")
    page.goto(address(rp, rp.request()))
    check_page(page, "login")


def test_logout_from_an_app(window, rp, provider):
    """Through the browser, redirect and all."""
    page = window.page
    request = rp.request()
    page.goto(address(rp, request))
    fill_and_send(page)
    wait_for_app(page, rp)
    code = re.search(r"[?&]code=([^&]+)", page.url)[1]
    answer = rp.accepted(rp.post("token", rp.redemption(code, request)))
    after = rp.client.entry_extra["post_logout_redirect_uris"][0]
    page.goto(
        f"{provider.endpoint('end_session')}?id_token_hint={answer['id_token']}&post_logout_redirect_uri={after}&state=s1"
    )
    page.wait_for_url(f"{after}?state=s1")


def test_logout_confirmed_with_a_way_back(window, rp, provider):
    """Asked first, because there is no hint; the form's answer may leave for the app."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page)
    wait_for_app(page, rp)
    after = rp.client.entry_extra["post_logout_redirect_uris"][0]
    page.goto(f"{provider.endpoint('end_session')}?client_id={rp.client_id}&post_logout_redirect_uri={after}&state=s2")
    check_page(page, "logout")
    primary(page).click()
    page.wait_for_url(f"{after}?state=s2")


def test_back_button(window, rp):
    """After signing in, going back leads on again, or explains; it never breaks."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page)
    wait_for_app(page, rp)
    page.go_back()
    page.wait_for_load_state()
    if not page.url.startswith(rp.redirect_uri):
        assert page_name(page) in ("login", "error"), page.url
        assert page.locator("h1").inner_text().strip()
    page.goto(address(rp, rp.request()))
    wait_for_app(page, rp)


def test_back_to_the_form_and_again(window, rp):
    """A wrong password, back, the right one on the older page."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page, JONAS, password="wrong-once-more")
    check_page(page, "login")
    page.go_back()
    check_page(page, "login")
    fill_and_send(page, JONAS)
    wait_for_app(page, rp)


def test_two_tabs_at_once(window, rp, app):
    """Both pages are open before somebody signs in; both reach their app."""
    other = app("second-app")
    first, second = window.page, window.context.new_page()
    first.goto(address(rp, rp.request()))
    second.goto(address(other, other.request()))
    check_page(first, "login")
    check_page(second, "login")
    fill_and_send(first)
    wait_for_app(first, rp)
    fill_and_send(second)
    wait_for_app(second, other)
    assert "code=" in second.url


def test_two_tabs_with_a_mark_each(window, rp, app):
    """The second tab has replaced the cookie that the first one's form belongs to: one sign-in is enough still."""
    other = app("second-app")
    first, second = window.page, window.context.new_page()
    first.goto(address(rp, rp.request()))
    window.context.clear_cookies()
    second.goto(address(other, other.request()))
    fill_and_send(first)
    wait_for_app(first, rp)
    fill_and_send(second)
    wait_for_app(second, other)


def test_two_tabs_opened_together(window, rp, app):
    """Both loads are under way in a browser that has no cookie yet; either may be answered last."""
    other = app("second-app")
    first, second = window.page, window.context.new_page()
    first.goto(f"{rp.provider.base}/.well-known/openid-configuration")
    for page, party in ((first, rp), (second, other)):
        page.evaluate(
            "address => { setTimeout(() => { location.href = address }, 50) }", address(party, party.request())
        )
    for page in (first, second):
        page.wait_for_url("**/login?**")
        check_page(page, "login")
    fill_and_send(first)
    wait_for_app(first, rp)
    fill_and_send(second)
    wait_for_app(second, other)


def test_reload(window, rp):
    """A page is a page: reloading it changes nothing, before and after a mistake."""
    page = window.page
    page.goto(address(rp, rp.request()))
    page.reload()
    check_page(page, "login")
    fill_and_send(page)
    wait_for_app(page, rp)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_form_post(open_window, app, callback_receiver, scripts):
    """Submits itself; without scripts, by a button. The app is posted a code."""
    rp = app("second-app", "form_post")
    page = open_window(java_script_enabled=scripts).page
    request = rp.request()
    page.goto(address(rp, request))
    fill_and_send(page)
    if not scripts:
        page.wait_for_load_state()
        assert "code=" not in page.url
        page.locator("form button, form input[type=submit]").first.click()
    page.wait_for_url(rp.redirect_uri)
    posted = callback_receiver.wait(
        lambda seen: seen.method == "POST" and seen.form.get("state") == request.get("state")
    )
    assert posted.query == [] and posted.headers["content-type"].startswith("application/x-www-form-urlencoded")
    answer = rp.accepted(rp.post("token", rp.redemption(posted.form["code"], request)))
    rp.check_id_token(answer, request)


def test_everything_without_scripts(open_window, app, provider):
    """Mistake, sign-in, consent, logout: no page needs a script."""
    rp = app("browser-app")
    page = open_window(java_script_enabled=False).page
    page.goto(address(rp, rp.request(scope="openid address")))
    fill_and_send(page, JONAS, password="wrong-without-scripts")
    check_page(page, "login")
    assert page.locator("[role=alert]").is_visible()
    fill_and_send(page, JONAS)
    check_page(page, "consent")
    primary(page).click()
    wait_for_app(page, rp)
    page.goto(provider.endpoint("end_session"))
    check_page(page, "logout")
    primary(page).click()
    check_page(page, "signed-out")


def test_somebody_else_can_sign_in(window, rp):
    """`prompt=select_account`, on a computer that several people use: the app learns who came."""
    page = window.page
    page.goto(address(rp, rp.request()))
    fill_and_send(page)
    wait_for_app(page, rp)
    request = rp.request(prompt="select_account")
    page.goto(address(rp, request))
    check_page(page, "login")
    fill_and_send(page, JONAS)
    wait_for_app(page, rp)
    code = re.search(r"[?&]code=([^&]+)", page.url)[1]
    answer = rp.accepted(rp.post("token", rp.redemption(code, request)))
    assert rp.check_id_token(answer, request, code=code)["sub"] == JONAS.sub
