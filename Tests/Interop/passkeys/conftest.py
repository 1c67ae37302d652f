"""Authenticators without a device, makers that vouch for them, and a server that keeps passkeys for other people's sites."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest

from support.attestation import Maker
from support.authenticator import Authenticator, decode
from support.certificates import Authority
from support.forger import Forger
from support.hosted_visitor import Visitor
from support.mail_server import MailServer
from support.passkey_site import PasskeySite
from support.passkey_wire import NEW_PATHS, Party, Service
from support.project import Project
from support.server import Server
from support.window import Window


@pytest.fixture
def authenticators():
    """Makes authenticators; ends them."""
    made: list[Authenticator] = []

    def make(seed: str | None = None, **behaviour) -> Authenticator:
        made.append(Authenticator(seed, **behaviour))
        return made[-1]

    yield make
    for authenticator in made:
        authenticator.close()


@pytest.fixture(scope="session")
def maker() -> Maker:
    return Maker()


@dataclass(frozen=True)
class SiteUser:
    """Somebody whom a site knows by this identifier and name."""

    id: str
    name: str

    @property
    def selector(self) -> dict:
        return {"username": self.name}


KEYS = Party("keys.example.test", "Keys", ("https://keys.example.test",))
OTHER = Party("other.example.test", "Other", ("https://other.example.test",))
# A domain that a browser on this machine can be on.
LOCAL = "Local"


@pytest.fixture(scope="session")
def mail(tmp_path_factory):
    """Where mails arrive."""
    server = MailServer(Authority(tmp_path_factory.mktemp("authority")))
    yield server
    server.close()
    assert not server.refused, f"the mail server refused: {server.refused}"


@pytest.fixture(scope="session")
def site():
    """Pages and backend of a site, on http://localhost."""
    site = PasskeySite()
    yield site
    site.close()


@pytest.fixture(scope="session")
def parties(site) -> dict[str, Party]:
    return {"keys": KEYS, "other": OTHER, "local": Party("localhost", LOCAL, (site.origin,))}


@pytest.fixture(scope="session")
def passkey_server(tmp_path_factory, parties):
    """A server that keeps the passkeys of these relying parties."""
    configuration = {
        "issuer": "auto",
        "project": {"name": "Interop"},
        "passkeys": [party.entry() for party in parties.values()],
    }
    server = Server(tmp_path_factory.mktemp("passkeys"), configuration)
    yield server
    assert server.is_running(), f"the server is gone; its log ends:\n{server.log_tail()}"
    assert server.stop() == 0


@pytest.fixture(scope="session")
def service(passkey_server):
    """Makes the app and backend of a relying party."""
    return lambda party, paths=NEW_PATHS: Service(passkey_server.base, party, paths, log=passkey_server.log)


@pytest.fixture
def keys(service) -> Service:
    return service(KEYS)


@pytest.fixture
def other_party(service) -> Service:
    return service(OTHER)


_numbers = count(1)


@pytest.fixture
def new_user():
    """Somebody whom nobody has seen before."""

    def make(word: str = "person") -> SiteUser:
        number = next(_numbers)
        return SiteUser(f"{word}-{number}", f"{word}.{number}@example.test")

    return make


@pytest.fixture(scope="session")
def project(tmp_path_factory, mail):
    """A server with pages of its own, at an address that can have passkeys."""
    project = Project(tmp_path_factory.mktemp("hosted"), mail)
    yield project
    project.close()


@pytest.fixture
def visitor(chromium, project):
    """Makes visitors; closes their browsers, and looks at what those complained about."""
    windows: list[Window] = []

    def make(*, account: bool = True, project=project, **options) -> Visitor:
        windows.append(Window(chromium, {project.origin, project.base}, **options))
        made = Visitor(windows[-1], project)
        return made.sign_up() if account else made

    yield make
    for window in windows:
        window.close()


@pytest.fixture(scope="module")
def project(tmp_path_factory, mail):
    project = Project(tmp_path_factory.mktemp("hosted"), mail)
    yield project
    project.close()


@pytest.fixture
def forger(keys):
    """Makes attackers' authenticators for our relying party."""
    return lambda credential_id=None: Forger(keys.party.rp_id, keys.party.origins[0], credential_id)


@pytest.fixture
def registered(keys, forger, new_user):
    """A forger whose credential is an honest user's: `(user, forger)`."""

    def make():
        user, device = new_user(), forger()
        options = keys.creation_options()
        device.user_handle = decode(options["publicKey"]["user"]["id"])
        keys.attach(keys.finish_registration(device.create(options)), user.id, user.name)
        return user, device

    return make
