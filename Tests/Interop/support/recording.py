"""Commands at a terminal, one after the other, and what was shown, when."""

from __future__ import annotations

import codecs
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from support.terminal import ESCAPES

COLUMNS, ROWS = 120, 40
SECONDS = 120
TYPED_SECONDS = 0.4
# What a reader of the recording should not see of the machine that it was made on.
PLACES = re.compile(r"(?:/[\w.-]+)*/pytest-of-[\w.-]+(?:/[\w.-]+)*/")


def record(commands: list[str], environment: dict, folder: Path, file: Path | None = None) -> str:
    """Runs the commands; the first that fails ends it. What was shown, without times and colours.

    `file`: where to keep it, in the form that asciinema plays (version 2).
    """
    events: list[tuple[float, str]] = []
    at = 0.0
    for command in commands:
        lines = command.rstrip("\n").split("\n")
        typed = "\r\n".join(["$ " + lines[0], *("> " + line for line in lines[1:])]) + "\r\n"
        events.append((at, typed))
        at += TYPED_SECONDS
        began = time.monotonic()
        code = _run(command, environment, folder, lambda text: events.append((at + time.monotonic() - began, text)))
        at += time.monotonic() - began + TYPED_SECONDS
        shown = "".join(text for _, text in events)
        assert code == 0, f"exit code {code}:\n{shown}"
    if file:
        _keep(events, file)
    return ESCAPES.sub("", "".join(text for _, text in events)).replace("\r\n", "\n")


def _run(command: str, environment: dict, folder: Path, show) -> int:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["bash", "-o", "pipefail", "-ec", command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
        env={**environment, "TERM": "xterm-256color"}, cwd=folder, start_new_session=True,
    )
    os.close(slave)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.2)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            data = os.read(master, 65_536)
        except OSError:
            break
        if not data:
            break
        show(decoder.decode(data))
    os.close(master)
    try:
        return process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"it goes on for {SECONDS} seconds:\n{command}") from None


def _keep(events: list[tuple[float, str]], file: Path) -> None:
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "Moving to a Keyturn server"}
    lines = [json.dumps(head)] + [json.dumps([round(at, 3), "o", PLACES.sub("", text)]) for at, text in events]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
