"""Whether two kinds of requests take the same time: alternating pairs, medians, and how sure one can be."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

RESAMPLES = 1_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Comparison:
    """Times in milliseconds; the difference is the second kind's minus the first's, with its interval."""

    samples: int
    first: float
    second: float
    difference: float
    low: float
    high: float

    def is_noticeable(self, share: float, least: float) -> bool:
        """Surely not zero, and more than a share of the time and than the least that counts (milliseconds)."""
        is_sure = self.low > 0 or self.high < 0
        return is_sure and abs(self.difference) > max(share * min(self.first, self.second), least)

    def __str__(self) -> str:
        return (
            f"medians {self.first:.2f} and {self.second:.2f} ms of {self.samples} pairs, "
            f"difference {self.difference:+.3f} ms [{self.low:+.3f}, {self.high:+.3f}]"
        )


def compare(pairs: int, first: Callable[[int], object], second: Callable[[int], object]) -> Comparison:
    """Makes both requests of each pair, in random order; the interval is bootstrapped over the pairs."""
    order = random.Random(1)
    times: list[tuple[float, float]] = []
    for number in range(pairs):
        taken = [0.0, 0.0]
        for place in order.sample((0, 1), 2):
            start = time.perf_counter()
            (first, second)[place](number)
            taken[place] = (time.perf_counter() - start) * 1000
        times.append((taken[0], taken[1]))
    differences = [after - before for before, after in times]
    medians = sorted(statistics.median(order.choices(differences, k=pairs)) for _ in range(RESAMPLES))
    tail = int(RESAMPLES * (1 - CONFIDENCE) / 2)
    return Comparison(
        pairs,
        statistics.median(before for before, _ in times),
        statistics.median(after for _, after in times),
        statistics.median(differences),
        medians[tail],
        medians[-tail - 1],
    )
