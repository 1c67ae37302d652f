"""A program in a terminal of its own: what a person would see of it."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import zxingcpp

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BLOCKS = {" ": (0, 0), "\u2580": (1, 0), "\u2584": (0, 1), "\u2588": (1, 1)}
QUIET_MODULES = 4
PIXELS = 4


class Terminal:
    """Starts a program whose input and output are a terminal of `columns`."""

    def __init__(self, arguments: list, environment: dict, folder, columns: int = 100):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self.process = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": "xterm-256color"},
            cwd=folder,
            start_new_session=True,
            # A shell that starts the tests in the background has them ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(slave)
        self._master = master
        # A character may come in two parts.
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.shown = ""

    def wait_for(self, pattern: str, seconds: float = 30) -> re.Match:
        """Until what was shown, without its colours, holds the pattern."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.text):
                return found
            if not self._read(0.2) and self.process.poll() is not None:
                break
        if found := re.search(pattern, self.text):
            return found
        raise AssertionError(f"nothing like {pattern!r} was shown, but:\n{self.text}")

    def finish(self, seconds: float = 60) -> int:
        """Waits for the program; its exit code."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.2)
        while self._read(0.1):
            pass
        assert self.process.poll() is not None, f"it goes on:\n{self.text}"
        return self.process.returncode

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.shown).replace("\r\n", "\n")

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            return False
        self.shown += self._decoder.decode(data)
        return bool(data)


def picture_in(text: str) -> list[str]:
    """The lines of a picture of half blocks."""
    lines = [line for line in text.split("\n") if len(line) > 20 and set(line) <= set(BLOCKS)]
    assert lines, "no picture was shown"
    return lines


def read_picture(lines: list[str], *, is_dark_drawn: bool) -> str:
    """What a camera reads in a picture of half blocks, two rows of modules a line."""
    rows = []
    for line in lines:
        halves = [BLOCKS[character] for character in line]
        for half in (0, 1):
            rows.append([bool(pair[half]) == is_dark_drawn for pair in halves])
    width = len(rows[0])
    quiet = [row for row in rows[:QUIET_MODULES]] + [row[:QUIET_MODULES] for row in rows]
    assert not any(any(row) for row in quiet), "the quiet zone is not quiet"
    pixels = bytearray()
    for row in rows:
        line = b"".join(bytes([0 if dark else 255]) * PIXELS for dark in row)
        pixels += line * PIXELS
    image = memoryview(bytes(pixels)).cast("B", shape=[len(rows) * PIXELS, width * PIXELS])
    found = zxingcpp.read_barcodes(image)
    assert len(found) == 1, "no code could be read in the picture"
    return found[0].text
