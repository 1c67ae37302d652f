"""How often a fault is tried, and what became of the sessions."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from support.measured import report

# Of lost answers. A thousand are a thorough run; what takes longer is tried less often.
TRIALS = int(os.environ.get("KEYTURN_FAULT_TRIALS") or 30)
KILLS = max(1, TRIALS // 2)
ROUNDS = max(2, TRIALS // 20)
# For so long the server repeats the answer to a refresh to whoever asks again, and a little more.
OVERLAP_SECONDS = 62


@dataclass
class Figures:
    """What a test has counted; printed at the end of the run, and nothing may be lost."""

    name: str
    trials: int = 0
    lost: list[str] = field(default_factory=list)
    wrongly_valid: list[str] = field(default_factory=list)
    # Commands that ended in a way that no caller can make sense of: crashed, or said nothing.
    confused: list[str] = field(default_factory=list)
    remarks: str = ""

    def check(self) -> None:
        report(
            f"{self.name}: {self.trials} trials, {len(self.lost)} sessions lost, "
            f"{len(self.wrongly_valid)} wrongly valid tokens"
            + (f", {len(self.confused)} commands that did not say what is wrong" if self.confused else "")
            + (f" ({self.remarks})" if self.remarks else "")
        )
        assert self.trials, "nothing was tried"
        assert not self.lost, f"{len(self.lost)} sessions lost in {self.trials} trials, first: {self.lost[0]}"
        assert not self.wrongly_valid, (
            f"{len(self.wrongly_valid)} tokens are valid that must not be, first: {self.wrongly_valid[0]}"
        )
        assert not self.confused, f"{len(self.confused)} commands did not say what is wrong, first: {self.confused[0]}"


def in_parallel(work: Callable[[int], None], count: int) -> None:
    """Runs `work(0)`, `work(1)`, … at the same time; the first failure is raised."""
    with ThreadPoolExecutor(count) as pool:
        for outcome in [pool.submit(work, number) for number in range(count)]:
            outcome.result()
