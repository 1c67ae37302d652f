"""Attacks 80, 81, 85 and 86: guessing passwords and codes, keeping others out by that, and being many at once."""

from __future__ import annotations

import pytest
from descope import RateLimitException

from support.measured import report
from support.messages import token_of
from support.methods import (
    APP_PAGE,
    BAD_CODE,
    EMAIL,
    RATE_LIMIT,
    TOO_MANY_TRIES,
    check_problem,
    new_email,
    refused,
)
from support.raw import all_at_once

GUESSES_MAX = 40
AT_ONCE = 16


def wrong(code: str, number: int = 0) -> str:
    """Six digits that are not the code."""
    return f"{(int(code) + 1 + number) % 10**6:06}"


def verify(wire, email: str, code: str, network: str):
    return wire.post("/v1/auth/otp/verify/email", {"loginId": email, "code": code}, network=network)


def test_attack_80_81_passwords(project):
    """The guesser is slowed down, also with the right password; the owner, elsewhere, is not."""
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    project.client.password.sign_in(login, password)
    body = {"loginId": login, "password": "wrong-horse-battery"}
    for number in range(1, GUESSES_MAX + 1):
        guess = project.wire.post("/v1/auth/password/signin", body, network="10.80.0.1")
        if guess.status_code == 429:
            break
    assert guess.status_code == 429, f"{GUESSES_MAX} guesses and no end"
    check_problem(guess.json(), RATE_LIMIT)
    assert int(guess.headers["Retry-After"]) > 0
    report(f"attack 80: password guesser stopped at attempt {number}, for {guess.headers['Retry-After']} s")
    right = project.wire.post("/v1/auth/password/signin", body | {"password": password}, network="10.80.0.1")
    assert right.status_code == 429, "the wait can be skipped by guessing right"
    project.client.password.sign_in(login, password)


def test_attack_80_replacing_is_guessing_too(project):
    """The other call that takes a password counts on the same account."""
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    statuses = []
    for number in range(GUESSES_MAX):
        path, member = (("signin", "password"), ("replace", "oldPassword"))[number % 2]
        body = {"loginId": login, member: "wrong-horse-battery", "newPassword": "Entirely-new-one-7"}
        statuses.append(project.wire.post(f"/v1/auth/password/{path}", body, network="10.80.0.2").status_code)
        if statuses[-1] == 429:
            break
    assert statuses[-1] == 429 and len(statuses) <= 20, statuses
    project.client.password.sign_in(login, password)


def test_attack_85_five_tries_across_resends(project, client):
    """A new code is no new chance: after five tries the right one is refused too."""
    email = new_email()
    project.sign_up(email)
    network, codes = "10.85.0.1", []
    for number in range(6):
        if number % 2 == 0:
            sent = project.wire.post("/v1/auth/otp/signin/email", {"loginId": email}, network=network)
            assert sent.status_code in (200, 429), sent.text
            codes.append(project.mail.take(email).code)
        answer = verify(project.wire, email, wrong(codes[-1], number), network)
        assert answer.status_code in (400, 401, 429), answer.text
    refusal = verify(project.wire, email, codes[-1], network)
    assert refusal.status_code in (400, 401, 429), "the sixth try was the right code, and was taken"
    check_problem(refusal.json(), TOO_MANY_TRIES, RATE_LIMIT, *BAD_CODE)


def test_attack_81_codes_of_a_known_device(project, client):
    """A stranger who uses up the tries does not keep the person out who was here before."""
    email = new_email()
    project.sign_up(email)
    for number in range(8):
        verify(project.wire, email, f"{number:06}", "10.81.0.1")
    client.otp.sign_in(EMAIL, email)
    project.tokens(client.otp.verify_code(EMAIL, email, project.mail.take(email).code))


def test_attack_85_other_ways_share_the_tries(project, client):
    """Neither spelling nor path gives more tries."""
    email = new_email()
    project.sign_up(email)
    network = "10.85.0.2"
    project.wire.post("/v1/auth/otp/signin/email", {"loginId": email}, network=network)
    code = project.mail.take(email).code
    spellings = [email, email.upper(), f" {email}", email.capitalize(), f"{email} ", email.swapcase(), email]
    for number, spelling in enumerate(spellings):
        verify(project.wire, spelling, wrong(code, number), network)
    assert verify(project.wire, email, code, network).status_code != 200


