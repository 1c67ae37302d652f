"""Our browser client: the very file that the server serves, on a site of another origin, in Chromium."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest
import requests

from support.browser_client_pages import add_client_pages
from support.passkey_site import identifier
from support.passkey_wire import Party, Service
from support.server import REPOSITORY, Server, binary, die_with_parent, free_port
from support.virtual_authenticator import VirtualAuthenticators, grant_upgrades

TIMEOUT_MILLISECONDS = 8_000
CEREMONIES_PER_NETWORK = 3_000
HOUR_MILLISECONDS = 3_600_000
MINUTE_MILLISECONDS = 60_000
LATE = f"new Promise((_, fail) => setTimeout(fail, {TIMEOUT_MILLISECONDS}, Error('it never ended')))"
FORMS = ["module", "script"]
OPTIONS = re.compile(r"/(attestation|assertion)/options$")
PROCESS = re.compile(r"/(attestation|assertion)/process$")


@pytest.fixture(scope="module")
def files(passkey_server) -> dict[str, dict]:
    """The files by their names, from the list that the server has."""
    listed = requests.get(f"{passkey_server.base}/js/v1/passkeys.json", timeout=10).json()
    return {file["name"]: file for file in listed["files"]}


@pytest.fixture(scope="module")
def client_site(site, passkey_server, parties, files):
    site.open(passkey_server.base, parties["local"])
    add_client_pages(site, passkey_server.base, files)
    yield site
    site.pages, site.policy = {}, None


@pytest.fixture
def visit(chromium, client_site):
    """Opens a page of the site in a fresh browser: `(page, authenticators)`."""
    contexts = []

    def make(path: str = "/module", *, ready: bool = True, before=lambda page: None):
        context = chromium.new_context(locale="en-US")
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        before(page)
        devices = VirtualAuthenticators(page)
        page.goto(client_site.origin + path)
        if ready:
            until(page, "!!window.passkeys")
        return page, devices

    yield make
    for context in contexts:
        context.close()


def ask(page, call: str, argument=None) -> dict:
    """What a call of the client answers; it has to answer."""
    return page.evaluate(f"argument => Promise.race([passkeys.{call}, {LATE}])", argument)


def start(page, name: str, call: str, argument=None) -> None:
    """Begins a call that ends later, in `window[name]`."""
    page.evaluate(f"argument => {{ passkeys.{call}.then(found => window.{name} = found) }}", argument)


def until(page, expression: str):
    """Waits until this is true, and answers it. Playwright's own way needs `eval`, which the pages' policy forbids."""
    for _ in range(TIMEOUT_MILLISECONDS // 10):
        if found := page.evaluate(expression):
            return found
        page.wait_for_timeout(10)
    raise AssertionError(f"never: {expression}; {page.evaluate('window.prompts')}")


def outcome(page, name: str) -> dict:
    return until(page, f"window.{name}")


def asked(page) -> None:
    """Counts what the page asks the browser for, in `window.prompts`, and still asks it."""
    page.add_init_script(
        """window.prompts = []; for (const kind of ["get", "create"]) {
        const real = navigator.credentials[kind].bind(navigator.credentials);
        navigator.credentials[kind] = (options) => { prompts.push(options.mediation ?? "prompt"); return real(options) } }"""
    )


def token(result: dict) -> str:
    """The token of a success. Beside it is what the service says to every page without https."""
    assert result["ok"] and [one["code"] for one in result["errors"]] == ["OriginInsecure"], result
    assert set(result["data"]) == {"token", "expiresAt"} and isinstance(result["data"]["expiresAt"], int)
    return result["data"]["token"]


def register(site, page, user) -> dict:
    made = token(ask(page, "startRegister(argument)", {"username": user.name}))
    attached = site.backend("/register", {"token": made, "username": user.name})
    assert attached["ok"], attached
    return attached["result"]


def who(site, result: dict) -> str:
    """Whom the site's backend learns, with its secret key."""
    found = site.backend("/sign-in", {"token": token(result)})
    assert found["ok"], found
    return found["result"]["user"]["id"]


def refused(result: dict, code: str) -> dict:
    assert not result["ok"] and result["error"] == code and result["errors"][0]["code"] == code, result
    return result["more"]


