"""Passkeys on our own pages, in Chromium: signing in, being offered one, keeping a list of them."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlencode

import pytest
import requests
from playwright.sync_api import Page

from support.authenticator import decode, encode
from support.browsing import check_page, page_name, primary
from support.forger import Forger
from support.methods import new_email
from support.pages import Page as PlainPage
from support.project import Project
from support.raw import all_at_once
from support.tour import DEVICES, Tour
from support.virtual_authenticator import VirtualAuthenticator, VirtualAuthenticators, grant_upgrades
from support.window import Window

SETTINGS, PASSKEYS, OFFER = "settings", "settings-passkeys", "passkey-offer"


class Visitor:
    """Somebody at a browser of their own, with an account that has a password."""

    def __init__(self, window: Window, project: Project):
        self.window, self.project = window, project
        self.page: Page = window.page
        self.devices = VirtualAuthenticators(self.page)
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


@pytest.fixture
def visitor(chromium, project):
    """Makes visitors; closes their browsers, and looks at what those complained about."""
    windows: list[Window] = []

    def make(*, account: bool = True, project=project, **options) -> Visitor:
        windows.append(Window(chromium, {project.origin, project.base}, **options))
        made = Visitor(windows[-1], project)
        return made.sign_up() if account else made

    yield make
    for window in windows:
        window.close()


@pytest.fixture(scope="module")
def project(tmp_path_factory, mail):
    project = Project(tmp_path_factory.mktemp("hosted"), mail)
    yield project
    project.close()


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


# The list


def test_the_list(visitor):
    """Add, rename, switch off and on, remove; each time a sentence says what happened."""
    nina, _ = with_passkey(visitor)
    nina.open("/settings/passkeys")
    row = nina.rows().first
    row.locator("details.rename summary").click()
    row.locator("input[name=name]").fill("Nina's phone <b>")
    row.locator("button[value=rename]").click()
    check_page(nina.page, PASSKEYS)
    assert "Nina's phone <b>" in nina.rows().first.inner_text()
    assert nina.page.locator("[role=status]").first.inner_text().strip()
    for name in ("", " ", "x" * 65):
        row = nina.rows().first
        row.locator("details.rename summary").click()
        row.locator("input[name=name]").evaluate("(field, name) => { field.removeAttribute('maxlength'); field.value = name }", name)
        row.locator("button[value=rename]").click()
        check_page(nina.page, PASSKEYS)
    assert "Nina's phone <b>" in nina.rows().first.inner_text()
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    assert nina.rows().first.locator("button[value=on]").count() == 1
    nina.page.locator("button[value=on]").first.click()
    check_page(nina.page, PASSKEYS)
    nina.page.locator("a.remove").first.click()
    check_page(nina.page, "settings-passkey-remove")
    nina.page.locator("button[value=deny]").click()
    check_page(nina.page, PASSKEYS)
    assert nina.rows().count() == 1


def test_the_same_device_twice(visitor):
    """It is excluded: a sentence says so, and nothing is added."""
    nina, device = with_passkey(visitor)
    without_autofill(nina.page)
    nina.open("/settings/passkeys")
    nina.show_what_is_there()
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector("#passkey-problem[role=alert]")
    assert len(device.credentials()) == nina.rows().count() == 1
    assert nina.page.locator("#passkey").is_enabled()


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


def test_the_only_way_in_stays(visitor, project):
    """Neither removed nor switched off, by the page or by a form that the page does not show; with a second one it is."""
    nina, device = signed_up_by_passkey_alone(visitor, project)
    nina.open("/settings/passkeys")
    nina.page.locator("button[value=off]").click()
    check_page(nina.page, PASSKEYS)
    assert nina.page.locator("[role=alert]").is_visible() and nina.page.locator("button[value=off]").count() == 1
    nina.page.locator("a.remove").click()
    check_page(nina.page, "settings-passkey-remove")
    assert nina.page.locator("button[value=remove]").count() == 0
    assert nina.page.locator("[role=alert]").is_visible()
    identifier = nina.page.url.split("id=")[1]
    nina.open("/settings/passkeys")
    nina.page.evaluate(
        """id => { const form = document.querySelector("form[method=post]");
        form.setAttribute("action", "/settings/passkeys/remove");
        for (const [name, value] of [["action", "remove"], ["id", id]]) {
          const field = document.createElement("input"); field.type = "hidden"; field.name = name; field.value = value;
          form.append(field); }
        HTMLFormElement.prototype.submit.call(form); }""",
        identifier,
    )
    nina.page.wait_for_load_state()
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 1
    device.unplug()
    nina.devices.security_key(resident=True, verifies=True)
    nina.add_passkey()
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    assert nina.page.locator("button[value=on]").count() == 1


@pytest.mark.parametrize("action", ["remove", "off"])
def test_ten_at_once_leave_one(visitor, project, action):
    """Ten tabs, a passkey each, and no other way in: one of them stays."""
    nina, _ = signed_up_by_passkey_alone(visitor, project)
    webauthn = project.client.webauthn
    for _ in range(9):
        started = webauthn.update_start(nina.email, nina.refresh, project.origin)
        options = json.loads(started["options"])
        made = Forger("localhost", project.origin).create(options)
        webauthn.update_finish(started["transactionId"], json.dumps(made))
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 10
    identifiers = [row.get_attribute("data-passkey-id") for row in nina.rows().all()]
    path = f"{project.origin}/settings/passkeys" + ("/remove" if action == "remove" else "")
    http = [nina.http() for _ in identifiers]
    bodies = []
    for connection, identifier in zip(http, identifiers):
        form = PlainPage(connection.get(path, params={"id": identifier}, timeout=20)).form
        bodies.append({**form.values, "id": identifier, "action": action})

    def attempt(number: int) -> int:
        return http[number].post(path, data=bodies[number], allow_redirects=False, timeout=20).status_code

    statuses = all_at_once(len(bodies), attempt)
    assert sorted(statuses) == [303] * 9 + [422], statuses
    nina.open("/settings/passkeys")
    assert nina.page.locator("button[value=off]").count() == 1


# The page for programs


def ceremony(project, callback_receiver, started: dict, state: str = "s-1") -> str:
    query = {
        "transaction": started["transactionId"],
        "redirect_uri": f"{callback_receiver.base}/passkey",
        "state": state,
    }
    return f"/passkey?{urlencode(query)}"


def test_programs_have_the_browser_as_their_authenticator(visitor, project, callback_receiver):
    """The answer arrives at the program's port; with its transaction it signs in."""
    nina = visitor(account=False)
    nina.window.allowed.add(callback_receiver.base)
    nina.devices.phone()
    webauthn, email = project.client.webauthn, new_email()
    started = webauthn.sign_up_start(email, project.origin, {"name": "Nina"})
    nina.open(ceremony(project, callback_receiver, started))
    check_page(nina.page, "passkey")
    nina.page.locator("#passkey").click()
    arrived = callback_receiver.wait(lambda seen: seen.path == "/passkey" and seen.parameters.get("state") == "s-1")
    response = decode(arrived.parameters["response"]).decode()
    answer = webauthn.sign_up_finish(started["transactionId"], response)
    project.tokens(answer)
    started = webauthn.sign_in_start(email, project.origin)
    nina.open(ceremony(project, callback_receiver, started, "s-2"))
    nina.page.locator("#passkey").click()
    arrived = callback_receiver.wait(lambda seen: seen.parameters.get("state") == "s-2")
    response = decode(arrived.parameters["response"]).decode()
    assert webauthn.sign_in_finish(started["transactionId"], response)["userId"] == answer["userId"]
    started = webauthn.sign_in_start(email, project.origin)
    nina.open(ceremony(project, callback_receiver, started, "s-3"))
    nina.page.locator("#cancel").click()
    arrived = callback_receiver.wait(lambda seen: seen.parameters.get("state") == "s-3")
    assert arrived.parameters["error"] == "canceled_by_user" and "response" not in arrived.parameters


