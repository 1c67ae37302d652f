"""A server that may be killed, restarted and cut off, with people and apps that live through it."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from support.command_line import Machine
from support.configuration import ALL_SCOPES, MARIA, Client, secret_of
from support.proxy import Hold, Proxy, deliver
from support.relying_party import Provider, RelyingParty
from support.server import Server, free_port
from support.visitor import Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("http://127.0.0.1/app/callback",))
COMMAND_LINE = Client(
    "keyturn-cli", None, "none", ("http://127.0.0.1/callback",), {"application_type": "native", "scope": ALL_SCOPES}
)


class Site:
    """One server on one port with one database, behind a proxy that clients take for the server.

    - `data`: the folder of the database, if it is to be another one.
    - `behind_proxy`: without it, clients reach the server itself.
    """

    def __init__(
        self, folder: Path, *, data: Path | None = None, behind_proxy: bool = True, access_token_seconds: int = 600
    ):
        self.folder = folder
        self.data = data
        self.port = free_port()
        self.proxy = Proxy(self.port)
        self.issuer = self.proxy.base if behind_proxy else f"http://127.0.0.1:{self.port}"
        self.configuration = {
            "issuer": self.issuer,
            "project": {"access_token_seconds": access_token_seconds},
            "clients": [APP.entry(), COMMAND_LINE.entry()],
            "users": [MARIA.entry()],
        }
        self.server = self._started()
        self.provider = Provider(self.issuer)
        # Signs in with a password once; after that the server knows this browser.
        self.visitor = Visitor(self.issuer)
        self._machines: list[Machine] = []

    def _started(self) -> Server:
        return Server(self.folder / "server", self.configuration, log_level="info", port=self.port, data=self.data)

    def start(self) -> None:
        """Starts the server again, on the same port and database."""
        self.server = self._started()

    def machine(self, name: str, *, state: Path | None = None, expired: bool = False) -> Machine:
        """A machine on which somebody has just signed in.

        - `expired`: it believes its access token to have run out; the server knows better.
        """
        machine = Machine(self.folder / name, state)
        self._machines.append(machine)
        if expired:
            self.proxy.expires_in = 0
        machine.sign_in(self.issuer, self.visitor)
        if expired:
            self.proxy.expires_in = None
        return machine

    def held_refresh(self, machine: Machine) -> tuple[subprocess.Popen, Hold]:
        """A process whose refresh the server has answered, without the answer having arrived."""
        self.proxy.treat_refresh = hold = Hold()
        process = machine.start("token")
        assert hold.arrived.wait(10), "no refresh arrived"
        self.proxy.treat_refresh = deliver
        return process, hold

    def stopped_refresh(self, machine: Machine) -> subprocess.Popen:
        """The same, with the process stopped and the answer waiting for it."""
        process, hold = self.held_refresh(machine)
        process.send_signal(signal.SIGSTOP)
        hold.released.set()
        return process

    def app(self) -> RelyingParty:
        """An app with a connection of its own."""
        return RelyingParty(self.provider, APP)

    def close(self) -> None:
        for machine in self._machines:
            machine.close()
        self.proxy.close()
        if self.server.is_running():
            self.server.stop()
