"""Starts the server under test, and stops it."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
START_SECONDS = 60
STOP_SECONDS = 15
LISTENING = re.compile(r"^listening on (http://[\d.]+:\d+) \(issuer (\S+)\)$")


class ServerFailed(RuntimeError):
    """The server did not start, or did not stop, as it should."""


def binary() -> Path:
    """The program: `KEYTURN_BINARY`, or what a build left in its usual places."""
    named = os.environ.get("KEYTURN_BINARY")
    candidates = [Path(named)] if named else [REPOSITORY / f".build/{kind}/keyturn" for kind in ("debug", "release")]
    for candidate in candidates:
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return candidate.resolve()
    raise ServerFailed(
        f"no keyturn program at {', '.join(map(str, candidates))}: run `make build`, or set KEYTURN_BINARY"
    )


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def die_with_parent() -> None:
    """Runs in a child: no server outlives a test run that was killed."""
    ctypes.CDLL("libc.so.6").prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Server:
    """One `keyturn serve` with a database of its own.

    - `base`: the address it listens on.
    - `issuer`: the address by which clients know it. The same, unless the configuration says otherwise.
    - `host`, `port`: where to listen; port 0 picks a free one.
    - `data`: the folder of the database, if it is not `folder`.
    - `database`: the URL of a database that is not in a folder.
    - `environment`: variables beside those of the tests.
    - `below`: a command that runs the program in other surroundings, and becomes it.

    Made again with the same folder and port, it goes on where the last one ended.
    """

    def __init__(
        self,
        folder: Path,
        configuration: dict,
        *,
        log_level: str = "debug",
        host: str = "127.0.0.1",
        port: int = 0,
        data: Path | None = None,
        database: str | None = None,
        environment: dict[str, str] | None = None,
        below: Sequence[str] = (),
    ):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "keyturn.json"
        self.config.write_text(json.dumps(configuration, indent=2))
        self.log = folder / "server.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *below,
                    binary(),
                    "serve",
                    "--config",
                    self.config,
                    "--listen",
                    f"{host}:{port}",
                    "--database",
                    database or f"sqlite:{(data or folder) / 'keyturn.db'}",
                    "--log-level",
                    log_level,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env=os.environ | (environment or {}),
                preexec_fn=die_with_parent,
            )
        self.output: list[str] = []
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()
        if not self._listening.wait(START_SECONDS) or not self.output:
            self.process.kill()
            raise ServerFailed(f"the server did not say that it listens; its log ends:\n{self.log_tail()}")
        match = LISTENING.match(self.output[0])
        if not match:
            self.process.kill()
            raise ServerFailed(f"the first line of output is not the promised one: {self.output[0]!r}")
        self.base, self.issuer = match.groups()

    def _read_output(self) -> None:
        for line in self.process.stdout:
            self.output.append(line.decode(errors="replace").rstrip("\n"))
            self._listening.set()
        self._listening.set()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.base.removeprefix("http://").rsplit(":", 1)
        return host, int(port)

    def is_running(self) -> bool:
        return self.process.poll() is None

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")

    def log_tail(self, lines: int = 25) -> str:
        return "\n".join(self.log_text().splitlines()[-lines:])

    def kill(self) -> None:
        """Ends it without a warning."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Asks politely, as an operator would; returns the exit code."""
        if self.is_running():
            self.process.terminate()
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise ServerFailed("the server did not stop within 15 s of SIGTERM") from None
