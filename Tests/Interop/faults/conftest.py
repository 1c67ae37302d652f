"""What the faults share, and what takes so long that it is begun before everything else."""

from __future__ import annotations

import contextlib
import subprocess
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command_line import Machine, Run, finish
from support.disks import MountFailed, SmallDisk
from support.proxy import lose
from support.site import Site

EARLY = ("blocked", "full_disk", "lost_answer")
BLOCKED = 2
BLOCKED_SECONDS_MAX = 90
CLIENT_KILOBYTES = 64


@pytest.fixture
def sites(tmp_path):
    """Makes servers of one's own, each behind a proxy."""
    made: list[Site] = []

    def make(count: int, **options) -> list[Site]:
        new = [Site(tmp_path / f"site-{len(made) + number}", **options) for number in range(count)]
        made.extend(new)
        return new

    yield make
    for site in made:
        site.close()


@pytest.fixture
def site(sites):
    """A server of one's own, behind a proxy."""
    return sites(1)[0]


@pytest.fixture
def disks(tmp_path):
    """Makes small disks."""
    made: list[SmallDisk] = []

    def make(kilobytes: int) -> SmallDisk:
        made.append(mounted(tmp_path / f"disk-{len(made)}", kilobytes))
        return made[-1]

    yield make
    for disk in made:
        disk.unmount()


def mounted(folder: Path, kilobytes: int) -> SmallDisk:
    try:
        return SmallDisk(folder, kilobytes)
    except MountFailed as failure:
        pytest.skip(f"no disk can be mounted here: {failure}")


@pytest.fixture(scope="session", autouse=True)
def begin_early(request):
    """Starts what a test of this run will want to see the end of."""
    wanted = {name for item in request.session.items for name in item.fixturenames}
    for name in EARLY:
        if name in wanted:
            # What is impossible here skips its own test alone.
            with contextlib.suppress(pytest.skip.Exception):
                request.getfixturevalue(name)


@dataclass
class Blocked:
    """Processes that wait for one that was stopped in the middle of its refresh."""

    site: Site
    machine: Machine
    stopped: subprocess.Popen
    # Each with the seconds it took.
    others: list[Future[tuple[Run, float]]]


@pytest.fixture(scope="session")
def blocked(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("blocked"))
    machine = site.machine("machine", expired=True)
    stopped = site.stopped_refresh(machine)

    def timed() -> tuple[Run, float]:
        start = time.monotonic()
        run = finish(machine.start("token"), BLOCKED_SECONDS_MAX)
        return run, time.monotonic() - start

    with ThreadPoolExecutor(BLOCKED) as pool:
        yield Blocked(site, machine, stopped, [pool.submit(timed) for _ in range(BLOCKED)])
        stopped.kill()
    site.close()


@dataclass
class Unstored:
    """A machine with a session whose successor it does not know."""

    site: Site
    machine: Machine
    begun_at: float

    def wait_until(self, seconds: float) -> None:
        time.sleep(max(0.0, self.begun_at + seconds - time.monotonic()))


@pytest.fixture(scope="session")
def lost_answer(tmp_path_factory):
    """The answer to the machine's last refresh was lost; the next ones will be."""
    site = Site(tmp_path_factory.mktemp("lost-answer"))
    site.proxy.expires_in = 0
    machine = site.machine("machine")
    site.proxy.treat_refresh = lose
    machine.token()
    yield Unstored(site, machine, time.monotonic())
    site.close()


@dataclass
class FullDisk(Unstored):
    """The same, because its disk is full."""

    disk: SmallDisk


@pytest.fixture(scope="session")
def full_disk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full-disk")
    disk = mounted(folder / "disk", CLIENT_KILOBYTES)
    site = Site(folder)
    site.proxy.expires_in = 0
    machine = site.machine("machine", state=disk.folder)
    disk.fill()
    machine.token()
    yield FullDisk(site, machine, time.monotonic(), disk)
    site.close()
    disk.unmount()
