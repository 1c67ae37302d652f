"""Somebody's machine with the `keyturn` command line on it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.server import binary
from support.tokens import payload_of
from support.visitor import Visitor

TIMEOUT_SECONDS = 60
DONE, FAILED, REFUSED, UNREACHABLE = range(4)


@dataclass
class Run:
    """A command that has ended."""

    code: int
    output: str
    errors: str

    @property
    def is_done(self) -> bool:
        return self.code == DONE

    @property
    def session(self) -> str | None:
        """Which grant the printed access token belongs to; `None` if none was printed."""
        return payload_of(self.output)["gid"] if self.is_done and self.output.count(".") == 2 else None

    def __str__(self) -> str:
        return f"exit code {self.code}: {self.errors.strip() or 'no error'}"


class Machine:
    """A home directory of its own, and `keyturn` commands that run in it.

    - `state`: where sessions are kept, if not in the home directory.
    """

    def __init__(self, home: Path, state: Path | None = None):
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "XDG_STATE_HOME": str(state or home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
            # A crash is reported in one line.
            "SWIFT_BACKTRACE": "enable=no",
        }
        self._started: list[subprocess.Popen] = []
        # Of the sign-in: the session, and its first access token.
        self.session: str | None = None
        self.first_token: str | None = None

    def start(self, *arguments: str, typing: bool = False) -> subprocess.Popen:
        """A command. `typing`: something will be written to its standard input."""
        process = subprocess.Popen(
            [binary(), *arguments],
            stdin=subprocess.PIPE if typing else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.home,
            text=True,
        )
        self._started = [other for other in self._started if other.returncode is None] + [process]
        return process

    def close(self) -> None:
        """Ends what a failed test has left running, or stopped."""
        for process in self._started:
            process.kill()
            process.communicate()

    def run(self, *arguments: str) -> Run:
        return finish(self.start(*arguments))

    def token(self) -> Run:
        return self.run("token")

    def has_session(self, run: Run) -> bool:
        """Whether the command printed a token of the session that was signed in."""
        return run.session is not None and run.session == self.session

    def log_in(self, issuer: str, visitor: Visitor, *more: str) -> Run:
        """`keyturn login`, with a visitor instead of a person at a browser."""
        login = self.start("login", "--issuer", issuer, "--no-browser", *more)
        try:
            address = next((line.strip() for line in login.stdout if line.startswith("http")), None)
            assert address, f"no address of a sign-in page: {finish(login)}"
            callback = visitor.authorize(address, {})
            visitor.session.get(callback.url, timeout=TIMEOUT_SECONDS).raise_for_status()
            finished = finish(login)
        finally:
            login.kill()
        assert finished.is_done, f"the sign-in failed: {finished}"
        return finished

    def sign_in(self, issuer: str, visitor: Visitor, *more: str) -> None:
        """The same under the usual name, and which session it is."""
        self.log_in(issuer, visitor, *more)
        first = self.token()
        assert first.session, f"no token after the sign-in: {first}"
        self.session, self.first_token = first.session, first.output


def answer(process: subprocess.Popen, *lines: str) -> Run:
    """Types lines, and waits for the command."""
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()
    return finish(process)


def finish(process: subprocess.Popen, seconds: float = TIMEOUT_SECONDS) -> Run:
    """Waits for a command."""
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"the command took longer than {seconds} s") from None
    return Run(process.returncode, output.strip(), errors)


def kill_after(process: subprocess.Popen, seconds: float) -> bool:
    """Ends a command without a warning; whether it was still running."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL
