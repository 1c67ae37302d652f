"""A log of every change: servers at work, followers that are killed, full disks, and restores to moments."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.backups import Backups, rows_of
from support.followed_logs import FollowedLog
from support.refreshing_app import RefreshingApp
from support.site import Site

APPS = 4
ROUNDS = 5
LOAD_SECONDS = 3.0
# Longer than between two looks at the log.
QUIET_SECONDS = 1.6
DISK_KILOBYTES = 3_072
# The restore has an event of its own.
RESTORED = ("audit_event", "audit_chain", "audit_checkpoint")


@pytest.fixture
def site(sites):
    return sites(1, behind_proxy=False)[0]


@pytest.fixture
def log(site, tmp_path) -> FollowedLog:
    return FollowedLog(Backups(tmp_path / "backups"), database_of(site))


def file_of(site: Site) -> Path:
    return site.server.folder / "keyturn.db"


def database_of(site: Site) -> str:
    return f"sqlite:{file_of(site)}"


def grants(database: Path) -> list[tuple]:
    connection = sqlite3.connect(database)
    try:
        return sorted(connection.execute("SELECT id, counter, idle_expires_at FROM grant_").fetchall())
    finally:
        connection.close()


class Load:
    """Apps that refresh while the block runs."""

    def __init__(self, site: Site):
        self.apps = [RefreshingApp(site.app(), site.app().sign_in(site.visitor).refresh_token) for _ in range(APPS)]

    def run(self, during) -> None:
        is_over = threading.Event()
        with ThreadPoolExecutor(APPS) as pool:
            running = [pool.submit(app.run_until, is_over) for app in self.apps]
            try:
                during()
            finally:
                is_over.set()
        for outcome in running:
            outcome.result()
        assert not any(app.refusal for app in self.apps)


def test_every_moment_under_load(site, log, tmp_path):
    """The follower is killed and started anew under load, the server stopped and killed; no change is missing."""
    load = Load(site)
    log.start()
    moments: list[tuple[str, list[tuple]]] = []

    def disturb(number: int) -> None:
        time.sleep(random.uniform(0, LOAD_SECONDS))
        if number % 2 == 0:
            log.kill()
            log.start()
        time.sleep(LOAD_SECONDS / 2)

    for number in range(ROUNDS):
        load.run(lambda number=number: disturb(number))
        if number == 1:
            assert site.server.stop() == 0
            site.start()
        if number == 3:
            site.server.kill()
            site.start()
        time.sleep(QUIET_SECONDS)
        moments.append((datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), grants(file_of(site))))
        time.sleep(QUIET_SECONDS)

    assert site.server.stop() == 0
    time.sleep(QUIET_SECONDS)
    log.stop()
    # Under load a log may begin anew before a follower that was killed is back; servers that come and go break nothing.
    assert len(log.lines()) <= log.starts and "line_broken" not in log.events(), log.events()
    counters = [sum(counter for _, counter, _ in state) for _, state in moments]
    assert counters == sorted(set(counters)), "there was no load between two moments"
    for number, (moment, state) in enumerate(moments):
        restored = tmp_path / f"moment-{number}.db"
        run = log.restore(restored, "--at", moment)
        assert run.is_done, str(run)
        assert grants(restored) == state, f"{moment} has another state"
    newest = tmp_path / "newest" / "keyturn.db"
    newest.parent.mkdir()
    assert (run := log.restore(newest)).is_done, str(run)
    assert rows_of(newest, *RESTORED) == rows_of(file_of(site), *RESTORED)

    # A server goes on from it, and so do the apps.
    site.data = newest.parent
    site.start()
    for app in load.apps:
        assert app.refresh() or app.refresh(), app.refusal
    site.app().sign_in(site.visitor)


def test_a_full_folder(site, log, disks, tmp_path):
    """While nothing can be appended, the server goes on; when there is room again, nothing is missing."""
    load = Load(site)
    disk = disks(DISK_KILOBYTES)
    log.folder = disk.folder / "log"
    log.start()
    load.run(lambda: time.sleep(LOAD_SECONDS))
    disk.fill()
    refreshes = sum(app.refreshes for app in load.apps)
    load.run(lambda: log.wait_for("waiting"))
    load.run(lambda: time.sleep(LOAD_SECONDS))
    assert sum(app.refreshes for app in load.apps) > refreshes
    disk.make_room()
    log.wait_for("recovered")
    time.sleep(QUIET_SECONDS)
    assert site.server.stop() == 0
    time.sleep(QUIET_SECONDS)
    log.stop()
    assert log.events().count("line_began") == 1
    restored = tmp_path / "restored.db"
    assert (run := log.restore(restored)).is_done, str(run)
    assert rows_of(restored, *RESTORED) == rows_of(file_of(site), *RESTORED)
