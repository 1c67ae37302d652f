"""Passkeys on our own pages, in Chromium: being offered one, and signing in with it."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from support.authenticator import encode
from support.browsing import check_page, page_name
from support.hosted_visitor import OFFER, PASSKEYS, SETTINGS, with_passkey, without_autofill
from support.virtual_authenticator import grant_upgrades


# After a sign-in by other means


def test_an_offer_after_the_password(visitor, project):
    """Accepted: the passkey is there, its owner gets a mail, and the page that was asked for is shown."""
    nina = visitor()
    device = nina.devices.phone()
    nina.sign_in(offer=None)
    check_page(nina.page, OFFER)
    nina.decide("add")
    check_page(nina.page, SETTINGS)
    [kept] = device.credentials()
    assert kept["rpId"] == "localhost" and kept["isResidentCredential"]
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 1
    # Nobody who has one is offered another.
    nina.forget_session()
    without_autofill(nina.page)
    nina.sign_in(offer=None)
    check_page(nina.page, SETTINGS)


def test_not_now(visitor):
    """Declined: the page that was asked for, and no further offer in this browser; in another one, again."""
    nina = visitor()
    device = nina.devices.phone()
    nina.sign_in(offer=None)
    check_page(nina.page, OFFER)
    nina.decide("later")
    check_page(nina.page, SETTINGS)
    assert device.credentials() == []
    kept = [one for one in nina.window.context.cookies() if "no-passkey" in one["name"]]
    assert kept and kept[0]["httpOnly"]
    nina.window.context.clear_cookies(name="keyturn-session")
    nina.sign_in(offer=None)
    check_page(nina.page, SETTINGS)
    nina.forget_session()
    nina.sign_in(offer=None)
    check_page(nina.page, OFFER)


def test_a_quiet_upgrade(visitor, project, authenticators):
    """A browser that grants it makes the passkey without a question; it signs in from then on."""
    nina, device = visitor(), authenticators(origin=project.origin)
    nina.devices.phone()
    grant_upgrades(nina.page, device)
    nina.sign_in(offer=None)
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")
    assert len(device.credentials()) == 1
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 1
    started = project.client.webauthn.sign_in_start(nina.email, project.origin)
    answer = device.get(json.loads(started["options"]), user_present=True, user_verified=True)
    signed_in = project.client.webauthn.sign_in_finish(started["transactionId"], json.dumps(answer))
    # Nobody was verified when it was made: it counts as one factor.
    assert "mfa" not in signed_in["sessionToken"]["amr"]


def test_no_offer_where_it_cannot_be_had(visitor, project):
    """Without scripts, or in a browser without an authenticator of its own, nothing stands in the way."""
    nina = visitor(java_script_enabled=False)
    nina.sign_in(offer=None)
    check_page(nina.page, SETTINGS)
    nina.open("/settings/passkeys")
    check_page(nina.page, PASSKEYS)
    assert not nina.page.locator("#passkey").is_visible()
    nina.forget_session()
    nina.open("/settings")
    assert not nina.page.locator("#passkey").is_visible()


# Signing in


def test_autofill(visitor):
    """The browser offers it where the name is typed; nobody presses anything of ours."""
    nina, device = with_passkey(visitor)
    nina.forget_session()
    nina.open("/settings")
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")
    assert device.credentials()[0]["signCount"] > 1


def test_the_button(visitor):
    nina, _ = with_passkey(visitor)
    nina.forget_session()
    without_autofill(nina.page)
    nina.open("/settings")
    check_page(nina.page, "login")
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")


def test_whoever_gives_up_is_not_scolded(visitor):
    """The finger is wrong, or the window is closed: no alert, and the button can be pressed again."""
    nina, device = with_passkey(visitor)
    nina.forget_session()
    without_autofill(nina.page)
    nina.open("/settings")
    nina.page.evaluate(
        """() => { const get = navigator.credentials.get.bind(navigator.credentials); let first = true;
        navigator.credentials.get = options => {
          if (first) { first = false; return Promise.reject(new DOMException("closed", "NotAllowedError")); }
          return get(options); } }"""
    )
    button = nina.page.locator("#passkey")
    button.click()
    nina.page.wait_for_selector("#passkey:enabled")
    assert nina.page.locator("[role=alert]").count() == 0
    button.click()
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")


def test_a_passkey_that_was_switched_off(visitor):
    """The page says so, and still works; switched on, it signs in."""
    nina, _ = with_passkey(visitor)
    nina.open("/settings/passkeys")
    nina.page.locator("button[value=off]").click()
    check_page(nina.page, PASSKEYS)
    nina.forget_session()
    without_autofill(nina.page)
    nina.open("/settings")
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector("[role=alert]")
    check_page(nina.page, "login")
    assert nina.page.locator("[role=alert]").inner_text().strip()
    nina.sign_in(offer="later")
    nina.open("/settings/passkeys")
    nina.page.locator("button[value=on]").click()
    check_page(nina.page, PASSKEYS)
    nina.forget_session()
    nina.open("/settings")
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")


def test_a_passkey_that_was_removed_here(visitor):
    """The device is told that nobody knows it any more, once the settings have removed it, and again if it is shown."""
    nina, device = with_passkey(visitor)
    nina.page.add_init_script(
        """window.told = []; for (const name of ["signalUnknownCredential", "signalAllAcceptedCredentials"])
        PublicKeyCredential[name] = async details => {
          sessionStorage.told = JSON.stringify([...JSON.parse(sessionStorage.told ?? "[]"), [name, details]]); };"""
    )
    nina.open("/settings/passkeys")
    identifier = encode(device.credentials()[0]["credentialId"])
    nina.page.locator("a.remove").click()
    check_page(nina.page, "settings-passkey-remove")
    nina.page.locator("button[value=remove]").click()
    check_page(nina.page, PASSKEYS)
    assert nina.rows().count() == 0
    told = json.loads(nina.page.evaluate("sessionStorage.told"))
    assert ["signalUnknownCredential", {"rpId": "localhost", "credentialId": identifier}] in told
    # A link that somebody else made says nothing about a passkey that is there.
    nina.add_passkey()
    [good] = {encode(one["credentialId"]) for one in device.credentials()} - {identifier}
    nina.page.evaluate("sessionStorage.removeItem('told')")
    nina.open(f"/settings/passkeys?done=removed&forget={good}")
    told = json.loads(nina.page.evaluate("sessionStorage.told ?? '[]'"))
    assert not [one for one in told if one[0] == "signalUnknownCredential"], told
    for name, details in told:
        assert good in details["allAcceptedCredentialIds"], (name, details)


def test_two_tabs_that_opened_together(visitor):
    """The mark of the first tab's form was replaced by the second one: at the latest the second press signs in."""
    nina, _ = with_passkey(visitor)
    nina.forget_session()
    without_autofill(nina.page)
    nina.open("/settings")
    check_page(nina.page, "login")
    nina.window.context.clear_cookies()
    second = nina.window.context.new_page()
    second.goto(f"{nina.project.origin}/settings")
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}], [role=alert]")
    if page_name(nina.page) == "login":
        nina.page.locator("#passkey").click()
        nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")


def test_an_answer_belongs_to_its_browser(visitor, project):
    """94: caught in one browser, it signs in no other one."""
    nina, _ = with_passkey(visitor)
    nina.forget_session()
    without_autofill(nina.page)
    caught = []
    nina.page.route("**/login", lambda route: (caught.append(route.request.post_data), route.abort()))
    nina.open("/settings")
    nina.page.locator("#passkey").click()
    nina.page.wait_for_timeout(500)
    assert caught and "passkey=" in caught[0]
    answer = dict(parse_qsl(caught[0]))["passkey"]
    thief = visitor(account=False)
    thief.open("/settings")
    thief.page.evaluate(
        """answer => { const form = document.querySelector("form[method=post]");
        for (const [name, value] of [["action", "passkey"], ["passkey", answer]]) {
          const field = document.createElement("input"); field.type = "hidden"; field.name = name; field.value = value;
          form.append(field); }
        HTMLFormElement.prototype.submit.call(form); }""",
        answer,
    )
    thief.page.wait_for_load_state()
    thief.page.wait_for_selector("[role=alert]")
    assert not thief.is_signed_in()
