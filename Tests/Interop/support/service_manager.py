"""Plays systemd for one server: hands over a listening socket, hears what the server says, and can stop its threads."""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import socket
import subprocess
import time
from pathlib import Path

from support.server import binary, die_with_parent

FIRST_DESCRIPTOR = 3
HEAR_SECONDS = 60
BACKLOG = 4096
# What a service manager cannot know before it starts the process, the process's own number, the shell fills in.
SHELL = ["sh", "-c", 'LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$@"', "sh"]


class ServiceManager:
    """A notify socket, and a listening socket that outlives every server.

    - `is_abstract`: the notify socket has a name and no file.
    - `listens`: servers get a socket; otherwise each opens its own.
    - `watchdog`: the time after which a server would be taken for hung, in seconds.
    """

    def __init__(self, folder: Path, *, is_abstract: bool = False, listens: bool = True,
                 watchdog: float | None = None):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "keyturn.json"
        self.config.write_text(json.dumps({"issuer": "auto", "listen": "127.0.0.1:0"}))
        self.log = folder / "server.log"
        name = f"keyturn-{secrets.token_hex(8)}"
        self.address = f"@{name}" if is_abstract else str(folder / "notify")
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.bind(f"\0{name}" if is_abstract else self.address)
        self.socket = None
        if listens:
            self.socket = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        self.watchdog = watchdog
        self.started: list[subprocess.Popen] = []

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def start(self, **environment: str) -> subprocess.Popen:
        """A new server on the same data, and on the same socket."""
        variables = os.environ | {"NOTIFY_SOCKET": self.address}
        if self.socket:
            variables |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "keyturn.socket"}
        if self.watchdog:
            variables["WATCHDOG_USEC"] = str(int(self.watchdog * 1_000_000))

        def prepare() -> None:
            die_with_parent()
            if self.socket:
                os.dup2(self.socket.fileno(), FIRST_DESCRIPTOR)

        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*SHELL, str(binary()), "serve", "--config", str(self.config)], stdout=log, stderr=log,
                cwd=self.folder, env=variables | environment, preexec_fn=prepare, close_fds=False)
        self.started.append(process)
        return process

    def hear(self, seconds: float = HEAR_SECONDS) -> dict[str, str] | None:
        """The next datagram; `None` if none comes in time."""
        self.ear.settimeout(seconds)
        try:
            text = self.ear.recv(4096).decode()
        except TimeoutError:
            return None
        return dict(line.split("=", 1) for line in text.split("\n"))

    def hear_of(self, name: str, seconds: float = HEAR_SECONDS) -> dict[str, str]:
        """The next datagram that says something of `name`."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            said = self.hear(rest)
            if said and name in said:
                return said
        raise AssertionError(f"no {name} within {seconds} s; the log ends:\n{self.log_tail()}")

    def is_silent(self, seconds: float) -> bool:
        """Whether nothing is said for so long; what was said before does not count."""
        while self.hear(0.05) is not None:
            pass
        return self.hear(seconds) is None

    def log_tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])

    def close(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()
        self.ear.close()
        if self.socket:
            self.socket.close()


class StoppedThread:
    """One thread of a process, stopped while the others go on (ptrace(2)). Only the test's own thread may let it go."""

    SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17

    def __init__(self, thread: int):
        self.thread = thread
        self.trace(self.SEIZE)
        self.trace(self.INTERRUPT)
        os.waitpid(thread, 0x40000000)  # __WALL

    def trace(self, request: int) -> None:
        libc = ctypes.CDLL("libc.so.6", use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        libc.ptrace.restype = ctypes.c_long
        if libc.ptrace(request, self.thread, None, None) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def go_on(self) -> None:
        self.trace(self.DETACH)


def threads(pid: int, name: str) -> list[int]:
    """The threads whose name begins so."""
    found = []
    for entry in Path(f"/proc/{pid}/task").iterdir():
        if (entry / "comm").read_text().startswith(name):
            found.append(int(entry.name))
    return sorted(found)
