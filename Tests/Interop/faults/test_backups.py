"""Backups of servers at work, and restores: under load, killed at any moment, on full disks, between engines."""

from __future__ import annotations

import base64
import secrets
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.backups import Backups, kill_at_random, rows_of
from support.command_line import FAILED
from support.configuration import MARIA
from support.postgresql import Database
from support.refreshing_app import RefreshingApp
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port
from support.site import APP, Site
from support.trials import KILLS, ROUNDS, Figures
from support.visitor import Visitor

APPS = 6
BACKUPS = 4
DISK_KILOBYTES = 6144
# What a command that was killed may leave behind.
LEFTOVERS = (".partial", ".scratch", "-wal", "-shm", "-journal", ".restoring")


@pytest.fixture
def site(sites):
    """Without a proxy: a request that is cut off is the server's doing."""
    return sites(1, behind_proxy=False)[0]


def database_of(site: Site) -> str:
    return f"sqlite:{site.server.folder / 'keyturn.db'}"


@pytest.fixture
def backups(tmp_path) -> Backups:
    return Backups(tmp_path / "backups")


class SigningIn:
    """Signs users in, one after another."""

    def __init__(self, site: Site):
        self.site, self.count = site, 0

    def run_until(self, is_over: threading.Event) -> None:
        while not is_over.is_set():
            self.site.app().sign_in(self.site.visitor)
            self.count += 1


def test_backup_under_load(site, backups):
    """Requests go on as if there was none; each backup is restored, and servers go on from the first and the last."""
    figures = Figures("backups under load")
    apps = [RefreshingApp(site.app(), site.app().sign_in(site.visitor).refresh_token) for _ in range(APPS)]
    signing_in = SigningIn(site)
    is_over = threading.Event()
    with ThreadPoolExecutor(APPS + 1) as pool:
        load = [pool.submit(worker.run_until, is_over) for worker in (*apps, signing_in)]
        try:
            reports = [backups.backup(database_of(site), f"{number}.backup") for number in range(BACKUPS)]
        finally:
            is_over.set()
    for running in load:
        running.result()
    assert all(app.refreshes > BACKUPS for app in apps) and signing_in.count, "there was no load"
    assert not any(app.unheard or app.cut_off or app.refusal for app in apps), "a backup was in the way of a request"
    assert reports[-1]["tables"]["grant_"] > reports[0]["tables"]["grant_"], "the backups are of the same moment"
    backups.backup(database_of(site), "quiet.backup")
    assert site.server.stop() == 0
    figures.remarks = f"{sum(app.refreshes for app in apps)} refreshes, {signing_in.count} sign-ins meanwhile"

    copy = backups.folder / "quiet" / "keyturn.db"
    copy.parent.mkdir()
    backups.restore("quiet.backup", f"sqlite:{copy}")
    original = site.server.folder / "keyturn.db"
    # The backup itself is in the audit log of the original, whose end the server signed when it stopped.
    log = ("audit_event", "audit_chain", "audit_checkpoint")
    assert rows_of(copy, *log) == rows_of(original, *log), "the copy has other rows"

    for name in ("0", "quiet"):
        # What was refreshed since is newer than the older database.
        folder = backups.folder / f"server-{name}"
        folder.mkdir()
        backups.restore(f"{name}.backup", f"sqlite:{folder / 'keyturn.db'}")
        site.data = folder
        site.start()
        for app in apps:
            figures.trials += 1
            if not (app.refresh() or app.refresh()) or not site.provider.is_good(app.access_token):
                figures.lost.append(f"{name}: {app.refusal}")
        site.app().sign_in(site.visitor)
        assert site.server.stop() == 0
    figures.check()


def test_killed_backups(site, backups):
    """A backup has its name when it is whole; the next one clears up, and the server notices nothing."""
    figures = Figures("killed backups")
    site.app().sign_in(site.visitor)
    began = time.monotonic()
    backups.backup(database_of(site), "first.backup")
    usual = time.monotonic() - began
    killed = 0
    for number in range(KILLS):
        file = backups.folder / f"{number}.backup"
        killed += kill_at_random(backups.start(*backups.backup_arguments(database_of(site), file)), usual)
        figures.trials += 1
        if file.exists() and not (run := backups.verify(file)).is_done:
            figures.confused.append(f"a backup that looks whole: {run}")
        strange = [
            path.name for folder in (backups.folder, site.server.folder) for path in folder.iterdir()
            if path.name.startswith(f"{number}.backup.") and path.suffix not in LEFTOVERS
        ]
        assert not strange, strange
    assert killed, "every backup was faster than its end"
    backups.backup(database_of(site), "last.backup")
    assert not list(site.server.folder.glob("*.scratch*")), "the scratch file of a killed command is still there"
    assert site.server.is_running()
    site.app().sign_in(site.visitor)
    figures.remarks = f"{killed} before their end"
    figures.check()


