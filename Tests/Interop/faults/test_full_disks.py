"""A disk is full, the server's or the client's: whoever asks is told so, and goes on once there is room again."""

from __future__ import annotations

import pytest

from support import checks
from support.command_line import UNREACHABLE
from support.disks import SmallDisk
from support.relying_party import RelyingParty
from support.site import Site
from support.trials import OVERLAP_SECONDS, ROUNDS, Figures

SERVER_KILOBYTES = 3072
CLIENT_KILOBYTES = 64
RUNS_ON_A_FULL_DISK = 3
APPS = 4
# Far more than the database has room for.
REFRESHES_MAX = 5000
REFUSALS = 20


class App:
    """Keeps refreshing one session, and remembers whether it was refused for good."""

    def __init__(self, rp: RelyingParty):
        self.rp = rp
        self.put_off = 0
        self.refresh_token = rp.sign_in().refresh_token
        self.refusal: str | None = None

    def refresh(self) -> bool:
        """Whether there was an answer; `temporarily_unavailable`, in OAuth's words, is the only other thing allowed."""
        response = self.rp.refresh(self.refresh_token)
        if response.status_code == 200:
            self.refresh_token = self.rp.accepted(response)["refresh_token"]
            return True
        if response.status_code == 400:
            self.refusal = response.text
            return False
        checks.check_refused(response, "temporarily_unavailable", status=(503,))
        self.put_off += 1
        return False


def test_full_disk_of_the_server(disks, sites):
    """Refreshes are put off, and nothing else; with room again, every session goes on."""
    figures = Figures("full disk of the server")
    put_off = 0
    for _ in range(ROUNDS):
        disk = disks(SERVER_KILOBYTES)
        [site] = sites(1, data=disk.folder)
        put_off += fill_and_go_on(site, disk, figures)
        site.close()
    figures.remarks = f"{put_off} refreshes put off"
    figures.check()


def fill_and_go_on(site: Site, disk: SmallDisk, figures: Figures) -> int:
    """How many refreshes were put off."""
    site.proxy.expires_in = 0
    machine = site.machine("machine")
    apps = [App(site.app()) for _ in range(APPS)]
    disk.fill()
    assert refreshes_until_refused(apps[0]) < REFRESHES_MAX, "the disk was not full"
    for number in range(REFUSALS):
        apps[number % APPS].refresh()
    run = machine.token()
    # The last page may have had room for one more.
    was_told = run.code == UNREACHABLE and "Nobody was signed out" in run.errors
    assert machine.has_session(run) or was_told, str(run)
    disk.make_room()
    figures.trials += 1
    for app in apps:
        if not app.refresh() or not app.refresh():
            figures.lost.append(app.refusal or "the server stays unavailable")
    run = machine.token()
    if not machine.has_session(run):
        figures.lost.append(str(run))
    return sum(app.put_off for app in apps)


def refreshes_until_refused(app: App) -> int:
    for number in range(REFRESHES_MAX):
        if not app.refresh():
            return number
    return REFRESHES_MAX


def test_full_disk_of_the_client(disks, site):
    """The command says what is wrong, with a token or without; with room again, it works."""
    figures = Figures("full disk of the client")
    site.proxy.expires_in = 0
    disk = disks(CLIENT_KILOBYTES)
    machine = site.machine("machine", state=disk.folder)
    for _ in range(ROUNDS):
        disk.fill()
        for _ in range(RUNS_ON_A_FULL_DISK):
            run = machine.token()
            if not run.errors.strip():
                figures.confused.append(f"{run}, though the session could not be stored")
        disk.make_room()
        figures.trials += 1
        run = machine.token()
        if not machine.has_session(run):
            figures.lost.append(str(run))
            break
    figures.check()


@pytest.mark.late
def test_disk_of_the_client_is_full_for_long(full_disk):
    """Two refreshes, more than a minute apart, that could not be stored."""
    figures = Figures("disk of the client full for long", trials=1)
    full_disk.wait_until(OVERLAP_SECONDS)
    full_disk.machine.token()
    full_disk.disk.make_room()
    run = full_disk.machine.token()
    if not full_disk.machine.has_session(run):
        figures.lost.append(str(run))
    figures.check()
