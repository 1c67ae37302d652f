"""Servers with a `delivery` of their own, and the command that has them send something."""

from __future__ import annotations

import json
import subprocess

import pytest

from support.certificates import Authority
from support.server import Server, binary


class Sender(Server):
    """A server, and `keyturn message` on its database."""

    def message(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary(), "message", *arguments, "--config", self.config, "--database", f"sqlite:{self.folder}/keyturn.db"],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
        )

    def send(self, to: str, *arguments: str) -> str:
        """Queues a message, and returns its identifier."""
        run = self.message("test", "--json", *arguments, to)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)["id"]

    def dead(self) -> list[dict]:
        run = self.message("dead", "--json")
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)


@pytest.fixture(scope="session")
def authority(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def start(tmp_path):
    """Starts servers with this `delivery`; stops them."""
    senders: list[Sender] = []

    def make(delivery: dict, **options) -> Sender:
        configuration = {"issuer": "auto", "project": {"name": "Interop"}, "delivery": delivery}
        senders.append(Sender(tmp_path, configuration, **options))
        return senders[-1]

    yield make
    for sender in senders:
        assert not sender.is_running() or sender.stop() == 0, sender.log_tail()


@pytest.fixture
def closing():
    """Closes what is appended."""
    things: list = []
    yield lambda thing: things.append(thing) or thing
    for thing in things:
        thing.close()
