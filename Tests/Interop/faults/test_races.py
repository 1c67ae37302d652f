"""Many present one refresh token in the same moment: all get the same successor, again and again."""

from __future__ import annotations

from support.raw import all_at_once
from support.trials import ROUNDS, Figures

PARALLEL = 100


def test_one_successor(site):
    """The successor of each round is what the next round presents."""
    figures = Figures(f"rounds of {PARALLEL} parallel refreshes")
    apps = [site.app() for _ in range(PARALLEL)]
    refresh_token = apps[0].sign_in().refresh_token
    for _ in range(ROUNDS):
        presented = refresh_token
        responses = all_at_once(PARALLEL, lambda number, token=presented: apps[number].refresh(token))
        figures.trials += 1
        figures.lost += [response.text for response in responses if response.status_code == 400]
        if figures.lost:
            break
        successors = {apps[0].accepted(response)["refresh_token"] for response in responses}
        assert len(successors) == 1 and presented not in successors, f"{len(successors)} different successors"
        refresh_token = successors.pop()
    assert figures.lost or apps[0].introspect(refresh_token)["active"], "the last successor is not active"
    figures.check()
