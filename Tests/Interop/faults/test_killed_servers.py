"""The server is killed while clients refresh, and started again: everybody goes on, and what was revoked stays so."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import requests

from support.command_line import DONE, UNREACHABLE, Machine
from support.relying_party import RelyingParty, SignedIn
from support.site import Site
from support.trials import KILLS, Figures, in_parallel

MACHINES = 4
REVOKED_PER_KILL = 4
WAIT_SECONDS_MAX = 0.4


def test_killed_servers(site):
    """At any moment, with refreshes and revocations under way."""
    figures = Figures("killed servers")
    site.proxy.expires_in = 0
    machines = [site.machine(f"machine-{number}") for number in range(MACHINES)]
    spared = site.app().sign_in()
    for _ in range(KILLS):
        revoked = kill_under_load(site, machines, figures)
        site.start()
        figures.trials += 1
        in_parallel(lambda number: go_on(machines[number], figures), MACHINES)
        figures.wrongly_valid += [token for token in revoked if is_active(site, token)]
        assert is_active(site, spared.refresh_token), "a session that nobody revoked is gone"
    figures.check()


def kill_under_load(site: Site, machines: list[Machine], figures: Figures) -> list[str]:
    """Kills the server; the tokens whose revocation it had confirmed by then."""
    app = site.app()
    condemned = [app.sign_in(site.visitor, person=None) for _ in range(REVOKED_PER_KILL)]
    revoked: list[str] = []
    is_over = threading.Event()
    with ThreadPoolExecutor(MACHINES + 1) as pool:
        busy = [pool.submit(keep_refreshing, machine, is_over, figures) for machine in machines]
        busy.append(pool.submit(revoke_all, app, condemned, revoked))
        time.sleep(random.uniform(0, WAIT_SECONDS_MAX))
        site.server.kill()
        is_over.set()
    for running in busy:
        running.result()
    return revoked


def keep_refreshing(machine: Machine, is_over: threading.Event, figures: Figures) -> None:
    while not is_over.is_set():
        run = machine.token()
        if run.code not in (DONE, UNREACHABLE):
            figures.confused.append(str(run))


def revoke_all(app: RelyingParty, condemned: list[SignedIn], revoked: list[str]) -> None:
    """One after another until the server is gone. A refresh token takes its access token along."""
    for signed_in in condemned:
        time.sleep(random.uniform(0, WAIT_SECONDS_MAX / REVOKED_PER_KILL))
        presented = random.choice([signed_in.access_token, signed_in.refresh_token])
        try:
            if app.revoke(presented).status_code != 200:
                return
        except requests.RequestException:
            return
        revoked.append(signed_in.access_token)
        if presented == signed_in.refresh_token:
            revoked.append(presented)


def go_on(machine: Machine, figures: Figures) -> None:
    run = machine.token()
    if not machine.has_session(run):
        figures.lost.append(str(run))


def is_active(site: Site, token: str) -> bool:
    return site.app().introspect(token)["active"]
