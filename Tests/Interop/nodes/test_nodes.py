"""Servers and databases die under load: no refresh is refused, and what was revoked stays revoked."""

from __future__ import annotations

import signal
import time

import requests

from support.trials import ROUNDS

FROZEN_SECONDS = 2


def metric(node, name: str) -> int:
    text = requests.get(f"{node.base}/metrics", timeout=10).text
    return sum(int(line.split()[-1]) for line in text.splitlines() if line.startswith(f"{name} "))


def test_both_nodes_are_one_server(nodes):
    """What one hands out, the other honours, and ends."""
    keys = [requests.get(f"{server.base}/oauth2/jwks", timeout=10).json() for server in nodes.servers]
    assert keys[0] == keys[1] and keys[0]["keys"]
    signed_in = nodes.app().sign_in(nodes.visitor)
    for server in nodes.servers:
        userinfo = requests.get(
            f"{server.base}/oauth2/userinfo", headers={"Authorization": f"Bearer {signed_in.access_token}"}, timeout=10)
        assert userinfo.status_code == 200
    assert nodes.app().revoke(signed_in.refresh_token).status_code == 200
    for server in nodes.servers:
        userinfo = requests.get(
            f"{server.base}/oauth2/userinfo", headers={"Authorization": f"Bearer {signed_in.access_token}"}, timeout=10)
        assert userinfo.status_code == 401


def test_nodes_die(nodes):
    """Killed, stopped for a while, and restarted one after the other."""

    def events() -> int:
        for number in range(2):
            for _ in range(ROUNDS):
                time.sleep(0.5)
                nodes.servers[number].kill()
                time.sleep(0.5)
                nodes.start(number)
            time.sleep(0.5)
            nodes.servers[number].process.send_signal(signal.SIGSTOP)
            time.sleep(FROZEN_SECONDS)
            nodes.servers[number].process.send_signal(signal.SIGCONT)
        for number in range(2):
            time.sleep(0.5)
            assert nodes.servers[number].stop() == 0
            nodes.start(number)
        time.sleep(0.5)
        return 2 * (ROUNDS + 2)

    apps = nodes.under_load("nodes that die", events)
    assert all(app.refreshes > 10 for app in apps), "there was no load"


def test_the_database_freezes_and_restarts(nodes, cluster):
    def events() -> int:
        cluster.primary.signal(signal.SIGSTOP)
        time.sleep(FROZEN_SECONDS)
        cluster.primary.signal(signal.SIGCONT)
        time.sleep(1)
        cluster.primary.process.send_signal(signal.SIGQUIT)
        cluster.primary.process.wait()
        cluster.primary.start()
        time.sleep(1)
        return 2

    nodes.under_load("a database that freezes and restarts", events)


def test_the_primary_dies(nodes, cluster):
    """Refreshes that no standby had are lost, and no session with them; what was revoked before stays revoked."""
    cluster.wait_for_a_standby()
    revoked = nodes.app().sign_in(nodes.visitor)
    assert nodes.app().revoke(revoked.refresh_token).status_code == 200

    def events() -> int:
        time.sleep(1)
        cluster.fail_over(losing=True)
        time.sleep(2)
        return 1

    nodes.under_load("a primary that dies with what it had not handed on", events)
    assert not nodes.app().introspect(revoked.access_token)["active"]
    assert not nodes.app().introspect(revoked.refresh_token)["active"]
    ahead = sum(metric(server, "keyturn_refresh_ahead_total") for server in nodes.servers)
    assert ahead > 0, "nothing was lost, so nothing was shown"
    assert sum(metric(server, "keyturn_refresh_replayed_total") for server in nodes.servers) == 0
