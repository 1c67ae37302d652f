"""Servers and databases die under load: nothing is refused or lost, and what was ended stays ended."""

from __future__ import annotations

import signal
import time
from email.utils import parsedate_to_datetime

import pytest
import requests

from support.clocks import FAKE_CLOCK
from support.namespace import NamespaceFailed
from support.trials import ROUNDS

FROZEN_SECONDS = 2
CUT_SECONDS = 6
CLOCK_SECONDS_MAX = 30
# Longer than a caller waits for a change to be on two machines.
ALONE_SECONDS = 9
READY_SECONDS = 20


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


def test_nodes_die(nodes, load):
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

    load.during("nodes that die", events)


@pytest.mark.skipif(FAKE_CLOCK is None, reason="libfaketime is not installed")
@pytest.mark.parametrize("seconds", [20, -20, 60, -60])
def test_the_clock_of_a_node_is_off(nodes, load, seconds):
    """Codes live for a minute, so a node whose clock is half a minute off must not be ready; with less it must serve."""
    assert nodes.servers[1].stop() == 0
    nodes.start(1, clock_seconds=seconds)
    try:
        dates = [
            parsedate_to_datetime(requests.get(f"{server.base}/healthz", timeout=10).headers["Date"]).timestamp()
            for server in nodes.servers
        ]
        assert abs(dates[1] - dates[0] - seconds) < 10, "the clock is not wrong"
        if abs(seconds) > CLOCK_SECONDS_MAX:
            nodes.left_out.add(1)
        assert nodes.is_ready(1) == (1 not in nodes.left_out)

        def events() -> int:
            time.sleep(4)
            return 1

        load.during(f"a clock that is off by {seconds:+d} s", events)
    finally:
        nodes.left_out.discard(1)
        # Not stopped: behind a clock that is faked to be slow, timers are late by as much.
        nodes.servers[1].kill()
        nodes.start(1)


def test_the_network_of_a_node_is_cut(nodes, namespace, cluster, load):
    """Its packets to the database go nowhere, and nothing tells it so. The other one goes on; later it does as well."""
    if namespace is None:
        pytest.skip("no network namespace can be made here: it takes root, or CAP_SYS_ADMIN and CAP_NET_ADMIN")
    assert nodes.servers[1].stop() == 0
    nodes.start(1, apart=True)

    def events() -> int:
        time.sleep(1)
        namespace.cut()
        try:
            assert not namespace.reaches(cluster.primary.port, 1), "the network is not cut"
            time.sleep(CUT_SECONDS - 1)
            assert nodes.answers(0) and not nodes.answers(1)
            load.notes.append(f"the node {'stayed' if nodes.is_ready(1) else 'was not'} ready")
        finally:
            namespace.mend()
        deadline = time.monotonic() + READY_SECONDS
        while not nodes.answers(1):
            assert time.monotonic() < deadline, "it does not answer again"
            time.sleep(0.1)
        time.sleep(1)
        return 1

    try:
        load.during("a node whose network is cut", events)
    except NamespaceFailed as failure:
        pytest.fail(f"the network was not black-holed: {failure}")
    finally:
        nodes.servers[1].kill()
        nodes.start(1)


def test_the_database_freezes_and_restarts(cluster, load):
    def events() -> int:
        cluster.primary.signal(signal.SIGSTOP)
        time.sleep(FROZEN_SECONDS)
        cluster.primary.signal(signal.SIGCONT)
        time.sleep(1)
        began = time.monotonic()
        cluster.primary.process.send_signal(signal.SIGQUIT)
        cluster.primary.process.wait()
        cluster.primary.start()
        load.notes.append(f"the database was away for {time.monotonic() - began:.1f} s")
        time.sleep(1)
        return 2

    load.during("a database that freezes and restarts", events)


def test_no_standby_answers(cluster, load):
    """What must be on two machines waits; refreshes do not, and nothing is answered that did not happen."""
    standbys = [each for each in cluster.all if each is not cluster.primary]

    def events() -> int:
        time.sleep(2)
        for each in standbys:
            each.signal(signal.SIGSTOP)
        time.sleep(1)
        before = [app.refreshes for app in load.refreshing]
        time.sleep(ALONE_SECONDS)
        assert all(app.refreshes > number for app, number in zip(load.refreshing, before, strict=True)), "they waited"
        for each in standbys:
            each.signal(signal.SIGCONT)
        time.sleep(3)
        return 1

    load.during("no standby answers", events)


def test_the_primary_dies(nodes, cluster, load):
    """Refreshes that no standby had are lost, and no session with them; what was ended before stays ended."""

    def events() -> int:
        time.sleep(1)
        began = time.monotonic()
        cluster.fail_over(losing=True)
        load.notes.append(f"no database could write for {time.monotonic() - began:.1f} s")
        time.sleep(3)
        return 1

    load.during("a primary that dies with what it had not handed on", events)
    ahead = sum(metric(server, "keyturn_refresh_ahead_total") for server in nodes.servers)
    assert ahead > 0, "nothing was lost, so nothing was shown"
    assert sum(metric(server, "keyturn_refresh_replayed_total") for server in nodes.servers) == 0