def test_the_hashes_are_those_of_the_files(passkey_server, files):
    """The list, the program's own words, and the bytes; a copy that the program prints is the same file."""
    printed = json.loads(subprocess.check_output([binary(), "browser-client", "--json"], timeout=20))
    assert {file["name"]: file for file in printed["files"]} == files
    for form, name in [("module", "passkeys.mjs"), ("script", "passkeys.js"), ("types", "passkeys.d.mts")]:
        content = requests.get(passkey_server.base + files[name]["pinnedPath"], timeout=10).content
        digest = base64.b64encode(hashlib.sha384(content).digest()).decode()
        assert files[name]["integrity"] == f"sha384-{digest}"
        assert subprocess.check_output([binary(), "browser-client", "--print", form], timeout=20) == content


@pytest.mark.parametrize("form", FORMS)
def test_registers_signs_in_and_fills_in(visit, client_site, passkey_server, new_user, form):
    """By name, by identifier, and by what the browser offers; nothing but the service is asked, and no cookie is set."""
    addresses, headers = [], []

    def watch(page):
        page.on("request", lambda request: addresses.append(request.url))
        page.on("response", lambda response: headers.append(response.all_headers()))

    page, devices = visit(f"/{form}", before=watch)
    devices.phone()
    user = new_user()
    assert register(client_site, page, user)["isActive"]
    for selector in ({"username": user.name.upper()}, {"id": identifier(user.name)}, {"id": None, "handle": user.name}):
        assert who(client_site, ask(page, "startAuth(argument)", selector)) == identifier(user.name)
    assert who(client_site, ask(page, "autofill()")) == identifier(user.name)
    assert page.evaluate("new Promise(done => passkeys.handleAutofill(done))")["ok"]
    assert page.evaluate("passkeys.isWebAuthnAvailable") and ask(page, "isConditionalGetAvailable()")
    places = {address for address in addresses if not address.startswith("data:")}
    assert all(address.startswith((client_site.origin, passkey_server.base)) for address in places), places
    assert not [one for one in headers if "set-cookie" in one] and page.context.cookies() == []


@pytest.mark.parametrize("form", FORMS)
def test_a_file_with_another_hash_is_not_run(visit, form):
    messages: list[str] = []
    page, _ = visit(
        f"/wrong-{form}", ready=False, before=lambda page: page.on("console", lambda message: messages.append(message.text))
    )
    page.wait_for_load_state()
    assert page.evaluate("window.passkeys") is None
    assert any("integrity" in message for message in messages), messages


def test_a_copy_is_told_the_address(visit, client_site, passkey_server, new_user):
    """Whoever serves the file itself names the service, as SnapAuth's users do."""
    page, devices = visit("/script")
    devices.phone()
    more = refused(page.evaluate("new SnapAuth.SDK('pubkey_x', '').startAuth({ id: '1' })"), "bad_request")
    assert "host" in more["message"]
    key = client_site.service.party.publishable_key
    page.evaluate("([key, host]) => { passkeys = new Keyturn.SDK(key, host + '/') }", [key, passkey_server.base])
    register(client_site, page, new_user())


def test_a_button_takes_over_from_autofill(visit, client_site, new_user):
    page, devices = visit(before=asked)
    device = devices.phone()
    user = new_user()
    register(client_site, page, user)
    device.touch(False)
    start(page, "offered", "autofill()")
    until(page, "prompts.includes('conditional')")
    device.touch(True)
    assert who(client_site, ask(page, "startAuth(argument)", user.selector)) == identifier(user.name)
    waiting = outcome(page, "offered")
    # The browser may have answered the offer at the moment of the touch.
    assert waiting["ok"] or refused(waiting, "canceled_by_user")["reason"] == "superseded"


def test_an_older_call_does_not_end_a_newer_one(visit, client_site, new_user):
    """Its options come late: the prompt that the user sees stays."""
    page, devices = visit(before=asked)
    device = devices.phone()
    user = new_user()
    register(client_site, page, user)
    device.touch(False)
    held = []
    page.route(OPTIONS, lambda route: held.append(route) if not held else route.continue_())
    start(page, "older", "autofill()")
    while not held:
        page.wait_for_timeout(10)
    start(page, "newer", "startAuth(argument)", user.selector)
    until(page, "prompts.at(-1) === 'prompt' && prompts.length === 2")
    held[0].continue_()
    assert refused(outcome(page, "older"), "canceled_by_user")["reason"] == "superseded"
    assert page.evaluate("[prompts.length, window.newer ?? null]") == [2, None]
    page.evaluate("passkeys.cancel()")
    assert refused(outcome(page, "newer"), "canceled_by_user")["reason"] == "canceled"


