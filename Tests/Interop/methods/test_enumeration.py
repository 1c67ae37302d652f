"""Attack 79: nobody learns from an answer, or from how long it took, whether somebody has an account."""

from __future__ import annotations

import re

import pytest
from descope import UserObj

from support.measured import report
from support.methods import APP_PAGE, new_email, new_password
from support.timing import compare

pytestmark = pytest.mark.timed

PAIRS = 200
PAIRS_WITH_HASHING = 60
BATCH = 50
# A tenth of the time and a third of a millisecond: less than the way through any network tells.
SHARE, LEAST_MILLISECONDS = 0.10, 0.33
SIGN_IN, SIGN_UP = {"loginOptions": {}}, {"user": {"name": "Nobody"}}

SENDS = {
    "otp sign-in": ("/v1/auth/otp/signin/email", SIGN_IN),
    "otp sign-up": ("/v1/auth/otp/signup/email", SIGN_UP),
    "otp sign-up or in": ("/v1/auth/otp/signup-in/email", SIGN_IN),
    "magic link sign-in": ("/v1/auth/magiclink/signin/email", SIGN_IN | {"URI": APP_PAGE}),
    "magic link sign-up": ("/v1/auth/magiclink/signup/email", SIGN_UP | {"URI": APP_PAGE}),
    "enchanted link sign-in": ("/v1/auth/enchantedlink/signin/email", SIGN_IN | {"URI": APP_PAGE}),
    "password reset": ("/v1/auth/password/reset", {"redirectUrl": APP_PAGE}),
}
CHECKS = {
    "otp verify": ("/v1/auth/otp/verify/email", {"code": "000000"}),
    "totp verify": ("/v1/auth/totp/verify", {"code": "000000", "loginOptions": {}}),
}
HASHES = {
    "password sign-in": ("/v1/auth/password/signin", {"password": "not-the-password-7"}),
    "password replace": ("/v1/auth/password/replace", {"oldPassword": "not-it-7", "newPassword": "Another-one-7!"}),
}


@pytest.fixture(scope="module")
def known(quiet_project) -> list[str]:
    """People, the first ones with passwords."""
    logins = [new_email("known") for _ in range(PAIRS)]
    for begin in range(0, PAIRS, BATCH):
        users = [
            UserObj(login, email=login, verified_email=True, status="enabled")
            for login in logins[begin : begin + BATCH]
        ]
        answer = quiet_project.mgmt.user.invite_batch(users, send_mail=False)
        assert not answer["failedUsers"], answer["failedUsers"]
    for login in logins[:BATCH]:
        quiet_project.mgmt.user.set_active_password(login, new_password())
    return logins


def network(number: int, kind: int) -> str:
    """Another one for each request, so that no budget of a network is spent."""
    return f"10.{kind}.{number // 250}.{number % 250 + 1}"


def shape(value, login: str) -> object:
    """An answer without what is different every time."""
    if isinstance(value, dict):
        return {name: shape(each, login) for name, each in value.items()}
    if isinstance(value, str):
        length = len(value)
        return re.sub(r"[A-Za-z0-9_-]", "x", value) if "*" in value or length > 16 else f"text of {length}"
    return value


def look(response, login: str) -> tuple:
    """What an attacker can tell two answers apart by."""
    headers = {name.lower() for name in response.headers} - {"date"}
    return response.status_code, repr(shape(response.json(), login)), tuple(sorted(headers))


def check(quiet_project, known, name: str, path: str, members: dict, pairs: int, kind: int) -> None:
    wire, seen = quiet_project.wire, ({}, {})
    unknown = [new_email("known") for _ in range(pairs)]

    def ask(logins: list[str], place: int):
        def request(number: int) -> None:
            login = logins[number]
            response = wire.post(path, {"loginId": login, **members}, network=network(number, kind + place))
            seen[place][look(response, login)] = response.text

        return request

    ask([new_email("known")], 0)(0)
    seen[0].clear()
    comparison = compare(pairs, ask(known, 0), ask(unknown, 1))
    report(f"attack 79, {name}: known and unknown, {comparison}")
    assert seen[0].keys() == seen[1].keys() and len(seen[0]) == 1, f"{name}: {seen}"
    assert not comparison.is_noticeable(SHARE, LEAST_MILLISECONDS), f"{name}: {comparison}"


@pytest.mark.parametrize("name", SENDS)
def test_attack_79_sends(quiet_project, known, name):
    """Known and unknown: the same status, members, lengths and time."""
    check(quiet_project, known, name, *SENDS[name], PAIRS, 2 * list(SENDS).index(name))


@pytest.mark.parametrize("name", CHECKS)
def test_attack_79_checks(quiet_project, known, name):
    """A wrong code for somebody, and for nobody."""
    check(quiet_project, known, name, *CHECKS[name], PAIRS, 40 + 2 * list(CHECKS).index(name))


@pytest.mark.parametrize("name", HASHES)
def test_attack_79_passwords(quiet_project, known, name):
    """Nobody's password is hashed like anybody's, also for those who have none."""
    for offset, who in ((0, "with a password"), (BATCH, "without one")):
        some = (known[offset : offset + BATCH] * 2)[:PAIRS_WITH_HASHING]
        kind = 60 + offset // 10 + 2 * list(HASHES).index(name)
        check(quiet_project, some, f"{name}, {who}", *HASHES[name], PAIRS_WITH_HASHING, kind)


def test_attack_79_a_code_that_was_sent(quiet_project, known):
    """Also while a code is on its way."""
    path, members = SENDS["otp sign-in"]
    for number, login in enumerate(known):
        quiet_project.wire.post(path, {"loginId": login, **members}, network=network(number, 80))
    check(quiet_project, known, "otp verify after sign-in", *CHECKS["otp verify"], PAIRS, 82)


def test_attack_79_without_details(quiet_project, known):
    """No answer repeats what was typed, or names what is behind it."""
    for path, members in (SENDS | CHECKS | HASHES).values():
        response = quiet_project.wire.post(path, {"loginId": known[-1], **members}, network="10.90.0.1")
        assert known[-1] not in response.text, f"{path}: {response.text}"
