"""Several processes share one session: one of them refreshes, none is harmed by another that stops or signs out."""

from __future__ import annotations

import random
import signal
import subprocess
import time

import pytest

from support.command_line import DONE, FAILED, REFUSED, UNREACHABLE, Machine, Run, finish
from support.site import Site
from support.trials import ROUNDS, Figures

PROCESSES = 8
# For the other processes to have read the session and queued up.
QUEUE_SECONDS = 1
# Within this time, most refreshes are over.
MOMENT_SECONDS = 0.2
# A process waits so long for another one that refreshes, as the program has it, and some more to say so.
DEADLINE_SECONDS = 40 + 5


def go_on(process: subprocess.Popen) -> Run:
    process.send_signal(signal.SIGCONT)
    return finish(process)


def check_signed_out(site: Site, machine: Machine, printed: list[str], figures: Figures) -> None:
    """Nobody is signed in here, and no access token that was ever printed is good any more."""
    run = machine.token()
    assert run.code == REFUSED and "nobody is signed in" in run.errors, f"somebody is signed in: {run}"
    figures.wrongly_valid += [token for token in printed if token and site.provider.is_good(token)]


@pytest.mark.parametrize("access_token_seconds", [600, 30])
def test_one_refresh_for_all(sites, access_token_seconds):
    """Eight processes need a new access token at once: one request, eight equal answers."""
    [site] = sites(1, access_token_seconds=access_token_seconds)
    figures = Figures(f"eight processes, access tokens for {access_token_seconds} s")
    for number in range(ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        before = len(site.proxy.refreshes)
        first, hold = site.held_refresh(machine)
        others = [machine.start("token") for _ in range(PROCESSES - 1)]
        time.sleep(QUEUE_SECONDS)
        hold.released.set()
        runs = [finish(process) for process in [first, *others]]
        figures.trials += 1
        figures.lost += [str(run) for run in runs if not machine.has_session(run)]
        refreshes, answers = len(site.proxy.refreshes) - before, {run.output for run in runs}
        assert (refreshes, len(answers)) == (1, 1), f"{refreshes} refreshes, {len(answers)} different answers"
    figures.check()


def test_one_refresh_without_a_queue(site):
    """The same with eight that start in the same moment, whatever then happens."""
    figures = Figures("eight processes in the same moment")
    for number in range(ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        before = len(site.proxy.refreshes)
        runs = [finish(process) for process in [machine.start("token") for _ in range(PROCESSES)]]
        figures.trials += 1
        figures.lost += [str(run) for run in runs if not machine.has_session(run)]
        assert len(site.proxy.refreshes) - before == 1, "more than one refresh"
        assert len({run.output for run in runs}) == 1, "different answers"
    figures.check()


@pytest.mark.late
def test_process_stopped_for_long(blocked):
    """It blocks the others until their deadline, and no longer; they say so. When it goes on, everybody does."""
    figures = Figures("process stopped for long", trials=1)
    for run, seconds in [future.result() for future in blocked.others]:
        assert seconds < DEADLINE_SECONDS, f"blocked for {seconds:.0f} s"
        if not blocked.machine.has_session(run):
            assert run.code == FAILED and "Nobody was signed out" in run.errors, str(run)
    late = go_on(blocked.stopped)
    if late.code not in (DONE, UNREACHABLE):
        figures.confused.append(str(late))
    run = blocked.machine.token()
    if not blocked.machine.has_session(run) or not blocked.site.provider.is_good(run.output):
        figures.lost.append(str(run))
    figures.check()


def test_process_stopped_for_a_moment(site):
    """The others wait for it, and take what it brings."""
    figures = Figures("process stopped for a moment")
    for number in range(ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        before = len(site.proxy.refreshes)
        stopped = site.stopped_refresh(machine)
        others = [machine.start("token") for _ in range(PROCESSES - 1)]
        time.sleep(QUEUE_SECONDS)
        runs = [go_on(stopped), *(finish(process) for process in others)]
        figures.trials += 1
        figures.lost += [str(run) for run in runs if not machine.has_session(run)]
        assert len(site.proxy.refreshes) - before == 1, "more than one refresh"
    figures.check()


def test_forced_sign_out_while_a_process_is_stopped(site):
    """It waits for nobody. The late answer is thrown away when the process goes on."""
    figures = Figures("forced sign-out, another process stopped")
    for number in range(ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        stopped = site.stopped_refresh(machine)
        out = machine.run("logout", "--force")
        assert out.is_done, str(out)
        late = go_on(stopped)
        figures.trials += 1
        check_ended(late, figures)
        check_signed_out(site, machine, [machine.first_token, late.output], figures)
    figures.check()


def test_sign_out_while_a_process_refreshes(site):
    """It waits for the other one, and ends what that one has got."""
    figures = Figures("sign-out, another process in the middle of a refresh")
    for number in range(ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        refreshing, hold = site.held_refresh(machine)
        leaving = machine.start("logout")
        time.sleep(random.uniform(0, QUEUE_SECONDS))
        hold.released.set()
        refreshed, out = finish(refreshing), finish(leaving)
        assert machine.has_session(refreshed) and out.is_done, f"{refreshed}, {out}"
        figures.trials += 1
        check_signed_out(site, machine, [machine.first_token, refreshed.output], figures)
    figures.check()


@pytest.mark.parametrize("options", [[], ["--force"]], ids=["in order", "forced"])
def test_sign_out_at_any_moment(site, request, options):
    """Two processes refresh, a third one signs out shortly before, in between, or shortly after."""
    figures = Figures(f"sign-out at any moment, {request.node.callspec.id}")
    for number in range(2 * ROUNDS):
        machine = site.machine(f"machine-{number}", expired=True)
        refreshing = [machine.start("token") for _ in range(2)]
        time.sleep(random.uniform(0, MOMENT_SECONDS))
        out = machine.run("logout", *options)
        runs = [finish(process) for process in refreshing]
        assert out.is_done, str(out)
        figures.trials += 1
        for run in runs:
            check_ended(run, figures)
        check_signed_out(site, machine, [machine.first_token, *(run.output for run in runs)], figures)
    figures.check()


def check_ended(run: Run, figures: Figures) -> None:
    """It printed a token, or said that somebody had signed out meanwhile."""
    if run.code not in (DONE, REFUSED):
        figures.confused.append(str(run))
