"""A server is restarted behind each proxy of docs/proxies.md, while clients ask."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.certificates import Authority
from support.server import Server, free_port
from support.service_manager import ServiceManager
from support.tls_proxies import TLSProxy

KINDS = ("nginx", "caddy", "haproxy")
CLIENTS = 6
RESTARTS = 3


class Asking:
    """Clients that ask through a proxy, each on connections of its own, until they are stopped."""

    def __init__(self, proxy: TLSProxy):
        self.proxy = proxy
        self._is_over = threading.Event()
        self._pool = ThreadPoolExecutor(CLIENTS)
        self._clients = [self._pool.submit(self._ask) for _ in range(CLIENTS)]

    def _ask(self) -> Counter:
        """How often each status came; 0: the connection was closed instead."""
        answers: Counter = Counter()
        with requests.Session() as session:
            session.trust_env = False
            session.verify = str(self.proxy.authority.ca_file)
            while not self._is_over.is_set():
                read = self._status(session, "GET", "/.well-known/openid-configuration")
                sent = self._status(session, "POST", "/oauth2/token", data={"grant_type": "none"})
                answers.update([("GET", read), ("POST", sent)])
        return answers

    def _status(self, session: requests.Session, method: str, path: str, **options) -> int:
        try:
            return session.request(method, self.proxy.base + path, timeout=60, **options).status_code
        except requests.ConnectionError:
            return 0

    def stop(self) -> Counter:
        self._is_over.set()
        total: Counter = Counter()
        for client in self._clients:
            total += client.result()
        self._pool.shutdown()
        return total


@pytest.fixture
def authority(tmp_path) -> Authority:
    return Authority(tmp_path / "authority")


@pytest.fixture(params=KINDS)
def proxy(request, authority, tmp_path):
    """A proxy, before its server is there."""
    made = TLSProxy(request.param, tmp_path / "proxy", free_port(), authority)
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS)
def test_no_request_fails_while_systemd_holds_the_socket(kind, authority, tmp_path):
    manager = ServiceManager(tmp_path / "manager")
    proxy = TLSProxy(kind, tmp_path / "proxy", manager.port, authority)
    server = manager.start()
    manager.hear_of("READY")
    asking = Asking(proxy)
    try:
        for _ in range(RESTARTS):
            time.sleep(0.7)
            server.send_signal(signal.SIGTERM)
            assert server.wait(15) == 0, manager.log_tail()
            server = manager.start()
            manager.hear_of("READY")
        time.sleep(0.7)
        answers = asking.stop()
    finally:
        proxy.close()
        manager.close()
    assert set(answers) == {("GET", 200), ("POST", 400)}, answers
    assert answers["GET", 200] > 20


def test_without_the_socket_caddy_and_haproxy_wait_and_nginx_does_not(proxy, tmp_path):
    def start() -> Server:
        return Server(tmp_path / "server", {"issuer": proxy.base}, port=proxy.upstream)

    server = start()
    asking = Asking(proxy)
    time.sleep(0.7)
    assert server.stop() == 0
    server = start()
    time.sleep(0.7)
    answers = asking.stop()
    assert server.stop() == 0
    refused = Counter({key: count for key, count in answers.items() if key[1] not in (200, 400)})
    assert answers["GET", 200] > 20
    assert {status for _, status in refused} <= {0, 502}, answers
    if proxy.kind == "nginx":
        assert refused["GET", 502] > 0, answers
    else:
        # A connection that is opened in the moment in which the server closes its socket is lost; each client has one.
        assert refused.total() <= CLIENTS, answers