@pytest.mark.parametrize(
    "odd", ["", "0", "12345", "1234567", "１２３４５６", "abcdef", "0x1F40", "-12345", "1e5", None, 7, True]
)
def test_attack_85_odd_codes(project, odd):
    answer = project.wire.post("/v1/auth/otp/verify/email", {"loginId": new_email(), "code": odd}, network="10.85.0.3")
    assert answer.status_code in (400, 401, 429), f"status {answer.status_code}"
    check_problem(answer.json())


def test_attack_86_one_code_sixteen_times(project, client):
    """In the same moment, over the wire: one session."""
    email = new_email()
    project.sign_up(email)
    client.otp.sign_in(EMAIL, email)
    code = project.mail.take(email).code
    statuses = at_once(project, "/v1/auth/otp/verify/email", {"loginId": email, "code": code})
    assert statuses.count(200) == 1, statuses


def test_attack_86_sixteen_guesses(project, client):
    """Parallel tries are counted before they are checked: no more than five are looked at."""
    email = new_email()
    project.sign_up(email)
    client.otp.sign_in(EMAIL, email)
    code = project.mail.take(email).code
    wires = [project.new_wire() for _ in range(AT_ONCE)]

    def guess(number: int):
        return verify(wires[number], email, wrong(code, number), "10.86.0.1").json()["errorCode"]

    codes = all_at_once(AT_ONCE, guess)
    assert codes.count(BAD_CODE[0]) <= 5, codes
    assert verify(project.wire, email, code, "10.86.0.1").status_code != 200


@pytest.mark.parametrize("kind", ["magic link", "embedded link", "enchanted link", "pending session"])
def test_attack_86_one_link_sixteen_times(project, client, mgmt, kind):
    email = new_email()
    project.sign_up(email)
    if kind in ("magic link", "embedded link"):
        token = mgmt.user.generate_embedded_link(email)
        if kind == "magic link":
            client.magiclink.sign_in(EMAIL, email, APP_PAGE)
            token = project.mail.take(email).token
        statuses = at_once(project, "/v1/auth/magiclink/verify", {"token": token})
    else:
        started = client.enchantedlink.sign_in(email, APP_PAGE)
        token = token_of(project.mail.take(email).numbered()[started["linkId"]])
        statuses = at_once(project, "/v1/auth/enchantedlink/verify", {"token": token})
        if kind == "pending session":
            statuses = at_once(project, "/v1/auth/enchantedlink/pending-session", {"pendingRef": started["pendingRef"]})
    assert statuses.count(200) == 1, statuses
    assert set(statuses) <= {200, 400, 401}, statuses


def test_attack_86_sixteen_sign_ups(project):
    """One address in the same moment: one account."""
    email, password = new_email(), "Simultaneous-herons-7"
    statuses = at_once(project, "/v1/auth/password/signup", {"loginId": email, "password": password})
    assert statuses.count(200) == 1, statuses
    assert len(project.mgmt.user.search_all(login_ids=[email])["users"]) == 1


def at_once(project, path: str, body: dict) -> list[int]:
    wires = [project.new_wire() for _ in range(AT_ONCE)]
    for wire in wires:
        wire.send("GET", "/healthz")
    return all_at_once(AT_ONCE, lambda number: wires[number].post(path, body).status_code)


def test_references_cannot_be_guessed(client):
    """A poll of nothing says nothing but that."""
    for reference in ("ref", "A" * 43, "0", "../../etc", "x" * 4_000):
        refused(lambda reference=reference: client.enchantedlink.get_session(reference))


def test_pollers_are_not_taken_for_guessers(client):
    """Waiting two minutes, once a second, is what the page does."""
    started = client.enchantedlink.sign_up_or_in(new_email(), APP_PAGE)
    for _ in range(60):
        try:
            refused(lambda: client.enchantedlink.get_session(started["pendingRef"]), "E062503", status=401)
        except RateLimitException as limit:
            raise AssertionError("a poller was slowed down") from limit
