"""`keyturn backup follow`, as a process that is stopped and killed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from support.backups import Backups
from support.command_line import Run
from support.server import binary

PATIENCE_SECONDS = 60


class FollowedLog:
    """A folder with the log of a database."""

    def __init__(self, backups: Backups, database: str, folder: Path | None = None):
        self.backups, self.database = backups, database
        self.folder = folder or backups.folder / "log"
        self.output = backups.folder / "follow.jsonl"
        self.process: subprocess.Popen | None = None
        self.starts = 0

    def start(self) -> None:
        """Returns when the log is followed."""
        self.starts += 1
        before = len(self.events())
        command = [
            binary(), "backup", "follow", self.folder, "--database", self.database, "--recipient",
            self.backups.recipient, "--with-secrets", "--json",
        ]
        environment = os.environ | {"TMPDIR": str(self.backups.folder), "SWIFT_BACKTRACE": "enable=no"}
        with self.output.open("a") as output, (self.backups.folder / "follow.err").open("a") as errors:
            self.process = subprocess.Popen(
                [str(argument) for argument in command], stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                env=environment)
        self.wait_for("snapshot_made", "line_resumed", after=before)

    def events(self) -> list[str]:
        if not self.output.exists():
            return []
        return [json.loads(line)["event"] for line in self.output.read_text().splitlines() if line.endswith("}")]

    def wait_for(self, *events: str, after: int = 0) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not set(events) & set(self.events()[after:]):
            errors = (self.backups.folder / "follow.err").read_text()
            assert self.process.poll() is None and time.monotonic() < deadline, f"{self.events()} {errors}"
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.terminate()
        assert self.process.wait(PATIENCE_SECONDS) == 0, (self.backups.folder / "follow.err").read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def lines(self) -> list[dict]:
        run = self.backups.run("backup", "list", self.folder, "--json")
        assert run.is_done, str(run)
        return json.loads(run.output)["lines"]

    def restore(self, database: Path, *more: object) -> Run:
        return self.backups.run(*self.backups.restore_arguments(self.folder, f"sqlite:{database}"), *more)
