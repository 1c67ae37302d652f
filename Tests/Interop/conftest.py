"""One server for all suites, the apps registered with it, and the order of the tests."""

from __future__ import annotations

import pytest
from playwright.sync_api import sync_playwright

from support.configuration import PEOPLE, Client, make_clients, make_configuration
from support.measured import measurements
from support.receivers import Receiver
from support.relying_party import Provider, RelyingParty
from support.server import Server, ServerFailed, binary, free_port
from support.window import launch_chromium


def pytest_collection_modifyitems(items):
    """What has to age goes last; the rest stays in its order."""
    items.sort(key=lambda item: item.get_closest_marker("late") is not None)


def pytest_terminal_summary(terminalreporter):
    """What was measured and is reported, not judged."""
    if measurements:
        terminalreporter.section("measured")
        for line in measurements:
            terminalreporter.line(line)


def pytest_report_header():
    try:
        return f"keyturn: {binary()}"
    except ServerFailed as failure:
        return f"keyturn: {failure}"


@pytest.fixture(scope="session")
def chromium():
    """One real browser for all suites."""
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def callback_receiver():
    """Where browsers really arrive."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def backchannel_receiver():
    """Where logout tokens arrive."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def apache_ports() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture(scope="session")
def clients(callback_receiver, backchannel_receiver, apache_ports) -> dict[str, Client]:
    first, second = (f"http://127.0.0.1:{port}" for port in apache_ports)
    return make_clients(callback_receiver.base, backchannel_receiver.base, (first, second))


@pytest.fixture(scope="session")
def server(clients, tmp_path_factory):
    """The server under test."""
    try:
        server = Server(tmp_path_factory.mktemp("server"), make_configuration(clients))
    except ServerFailed as failure:
        pytest.exit(str(failure), returncode=3)
    yield server
    assert server.is_running(), f"the server is gone; its log ends:\n{server.log_tail()}"
    assert server.stop() == 0, f"exit code after SIGTERM; the log ends:\n{server.log_tail()}"


@pytest.fixture(scope="session")
def provider(server, clients) -> Provider:
    """The server by its metadata. Everybody signs in once, so that the server knows this machine."""
    provider = Provider(server.base)
    for person in PEOPLE:
        RelyingParty(provider, clients["first-app"]).sign_in(person=person)
    return provider


@pytest.fixture(scope="session")
def app(provider, clients):
    """Makes the relying party of a client: `app("first-app")`."""
    return lambda name, response_mode=None: RelyingParty(provider, clients[name], response_mode)


@pytest.fixture
def visitor(provider):
    """A fresh browser."""
    return provider.visitor()
