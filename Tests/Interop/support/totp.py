"""The codes of an authenticator app that signs in more often than a person would."""

from __future__ import annotations

import time

import pyotp

STEP_SECONDS = 30
# Within which a code arrives.
WAY_SECONDS = 3


class Codes:
    """Each time step counts once, and the last one, this one and the next one are taken: three codes at a time."""

    def __init__(self, key: str):
        self._codes = pyotp.TOTP(key)
        self._step: int | None = None

    def next(self) -> str:
        now = time.time()
        if self._step is None and STEP_SECONDS - now % STEP_SECONDS < WAY_SECONDS:
            # The last one would be too old on arrival.
            time.sleep(STEP_SECONDS - now % STEP_SECONDS)
            now = time.time()
        oldest = int(now) // STEP_SECONDS - 1
        self._step = oldest if self._step is None else max(self._step + 1, oldest)
        return self._codes.at(STEP_SECONDS * self._step)
