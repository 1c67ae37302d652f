"""What a client makes of answers while servers die: a verdict, or something to ask again."""

from __future__ import annotations

import time
from collections.abc import Callable

import requests

from support import checks

PAUSE_SECONDS = 0.05


def is_of_server(response: requests.Response) -> bool:
    """Whether a server of ours answered, and not a balancer that found none or got no answer."""
    return "json" in response.headers.get("Content-Type", "")


def is_unavailable(response: requests.Response) -> bool:
    """Whether nothing is decided, and the client is to ask again."""
    if response.status_code < 500:
        return False
    if is_of_server(response):
        checks.check_refused(response, "temporarily_unavailable", status=(503,))
    else:
        assert response.status_code in (502, 503, 504), f"status {response.status_code}: {response.text[:300]}"
    return True


def verdict(ask: Callable[[], requests.Response]) -> requests.Response | None:
    """The answer to one request; `None` if there was none, or none that decides."""
    try:
        response = ask()
    except requests.RequestException:
        return None
    return None if is_unavailable(response) else response


def status(response: requests.Response | None) -> int | None:
    return None if response is None else response.status_code


def text(response: requests.Response | None) -> str:
    return "no answer" if response is None else response.text


def insist(ask: Callable[[], requests.Response], seconds: float) -> tuple[requests.Response | None, int]:
    """Asks until there is a verdict; also how many requests before it had none.

    - `seconds`: if there is no verdict until then, it is `None`.
    """
    deadline = time.monotonic() + seconds
    unanswered = 0
    while True:
        response = verdict(ask)
        if response is not None:
            return response, unanswered
        unanswered += 1
        if time.monotonic() > deadline:
            return None, unanswered
        time.sleep(PAUSE_SECONDS)
