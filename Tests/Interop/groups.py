"""Runs every suite, a few groups of them at the same time: they wait much more than they compute.

KEYTURN_GROUPS says how many, 3 without it. Suites that share the common server stay in one group, because one test looks
through its log and its database for what the others kept secret. The output of a group is printed when it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The longest first.
GROUPS = [
    ["conformance", "clients", "attacks", "browser"],
    ["methods"],
    ["faults"],
    ["passkeys"],
    ["box", "device"],
    ["tim", "authgear", "vault", "delivery"],
]


def forgotten() -> set[str]:
    """Folders with tests that stand in no group."""
    found = {file.relative_to(HERE).parts[0] for file in HERE.glob("*/**/test_*.py")}
    return found - {suite for group in GROUPS for suite in group}


def run(group: list[str], log: Path) -> tuple[int, float]:
    """One group; pytest's exit code and the seconds that it took."""
    began = time.monotonic()
    with log.open("wb") as output:
        code = subprocess.run([sys.executable, "-m", "pytest", *group], cwd=HERE, stdout=output,
                              stderr=subprocess.STDOUT, check=False).returncode
    return code, time.monotonic() - began


def main() -> int:
    if missing := forgotten():
        print(f"In no group of {Path(__file__).name}: {', '.join(sorted(missing))}", file=sys.stderr)
        return 2
    at_once = int(os.environ.get("KEYTURN_GROUPS", "3"))
    failed, summaries = [], []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        logs = {" ".join(group): Path(folder) / f"{group[0]}.log" for group in GROUPS}
        running = {pool.submit(run, name.split(), log): name for name, log in logs.items()}
        for number, done in enumerate(as_completed(running), 1):
            name, (code, seconds) = running[done], done.result()
            text = logs[name].read_text(errors="replace")
            print(f"\n##### {number} of {len(GROUPS)}: {name}\n{text}", flush=True)
            last = text.strip().splitlines()[-1].strip("= ") if text.strip() else "no output"
            summaries.append(f"{seconds:6.0f} s  {name}: {last}")
            if code != 0:
                failed.append(name)
    print("\n##### all groups\n" + "\n".join(summaries))
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