def test_many_at_once(visit, client_site, new_user):
    """Of ten calls the last one has the prompt; the others say so, and the next call works."""
    page, devices = visit()
    device = devices.phone()
    user = new_user()
    register(client_site, page, user)
    device.touch(False)
    page.evaluate("user => { window.all = Array.from({ length: 10 }, () => passkeys.startAuth(user)) }", user.selector)
    ended = page.evaluate(f"Promise.race([Promise.all(all.slice(0, 9)), {LATE}])")
    assert {refused(one, "canceled_by_user")["reason"] for one in ended} == {"superseded"}
    page.evaluate("passkeys.cancel()")
    assert refused(page.evaluate(f"Promise.race([all[9], {LATE}])"), "canceled_by_user")["reason"] == "canceled"
    device.touch(True)
    assert who(client_site, ask(page, "autofill()")) == identifier(user.name)


@pytest.mark.parametrize("call", ["startRegister(argument)", "startAuth(argument)", "autofill()"])
def test_the_page_gives_up(visit, client_site, new_user, call):
    """`cancel()` ends what is pending; the next attempt works."""
    page, devices = visit(before=asked)
    device = devices.phone()
    user = new_user()
    register(client_site, page, user)
    device.touch(False)
    start(page, "ended", call, user.selector)
    until(page, "prompts.length === 2")
    page.evaluate("passkeys.cancel()")
    assert refused(outcome(page, "ended"), "canceled_by_user")["reason"] == "canceled"
    device.touch(True)
    assert who(client_site, ask(page, "startAuth(argument)", user.selector)) == identifier(user.name)


def test_an_offer_outlives_its_challenge(visit, client_site, new_user):
    """A page that was open for two hours still signs in: the offer has a new challenge before the old one expires."""
    options = []

    def prepare(page):
        asked(page)
        page.clock.install()
        page.on("request", lambda request: options.append(request.url) if OPTIONS.search(request.url) else None)

    page, devices = visit(before=prepare)
    device = devices.phone()
    user = new_user()
    register(client_site, page, user)
    device.touch(False)
    start(page, "offered", "autofill()")
    until(page, "prompts.length === 2")
    page.clock.fast_forward(HOUR_MILLISECONDS)
    until(page, "prompts.length === 3")
    # A computer that wakes up without a connection: the offer comes back with it.
    page.context.set_offline(True)
    page.clock.fast_forward(HOUR_MILLISECONDS)
    while len(options) < 4:
        page.wait_for_timeout(10)
    page.context.set_offline(False)
    device.touch(True)
    while len(options) < 5:
        page.clock.fast_forward(MINUTE_MILLISECONDS)
        page.wait_for_timeout(200)
    assert who(client_site, outcome(page, "offered")) == identifier(user.name)
    assert len(options) == 5


def test_an_upgrade_that_the_browser_grants(visit, client_site, new_user, authenticators, service, parties):
    """A browser that makes the passkey by itself, without a prompt."""
    device = authenticators(origin=client_site.origin)

    def prepare(page):
        grant_upgrades(page, device)
        say(page, conditionalCreate=True)

    page, _ = visit(before=prepare)
    user = new_user()
    assert ask(page, "isConditionalCreateAvailable()")
    made = token(ask(page, "upgradeToPasskey(argument)", {"username": user.name, "displayName": "Nina"}))
    attached = client_site.backend("/register", {"token": made, "username": user.name})
    assert attached["ok"] and not attached["result"]["isUvInitialized"], attached
    local = service(parties["local"])
    assert local.sign_in(device, user.selector, user_present=True) == identifier(user.name)


