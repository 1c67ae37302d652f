"""What a running program holds, as Linux tells it."""

from __future__ import annotations

import os
from pathlib import Path


def resident_mib(pid: int) -> float:
    """Anonymous memory: without the pages of the program's own file."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"/proc/{pid}/status has no RssAnon")


def sockets(pid: int) -> int:
    count = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            count += os.readlink(entry).startswith("socket:")
        except FileNotFoundError:
            continue
    return count
