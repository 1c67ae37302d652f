"""Authenticators without a device, makers that vouch for them, and a server that keeps passkeys for other people's sites."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest

from support.attestation import Maker
from support.authenticator import Authenticator
from support.certificates import Authority
from support.mail_server import MailServer
from support.passkey_site import PasskeySite
from support.passkey_wire import NEW_PATHS, Party, Service
from support.server import Server


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
