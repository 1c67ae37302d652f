"""A database with many grants is upgraded by `keyturn migrate`, and the release before goes on with it.

KEYTURN_UPGRADE_GRANTS: how many grants, 20,000 without it.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import sqlite3
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.configuration import MARIA
from support.measured import report
from support.postgresql import Database
from support.refreshing_app import RefreshingApp
from support.relying_party import Provider, RelyingParty
from support.server import Server, binary, free_port
from support.site import APP
from support.visitor import Visitor

GRANTS = int(os.environ.get("KEYTURN_UPGRADE_GRANTS", "20000"))
# Takes back what the last step did: a later step is written here, with what it made.
UNDONE = {59: ['ALTER TABLE "user" DROP COLUMN disputed_at']}
FILL = """
WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < {count})
INSERT INTO grant_ (id, client_id, user_id, scope, is_offline, resources, auth_time, amr, acr, created_at,
    code_digest, code_expires_at, counter, idle_expires_at, absolute_expires_at)
SELECT {id}, 'app', (SELECT min(id) FROM "user"), 'openid', 1, '[]', 1, '["pwd"]', '1', 1, {digest}, 1, 0,
    4000000000, 4000000000 FROM counted
"""
# What the next release could add.
EXPANSION = ["ALTER TABLE grant_ ADD COLUMN later {text}", "CREATE TABLE later (id {text} PRIMARY KEY)"]
MARK = 0x4B << 24


class Installation:
    """A server with a database, and an app whose session must not be lost."""

    def __init__(self, folder: Path, database: str):
        self.folder, self.database, self.port = folder, database, free_port()
        self.configuration = {
            "issuer": f"http://127.0.0.1:{self.port}",
            "secrets": [base64.b64encode(secrets.token_bytes(32)).decode()],
            "clients": [APP.entry()],
            "users": [MARIA.entry()],
        }
        self.start()
        self.app = RefreshingApp(self._app(), self._app().sign_in(Visitor(self.server.base)).refresh_token)
        self.newest = self.check()["newest"]

    def _app(self) -> RelyingParty:
        return RelyingParty(Provider(self.server.base), APP)

    def start(self) -> None:
        self.server = Server(self.folder, self.configuration, log_level="info", port=self.port, database=self.database)

    def stop(self) -> None:
        assert self.server.stop() == 0, self.server.log_tail()

    def migrate(self, *options: str) -> subprocess.CompletedProcess:
        command = [binary(), "migrate", "--config", self.server.config, "--database", self.database, *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)

    def upgrade(self) -> float:
        """Returns the seconds that it took."""
        began = time.monotonic()
        done = self.migrate()
        assert done.returncode == 0 and f"Steps taken: {self.newest}." in done.stdout, done
        return time.monotonic() - began

    def check(self) -> dict:
        done = self.migrate("--check", "--json")
        assert done.returncode == 0, done
        return json.loads(done.stdout)

    def during(self, event) -> object:
        """Refreshes without a pause meanwhile. Every refresh is answered."""
        is_over = threading.Event()
        before = self.app.refreshes
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.app.run_until, is_over)
            try:
                result = event()
                time.sleep(0.5)
            finally:
                is_over.set()
        running.result()
        assert self.app.refusal is None and self.app.unheard + self.app.cut_off == 0
        assert self.app.refreshes > before
        return result

    def refresh(self) -> None:
        # The first attempt may find a connection that ended with the last server.
        assert self.app.refresh() or self.app.refresh(), self.app.refusal


@pytest.fixture
def postgresql():
    with tempfile.TemporaryDirectory(prefix="keyturn-upgrade-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Database(Path(folder), "a")
        made.make()
        made.sql("CREATE DATABASE keyturn")
        yield made
        made.close()


def test_postgresql_while_a_server_answers(postgresql, tmp_path):
    def sql(*statements: str) -> None:
        # One transaction.
        postgresql.sql("; ".join(["SET lock_timeout = '5s'", *statements]), database="keyturn")

    site = Installation(tmp_path, f"postgres://postgres@127.0.0.1:{postgresql.port}/keyturn")
    sql(FILL.format(count=GRANTS, id="decode(md5(i::text), 'hex')",
                    digest="decode(md5(i::text) || md5((-i)::text), 'hex')"))
    sql(*UNDONE[site.newest], f"UPDATE schema_version SET number = {site.newest - 1}")
    seconds = site.during(site.upgrade)
    report(f"an upgrade of {GRANTS} grants in PostgreSQL under load: {seconds:.1f} s")

    site.during(lambda: sql(*(line.format(text="text") for line in EXPANSION),
                            f"UPDATE schema_version SET number = number + 1, oldest = {site.newest}"))
    site.stop()
    site.start()
    site.refresh()
    assert site.check()["newer"]
    site.stop()


def test_sqlite_between_two_starts(tmp_path):
    file = tmp_path / "keyturn.db"

    def sql(*statements: str) -> None:
        connection = sqlite3.connect(file, isolation_level=None)
        for statement in ["BEGIN IMMEDIATE", *statements, "COMMIT"]:
            connection.execute(statement)
        connection.close()

    site = Installation(tmp_path, f"sqlite:{file}")
    site.stop()
    sql(FILL.format(count=GRANTS, id="randomblob(16)", digest="randomblob(32)"))
    sql(*UNDONE[site.newest], f"PRAGMA user_version = {site.newest - 1}")
    seconds = site.upgrade()
    report(f"an upgrade of {GRANTS} grants in SQLite: {seconds:.1f} s")
    site.start()
    site.refresh()
    site.stop()

    number, oldest = site.newest + 1, site.newest
    sql(*(line.format(text="TEXT") for line in EXPANSION), f"PRAGMA user_version = {number}",
        f"PRAGMA application_id = {MARK | number << 12 | oldest}")
    site.start()
    site.refresh()
    assert site.check()["newer"]
    assert site.migrate().returncode == 0
    site.stop()


def test_an_older_release_refuses_what_it_cannot_read(tmp_path):
    file = tmp_path / "keyturn.db"
    site = Installation(tmp_path, f"sqlite:{file}")
    site.stop()
    connection = sqlite3.connect(file)
    number = site.newest + 2
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute(f"PRAGMA application_id = {MARK | number << 12 | site.newest + 1}")
    connection.close()
    for options in [(), ("--check",)]:
        refused = site.migrate(*options)
        assert refused.returncode == 2 and f"newer release (schema {number})" in refused.stderr, refused
