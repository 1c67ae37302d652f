"""Attacks 79-81: which accounts exist, and how fast passwords can be guessed."""

from __future__ import annotations

import dataclasses
import re
import statistics
import time

import pytest

from support.configuration import JONAS, MARIA, TARGET, Person
from support.measured import report
from support.pages import Page
from support.relying_party import RelyingParty

SAMPLES = 8
NOBODY = Person(sub="", login="nobody@example.test", password="")
WRONG = "wrong-horse-battery"
GUESSES_MAX = 30
# What differs from one page to the next: sealed states and tokens, the reference of an answer.
OPAQUE = re.compile(r"[A-Za-z0-9_-]{20,}")


def try_password(rp: RelyingParty, visitor, login: str, password: str):
    """One attempt on a fresh page; the answer, and how long it took."""
    page = rp.open(visitor, rp.request())
    assert isinstance(page, Page) and page.name == "login"
    start = time.perf_counter()
    response = visitor.send(page, {"username": login, "password": password})
    return response, time.perf_counter() - start


def shape(response, login: str) -> tuple:
    """What an attacker can tell two answers apart by."""
    text = OPAQUE.sub("·", response.text.replace(login, "LOGIN"))
    headers = {name.lower() for name in response.headers} - {"date", "set-cookie", "content-length"}
    return response.status_code, text, headers


@pytest.mark.timed
def test_attack_79_unknown_accounts_look_like_wrong_passwords(app, provider):
    """Same status, same body; the median times are reported, and at least of the same order."""
    rp = app("first-app")
    visitor = provider.visitor(source_address="127.0.79.1")
    shapes, times = {}, {}
    for person in (NOBODY, TARGET):
        answers = [try_password(rp, visitor, person.login, WRONG) for _ in range(SAMPLES)]
        shapes[person.login] = {str(shape(response, person.login)) for response, _ in answers}
        times[person.login] = statistics.median(seconds for _, seconds in answers)
        assert all(response.status_code in (200, 401, 422) for response, _ in answers)
        assert "session" not in str([response.headers.get("Set-Cookie") for response, _ in answers])
    assert shapes[NOBODY.login] == shapes[TARGET.login]
    report(f"attack 79, unknown account: median {times[NOBODY.login] * 1000:.1f} ms of {SAMPLES}")
    report(f"attack 79, wrong password: median {times[TARGET.login] * 1000:.1f} ms of {SAMPLES}")
    assert 1 / 3 < times[NOBODY.login] / times[TARGET.login] < 3, "nobody hashes for unknown accounts"


@pytest.mark.parametrize(
    "login", ["", "a", "MARIA@example.test ", "maria@example.test\0", "a" * 5_000, "\u202emaria", "' OR 1=1 --"]
)
def test_attack_79_odd_names(app, provider, login):
    """Refused like any other, or the person's own name in another spelling; never a fault of the server."""
    visitor = provider.visitor(source_address="127.0.79.2")
    response, _ = try_password(app("first-app"), visitor, login, WRONG)
    assert response.status_code in (200, 400, 401, 413, 422), f"status {response.status_code}"
    assert visitor.cookie() is None


@pytest.mark.parametrize(
    "password",
    ["", "x" * 2_000, "x" * 40_000, "zero\0byte", "\u00e9" * 100],
    ids=["empty", "2 kB", "40 kB", "zero byte", "unicode"],
)
def test_attack_79_odd_passwords(app, provider, password):
    visitor = provider.visitor(source_address="127.0.79.3")
    response, seconds = try_password(app("first-app"), visitor, JONAS.login, password)
    assert response.status_code in (200, 400, 401, 413, 422), f"status {response.status_code}"
    assert seconds < 10 and visitor.cookie() is None


def test_attack_82_password_is_not_cut_off(app, provider):
    """A right beginning is a wrong password; so is a right password with more behind it."""
    visitor = provider.visitor(source_address="127.0.79.4")
    for password in (MARIA.password[:-1], f"{MARIA.password}x", f"{MARIA.password}\0x", MARIA.password.upper()):
        response, _ = try_password(app("first-app"), visitor, MARIA.login, password)
        assert response.status_code in (200, 400, 401, 422) and visitor.cookie() is None


def test_attack_80_81_guessing_gets_slow_for_the_guesser_alone(app, provider):
    """Beyond the free attempts: 429 and when to come back. The owner, elsewhere, signs in all the same."""
    rp = app("first-app")
    guesser = provider.visitor(source_address="127.0.80.1")
    for number in range(1, GUESSES_MAX + 1):
        response, _ = try_password(rp, guesser, TARGET.login, f"{WRONG}-{number}")
        if response.status_code == 429:
            break
    assert response.status_code == 429, f"{GUESSES_MAX} guesses and no end"
    assert int(response.headers["Retry-After"]) > 0
    assert Page(response).alert, "nothing tells the person why"
    right, _ = try_password(rp, guesser, TARGET.login, TARGET.password)
    assert right.status_code == 429, "the wait can be skipped by guessing right"
    report(f"attack 80: the guesser was stopped at attempt {number}, for {response.headers['Retry-After']} s")
    rp.sign_in(person=TARGET)


def test_attack_80_wrong_password_can_be_corrected(app, visitor):
    """A typo, then the right one, on the page that came back."""
    rp = app("first-app")
    page = rp.open(visitor, rp.request())
    again = visitor.sign_in(page, dataclasses.replace(JONAS, password=WRONG))
    assert isinstance(again, Page) and again.name == "login" and again.alert
    callback = visitor.sign_in(again, JONAS)
    assert callback["code"]
