"""Answers to refreshes are lost on their way, after the server has committed: the next run gets a token."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import ceil

import pytest

from support.command_line import UNREACHABLE, Machine
from support.proxy import Exchange, cut_in_body, cut_in_head, deliver, lose
from support.site import Site
from support.trials import OVERLAP_SECONDS, TRIALS, Figures, in_parallel

SITES = 3
LOST_IN_A_ROW_MAX = 3


@pytest.mark.parametrize(
    ("treatment", "share"),
    [
        pytest.param(lose, 0.5, id="nothing arrives"),
        pytest.param(cut_in_head, 0.25, id="cut in the head"),
        pytest.param(cut_in_body, 0.25, id="cut in the body"),
    ],
)
def test_lost_answers(sites, request, treatment, share):
    """One answer is lost, or several in a row."""
    figures = Figures(f"lost answers, {request.node.callspec.id}")
    places = sites(SITES)
    count = ceil(TRIALS * share / SITES)
    in_parallel(lambda number: lose_answers(places[number], treatment, count, figures), SITES)
    figures.check()


def lose_answers(site: Site, treatment: Callable[[Exchange], bytes], count: int, figures: Figures) -> None:
    site.proxy.expires_in = 0
    machine = site.machine("machine")
    while count > 0:
        in_a_row = random.randint(1, min(count, LOST_IN_A_ROW_MAX))
        site.proxy.treat_refresh = treatment
        lose_some(site, machine, in_a_row, figures)
        site.proxy.treat_refresh = deliver
        count -= in_a_row
        run = machine.token()
        if not machine.has_session(run):
            figures.lost.append(str(run))
            return
    assert site.provider.is_good(machine.token().output), "the server does not know its own token"


def lose_some(site: Site, machine: Machine, in_a_row: int, figures: Figures) -> None:
    """Each run asks, hears nothing, and says that the server cannot be reached."""
    before = len(site.proxy.refreshes)
    for _ in range(in_a_row):
        run = machine.token()
        figures.trials += 1
        if run.code != UNREACHABLE or "Nobody was signed out" not in run.errors:
            figures.confused.append(str(run))
    lost = site.proxy.refreshes[before:]
    assert len(lost) >= in_a_row and all(exchange.status == 200 for exchange in lost), "the server did not commit"


@pytest.mark.late
def test_lost_answers_a_minute_apart(lost_answer):
    """Two answers in a row, more than a minute apart: the successor was never seen by anybody."""
    figures = Figures("two lost answers, a minute apart", trials=1)
    lost_answer.wait_until(OVERLAP_SECONDS)
    lost_answer.machine.token()
    proxy = lost_answer.site.proxy
    assert all(exchange.status == 200 for exchange in proxy.refreshes), "the server did not commit"
    proxy.treat_refresh = deliver
    run = lost_answer.machine.token()
    if not lost_answer.machine.has_session(run):
        figures.lost.append(str(run))
    figures.check()
