"""Authenticator apps, with the unchanged package, `pyotp` and `oathtool`. Attack 87: a code's step is spent."""

from __future__ import annotations

import base64
import shutil
import subprocess
import time
from urllib.parse import parse_qs, unquote, urlsplit

import pyotp
import pytest
from descope import LoginOptions

from support.methods import BAD_CODE, new_email, refused
from support.raw import all_at_once

STEP_SECONDS = 30
# So much of a step must be left when a test begins.
MARGIN_SECONDS = 4


def with_pyotp(key: str, at: float) -> str:
    return pyotp.TOTP(key).at(at)


def with_oathtool(key: str, at: float) -> str:
    program = shutil.which("oathtool")
    if not program:
        pytest.skip("oathtool is not installed")
    arguments = [program, "--totp", "--base32", f"--now=@{int(at)}", key]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip()


def early_in_a_step() -> float:
    """Now, with enough time before the next code."""
    left = STEP_SECONDS - time.time() % STEP_SECONDS
    if left < MARGIN_SECONDS:
        time.sleep(left)
    return time.time()


def enrolled(project, client) -> tuple[str, str]:
    """Somebody whose authenticator is set up by the code of the step before; the login id and the key."""
    email = new_email()
    key = client.totp.sign_up(email, {"name": "Theo Totp"})["key"]
    project.tokens(client.totp.sign_in_code(email, with_pyotp(key, early_in_a_step() - STEP_SECONDS)))
    return email, key


def test_sign_up_gives_three_ways(project, client):
    """A link for this device, a picture for another one, a key to type."""
    email = new_email()
    answer = client.totp.sign_up(email, {"name": "Theo Totp", "email": email})
    uri = urlsplit(answer["provisioningURL"])
    query = {name: values[0] for name, values in parse_qs(uri.query).items()}
    assert (uri.scheme, uri.netloc) == ("otpauth", "totp") and unquote(uri.path).endswith(email)
    assert query["secret"] == answer["key"] and query["issuer"] == "Interop"
    assert (query.get("algorithm", "SHA1"), query.get("digits", "6"), query.get("period", "30")) == ("SHA1", "6", "30")
    assert len(base64.b32decode(answer["key"] + "=" * (-len(answer["key"]) % 8))) >= 16
    image = base64.b64decode(answer["image"], validate=True)
    assert image.startswith(b"\x89PNG\r\n\x1a\n") and image.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("calculator", [with_pyotp, with_oathtool], ids=["pyotp", "oathtool"])
def test_sign_in(project, client, calculator):
    """The first code finishes the sign-up, the next one signs in."""
    email = new_email()
    key = client.totp.sign_up(email, {"name": "Theo Totp"})["key"]
    now = early_in_a_step()
    first = client.totp.sign_in_code(email, calculator(key, now))
    project.tokens(first)
    assert first["sessionToken"]["amr"] == ["totp"] and first["user"]["TOTP"] is True
    again = client.totp.sign_in_code(email, calculator(key, now + STEP_SECONDS))
    assert again["userId"] == first["userId"] and again["firstSeen"] is False


def test_attack_87_a_step_is_spent(project, client):
    """The same code again, and any code of an earlier step: refused."""
    email, key = enrolled(project, client)
    now = early_in_a_step()
    project.tokens(client.totp.sign_in_code(email, with_pyotp(key, now)))
    refused(lambda: client.totp.sign_in_code(email, with_pyotp(key, now)), *BAD_CODE)
    refused(lambda: client.totp.sign_in_code(email, with_pyotp(key, now - STEP_SECONDS)), *BAD_CODE)


@pytest.mark.parametrize("steps", [-2, 2, 20])
def test_attack_87_the_window_is_one_step(project, client, steps):
    email = new_email()
    key = client.totp.sign_up(email)["key"]
    now = early_in_a_step()
    refused(lambda: client.totp.sign_in_code(email, with_pyotp(key, now + steps * STEP_SECONDS)), *BAD_CODE)
    client.totp.sign_in_code(email, with_pyotp(key, now))


def test_attack_87_sixteen_at_once(project, client):
    """One code on sixteen devices in the same moment: one of them gets in."""
    email, key = enrolled(project, client)
    code = with_pyotp(key, early_in_a_step())
    body = {"loginId": email, "code": code}
    wires = [project.new_wire() for _ in range(16)]
    answers = all_at_once(16, lambda number: wires[number].post("/v1/auth/totp/verify", body).status_code)
    assert answers.count(200) == 1, answers


def test_key_of_somebody_else(project, client):
    (first, _), (_, key) = enrolled(project, client), enrolled(project, client)
    refused(lambda: client.totp.sign_in_code(first, with_pyotp(key, early_in_a_step())), *BAD_CODE)


def test_add_to_an_account(project, client):
    """Beside a password; good from its first code on, and `mfa` together with what was shown before."""
    answer, password = project.sign_up_with_password()
    login, refresh = answer["user"]["loginIds"][0], answer["refreshSessionToken"]["jwt"]
    key = client.totp.update_user(login, refresh)["key"]
    assert client.me(refresh)["TOTP"] is False, "it counts before anybody showed a code"
    code = with_pyotp(key, early_in_a_step())
    second = client.totp.sign_in_code(login, code, LoginOptions(mfa=True), refresh)
    project.tokens(second)
    assert set(second["sessionToken"]["amr"]) == {"pwd", "totp", "mfa"}
    assert client.me(refresh)["TOTP"] is True
    beside = refused(lambda: client.password.sign_in(login, password), "E011003", status=403)
    assert beside["missing"] == "second_factor"
    late = pyotp.TOTP(key).at(time.time() + 30)
    project.tokens(client.totp.sign_in_code(login, late, None, beside["pendingRef"]))


def test_sign_up_of_somebody_who_exists(project, client):
    """Never gives a key to somebody else's account."""
    email = project.sign_up()["user"]["email"]
    refused(lambda: client.totp.sign_up(email), "E062107")


def test_unknown_account(client):
    refused(lambda: client.totp.sign_in_code(new_email(), "123456"), *BAD_CODE)
