"""A site's pages in Chromium, with virtual authenticators: its own users, our service at another origin."""

from __future__ import annotations

import re

import pytest

from support.passkey_site import identifier
from support.virtual_authenticator import VirtualAuthenticators, grant_upgrades

TIMEOUT_MILLISECONDS = 8_000


@pytest.fixture
def local(service, parties):
    return service(parties["local"])


@pytest.fixture
def visit(chromium, site, passkey_server, parties):
    """Opens the site in a fresh browser: `(page, authenticators)`."""
    site.open(passkey_server.base, parties["local"])
    contexts = []

    def make():
        context = chromium.new_context(locale="en-US")
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        devices = VirtualAuthenticators(page)
        page.goto(site.origin)
        return page, devices

    yield make
    for context in contexts:
        context.close()


def register(page, user, *, upgrade: bool = False) -> dict:
    return page.evaluate(
        "([user, upgrade]) => register(user, upgrade)", [{"username": user.name, "displayName": "Nina"}, upgrade]
    )


def sign_in(page, user: dict | None) -> dict:
    return page.evaluate("user => signIn(user ?? undefined)", user)


def who(answer: dict) -> str:
    assert answer["ok"], answer
    return answer["result"]["user"]["id"]


def started(page, call: str, argument=None) -> None:
    """Begins something that ends later, in `window.outcome`."""
    page.evaluate(f"argument => {{ window.outcome = undefined; ({call}).then(found => window.outcome = found) }}", argument)


def outcome(page) -> dict:
    return page.wait_for_function("window.outcome").json_value()


@pytest.mark.parametrize("kind", ["phone", "resident key", "key", "old key"])
def test_registers_and_signs_in(visit, new_user, kind):
    """What is built in, a key with room, one without, one that knows U2F alone."""
    page, devices = visit()
    device = {
        "phone": devices.phone,
        "resident key": lambda: devices.security_key(resident=True, verifies=True),
        "key": devices.security_key,
        "old key": devices.old_security_key,
    }[kind]()
    user = new_user()
    made = register(page, user)
    assert made["ok"], made
    assert made["result"]["isBackedUp"] == (kind == "phone")
    assert made["result"]["isUvInitialized"] == (kind in ("phone", "resident key"))
    [kept] = device.credentials()
    assert kept["isResidentCredential"] == (kind in ("phone", "resident key"))
    for selector in ({"username": user.name.upper()}, {"id": identifier(user.name)}):
        assert who(sign_in(page, selector)) == identifier(user.name)
    assert device.credentials()[0]["signCount"] > kept["signCount"]


def test_autofill(visit, new_user):
    """The page waits from the beginning; the person picks, and nobody typed anything."""
    page, devices = visit()
    devices.phone()
    user = new_user()
    assert register(page, user)["ok"]
    page.reload()
    assert who(sign_in(page, None)) == identifier(user.name)


def test_a_button_takes_over_from_autofill(visit, new_user):
    """What waits gives way to what was pressed, once that one's options are there."""
    page, devices = visit()
    device = devices.phone()
    user = new_user()
    assert register(page, user)["ok"]
    page.reload()
    device.touch(False)
    started(page, "signIn()")
    page.wait_for_function("passkeys.pending")
    device.touch(True)
    assert who(sign_in(page, {"username": user.name})) == identifier(user.name)
    waiting = outcome(page)
    # Whichever the browser ended first: the pending one was superseded, or found somebody before.
    assert waiting.get("error") in ("canceled_by_user", "unexpected") or waiting["ok"]


def test_an_upgrade_is_asked_for_quietly(visit, new_user):
    """The browser is asked conditionally and shows nothing; without a password manager it never answers, and the page
    goes on."""
    page, devices = visit()
    devices.phone()
    user = new_user()
    page.evaluate(
        """() => { const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = options => { window.asked = options.mediation; return create(options) } }"""
    )
    started(page, "register(argument, true)", {"username": user.name})
    page.wait_for_function("window.asked === 'conditional'")
    page.evaluate("passkeys.cancel()")
    assert outcome(page)["error"] == "canceled_by_user"
    assert register(page, user)["ok"]


def test_an_upgrade_that_the_browser_grants(visit, new_user, authenticators, site, local):
    """A browser that makes the passkey by itself, without anybody there."""
    page, devices = visit()
    user, device = new_user(), authenticators(origin=site.origin)
    grant_upgrades(page, device)
    page.reload()
    made = register(page, user, upgrade=True)
    assert made["ok"] and not made["result"]["isUvInitialized"], made
    assert local.sign_in(device, user.selector, user_present=True) == identifier(user.name)