def test_an_upgrade_that_the_browser_does_not_answer(visit, new_user):
    """It ends by itself, and nothing was shown; a browser without upgrades is not asked."""

    def prepare(page):
        asked(page)
        page.clock.install()
        say(page, conditionalCreate=True)

    page, devices = visit(before=prepare)
    devices.phone()
    start(page, "ended", "upgradeToPasskey(argument)", {"username": new_user().name})
    until(page, "prompts.length === 1")
    page.clock.fast_forward(31_000)
    refused(outcome(page, "ended"), "timeout")
    assert page.evaluate("prompts") == ["conditional"]
    page, _ = visit(before=lambda page: say(page, conditionalCreate=False))
    refused(ask(page, "upgradeToPasskey(argument)", {"username": "nina"}), "api_unsupported_in_browser")


def say(page, **capabilities) -> None:
    """Has the browser say that it has these."""
    page.add_init_script(
        f"PublicKeyCredential.getClientCapabilities = async () => ({json.dumps(capabilities)});"
    )


def test_pages_of_other_origins(visit, client_site, parties, passkey_server):
    """The browser hides the service's answer from a site that no relying party lists, and from a sandboxed frame."""
    page, devices = visit("/script")
    devices.phone()
    other = client_site.origin.replace("localhost", "127.0.0.1")
    page.goto(other + "/script")
    refused(ask(page, "startAuth({ username: 'nina' })"), "network_error")
    refused(ask(page, "startRegister({ username: 'nina' })"), "network_error")
    # A frame without an origin: what it sends as one is the word null.
    page.goto(client_site.origin)
    page.evaluate(
        """([base, path, key]) => { addEventListener("message", event => { window.heard = event.data });
        const frame = document.createElement("iframe"); frame.sandbox = "allow-scripts";
        frame.allow = "publickey-credentials-get"; frame.srcdoc = `<script src="${base}${path}"></` + `script><script>
        new Keyturn.SDK("${key}").startAuth({ id: "1" }).then(({ ok, error, errors }) => parent.postMessage({ ok, error,
        errors, more: { origin } }, "*"))</` + "script>"; document.body.append(frame) }""",
        [passkey_server.base, "/js/v1/passkeys.js", parties["local"].publishable_key],
    )
    assert refused(outcome(page, "heard"), "network_error")["origin"] == "null"
    # Another relying party's key: the service says that it is not for this site.
    page.goto(client_site.origin + "/script")
    page.evaluate("key => { passkeys = new Keyturn.SDK(key) }", parties["keys"].publishable_key)
    assert refused(ask(page, "startAuth({ username: 'nina' })"), "invalid_domain")["status"] == 403
    page.evaluate("passkeys = new Keyturn.SDK('pubkey_nobody')")
    assert refused(ask(page, "startAuth({ username: 'nina' })"), "bad_request")["status"] == 401


@pytest.mark.parametrize("origin", ["https://evil.example.test", "null", "http://localhost", "HTTP://LOCALHOST:1", ""])
def test_what_the_service_lets_other_origins_read(passkey_server, parties, origin):
    """Neither the question before a request nor the request itself is answered to them."""
    for path in ("/assertion/options", "/attestation/process", "/auth/verify"):
        asking = requests.options(
            passkey_server.base + path,
            headers={"Origin": origin, "Access-Control-Request-Method": "POST",
                     "Access-Control-Request-Headers": "authorization"},
            timeout=10,
        )  # fmt: skip
        told = requests.post(
            passkey_server.base + path, json={}, timeout=10,
            headers={"Origin": origin, "Authorization": Service.basic(name=parties["local"].publishable_key)},
        )  # fmt: skip
        for answer in (asking, told):
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")], answer.headers
        assert told.status_code == 403, told.text


