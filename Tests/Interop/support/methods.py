"""What the `descope` package says and hears, with the checks that hold for each of its answers."""

from __future__ import annotations

import json
import time
from itertools import count

import pytest
from descope import AuthException, DeliveryMethod, RateLimitException

from support.secrets_seen import remember

EMAIL, SMS, VOICE, WHATSAPP = (
    DeliveryMethod.EMAIL,
    DeliveryMethod.SMS,
    DeliveryMethod.VOICE,
    DeliveryMethod.WHATSAPP,
)
PHONES = (SMS, VOICE, WHATSAPP)
APP_CALLBACK = "https://app.example.com/callback"
APP_PAGE = "https://app.example.com/arrived?from=keyturn"

WRONG_CODE, TOO_MANY_TRIES, EXPIRED_CODE = "E061102", "E061103", "E061104"
USER_EXISTS, USER_UNKNOWN = "E062107", "E062108"
PENDING, EXPIRED_LINK, UNKNOWN_LINK = "E062503", "E062504", "E063010"
NO_ACCESS_KEY, BAD_ACCESS_KEY = "E062802", "E062803"
EXPIRED_PASSWORD, REVOKED, RATE_LIMIT = "E062909", "E064001", "E130429"
SPENT_LINK = (EXPIRED_LINK, UNKNOWN_LINK)
BAD_CODE = (WRONG_CODE, TOO_MANY_TRIES, EXPIRED_CODE)

_numbers = count(1)
# `x`, so that no part of an address looks like a code.
_run = f"{int(time.time()) % 10**7:x}x"


def new_email(word: str = "person") -> str:
    """An address that nobody had before."""
    return f"{word}-{_run}{next(_numbers)}@example.com"


def new_phone() -> str:
    """A number that nobody had before."""
    return f"+4915{time.time_ns() // 1000 % 10**5:05}{next(_numbers):05}"


def new_password() -> str:
    """Long, and not one that was ever leaked."""
    return f"Seven-grey-herons-{next(_numbers)}!"


def refused(call, *codes: str, status: int | None = None) -> dict:
    """The call fails, in the words of the wire: one of the codes, a short text, nothing else."""
    with pytest.raises(AuthException) as caught:
        call()
    problem = caught.value
    assert problem.status_code is not None and 400 <= problem.status_code < 500, f"status {problem.status_code}"
    assert problem.error_type == "server error", f"the package itself refused: {problem}"
    if status is not None:
        assert problem.status_code == status, f"status {problem.status_code} instead of {status}: {problem}"
    return check_problem(json.loads(problem.error_message), *codes)


def check_problem(body: dict, *codes: str) -> dict:
    assert isinstance(body, dict) and isinstance(body.get("errorCode"), str), f"not the wire's error: {body}"
    assert isinstance(body.get("errorDescription"), str) and body["errorDescription"], f"no description: {body}"
    known = {"errorCode", "errorDescription", "errorMessage", "missing", "pendingRef"}
    assert set(body) <= known, f"more than the wire knows: {body}"
    if codes:
        assert body["errorCode"] in codes, f"{body} instead of {' or '.join(codes)}"
    return body


def slowed_down(call) -> int:
    """The call fails because there were too many; for how long, in seconds."""
    with pytest.raises(RateLimitException) as caught:
        call()
    assert caught.value.status_code == RATE_LIMIT and caught.value.error_type == "API rate limit exceeded"
    seconds = caught.value.rate_limit_parameters["Retry-After"]
    assert isinstance(seconds, int) and seconds > 0, f"Retry-After: {seconds}"
    return seconds


def session_of(answer: dict, project_id: str) -> tuple[str, str]:
    """Both tokens of a sign-in, after a look at everything that came with them."""
    session, refresh = answer["sessionToken"], answer["refreshSessionToken"]
    user = answer["user"]
    assert answer["projectId"] == project_id and answer["userId"] == user["userId"] == session["sub"] == refresh["sub"]
    assert session["drn"] == "DS" and refresh["drn"] == "DSR"
    for token in (session, refresh):
        assert token["iss"].split("/")[-1] == project_id, token["iss"]
        assert isinstance(token["iat"], int) and isinstance(token["exp"], int) and token["exp"] > token["iat"]
        assert isinstance(token["amr"], list) and all(isinstance(word, str) for word in token["amr"])
        remember("JWT of a session", token["jwt"])
    assert "su" not in refresh, "the refresh token remembers the step-up"
    assert isinstance(answer["firstSeen"], bool)
    assert user["status"] == "enabled" and user["loginIds"], user
    return session["jwt"], refresh["jwt"]
