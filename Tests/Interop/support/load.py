"""Everything that clients do, without a pause, while servers die; and what became of all of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from support.guessed_keys import KeyThief
from support.leaving_app import LeavingApp
from support.nodes import Nodes
from support.redeeming_app import RedeemingApp
from support.refreshing_app import RefreshingApp
from support.trials import Figures

REFRESHING = 6


class Load:
    """Apps that refresh, users who sign in and out, codes that are redeemed twice, PINs that are guessed."""

    def __init__(self, nodes: Nodes):
        self.nodes = nodes
        self.refreshing = [
            RefreshingApp(nodes.app(), nodes.app().sign_in(nodes.visitor).refresh_token) for _ in range(REFRESHING)]
        self.redeeming = [RedeemingApp(nodes, person) for person in nodes.people[:2]]
        self.leaving = [LeavingApp(nodes, person) for person in nodes.people[2:4]]
        self.thief = KeyThief(nodes)
        # What the events have to say about themselves.
        self.notes: list[str] = []

    def during(self, name: str, events: Callable[[], int]) -> Figures:
        """Runs the events under load, and tells what was counted. Nothing may be refused, lost, or outlive its end."""
        figures = Figures(name)
        workers = [*self.refreshing, *self.redeeming, *self.leaving, self.thief]
        is_over = threading.Event()
        with ThreadPoolExecutor(len(workers)) as pool:
            running = [pool.submit(worker.run_until, is_over) for worker in workers]
            try:
                figures.trials = events()
                # On a slow machine not everything has happened by then.
                for _ in range(600):
                    if self._has_every_kind():
                        break
                    time.sleep(0.1)
            finally:
                is_over.set()
        for each in running:
            each.result()
        # Before what is asked at the end, which is not without a pause.
        figures.remarks = "; ".join([self._counts(), *self.notes])
        self._check(figures)
        figures.check()
        return figures

    def _check(self, figures: Figures) -> None:
        for app in self.refreshing:
            is_answered = any(app.refresh() for _ in range(5))
            if not is_answered or not self.nodes.provider.is_good(app.access_token):
                figures.lost.append(app.refusal or "no answer, or a token that is not good")
        for worker in [*self.redeeming, *self.leaving, self.thief]:
            lost, wrong = worker.check()
            figures.lost += lost
            figures.wrongly_valid += wrong

    def _has_every_kind(self) -> bool:
        once, twice = (any(getattr(app, kind) for app in self.redeeming) for kind in ("once", "twice"))
        refreshed = any(app.refreshes for app in self.refreshing)
        return bool(refreshed and once and twice and any(app.ended for app in self.leaving) and self.thief.keys)

    def _counts(self) -> str:
        once, twice = (sum(getattr(app, kind) for app in self.redeeming) for kind in ("once", "twice"))
        refreshes = sum(app.refreshes for app in self.refreshing)
        in_doubt = sum(app.in_doubt for app in self.redeeming)
        ended = sum(len(app.ended) for app in self.leaving)
        assert self._has_every_kind(), "there was no load"
        pause = max(app.longest_pause for app in self.refreshing)
        sign_in_pause = max(app.longest_pause for app in self.redeeming)
        return (
            f"{refreshes} refreshes, {ended} sessions ended, {self.thief.keys} keys guessed at, {once} codes redeemed once "
            f"and {twice} twice at once, {in_doubt} of them in doubt; longest pause {pause:.1f} s, between sign-ins "
            f"{sign_in_pause:.1f} s"
        )
