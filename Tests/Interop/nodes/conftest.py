"""Two servers behind a balancer, on a database of three machines."""

from __future__ import annotations

import base64
import secrets
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.balancer import Balancer
from support.configuration import MARIA
from support.postgresql import Cluster
from support.refreshing_app import RefreshingApp
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port
from support.site import APP
from support.trials import Figures
from support.visitor import Visitor

APPS = 12


class Nodes:
    """The servers, and apps with sessions at them."""

    def __init__(self, folder: Path, cluster: Cluster):
        self.folder, self.cluster = folder, cluster
        self.ports = [free_port(), free_port()]
        self.balancer = Balancer(folder, self.ports)
        self.configuration = {
            "issuer": self.balancer.base,
            "secrets": [base64.b64encode(secrets.token_bytes(32)).decode()],
            "clients": [APP.entry()],
            "users": [MARIA.entry()],
        }
        # At the same moment, on an empty database. A server ends with the thread that started it, so the threads stay.
        self._starters = ThreadPoolExecutor(2)
        self.servers = list(self._starters.map(self._started, range(2)))
        self.balancer.wait()
        self.provider = Provider(self.balancer.base)
        self.visitor = Visitor(self.balancer.base)

    def _started(self, number: int) -> Server:
        return Server(self.folder / f"node-{number}", self.configuration, log_level="info", port=self.ports[number],
                      database=self.cluster.address)

    def start(self, number: int) -> None:
        self.servers[number] = self._started(number)

    def app(self) -> RelyingParty:
        return RelyingParty(self.provider, APP)

    def under_load(self, name: str, events) -> list[RefreshingApp]:
        """Runs the events while apps refresh; no refresh may be refused, and every session goes on afterwards."""
        figures = Figures(name)
        self.cluster.wait_for_a_standby()
        apps = [RefreshingApp(self.app(), self.app().sign_in(self.visitor).refresh_token) for _ in range(APPS)]
        is_over = threading.Event()
        with ThreadPoolExecutor(APPS) as pool:
            load = [pool.submit(app.run_until, is_over) for app in apps]
            try:
                figures.trials = events()
            finally:
                is_over.set()
        for running in load:
            running.result()
        for app in apps:
            is_answered = any(app.refresh() for _ in range(5))
            if not is_answered or not self.provider.is_good(app.access_token):
                figures.lost.append(app.refusal or "no answer, or a token that is not good")
        pause = max(app.longest_pause for app in apps)
        figures.remarks = f"{sum(app.refreshes for app in apps)} refreshes, longest pause {pause:.1f} s"
        figures.check()
        return apps

    def close(self) -> None:
        for server in self.servers:
            if server.is_running():
                server.stop()
        self.balancer.close()
        self._starters.shutdown()


@pytest.fixture(scope="module")
def cluster():
    # Not below pytest's folder, which every other run that begins closes to PostgreSQL's user.
    with tempfile.TemporaryDirectory(prefix="keyturn-cluster-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Cluster(Path(folder))
        yield made
        made.close()


@pytest.fixture(scope="module")
def nodes(cluster, tmp_path_factory):
    made = Nodes(tmp_path_factory.mktemp("nodes"), cluster)
    yield made
    made.close()
