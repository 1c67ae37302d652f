"""Servers are replaced one after the other, also by those of another release: no client notices."""

from __future__ import annotations

import time

import pytest

from support.server import ServerFailed

# What the next release could add to the tables. It lets statements that use them pass, and comes again.
EXPANSION = """
SET lock_timeout = '200ms';
ALTER TABLE grant_ ADD COLUMN later text;
ALTER TABLE "user" ADD COLUMN later bigint NOT NULL DEFAULT 0;
CREATE TABLE later (id bytea PRIMARY KEY);
UPDATE schema_version SET number = number + 1;
"""
TRIES = 50


def replace_all(nodes) -> int:
    for number in range(2):
        assert nodes.servers[number].stop() == 0
        nodes.start(number)
        # Until the balancer has asked it as well.
        deadline = time.monotonic() + 20
        while not nodes.answers(number):
            assert time.monotonic() < deadline, "a server that was started is not ready"
            time.sleep(0.1)
        time.sleep(1)
    return 2


def expand(cluster) -> None:
    for _ in range(TRIES):
        try:
            cluster.primary.sql(EXPANSION, database="keyturn")
            return
        except AssertionError as failure:
            if "lock timeout" not in str(failure) and "deadlock" not in str(failure):
                raise
            time.sleep(0.2)
    raise AssertionError("the tables were never free")


def test_a_rolling_restart_is_not_noticed(nodes, load):
    """A server that is about to stop says so while it still answers, so no request meets one that is gone."""
    load.during("a rolling restart", lambda: replace_all(nodes))
    assert sum(app.unheard + app.cut_off for app in load.refreshing) == 0


def test_two_releases_share_the_tables(nodes, cluster, load):
    """The next release adds to the tables under load; those of this one go on, and can be restarted."""

    def events() -> int:
        time.sleep(1)
        expand(cluster)
        time.sleep(1)
        return 1 + replace_all(nodes)

    load.during("tables of the next release", events)
    assert sum(app.unheard + app.cut_off for app in load.refreshing) == 0


def test_a_release_that_is_too_old_does_not_start(nodes, cluster):
    """The release after the next takes away what this one knows."""
    cluster.primary.sql("UPDATE schema_version SET oldest = number + 1", database="keyturn")
    try:
        assert nodes.servers[1].stop() == 0
        with pytest.raises(ServerFailed, match="newer release"):
            nodes.start(1)
    finally:
        cluster.primary.sql("UPDATE schema_version SET oldest = 35", database="keyturn")
        nodes.start(1)
