"""PostgreSQL servers in temporary folders: a primary, and standbys that it waits for."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from support.server import die_with_parent, free_port

START_SECONDS = 30
SETTINGS = """
# On every interface, because some are made later; pg_hba.conf says who may come.
listen_addresses = '*'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 200
wal_keep_size = '128MB'
wal_retrieve_retry_interval = '500ms'
"""


def bin_folder() -> Path:
    return Path(subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True).stdout.strip())


def as_postgres() -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env"]


def run(*command: object) -> str:
    done = subprocess.run([*as_postgres(), *map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"
    return done.stdout


class Database:
    """One server process with its folder.

    - `network`: who may come, beside this machine.
    """

    def __init__(self, folder: Path, name: str, network: str | None = None):
        self.folder, self.name, self.port, self.network = folder / name, name, free_port(), network
        self.data = self.folder / "data"
        self.folder.mkdir(parents=True)
        if os.getuid() == 0:
            subprocess.run(["chown", "postgres", self.folder], check=True)
        self.process: subprocess.Popen | None = None

    def make(self) -> None:
        run(bin_folder() / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
            "--no-sync", "-k")
        self._configure()
        self.start()

    def copy(self, primary: Database) -> None:
        """Becomes a standby."""
        run(bin_folder() / "pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "-C", "-S", self.name,
            "-d", f"host=127.0.0.1 port={primary.port} user=postgres application_name={self.name}")
        self._configure()
        self.start()

    def _configure(self) -> None:
        settings = self.data / "postgresql.conf"
        with settings.open("a") as file:
            file.write(SETTINGS.format(port=self.port, folder=self.folder))
        if self.network:
            with (self.data / "pg_hba.conf").open("a") as file:
                file.write(f"host all all {self.network} trust\n")

    def start(self) -> None:
        self.launch()
        self.wait()

    def launch(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*as_postgres(), bin_folder() / "postgres", "-D", self.data], stdout=log, stderr=log,
                preexec_fn=die_with_parent)

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run([bin_folder() / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                             check=False).returncode != 0:
            is_starting = self.process.poll() is None and time.monotonic() < deadline
            assert is_starting, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.05)

    def sql(self, text: str, database: str = "postgres") -> str:
        return run(bin_folder() / "psql", "-qAt", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-d", database,
                   "-c", text).strip()

    def processes(self, title: str = "") -> list[int]:
        """The server's processes, itself among them; or those whose title says what they do."""
        parent = str(self.process.pid)
        found = subprocess.run(["ps", "--ppid", parent, "-o", "pid=,args="], capture_output=True, text=True, check=False)
        children = [line.split(maxsplit=1) for line in found.stdout.splitlines()]
        pids = [int(pid) for pid, args in children if title in args]
        return pids if title else [*pids, self.process.pid]

    def signal(self, number: int, title: str = "") -> None:
        for pid in self.processes(title):
            # One that served a connection may have ended meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """The machine is gone, with everything on it."""
        self.signal(signal.SIGKILL)
        self.process.wait()

    def replayed(self) -> int:
        """How far a standby without a primary has read its log, once it has read all of it."""
        place = "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn"
        before = -1
        while (now := int(self.sql(place))) != before:
            before = now
            time.sleep(0.3)
        return now

    def promote(self) -> None:
        run(bin_folder() / "pg_ctl", "-D", self.data, "-w", "promote")

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()


class Cluster:
    """A primary and two standbys, of which one must have what is committed.

    - `network`: who may come, beside this machine.
    """

    def __init__(self, folder: Path, network: str | None = None):
        self.all = [Database(folder, name, network) for name in ("a", "b", "c")]
        self.primary = self.all[0]
        self.primary.make()
        for standby in self.all[1:]:
            standby.copy(self.primary)
        self._wait_for("b", "c")
        self.primary.sql("CREATE DATABASE keyturn")

    def _wait_for(self, *standbys: str) -> None:
        names = ", ".join(standbys)
        self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 ({names})'")
        self.primary.sql("SELECT pg_reload_conf()")

    def wait_for_a_standby(self) -> None:
        """Until what must be on two machines can be."""
        deadline = time.monotonic() + START_SECONDS
        while self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum'") == "0":
            assert time.monotonic() < deadline, "no standby came back"
            time.sleep(0.1)

    def address(self, host: str = "127.0.0.1") -> str:
        """For servers that see this machine as `host`."""
        hosts = ",".join(f"{host}:{each.port}" for each in self.all)
        return f"postgres://postgres@{hosts}/keyturn"

    def fail_over(self, *, losing: bool = False) -> None:
        """The primary is gone, and a standby takes its place.

        - `losing`: half a second before, no standby gets anything any more, so that what waits for none is lost. They
          are killed as well, or they would still read what lies in their sockets.
        """
        lost, standbys = self.primary, [each for each in self.all if each is not self.primary]
        if losing:
            for each in standbys:
                each.signal(signal.SIGSTOP, "walreceiver")
            time.sleep(0.5)
        lost.kill()
        if losing:
            for each in standbys:
                each.kill()
                each.launch()
            for each in standbys:
                each.wait()
        # The one that has more, as whoever watches over a cluster chooses: the other could not follow it otherwise.
        other, new = sorted(standbys, key=Database.replayed)
        new.promote()
        self.primary = new
        new.sql(f"SELECT pg_create_physical_replication_slot('{other.name}')")
        other.sql("ALTER SYSTEM SET primary_conninfo = "
                  f"'host=127.0.0.1 port={new.port} user=postgres application_name={other.name}'")
        other.sql("SELECT pg_reload_conf()")
        self._wait_for(other.name)

    def close(self) -> None:
        for each in self.all:
            each.close()
