"""A PostgreSQL server to measure on, and pgbench: a program of PostgreSQL's own that sends the same statements."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from driving import CONNECTIONS, SECONDS

SETTINGS = """
listen_addresses = ''
max_connections = 200
shared_buffers = '256MB'
max_wal_size = '4GB'
"""


def bin_folder():
    return Path(subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True).stdout.strip())


class PostgreSQL:
    """One server in a folder of its own, over a socket. What it acknowledged is on the disk (`fsync` is on)."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="keyturn-bench-"))
        # It refuses to run as root.
        self.as_owner = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.as_owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--reset-env"]
        self.data = self.folder / "data"
        self._run(bin_folder() / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                  "--no-sync")
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(f"{SETTINGS}unix_socket_directories = '{self.folder}'\n")
        self._run(bin_folder() / "pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")
        self.sql("CREATE DATABASE keyturn", database="postgres")
        self.address = f"postgres://postgres@/keyturn?host={self.folder}"

    def _run(self, *command):
        subprocess.run([*self.as_owner, *map(str, command)], check=True, stdout=subprocess.DEVNULL)

    def sql(self, text, database="keyturn"):
        return subprocess.run(
            [bin_folder() / "psql", "-qAt", "-h", self.folder, "-U", "postgres", "-d", database, "-c", text],
            check=True, capture_output=True, text=True).stdout.strip()

    def statement(self, beginning, action):
        """The statement that an action sends, as the server's log has it: with `$1` for its first parameter."""
        self._log("all")
        start = (self.folder / "log").stat().st_size
        action()
        self._log("none")
        text = (self.folder / "log").read_text()[start:]
        # A statement goes on in lines that are indented.
        found = re.search(rf"execute [^:]+: ({beginning}.*?)\n(?=\S)", text, re.DOTALL)
        if not found:
            raise SystemExit(f"no statement begins with {beginning!r}")
        return " ".join(found.group(1).split())

    def _log(self, which):
        self.sql(f"ALTER SYSTEM SET log_statement = '{which}'")
        self.sql("SELECT pg_reload_conf()")
        # A server process reads its settings between two statements, and those of a pool may rest.
        self.sql("SELECT pg_sleep(0.3)")

    def rate(self, script, seconds=SECONDS):
        """How often a second a prepared statement is answered, over as many connections as the load has."""
        file = self.folder / "script.sql"
        file.write_text(script)
        file.chmod(0o644)
        output = subprocess.run(
            [bin_folder() / "pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", "1", "-T", str(seconds),
             "-f", file, "-h", self.folder, "-U", "postgres", "keyturn"], check=True, capture_output=True, text=True).stdout
        return float(re.search(r"tps = ([\d.]+)", output).group(1)), 0

    def stop(self):
        self._run(bin_folder() / "pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
