"""Two servers behind a balancer, on a database of three machines."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from support.load import Load
from support.measured import report
from support.namespace import Namespace, NamespaceFailed
from support.nodes import Nodes
from support.postgresql import Cluster


@pytest.fixture(scope="session")
def namespace():
    """`None` where the system allows none."""
    try:
        made = Namespace()
    except NamespaceFailed as failure:
        report(f"no network was cut: {failure}")
        yield None
        return
    yield made
    made.close()


@pytest.fixture(scope="session")
def cluster(namespace):
    # Not below pytest's folder, which every other run that begins closes to PostgreSQL's user.
    with tempfile.TemporaryDirectory(prefix="keyturn-cluster-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        made = Cluster(Path(folder), namespace.network if namespace else None)
        yield made
        made.close()


@pytest.fixture(scope="session")
def nodes(cluster, namespace, tmp_path_factory):
    made = Nodes(tmp_path_factory.mktemp("nodes"), cluster, namespace)
    yield made
    made.close()


@pytest.fixture
def load(nodes, cluster) -> Load:
    """Clients who have not begun yet."""
    cluster.wait_for_a_standby()
    return Load(nodes)
