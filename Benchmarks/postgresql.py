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


def grant_id(number):
    return f"substring(sha256(int8send({number})) FOR 16)"


def code_digest(number):
    return f"sha256(int8send({number}))"


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

    def rate(self, script, seconds=SECONDS, connections=CONNECTIONS, each=None):
        """How often a second a script of prepared statements is answered, for some seconds or so often a connection.

        A script that counts begins with `n` at 0.
        """
        file = self.folder / "script.sql"
        file.write_text(script)
        file.chmod(0o644)
        end = ["-T", str(seconds)] if each is None else ["-t", str(each)]
        output = subprocess.run(
            [bin_folder() / "pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j", "1", *end, "-D", "n=0",
             "-f", file, "-h", self.folder, "-U", "postgres", "keyturn"],
            check=True, capture_output=True, text=True).stdout
        return float(re.search(r"tps = ([\d.]+)", output).group(1)), 0

    def copy_grants(self, condition, numbers):
        """Copies a grant, once for each number. What is unique in a copy is made from its number."""
        columns = self.sql("SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute "
                           "WHERE attrelid = 'grant_'::regclass AND attnum > 0 AND NOT attisdropped").split(",")
        own = {"id": grant_id("number"), "code_digest": code_digest("number")}
        self.sql(f"INSERT INTO grant_ ({', '.join(columns)}) SELECT {', '.join(own.get(c, c) for c in columns)} "
                 f"FROM (SELECT * FROM grant_ WHERE {condition} LIMIT 1) AS one, "
                 f"generate_series({numbers.start}, {numbers.stop - 1}) AS number")

    def processor_seconds(self):
        """What the server and its processes have spent, those that have ended included."""
        postmaster = (self.data / "postmaster.pid").read_text().split()[0]
        ticks = 0
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if process.name == postmaster:
                ticks += sum(map(int, fields[11:15]))
            elif fields[1] == postmaster:
                ticks += sum(map(int, fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self._run(bin_folder() / "pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
