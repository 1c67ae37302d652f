"""Keys of the key service, and guesses at their PINs through several servers at once."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import requests

from support.answers import PAUSE_SECONDS, insist, status, text, verdict
from support.nodes import REALM, Nodes

PIN = "1234"
GUESSES = 8
WRONG_MAX = 3
# An attempt whose server died has failed after 30 s; until then its key is busy.
ANSWER_SECONDS = 50


class GuessedKey:
    """One key, whose owner and thief are in a network of their own."""

    def __init__(self, nodes: Nodes):
        self.nodes = nodes
        network = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.headers["X-Forwarded-For"] = network
        self.name: str | None = None

    def ask(self, base: str, call: str, body: dict[str, str]) -> requests.Response:
        return self.http.post(f"{base}/auth/realms/{REALM}/keyservice/v1/{call}", json=body, timeout=30)

    def make(self) -> bool:
        response = verdict(lambda: self.ask(self.nodes.balancer.base, "createkey", {"secret": PIN}))
        if response is None:
            return False
        assert response.status_code == 200, response.text
        self.name = response.json()["keyid"]
        return True

    def open(self, pin: str, base: str | None = None) -> requests.Response:
        return self.ask(base or self.nodes.balancer.base, "key", {"keyid": self.name, "secret": pin})

    def guess_at_once(self, pool: ThreadPoolExecutor, pins: list[str]) -> list[requests.Response | None]:
        """Each PIN at the next server, all at the same moment."""
        moment = threading.Barrier(len(pins))

        def guess(number: int) -> requests.Response | None:
            moment.wait()
            return verdict(lambda: self.open(pins[number], self.nodes.base(number % 2)))

        return list(pool.map(guess, range(len(pins))))


def wrong_pins(count: int) -> list[str]:
    return [f"{number:04}" for number in range(count)]


def statuses(responses: list[requests.Response | None]) -> Counter:
    """401: the PIN was wrong, and there are attempts left. 403: locked. `None`: no verdict."""
    return Counter(map(status, responses))


@dataclass
class KeyThief:
    """Makes keys without a pause. At one it guesses often: it may get three answers, and the key is locked then. At the
    next one it guesses twice, and the owner's PIN opens it afterwards.
    """

    nodes: Nodes
    keys: int = 0
    refused: list[str] = field(default_factory=list)
    too_many: list[str] = field(default_factory=list)

    def run_until(self, is_over: threading.Event) -> None:
        with ThreadPoolExecutor(GUESSES) as pool:
            while not is_over.is_set():
                key = GuessedKey(self.nodes)
                if not key.make():
                    time.sleep(PAUSE_SECONDS)
                    continue
                self.keys += 1
                if self.keys % 2:
                    self.guess_often(pool, key)
                else:
                    self.guess_twice(pool, key)

    def guess_often(self, pool: ThreadPoolExecutor, key: GuessedKey) -> None:
        found = statuses(key.guess_at_once(pool, wrong_pins(GUESSES)))
        # A guess without a verdict may have counted, so that fewer than three may have been answered.
        for pin in wrong_pins(WRONG_MAX):
            response, _ = insist(lambda: key.open(pin), ANSWER_SECONDS)
            found[status(response)] += 1
        if found[401] >= WRONG_MAX or found[200]:
            self.too_many.append(f"guesses at one key were answered {dict(found)}")
        response, _ = insist(lambda: key.open(PIN), ANSWER_SECONDS)
        if status(response) != 403:
            self.too_many.append(f"a key that must be locked answered {status(response)}")

    def guess_twice(self, pool: ThreadPoolExecutor, key: GuessedKey) -> None:
        found = statuses(key.guess_at_once(pool, wrong_pins(WRONG_MAX - 1)))
        response, unanswered = insist(lambda: key.open(PIN), ANSWER_SECONDS)
        if status(response) == 200:
            return
        # A guess whose server died counts as wrong. Where all were answered, nothing has locked the key.
        if found[None] == 0 and unanswered == 0:
            self.refused.append(f"the PIN of a key after {dict(found)}: {status(response)} {text(response)}")

    def check(self) -> tuple[list[str], list[str]]:
        """What was lost, and what was answered and must not be."""
        return self.refused, self.too_many
