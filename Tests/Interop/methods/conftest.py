"""One project for all tests of the methods, with a mail server and a gateway for text messages."""

from __future__ import annotations

import pytest

from support.certificates import Authority
from support.mail_server import MailServer
from support.project import Project
from support.text_receiver import TextReceiver


@pytest.fixture(scope="session")
def mail(tmp_path_factory):
    """Where mails arrive, by STARTTLS and with a password."""
    server = MailServer(Authority(tmp_path_factory.mktemp("authority")))
    yield server
    server.close()
    assert not server.refused, f"the mail server refused: {server.refused}"


@pytest.fixture(scope="session")
def texts():
    """Where text messages and calls arrive, signed."""
    receiver = TextReceiver()
    yield receiver
    receiver.close()
    assert not receiver.refused, f"the gateway refused: {receiver.refused}"


@pytest.fixture(scope="session")
def project(tmp_path_factory, mail, texts):
    """The server under test."""
    project = Project(tmp_path_factory.mktemp("project"), mail, texts)
    yield project
    project.close()


@pytest.fixture(scope="session")
def near(tmp_path_factory, mail, texts):
    """A server for which the network of a request stands for its user: this package shows no session with a link."""
    project = Project(tmp_path_factory.mktemp("near"), mail, texts, methods={"same_network_counts": True})
    yield project
    project.close()


@pytest.fixture(scope="session")
def quiet_project(tmp_path_factory):
    """A server that sends nothing, so that nothing but the request takes time; its sessions last a second."""
    project = Project(tmp_path_factory.mktemp("quiet"), access_token_seconds=1)
    yield project
    project.close()


@pytest.fixture(scope="session")
def client(project):
    """The package, as an app uses it."""
    return project.client


@pytest.fixture(scope="session")
def mgmt(project):
    """The package, as an operator uses it."""
    return project.mgmt
