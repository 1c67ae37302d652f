"""An app that refreshes without a pause, and never gives up."""

from __future__ import annotations

import threading
import time

import requests

from support.answers import is_of_server, is_unavailable
from support.relying_party import RelyingParty

PAUSE_SECONDS = 0.05


class RefreshingApp:
    """Refreshes without a pause. What was not answered is asked again."""

    def __init__(self, rp: RelyingParty, refresh_token: str):
        self.rp = rp
        self.refresh_token = refresh_token
        self.access_token: str | None = None
        self.refreshes = 0
        # Requests that found nobody, and requests whose connection ended without an answer.
        self.unheard = 0
        self.cut_off = 0
        self.refusal: str | None = None
        # Between two answers, in seconds.
        self.longest_pause = 0.0
        self._answered_at = time.monotonic()

    def run_until(self, is_over: threading.Event) -> None:
        self._answered_at = time.monotonic()
        while not is_over.is_set() and self.refusal is None:
            if not self.refresh():
                time.sleep(PAUSE_SECONDS)

    def refresh(self) -> bool:
        try:
            response = self.rp.refresh(self.refresh_token)
        except requests.RequestException as failure:
            if "NewConnectionError" in str(failure):
                self.unheard += 1
            else:
                self.cut_off += 1
            return False
        if is_unavailable(response):
            if not is_of_server(response):
                self.unheard += 1
            return False
        if response.status_code != 200:
            self.refusal = response.text
            return False
        answer = self.rp.accepted(response)
        self.refresh_token, self.access_token = answer["refresh_token"], answer["access_token"]
        self.refreshes += 1
        now = time.monotonic()
        self.longest_pause = max(self.longest_pause, now - self._answered_at)
        self._answered_at = now
        return True