@pytest.mark.parametrize("ceremony", ["register(argument)", "signIn(argument)"])
def test_cancelling(visit, new_user, ceremony):
    """The person gives up: the page hears it, and the next attempt works."""
    page, devices = visit()
    device = devices.phone()
    user = new_user()
    assert register(page, user)["ok"]
    device.touch(False)
    started(page, ceremony, {"username": user.name})
    page.wait_for_function("passkeys.pending")
    page.evaluate("passkeys.cancel()")
    assert outcome(page)["error"] == "canceled_by_user"
    device.touch(True)
    assert who(sign_in(page, {"username": user.name})) == identifier(user.name)


def test_the_wrong_finger(visit, new_user):
    """Verification is preferred here: a phone that cannot tell who it is signs nobody in."""
    page, devices = visit()
    device = devices.phone()
    user = new_user()
    assert register(page, user)["ok"]
    device.verify_user(False)
    assert sign_in(page, {"username": user.name})["error"] == "canceled_by_user"
    device.verify_user(True)
    assert sign_in(page, {"username": user.name})["ok"]


def test_another_domain_in_the_options(visit, new_user):
    """The browser itself refuses what is not for its page."""
    page, devices = visit()
    devices.phone()

    def bend(route):
        answer = route.fetch()
        body = answer.json()
        inner = body["result"]["publicKey"]
        inner["rp" if "rp" in inner else "rpId"] = {"id": "example.test", "name": "x"} if "rp" in inner else "example.test"
        route.fulfill(response=answer, json=body)

    page.route(re.compile("/options$"), bend)
    assert register(page, new_user())["error"] == "invalid_domain"
    assert sign_in(page, {"username": "nina"})["error"] == "invalid_domain"


def test_a_page_of_another_origin(visit, site, passkey_server, parties):
    """A page that is not registered may not even ask: the browser hides the answer."""
    page, devices = visit()
    devices.phone()
    page.goto(site.origin.replace("localhost", "127.0.0.1"))
    assert page.evaluate("signIn({ username: 'nina' })")["error"] == "network_error"
    # With another relying party's key, it learns that it may not.
    page.goto(site.origin)
    page.evaluate("key => { passkeys.authorization = 'Basic ' + btoa(key + ':') }", parties["keys"].publishable_key)
    assert page.evaluate("signIn({ username: 'nina' })")["error"] == "bad_request"


def test_a_passkey_that_is_switched_off(visit, new_user, local):
    """The backend switches it off: the page is refused; on again, it signs in."""
    page, devices = visit()
    devices.phone()
    user = new_user()
    made = register(page, user)["result"]
    local.ask("/credential/update", {"id": made["id"], "isActive": False}, local.secret)
    refused = sign_in(page, None)
    assert refused["error"] == "bad_request" and "UsingDeactivatedCredential" in refused["more"]
    local.ask("/credential/update", {"id": made["id"], "isActive": True}, local.secret)
    assert who(sign_in(page, user.selector)) == identifier(user.name)


def test_two_accounts_on_one_key(visit, new_user):
    """Each name leads to its own."""
    page, devices = visit()
    device = devices.security_key(resident=True, verifies=True)
    people = [new_user(), new_user()]
    for person in people:
        assert register(page, person)["ok"]
    kept = device.credentials()
    assert len({one["userHandle"] for one in kept}) == len(kept) == 2
    for person in people:
        assert who(sign_in(page, person.selector)) == identifier(person.name)
    assert who(sign_in(page, None)) in {identifier(person.name) for person in people}


def test_a_device_that_forgot(visit, new_user):
    """The person deleted it there: the browser finds nothing, and says so."""
    page, devices = visit()
    device = devices.phone()
    user = new_user()
    assert register(page, user)["ok"]
    device.forget(device.credentials()[0]["credentialId"])
    assert sign_in(page, user.selector)["error"] == "canceled_by_user"


def test_a_name_that_nobody_has(visit):
    """The browser is asked for a decoy, and finds nothing: as for somebody whose device is elsewhere. A decoy that lives in
    a security key is waited for until somebody gives up."""
    page, devices = visit()
    devices.phone()
    started(page, "signIn(argument)", {"username": "nobody@example.test"})
    # A decoy that lives in a telephone is not found at once: nothing waits then.
    page.wait_for_function("passkeys.pending || window.outcome")
    page.wait_for_timeout(1000)
    page.evaluate("passkeys.cancel()")
    assert outcome(page)["error"] == "canceled_by_user"


def test_no_authenticator_at_all(visit, new_user):
    page, devices = visit()
    device = devices.phone()
    assert register(page, new_user())["ok"]
    device.unplug()
    started(page, "register(argument)", {"username": "nina"})
    page.wait_for_function("passkeys.pending")
    page.evaluate("passkeys.cancel()")
    assert outcome(page)["error"] == "canceled_by_user"
