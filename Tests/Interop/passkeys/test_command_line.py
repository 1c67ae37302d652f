"""`keyturn login --method passkey`, the built program against a built server, with Chromium as the person's browser."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.browsing import check_page
from support.command_line import REFUSED, Machine, finish
from support.methods import new_email
from support.project import PROJECT_ID, Project
from support.tokens import payload_of
from support.virtual_authenticator import VirtualAuthenticators
from support.window import Window

START_SECONDS = 20


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("terminal"))
    yield project
    project.close()


@pytest.fixture
def machine(tmp_path):
    """A machine whose browser writes down where it was sent."""
    machine = Machine(tmp_path / "home")
    browser, machine.sent = tmp_path / "browser", tmp_path / "sent"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {machine.sent}.part && mv {machine.sent}.part {machine.sent}\n')
    browser.chmod(0o755)
    machine.environment["BROWSER"] = str(browser)
    yield machine
    machine.close()


@pytest.fixture
def window(chromium, project):
    window = Window(chromium, {project.origin})
    yield window
    window.close()


def login(machine: Machine, project, *more: str):
    machine.sent.unlink(missing_ok=True)
    return machine.start(
        "login", "--issuer", project.origin, "--project", PROJECT_ID, "--method", "passkey", *more, typing=True
    )


def opened(machine: Machine, window: Window, process) -> None:
    """The page that the program opened, in the browser."""
    deadline = time.monotonic() + START_SECONDS
    while not machine.sent.exists():
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.05)
    address = machine.sent.read_text()
    # What comes next is at the program's own port.
    window.allowed.add(_return_of(address))
    window.page.goto(address)
    check_page(window.page, "passkey")


def _return_of(address: str) -> str:
    redirect = urlsplit(parse_qs(urlsplit(address).query)["redirect_uri"][0])
    assert redirect.hostname in ("127.0.0.1", "::1")
    return f"{redirect.scheme}://{redirect.netloc}"


def test_sign_up_and_sign_in(project, machine, window):
    """A passkey made in the browser, a session in the terminal; then again, and by whoever the browser finds."""
    VirtualAuthenticators(window.page).phone()
    email = new_email()
    subjects = []
    for arguments in (["--sign-up", "--login-id", email], ["--login-id", email], []):
        process = login(machine, project, *arguments)
        opened(machine, window, process)
        window.page.locator("#passkey").click()
        run = finish(process)
        assert run.is_done, str(run)
        claims = payload_of(machine.token().output)
        assert claims["aud"] == PROJECT_ID and {"webauthn", "mfa"} <= set(claims["amr"])
        subjects.append(claims["sub"])
    assert len(set(subjects)) == 1
    assert project.mgmt.user.load(email)["user"]["userId"] == subjects[0]


def test_cancelling_in_the_browser(project, machine, window):
    """Nobody is signed in, and the program says why."""
    VirtualAuthenticators(window.page).phone()
    process = login(machine, project, "--sign-up", "--login-id", new_email())
    opened(machine, window, process)
    window.page.locator("#cancel").click()
    run = finish(process)
    assert run.code == REFUSED and run.errors.strip().splitlines()[-1].startswith("keyturn: "), str(run)
    assert machine.token().code == REFUSED


def test_a_strangers_answer_is_none(project, machine, window):
    """Whoever finds the program's port and knows no state signs nobody in; the person still can."""
    VirtualAuthenticators(window.page).phone()
    process = login(machine, project, "--sign-up", "--login-id", new_email())
    opened(machine, window, process)
    port = next(one for one in window.allowed if one != project.origin)
    for query in ("?error=canceled_by_user", "?state=wrong&error=canceled_by_user", "?state=wrong&response=e30", ""):
        requests.get(f"{port}/{query}", timeout=5)
    assert process.poll() is None, process.communicate()
    window.page.locator("#passkey").click()
    assert finish(process).is_done

