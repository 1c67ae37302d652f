"""A clock that is wrong, for one program."""

from __future__ import annotations

from pathlib import Path

FAKE_CLOCK = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def fake_clock(seconds: int) -> dict[str, str]:
    """The environment of a program whose clock is so many seconds ahead of all others; nothing for 0."""
    if not seconds:
        return {}
    return {
        "LD_PRELOAD": str(FAKE_CLOCK),
        "FAKETIME": f"{seconds:+d}s",
        # Only the calendar is wrong; whoever waits for a second waits for a second.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        # The library writes its own here. A variable that is new to the process would move the environment, and
        # Swift finds a program's arguments by what lies before that.
        "FAKETIME_SHARED": "/nobody /nobody",
    }
