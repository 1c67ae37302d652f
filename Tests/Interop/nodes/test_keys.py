"""A key of the key service has three wrong PINs, however many servers are asked, and whatever becomes of them."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.answers import insist, status, text
from support.guessed_keys import ANSWER_SECONDS, GUESSES, PIN, WRONG_MAX, GuessedKey, statuses, wrong_pins
from support.measured import report

KEYS = 3


@pytest.fixture
def pool():
    with ThreadPoolExecutor(GUESSES) as made:
        yield made


@pytest.fixture
def make_key(nodes):
    def make() -> GuessedKey:
        key = GuessedKey(nodes)
        assert key.make()
        return key

    return make


def test_guesses_at_both_nodes_at_once_get_three_answers(make_key, pool):
    """Of which the third says that the key is locked."""
    for _ in range(KEYS):
        key = make_key()
        found = statuses(key.guess_at_once(pool, wrong_pins(GUESSES)))
        assert found[200] == 0 and found[401] <= WRONG_MAX - 1, found
        for pin in wrong_pins(WRONG_MAX):
            response, _ = insist(lambda: key.open(pin), ANSWER_SECONDS)
            found[status(response)] += 1
        assert found[401] == WRONG_MAX - 1, f"every guess was answered, so two of them as wrong ones: {found}"
        response, _ = insist(lambda: key.open(PIN), ANSWER_SECONDS)
        assert status(response) == 403, "a lock is never undone"


def test_a_right_pin_is_not_lost_among_wrong_ones(make_key, pool):
    """Two wrong ones and the right one at the same moment: it opens, now or after them."""
    for _ in range(KEYS):
        key = make_key()
        found = statuses(key.guess_at_once(pool, [*wrong_pins(WRONG_MAX - 1), PIN]))
        assert found[403] == 0, found
        response, _ = insist(lambda: key.open(PIN), ANSWER_SECONDS)
        assert status(response) == 200, f"{text(response)} after {found}"


def test_an_attempt_whose_node_is_killed_counts(nodes, make_key, pool):
    """And no more than that: the key is free again after half a minute, and nobody got more answers."""
    keys = [make_key() for _ in range(KEYS)]
    found = [Counter() for _ in keys]
    is_over = threading.Event()

    def guess(number: int) -> None:
        """One PIN after the other at the node that is killed."""
        for pin in wrong_pins(GUESSES):
            if is_over.is_set():
                return
            found[number].update(statuses(keys[number].guess_at_once(pool, [pin])))

    with ThreadPoolExecutor(KEYS) as guessers:
        running = [guessers.submit(guess, number) for number in range(KEYS)]
        time.sleep(0.1)
        nodes.servers[0].kill()
        is_over.set()
        for each in running:
            each.result()
    nodes.start(0)
    began = time.monotonic()
    outcomes = Counter()
    for key, answered in zip(keys, found, strict=True):
        response, _ = insist(lambda: key.open(PIN), ANSWER_SECONDS)
        assert response is not None, "the key is busy for ever"
        outcomes[response.status_code] += 1
        assert answered[200] == 0 and answered[401] <= WRONG_MAX - 1
        # Those without an answer may have counted.
        assert response.status_code == 200 or answered.total() >= WRONG_MAX, f"{response.text} after {answered}"
    report(f"keys whose node was killed: {dict(outcomes)} after {time.monotonic() - began:.0f} s")
