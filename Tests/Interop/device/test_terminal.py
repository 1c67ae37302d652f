"""`keyturn login --device` in a terminal, with a camera and a browser beside it."""

from __future__ import annotations

import json
import re

import pytest

from device.conftest import Window
from device.test_pages import come_to_question
from support.browsing import check_page
from support.command_line import DONE, REFUSED, UNREACHABLE, finish
from support.devices import let_time_pass
from support.server import binary
from support.terminal import Terminal, picture_in, read_picture
from support.tokens import payload_of

CODE = r"\b([B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4})\b"


@pytest.fixture
def terminals(machine):
    """Starts the command in terminals."""
    started: list[Terminal] = []

    def start(site, *more: str, columns: int = 100, **environment: str) -> Terminal:
        arguments = [str(binary()), "login", "--device", "--issuer", site.issuer, *more]
        started.append(Terminal(arguments, {**machine.environment, **environment}, machine.home, columns))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


def decide(window: Window, site, path: str, action: str, code: str) -> None:
    come_to_question(window.page, site, code, path)
    assert code in window.page.inner_text("main")
    window.page.locator(f"button[value={action}]").click()
    check_page(window.page, "device-done")


@pytest.mark.parametrize("colour", [True, False])
def test_the_picture_is_scanned_and_the_device_is_signed_in(site, machine, terminals, open_window, colour):
    terminal = terminals(site, **({} if colour else {"NO_COLOR": "1"}))
    code = terminal.wait_for(CODE).group(1)
    terminal.wait_for(r"Waiting for you there, 1[45]:\d\d left")
    assert f"{site.issuer}/device\n" in terminal.text
    assert ("\x1b[38;5;16;48;5;231m" in terminal.shown) == colour
    scanned = read_picture(picture_in(terminal.text), is_dark_drawn=colour)
    assert scanned == f"{site.issuer}/device?user_code={code}"
    # The time goes on.
    times = {terminal.wait_for(r"14:5[0-8] left").group(0)}
    terminal.wait_for(rf"14:[345]\d left(?!.*{re.escape(times.pop())})")
    decide(open_window(), site, scanned.removeprefix(site.issuer), "allow", code)
    assert terminal.finish() == DONE, terminal.text
    assert f"Signed in as maria@example.test at {site.issuer}" in terminal.text
    token = machine.token()
    assert token.code == DONE and payload_of(token.output)["client_id"] == "keyturn-cli"
    assert token.output not in terminal.text
    assert machine.run("logout").code == DONE


def test_whoever_refuses(site, machine, terminals, open_window):
    terminal = terminals(site)
    code = terminal.wait_for(CODE).group(1)
    decide(open_window(), site, "/device", "deny", code)
    assert terminal.finish() == REFUSED
    assert "refused" in terminal.text and machine.token().code == REFUSED


def test_too_late(site, machine, terminals):
    terminal = terminals(site)
    terminal.wait_for(CODE)
    let_time_pass(site.folder / "keyturn.db", 1_000)
    assert terminal.finish() == REFUSED
    assert "nobody typed the code in time" in terminal.text and machine.token().code == REFUSED


def test_giving_up(site, machine, terminals):
    terminal = terminals(site)
    terminal.wait_for(r"left\. Ctrl-C gives up")
    terminal.interrupt()
    assert terminal.finish(15) == REFUSED
    assert "given up" in terminal.text and machine.token().code == REFUSED


def test_a_narrow_terminal_gets_no_picture(site, terminals):
    terminal = terminals(site, columns=36)
    terminal.wait_for(r"left\. Ctrl-C")
    assert "\u2588" not in terminal.text and "Scan" not in terminal.text
    terminal.interrupt()
    terminal.finish(15)


def test_json_alone_on_standard_output(site, machine, open_window):
    """What the person reads goes to standard error then."""
    process = machine.start("login", "--device", "--issuer", site.issuer, "--json")
    said = ""
    while not (found := re.search(CODE, said)):
        said += process.stderr.readline()
    decide(open_window(), site, "/device", "allow", found.group(1))
    run = finish(process)
    assert run.code == DONE, str(run)
    answer = json.loads(run.output)
    assert answer["issuer"] == site.issuer and answer["client_id"] == "keyturn-cli"
    assert "\x1b" not in said and "\u2588" not in said
    assert machine.run("logout").code == DONE


def test_wrong_usage_and_no_server(site, machine):
    for more in (["--no-browser"], ["--method", "otp"], ["--fresh"]):
        run = machine.run("login", "--device", "--issuer", site.issuer, *more)
        assert run.code == REFUSED and "--device goes without" in run.errors, str(run)
    assert machine.run("login", "--device", "--issuer", "http://127.0.0.1:9").code == UNREACHABLE