@pytest.mark.parametrize(
    "redirect",
    [
        "https://evil.test/",
        "http://localhost:9000/",
        "http://127.0.0.1/",
        "http://127.0.0.1:9000@evil.test/",
        "http://127.0.0.1:9000.evil.test/",
        "http://127.0.0.1:90000/",
        "http://127.1:9000/",
        "http://[::2]:9000/",
        "javascript:alert(1)//127.0.0.1:9000/",
        "http://127.0.0.1:9000/\r\nSet-Cookie: a=b",
        "http://127.0.0.1:9000\\@evil.test/",
        "//127.0.0.1:9000/",
        "",
    ],
)
def test_answers_go_to_this_machine_alone(project, redirect):
    started = project.client.webauthn.sign_up_start(new_email(), project.origin)
    answer = requests.get(
        f"{project.base}/passkey",
        params={"transaction": started["transactionId"], "redirect_uri": redirect},
        allow_redirects=False,
        timeout=10,
    )
    assert answer.status_code == 400 and 'data-page="error"' in answer.text
    assert "Location" not in answer.headers


# How it looks


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(visitor, project, callback_receiver, theme, device, language):
    """Fits, can be read, in both languages."""
    nina = visitor(color_scheme=theme, locale=language, **DEVICES[device])
    tour = Tour(nina.page, f"{language}-{theme}-{device}")
    without_autofill(nina.page)
    phone = nina.devices.phone()
    nina.open("/settings")
    nina.page.wait_for_selector("#passkey:visible")
    tour.look("passkey-login")
    nina.sign_in(offer=None)
    nina.page.wait_for_selector("body[data-quiet=over]")
    tour.look("passkey-offer")
    nina.open("/settings/passkeys")
    tour.look("passkeys-none")
    nina.add_passkey()
    tour.look("passkeys-added")
    nina.open("/settings/passkeys")
    tour.look("passkeys-sign-in-again")
    nina.show_what_is_there()
    phone.unplug()
    key = nina.devices.security_key(resident=True, verifies=True)
    nina.add_passkey()
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector("#passkey-problem")
    tour.look("passkeys-excluded")
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    nina.rows().last.locator("details.rename summary").click()
    tour.look("passkeys-list")
    nina.page.locator("a.remove").first.click()
    check_page(nina.page, "settings-passkey-remove")
    tour.look("passkey-remove")
    key.unplug()
    started = project.client.webauthn.sign_up_start(new_email(), project.origin, {"name": "Nina"})
    nina.open(ceremony(project, callback_receiver, started))
    tour.look("passkey-ceremony")
    only, _ = signed_up_by_passkey_alone(visitor, project, color_scheme=theme, locale=language, **DEVICES[device])
    only.open("/settings/passkeys")
    only.page.locator("a.remove").click()
    check_page(only.page, "settings-passkey-remove")
    last = Tour(only.page, tour.name)
    last.look("passkey-only")
    assert not tour.problems + last.problems, "\n".join(tour.problems + last.problems)
