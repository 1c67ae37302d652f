"""One server, and for each test a proxy in front of it that counts."""

from __future__ import annotations

import json

import pytest

from support.box_clients import Generated, Legacy
from support.enterprise import Enterprise
from support.proxy import Exchange, Proxy
from support.secrets_seen import remember

SECRETS = ("client_secret", "assertion", "code", "refresh_token", "subject_token", "token")


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
    for exchange in proxy.exchanges:
        note_secrets(exchange)


def note_secrets(exchange: Exchange) -> None:
    """What a thief would like to find somewhere."""
    for kind in SECRETS:
        remember(kind, exchange.form.get(kind))
    if exchange.path == "/oauth2/token" and exchange.status == 200:
        answer = json.loads(exchange.answer_body)
        for kind in ("access_token", "refresh_token"):
            remember(kind, answer.get(kind))


@pytest.fixture
def legacy(proxy, monkeypatch) -> Legacy:
    """Release 3.14."""
    return Legacy(proxy.base, monkeypatch)


@pytest.fixture
def generated(proxy) -> Generated:
    """Release 10.18."""
    return Generated(proxy.base)
