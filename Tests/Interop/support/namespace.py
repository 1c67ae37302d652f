"""A network namespace: one program whose links to the rest of the machine can be cut as a cable is."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time

from support.server import die_with_parent

START_SECONDS = 10


class NamespaceFailed(RuntimeError):
    """The system allows none: it takes root, or CAP_SYS_ADMIN and CAP_NET_ADMIN."""


class Namespace:
    """Two links lead out of it: one for those who ask the program, one for the databases that the program asks.

    - `address`: where the program inside is found.
    - `network`: from which it reaches this machine, as `host`.
    """

    def __init__(self):
        # Addresses that no real network has (RFC 2544), and others for each run of the tests.
        number = os.getpid() % 254
        self.address, self._front = f"198.18.{number}.2", f"198.18.{number}.1"
        self.host, self._back = f"198.19.{number}.1", f"198.19.{number}.2"
        self.network = f"198.19.{number}.0/30"
        self._links = [f"kt{os.getpid()}f", f"kt{os.getpid()}b"]
        # It is there for as long as a process lives in it: nothing stays behind when the tests are killed.
        try:
            self._keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], preexec_fn=die_with_parent)
        except OSError as failure:
            raise NamespaceFailed(str(failure)) from failure
        try:
            self._wait_until_apart()
            for link, outside, inside in zip(
                self._links, (self._front, self.host), (self.address, self._back), strict=True
            ):
                self._connect(link, outside, inside)
            run(*self.below, "ip", "link", "set", "lo", "up")
        except NamespaceFailed:
            self.close()
            raise

    def _wait_until_apart(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        own = os.readlink("/proc/self/ns/net")
        while True:
            if self._keeper.poll() is not None or time.monotonic() > deadline:
                raise NamespaceFailed("unshare made no namespace")
            # One that has just ended has no such file.
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{self._keeper.pid}/ns/net") != own:
                    return
            time.sleep(0.02)

    def _connect(self, link: str, outside: str, inside: str) -> None:
        run("ip", "link", "add", link, "type", "veth", "peer", "name", f"{link}-in")
        run("ip", "link", "set", f"{link}-in", "netns", str(self._keeper.pid))
        run("ip", "address", "add", f"{outside}/30", "dev", link)
        run("ip", "link", "set", link, "up")
        run(*self.below, "ip", "address", "add", f"{inside}/30", "dev", f"{link}-in")
        run(*self.below, "ip", "link", "set", f"{link}-in", "up")

    @property
    def below(self) -> list[str]:
        """The command that runs another one inside, and becomes it."""
        return ["nsenter", "--target", str(self._keeper.pid), "--net"]

    def cut(self) -> None:
        """The databases cannot be reached: nothing says so, packets just do not arrive."""
        run("ip", "link", "set", self._links[1], "down")

    def mend(self) -> None:
        run("ip", "link", "set", self._links[1], "up")

    def reaches(self, port: int, seconds: float) -> bool:
        """Whether a connection from inside is made; raises if the system says why not, instead of waiting."""
        probe = f"import socket; socket.create_connection(('{self.host}', {port}), timeout={seconds})"
        done = subprocess.run([*self.below, "python3", "-c", probe], capture_output=True, text=True, check=False)
        if done.returncode != 0 and "TimeoutError" not in done.stderr:
            raise NamespaceFailed(done.stderr)
        return done.returncode == 0

    def close(self) -> None:
        self._keeper.kill()
        self._keeper.wait()


def run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as failure:
        raise NamespaceFailed(str(failure)) from failure
    if done.returncode != 0:
        raise NamespaceFailed(f"{' '.join(command)}: {done.stderr.strip()}")
