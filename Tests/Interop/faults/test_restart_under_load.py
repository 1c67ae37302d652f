"""The server is stopped and started in good order under load: no app loses its session."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.refreshing_app import RefreshingApp
from support.site import Site
from support.trials import ROUNDS, Figures

APPS = 16
STOP_SECONDS_MAX = 11
COUNTS = ("refreshes", "unheard", "cut_off")


@pytest.fixture
def site(sites):
    """Without a proxy, so that connections stay open as long as both sides like."""
    return sites(1, behind_proxy=False)[0]


def test_restart_under_load(site):
    figures = Figures("restarts under load of 16 apps")
    apps = [RefreshingApp(site.app(), site.app().sign_in(site.visitor).refresh_token) for _ in range(APPS)]
    is_over = threading.Event()
    with ThreadPoolExecutor(APPS) as pool:
        load = [pool.submit(app.run_until, is_over) for app in apps]
        try:
            for _ in range(ROUNDS):
                time.sleep(random.uniform(0.3, 1))
                restart(site)
                figures.trials += 1
        finally:
            is_over.set()
    for running in load:
        running.result()
    for app in apps:
        # The first attempt may find a connection that ended with the last restart.
        is_answered = app.refresh() or app.refresh()
        if not is_answered or not site.provider.is_good(app.access_token):
            figures.lost.append(app.refusal or "no answer, or a token that is not good")
    refreshes, unheard, cut_off = (sum(getattr(app, name) for app in apps) for name in COUNTS)
    figures.remarks = f"{refreshes} refreshes; asked again: {unheard} that found nobody, {cut_off} that were cut off"
    assert all(app.refreshes > ROUNDS for app in apps), "there was no load"
    figures.check()


def restart(site: Site) -> None:
    start = time.monotonic()
    code = site.server.stop()
    seconds = time.monotonic() - start
    site.start()
    assert code == 0 and seconds < STOP_SECONDS_MAX, f"exit code {code} after {seconds:.1f} s"
