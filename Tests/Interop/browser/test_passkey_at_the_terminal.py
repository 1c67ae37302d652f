"""`keyturn login --method passkey`: the built program, a built server, and Chromium with an authenticator of its own."""

from __future__ import annotations

import pytest

from browser.conftest import Window
from support.command_line import DONE, REFUSED, Machine, finish
from support.pages import origin_of
from support.server import Server, free_port
from support.tokens import payload_of

PROJECT = "P2Terminal"
EMAIL = "terminal@example.com"


@pytest.fixture(scope="module")
def named_server(tmp_path_factory):
    """A server at a name: an address of digits can have no passkeys."""
    port = free_port()
    server = Server(
        tmp_path_factory.mktemp("terminal"),
        {"issuer": f"http://localhost:{port}", "project": {"id": PROJECT, "name": "Terminal"}},
        port=port,
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


@pytest.fixture
def window(chromium, named_server):
    window = Window(chromium, {named_server.issuer})
    session = window.context.new_cdp_session(window.page)
    session.send("WebAuthn.enable")
    session.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    yield window
    window.close()


def begin(machine: Machine, server: Server, window: Window, *more: str):
    """Starts the command, and opens the page that it names."""
    process = machine.start(
        "login", "--issuer", server.issuer, "--project", PROJECT, "--method", "passkey", "--no-browser", *more
    )
    address = next((line.strip() for line in process.stdout if line.startswith("http")), None)
    assert address, f"no address: {finish(process)}"
    # The way back is the only other place that the browser may go to.
    redirect = dict(pair.split("=", 1) for pair in address.split("?", 1)[1].split("&"))["redirect_uri"]
    window.allowed.add(origin_of(redirect.replace("%3A", ":").replace("%2F", "/")))
    window.page.goto(address)
    assert window.page.locator("body").get_attribute("data-page") == "passkey"
    return process


def perform(machine: Machine, server: Server, window: Window, *more: str) -> dict:
    process = begin(machine, server, window, *more)
    window.page.locator("[data-passkey]").click()
    window.page.get_by_text("You can close this window").wait_for()
    run = finish(process)
    assert run.code == DONE, str(run)
    token = machine.token()
    assert token.code == DONE, str(token)
    assert token.output not in run.output + run.errors
    return payload_of(token.output)


def test_an_account_is_made_and_signed_in_to(named_server, machine, window):
    """Once with a new passkey, then with that passkey, named and not."""
    first = perform(machine, named_server, window, "--sign-up", "--login-id", EMAIL)
    assert machine.run("logout").code == DONE
    for more in (("--login-id", EMAIL), ()):
        again = perform(machine, named_server, window, *more)
        assert again["sub"] == first["sub"] and again["aud"] == PROJECT
        assert machine.run("logout").code == DONE


def test_whoever_cancels_on_the_page(named_server, machine, window):
    process = begin(machine, named_server, window)
    window.page.locator("#cancel").click()
    run = finish(process)
    assert run.code == REFUSED and "given up" in run.errors, str(run)
    assert machine.token().code == REFUSED


def test_json_alone_on_standard_output(named_server, machine):
    """The address goes to standard error then. The page is opened by nobody, and the command is told to stop."""
    process = machine.start(
        "login", "--issuer", named_server.issuer, "--project", PROJECT, "--method", "passkey", "--no-browser", "--json"
    )
    said = [next(process.stderr) for _ in range(3)]
    assert any("/passkey?transaction=" in line for line in said), said
    process.terminate()
    assert finish(process).output == ""
