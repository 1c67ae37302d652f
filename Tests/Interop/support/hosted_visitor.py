"""Somebody in a browser of their own, on our pages, with passkeys or about to have some."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import requests
from playwright.sync_api import Page

from support.browsing import check_page, page_name, primary
from support.methods import new_email
from support.project import Project
from support.virtual_authenticator import VirtualAuthenticator, VirtualAuthenticators
from support.window import Window

NO_UPGRADE = """if (window.PublicKeyCredential) {
  const create = navigator.credentials.create.bind(navigator.credentials);
  navigator.credentials.create = options => options.mediation === "conditional"
    ? Promise.reject(new DOMException("not now", "NotAllowedError")) : create(options); }"""
SETTINGS, PASSKEYS, OFFER = "settings", "settings-passkeys", "passkey-offer"


class Visitor:
    """Somebody at a browser of their own, with an account that has a password."""

    def __init__(self, window: Window, project: Project):
        self.window, self.project = window, project
        self.page: Page = window.page
        self.devices = VirtualAuthenticators(self.page)
        # Chromium grants an upgrade now and then, after a password; here it never does by itself.
        self.page.add_init_script(NO_UPGRADE)
        self.email, self.password = new_email("visitor"), None
        # Of a session of the methods' wire, where there is one.
        self.refresh: str | None = None

    def sign_up(self) -> Visitor:
        _, self.password = self.project.sign_up_with_password(self.email)
        return self

    def open(self, path: str) -> None:
        self.page.goto(f"{self.project.origin}{path}")

    def sign_in(self, path: str = "/settings", *, offer: str | None = "later") -> None:
        """By password. `offer`: what is pressed if a passkey is offered; `None` stops there."""
        self.open(path)
        check_page(self.page, "login")
        self.page.locator("input[name=username]").fill(self.email)
        self.page.locator("input[name=password]").fill(self.password)
        if self.page.locator("#passkey").is_visible():
            # The page's script has found out what the browser can do.
            self.page.wait_for_selector("input[name=passkeys]", state="attached")
        primary(self.page).click()
        self.page.wait_for_load_state()
        if offer and page_name(self.page) == OFFER:
            self.decide(offer)

    def decide(self, action: str) -> None:
        """On the page that offers a passkey, once its quiet attempt is over."""
        self.page.wait_for_selector("body[data-quiet=over], body:not([data-quiet]) #offer")
        if action == "add":
            self.page.locator("#passkey").click()
        else:
            self.page.locator(f"button[name=action][value={action}]").click()
        self.page.wait_for_load_state()

    def add_passkey(self) -> None:
        """In the settings, where one can be added."""
        self.open("/settings/passkeys")
        check_page(self.page, PASSKEYS)
        self.show_what_is_there()
        count = self.rows().count()
        self.page.locator("#passkey").click()
        self.rows().nth(count).wait_for()

    def show_what_is_there(self) -> None:
        """Whoever has a passkey shows it before adding another one."""
        again = self.page.locator("button[value=sign-in]")
        if again.count():
            again.click()
            self.page.wait_for_selector("body[data-page=login], body[data-page=methods]")
            self.page.locator("#passkey").click()
            self.page.wait_for_selector(f"body[data-page={PASSKEYS}] #passkey:visible")

    def rows(self):
        return self.page.locator("li[data-passkey-id]")

    def forget_session(self) -> None:
        """A browser in which nobody is signed in any more."""
        self.window.context.clear_cookies()

    def http(self) -> requests.Session:
        """Another connection of the same browser."""
        connection = requests.Session()
        for one in self.window.context.cookies():
            connection.cookies.set(one["name"], one["value"], domain="localhost.local")
        return connection

    def is_signed_in(self) -> bool:
        self.open("/settings")
        return page_name(self.page) == SETTINGS


def without_autofill(page: Page) -> None:
    """A browser that offers nothing where names are typed."""
    page.add_init_script(
        "if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false"
    )


def with_passkey(visitor, **options) -> tuple[Visitor, VirtualAuthenticator]:
    """Somebody who has a passkey in this browser and is signed in."""
    made = visitor(**options)
    device = made.devices.phone()
    made.sign_in()
    made.add_passkey()
    return made, device


def signed_up_by_passkey_alone(visitor, project, **options) -> tuple[Visitor, VirtualAuthenticator]:
    """Somebody without a password and without a proved address, who is signed in. `visitor.email` is a plain name."""
    nina = visitor(account=False, **options)
    device = nina.devices.phone()
    nina.email = f"nina-{new_email('x').split('@')[0]}"
    started = project.client.webauthn.sign_up_start(nina.email, project.origin, {"name": "Nina"})
    nina.open("/there-is-nothing-here")
    made = nina.page.evaluate(
        """async json => { const options = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(json).publicKey);
        return (await navigator.credentials.create({ publicKey: options })).toJSON(); }""",
        started["options"],
    )
    answer = project.client.webauthn.sign_up_finish(started["transactionId"], json.dumps(made))
    nina.refresh = project.tokens(answer)[1]
    nina.open("/settings")
    nina.page.wait_for_selector(f"body[data-page={SETTINGS}]")
    return nina, device


def ceremony(project, callback_receiver, started: dict, state: str = "s-1") -> str:
    query = {
        "transaction": started["page"],
        "redirect_uri": f"{callback_receiver.base}/passkey",
        "state": state,
    }
    return f"/passkey?{urlencode(query)}"