def test_killed_restores(site, backups):
    """No server starts on half of a database; the same command, run again, restores it."""
    figures = Figures("killed restores")
    app = RefreshingApp(site.app(), site.app().sign_in(site.visitor).refresh_token)
    assert app.refresh()
    backups.backup(database_of(site), "b.backup")
    assert site.server.stop() == 0
    began = time.monotonic()
    backups.restore("b.backup", f"sqlite:{backups.folder / 'timed.db'}")
    usual = time.monotonic() - began
    killed = 0
    for number in range(KILLS):
        replaces = number % 2 == 1
        folder = backups.folder / f"restored-{number}"
        folder.mkdir()
        target = folder / "keyturn.db"
        if replaces:
            backups.restore("b.backup", f"sqlite:{target}")
        arguments = backups.restore_arguments(backups.folder / "b.backup", f"sqlite:{target}")
        more = ["--replace"] if replaces else []
        killed += kill_at_random(backups.start(*arguments, *more), usual)
        figures.trials += 1
        if replaces:
            assert target.exists(), "a server would begin with an empty database"
        if target.exists():
            keys = backups.run("key", "list", "--database", f"sqlite:{target}", "--json")
            if not keys.is_done:
                figures.confused.append(f"a database without its secrets: {keys}")
        if replaces or not target.exists():
            backups.restore("b.backup", f"sqlite:{target}", *more)
        assert not list(folder.glob("*.restoring*")), "what a killed command left is still there"
    assert killed, "every restore was faster than its end"
    site.data = backups.folder / f"restored-{KILLS - 1}"
    site.start()
    if not app.refresh():
        figures.lost.append(app.refusal or "no answer")
    figures.remarks = f"{killed} before their end"
    figures.check()


def test_full_disks(site, backups, disks):
    """A command says that the disk is full, and leaves nothing that looks whole; with room, it works."""
    figures = Figures("full disks of backups")
    for _ in range(ROUNDS):
        for _ in range(20):
            site.app().sign_in(site.visitor)
        disk = disks(DISK_KILOBYTES)
        backups.folder.mkdir(exist_ok=True)
        file = disk.folder / "b.backup"
        disk.fill()
        commands = [
            backups.backup_arguments(database_of(site), file),
            [*backups.backup_arguments(database_of(site), backups.folder / "never.backup"), "--scratch", disk.folder],
        ]
        for command in commands:
            run = backups.run(*command)
            figures.trials += 1
            if run.code != FAILED or not any(word in run.errors for word in ("full", "No space left")):
                figures.confused.append(str(run))
        assert [path.name for path in disk.folder.iterdir()] == ["filler"], "something was left on the full disk"
        assert not (backups.folder / "never.backup").exists()
        disk.make_room()
        assert backups.run(*commands[0]).is_done
        restored = disk.folder / "keyturn.db"
        disk.fill()
        run = backups.run(*backups.restore_arguments(file, f"sqlite:{restored}"))
        if run.code != FAILED or not any(word in run.errors for word in ("full", "No space left")):
            figures.confused.append(str(run))
        assert sorted(path.name for path in disk.folder.iterdir()) == ["b.backup", "filler"]
        disk.make_room()
        assert backups.run(*backups.restore_arguments(file, f"sqlite:{restored}")).is_done
        assert site.server.is_running()
    figures.check()


@pytest.fixture
def postgresql():
    # Not below pytest's folder, which every other run that begins closes to PostgreSQL's user.
    with tempfile.TemporaryDirectory(prefix="keyturn-backup-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Database(Path(folder), "primary")
        made.make()
        yield made
        made.close()


def test_between_engines(tmp_path, postgresql):
    """PostgreSQL to a file, to SQLite, and to PostgreSQL again; each time servers go on with the sessions there were."""
    figures = Figures("backups between engines")
    port = free_port()
    configuration = {
        "issuer": f"http://127.0.0.1:{port}", "secrets": [base64.b64encode(secrets.token_bytes(32)).decode()],
        "clients": [APP.entry()], "users": [MARIA.entry()],
    }
    for name in ("first", "second"):
        postgresql.sql(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    address = f"postgres://postgres@127.0.0.1:{postgresql.port}"
    databases = [f"{address}/first", f"sqlite:{tmp_path / 'middle.db'}", f"{address}/second"]
    app: RefreshingApp | None = None
    for number, database in enumerate(databases):
        server = Server(tmp_path / "server", configuration, port=port, database=database)
        backups = Backups(tmp_path / f"backups-{number}", server.config)
        if app is None:
            relying = RelyingParty(Provider(server.base), APP)
            app = RefreshingApp(relying, relying.sign_in(Visitor(server.base)).refresh_token)
        for _ in range(5):
            figures.trials += 1
            if not (app.refresh() or app.refresh()):
                figures.lost.append(f"{database}: {app.refusal}")
        if database != databases[-1]:
            backups.backup(database, "b.backup")
            # What is newer than the backup.
            assert app.refresh()
        assert server.stop() == 0
        if database != databases[-1]:
            backups.restore("b.backup", databases[number + 1])
    figures.check()