def test_a_page_without_https(chromium, passkey_server, files):
    """The documented error, before anything is asked."""
    script = requests.get(passkey_server.base + files["passkeys.js"]["path"], timeout=10).text
    context = chromium.new_context()
    page = context.new_page()
    text = f"<!doctype html><script>{script}; passkeys = new SnapAuth.SDK('pubkey_x', 'https://id.example.test')</script>"
    page.route("http://shop.example.test/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("http://shop.example.test/")
    assert not page.evaluate("isSecureContext")
    for call in ("startAuth({ id: '1' })", "startRegister({ username: 'n' })", "autofill()",
                 "upgradeToPasskey({ username: 'n' })"):  # fmt: skip
        refused(ask(page, call), "invalid_domain")
    context.close()


def test_a_browser_without_passkeys(visit):
    page, _ = visit(before=lambda page: page.add_init_script("delete window.PublicKeyCredential"))
    assert not page.evaluate("passkeys.isWebAuthnAvailable")
    assert not ask(page, "isConditionalGetAvailable()") and not ask(page, "isConditionalCreateAvailable()")
    refused(ask(page, "startAuth({ id: '1' })"), "webauthn_unavailable")
    refused(ask(page, "startRegister({ username: 'n' })"), "webauthn_unavailable")
    refused(ask(page, "autofill()"), "api_unsupported_in_browser")
    refused(ask(page, "signalUnknownCredential({})"), "api_unsupported_in_browser")


def test_what_cannot_be_asked(visit, new_user):
    """Nothing is sent for it: a sign-in without a name would wait for autofill."""
    sent = []
    page, _ = visit(before=lambda page: page.on("request", lambda request: sent.append(request.method)))
    for call in ("startAuth()", "startAuth({})", "startAuth({ id: '', username: null })", "startAuth(7)",
                 "startRegister()", "startRegister({ username: '' })", "startRegister({ username: 7 })"):  # fmt: skip
        refused(ask(page, call), "bad_request")
    assert "POST" not in sent


def test_the_network_fails(visit, client_site, new_user):
    """No connection, no answer, an answer of something else, an error of the service: each has its code."""
    page, devices = visit(before=lambda page: page.clock.install())
    devices.phone()
    user = new_user()
    register(client_site, page, user)
    page.context.set_offline(True)
    refused(ask(page, "startAuth(argument)", user.selector), "network_error")
    page.context.set_offline(False)
    held = []
    page.route(OPTIONS, lambda route: held.append(route))  # noqa: PLW0108
    start(page, "late", "startAuth(argument)", user.selector)
    while not held:
        page.wait_for_timeout(10)
    page.clock.fast_forward(11_000)
    refused(outcome(page, "late"), "timeout")
    page.unroute(OPTIONS)
    shared = {"Access-Control-Allow-Origin": "*"}
    for body, status, code in [
        ("<h1>Sign in to the hotel</h1>", 200, "network_error"),
        ("{}", 200, "network_error"),
        ('{"result": null, "errors": [null, 7, {}]}', 400, "bad_request"),
        ('{"result": {"publicKey": 7}, "errors": []}', 200, "server_error"),
        ("<h1>Bad gateway</h1>", 502, "server_error"),
        ("", 404, "bad_request"),
    ]:
        page.route(OPTIONS, lambda route: route.fulfill(body=body, status=status, headers=shared))  # noqa: B023
        refused(ask(page, "startAuth(argument)", user.selector), code)
        page.unroute(OPTIONS)
    assert who(client_site, ask(page, "startAuth(argument)", user.selector)) == identifier(user.name)


def test_a_passkey_without_a_token_is_forgotten(visit, client_site, new_user):
    """The service took the options and not the answer: the device is told that the passkey is good for nothing."""

    def prepare(page):
        page.add_init_script("window.told = []; PublicKeyCredential.signalUnknownCredential = async (one) => told.push(one)")

    page, devices = visit(before=prepare)
    device = devices.phone()
    page.route(PROCESS, lambda route: route.abort())
    refused(ask(page, "startRegister(argument)", {"username": new_user().name}), "network_error")
    [kept] = device.credentials()
    identity = base64.urlsafe_b64encode(kept["credentialId"]).decode().rstrip("=")
    assert page.evaluate("told") == [{"rpId": "localhost", "credentialId": identity}]


def test_signals(visit, client_site, new_user, service, parties):
    """What the backend's list says reaches the browser in its form."""
    page, devices = visit()
    devices.phone()
    user = new_user()
    local = service(parties["local"])
    register(client_site, page, user)
    listed = local.ask("/credential/list", {"user": {"id": identifier(user.name)}}, local.secret)
    assert listed["signals"]
    assert ask(page, "signalAllAcceptedCredentials(argument)", listed["signals"])["ok"]
    assert ask(page, "signalAllAcceptedCredentials(argument)", listed["signals"][0])["ok"]
    handle = listed["signals"][0]["userId"]
    details = {"rpId": "localhost", "userId": handle, "name": user.name, "displayName": "Nina"}
    assert ask(page, "signalCurrentUserDetails(argument)", details)["ok"]
    refused(ask(page, "signalCurrentUserDetails(argument)", {"rpId": "localhost"}), "bad_request")
    refused(ask(page, "signalCurrentUserDetails(argument)", {**details, "rpId": "example.test"}), "invalid_domain")


def test_too_many_requests(chromium, client_site, parties, tmp_path):
    """The real limit of a server of its own: the page is told when to try again."""
    party: Party = parties["local"]
    server = Server(
        tmp_path, {"issuer": "auto", "project": {"name": "Busy"}, "passkeys": [party.entry()]}, log_level="warning"
    )
    # The page's policy knows the other server alone.
    context = chromium.new_context(bypass_csp=True)
    headers = {"Authorization": Service.basic(name=party.publishable_key)}

    def flood(count: int) -> None:
        connection = HTTPConnection(*server.address)
        for _ in range(count):
            connection.request("POST", "/assertion/options", "{}", headers)
            connection.getresponse().read()
        connection.close()

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(flood, [CEREMONIES_PER_NETWORK // 4] * 4))
        page = context.new_page()
        page.goto(client_site.origin + "/script")
        page.evaluate("([key, host]) => { passkeys = new SnapAuth.SDK(key, host) }", [party.publishable_key, server.base])
        more = refused(ask(page, "startAuth({ id: '1' })"), "bad_request")
        assert more["status"] == 429 and 0 < more["retryAfterSeconds"] <= 600
        assert more["errors"][0]["code"] == "TooManyRequests"
    finally:
        context.close()
        assert server.stop() == 0


def test_the_example(chromium, tmp_path):
    """The site of the guide: an account, a passkey for it, and the next sign-in, in the field and by the button."""
    port = free_port()
    party = Party("localhost", "Example", (f"http://localhost:{port}",))
    server = Server(tmp_path, {"issuer": "auto", "project": {"name": "Example"}, "passkeys": [party.entry()]})
    command = [sys.executable, REPOSITORY / "Examples/PasskeySite/site.py", "--service", server.base, "--port", str(port)]
    keys = ["--publishable-key", party.publishable_key, "--secret-key", party.secret_key]
    site = subprocess.Popen([*command, *keys], stdout=subprocess.PIPE, preexec_fn=die_with_parent)
    context = chromium.new_context(viewport={"width": 480, "height": 480})
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    try:
        assert site.stdout.readline() == f"Open http://localhost:{port}\n".encode()
        page = context.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        devices = VirtualAuthenticators(page)
        device = devices.phone()
        page.goto(f"http://localhost:{port}")
        picture(page, "example-site")
        page.get_by_label("Email address").fill("nina@example.test")
        page.get_by_role("button", name="Create an account").click()
        page.get_by_role("button", name="Add a passkey").click()
        page.get_by_text("You can sign in with it from now on.").wait_for()
        picture(page, "example-site-account")
        # Without a touch the offer waits, and the button takes over.
        device.touch(False)
        with page.expect_response("**/assertion/options"):
            page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Email address").fill("nina@example.test")

        def touched(route):
            # Before the prompt begins: a prompt that began without a touch waits for ever.
            device.touch(True)
            route.continue_()

        page.route("**/assertion/options", touched)
        page.get_by_role("button", name="Sign in with a passkey").click()
        page.get_by_text("Signed in as nina@example.test").wait_for()
        page.unroute("**/assertion/options")
        # With one the offer is taken.
        page.get_by_role("button", name="Sign out").click()
        page.get_by_text("Signed in as nina@example.test").wait_for()
        foreign = requests.post(f"http://localhost:{port}/me", json={}, headers={"Origin": "https://evil.test"}, timeout=10)
        assert foreign.status_code == 403 and not complaints, complaints
    finally:
        context.close()
        site.kill()
        site.wait()
        assert server.stop() == 0


def picture(page, name: str) -> None:
    """Of each page, where a folder for pictures is named."""
    if folder := os.environ.get("KEYTURN_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")
