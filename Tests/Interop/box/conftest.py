"""One server, and for each test a proxy in front of it that counts."""

from __future__ import annotations

import pytest

from support.box_clients import Generated, Legacy
from support.enterprise import Enterprise
from support.proxy import Proxy


@pytest.fixture(scope="session")
def enterprise(tmp_path_factory):
    """The server under test."""
    enterprise = Enterprise(tmp_path_factory.mktemp("enterprise"))
    yield enterprise
    enterprise.close()


@pytest.fixture
def proxy(enterprise):
    """Everything that the clients of a test send comes by here."""
    proxy = Proxy(enterprise.server.address[1])
    yield proxy
    proxy.close()


@pytest.fixture
def legacy(proxy, monkeypatch) -> Legacy:
    """Release 3.14."""
    return Legacy(proxy.base, monkeypatch)


@pytest.fixture
def generated(proxy) -> Generated:
    """Release 10.18."""
    return Generated(proxy.base)
