"""`keyturn token` is killed in the middle of a refresh: the next run gets a token all the same."""

from __future__ import annotations

import random
import time
from math import ceil
from statistics import median

from support.command_line import Machine, kill_after
from support.site import Site
from support.trials import KILLS, Figures, in_parallel

SITES = 3
KILLED_IN_A_ROW_MAX = 3
MEASURED_RUNS = 5
# Some runs take longer than others.
MARGIN = 1.2


def test_killed_clients(sites):
    """At any moment between its start and its end, several times in a row if chance wants it."""
    figures = Figures("killed clients")
    places = sites(SITES)
    in_parallel(lambda number: kill_clients(places[number], ceil(KILLS / SITES), figures), SITES)
    figures.check()


def kill_clients(site: Site, count: int, figures: Figures) -> None:
    site.proxy.expires_in = 0
    machine = site.machine("machine")
    duration = MARGIN * median(seconds_of(machine) for _ in range(MEASURED_RUNS))
    while count > 0:
        for _ in range(random.randint(1, KILLED_IN_A_ROW_MAX)):
            # Only those that were killed before their end count.
            count -= kill_one(machine, duration, figures)
        run = machine.token()
        if not machine.has_session(run):
            figures.lost.append(str(run))
            return
    assert site.provider.is_good(machine.token().output), "the server does not know its own token"


def seconds_of(machine: Machine) -> float:
    start = time.monotonic()
    machine.token()
    return time.monotonic() - start


def kill_one(machine: Machine, duration: float, figures: Figures) -> bool:
    is_killed = kill_after(machine.start("token"), random.uniform(0, duration))
    figures.trials += is_killed
    return is_killed
