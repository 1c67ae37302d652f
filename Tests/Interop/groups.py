"""Runs every suite: those that measure alone, and then the others in groups, a few at the same time.

Most suites wait much more than they compute. KEYTURN_GROUPS says how many groups run at the same time, 3 without it.
Suites that share the common server stay in one group, because one test looks through its log and its database for what
the others kept secret. The output of a group is printed when it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Answers whose times are compared: other work beside them would add differences, and hide one that tells who has an
# account.
TIMED = [".", "-m", "timed"]
ALONE = [
    TIMED,
    # A database of three machines, servers and their load; it asserts that no request is cut off.
    ["nodes"],
]
# Each file has a server of its own and waits for it alone: three parts, by the first letters of their names.
AUTHORITY = [["authority", f"--ignore-glob=authority/test_[!{letters}]*"] for letters in ("p-z", "g-o", "a-f")]
# The longest first.
TOGETHER = [
    ["operation"],
    ["conformance", "clients", "attacks", "browser"],
    *AUTHORITY,
    ["federation", "ldap", "scim", "saml"],
    ["passkeys"],
    ["box", "device", "ciba"],
    ["faults"],
    ["methods"],
    ["journeys"],
    ["tim", "authgear", "vault", "terminal", "delivery", "moving"],
    ["programs"],
]
GROUPS = [*ALONE, *TOGETHER]


def forgotten() -> set[str]:
    """Folders with tests that stand in no group."""
    found = {file.relative_to(HERE).parts[0] for file in HERE.glob("*/**/test_*.py")}
    return found - {suite for group in GROUPS for suite in group}


@dataclass
class Outcome:
    """How a group ended."""

    group: list[str]
    code: int
    seconds: float
    # How long processors worked for it.
    work: float
    text: str

    def show(self, number: int) -> None:
        print(f"\n##### {number} of {len(GROUPS)}: {' '.join(self.group)}\n{self.text}", flush=True)

    @property
    def line(self) -> str:
        last = self.text.strip().splitlines()[-1].strip("= ") if self.text.strip() else "no output"
        return f"{self.seconds:6.0f} s, worked {self.work:.0f} s  {' '.join(self.group)}: {last}"


def run(group: list[str]) -> Outcome:
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        chosen = group if group is TIMED else [*group, "-m", "not timed"]
        process = subprocess.Popen([sys.executable, "-m", "pytest", *chosen], cwd=HERE, stdout=output,
                                   stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Outcome(group, process.returncode, time.monotonic() - began, used.ru_utime + used.ru_stime, text)


def outcomes():
    """Each group's outcome, when it ends."""
    for group in ALONE:
        print(f"Alone: {' '.join(group)} …", flush=True)
        yield run(group)
    print(f"\nThen at the same time: {', '.join(' '.join(group) for group in TOGETHER)} …", flush=True)
    with ThreadPoolExecutor(int(os.environ.get("KEYTURN_GROUPS", "3"))) as pool:
        for done in as_completed([pool.submit(run, group) for group in TOGETHER]):
            yield done.result()


def main() -> int:
    if missing := forgotten():
        print(f"In no group of {Path(__file__).name}: {', '.join(sorted(missing))}", file=sys.stderr)
        return 2
    ended = []
    for number, outcome in enumerate(outcomes(), 1):
        outcome.show(number)
        ended.append(outcome)
    print("\n##### all groups\n" + "\n".join(outcome.line for outcome in ended))
    failed = [" ".join(outcome.group) for outcome in ended if outcome.code != 0]
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
