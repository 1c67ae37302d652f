"""Backups and restores by the command line, on the databases of servers that run."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from support.command_line import Run, finish
from support.server import binary

# The first pages of a killed command's life are as likely as the last ones.
LONGEST_SHARE = 1.2


@dataclass
class Backups:
    """A folder for backups, with the key that they are encrypted to.

    - `config`: the server's configuration; it has the secrets, if they are not beside the database.
    """

    folder: Path
    config: Path | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.identity = self.folder / "identity"
        made = self.run("backup", "key", "create", self.identity)
        assert made.is_done, str(made)
        self.recipient = made.output

    def start(self, *arguments: object) -> subprocess.Popen:
        environment = os.environ | {"TMPDIR": str(self.folder), "SWIFT_BACKTRACE": "enable=no"}
        return subprocess.Popen(
            [binary(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment)

    def run(self, *arguments: object) -> Run:
        return finish(self.start(*arguments), 300)

    def backup_arguments(self, database: str, file: Path) -> list[object]:
        config = ["--config", self.config] if self.config else []
        return ["backup", file, "--database", database, "--recipient", self.recipient, "--with-secrets", "--json", *config]

    def restore_arguments(self, file: Path, database: str) -> list[object]:
        return ["restore", file, "--database", database, "--identity", self.identity, "--json"]

    def backup(self, database: str, name: str) -> dict:
        """A backup that was checked, decrypted as well."""
        run = self.run(*self.backup_arguments(database, self.folder / name), "--identity", self.identity)
        assert run.is_done, str(run)
        report = json.loads(run.output)
        assert report["verified"] and report["decrypted"] and report["secrets"] and report["recorded"], report
        return report

    def restore(self, name: str, database: str, *more: object) -> dict:
        run = self.run(*self.restore_arguments(self.folder / name, database), *more)
        assert run.is_done, str(run)
        return json.loads(run.output)

    def verify(self, file: Path) -> Run:
        return self.run("backup", "verify", file, "--identity", self.identity, "--json")


def kill_at_random(process: subprocess.Popen, usual_seconds: float) -> bool:
    """Kills a command at a random moment of its life; whether it was still running."""
    time.sleep(random.uniform(0, usual_seconds * LONGEST_SHARE))
    was_running = process.poll() is None
    process.kill()
    process.communicate()
    return was_running


def rows_of(database: Path, *without: str) -> dict[str, list[tuple]]:
    """Every row of every table, with its number; `without` some tables."""
    connection = sqlite3.connect(database)
    try:
        names = connection.execute("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        tables = [(name, wr) for name, wr in names.fetchall() if not name.startswith("sqlite_") and name not in without]
        return {
            name: sorted(connection.execute(f'SELECT {"" if wr else "rowid, "}* FROM "{name}"').fetchall(), key=repr)
            for name, wr in tables
        }
    finally:
        connection.close()
