"""The page that performs a ceremony for a program on the same machine, in Chromium."""

from __future__ import annotations

import pytest
import requests

from support.authenticator import decode
from support.browsing import check_page
from support.hosted_visitor import ceremony
from support.methods import new_email, refused


def answer_of(visitor, callback_receiver, state):
    """What the program was sent, once the browser shows its page: before that, it cannot be sent elsewhere."""
    arrived = callback_receiver.wait(lambda seen: seen.path == "/passkey" and seen.parameters.get("state") == state)
    visitor.page.wait_for_url(f"{callback_receiver.base}/passkey?*")
    return arrived


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
    arrived = answer_of(nina, callback_receiver, "s-1")
    response = decode(arrived.parameters["response"]).decode()
    # What stood in the address ends nothing.
    refused(lambda: webauthn.sign_up_finish(started["page"], response))
    answer = webauthn.sign_up_finish(started["transactionId"], response)
    project.tokens(answer)
    started = webauthn.sign_in_start(email, project.origin)
    nina.open(ceremony(project, callback_receiver, started, "s-2"))
    nina.page.locator("#passkey").click()
    arrived = answer_of(nina, callback_receiver, "s-2")
    response = decode(arrived.parameters["response"]).decode()
    assert webauthn.sign_in_finish(started["transactionId"], response)["userId"] == answer["userId"]
    started = webauthn.sign_in_start(email, project.origin)
    nina.open(ceremony(project, callback_receiver, started, "s-3"))
    nina.page.locator("#cancel").click()
    arrived = answer_of(nina, callback_receiver, "s-3")
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
        params={"transaction": started["page"], "redirect_uri": redirect},
        allow_redirects=False,
        timeout=10,
    )
    assert answer.status_code == 400 and 'data-page="error"' in answer.text
    assert "Location" not in answer.headers


@pytest.mark.parametrize("kind", ["transactionId", "nonsense", "nothing"])
def test_a_page_is_begun_by_what_is_meant_for_it(project, kind):
    """Not by the transaction itself, which could be ended with: the program is told, the person sees no ceremony."""
    started = project.client.webauthn.sign_up_start(new_email(), project.origin)
    transaction = {"transactionId": started["transactionId"], "nonsense": "x" * 300, "nothing": ""}[kind]
    answer = requests.get(
        f"{project.base}/passkey",
        params={"transaction": transaction, "redirect_uri": "http://127.0.0.1:9000/", "state": "s"},
        allow_redirects=False,
        timeout=10,
    )
    assert answer.status_code == 303 and answer.headers["Location"] == "http://127.0.0.1:9000/?state=s&error=unexpected"
