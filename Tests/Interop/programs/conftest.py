"""The server whose users the programs sign in, for each program a new one."""

from __future__ import annotations

import pytest

from support.claimed_addresses import WAYS, Place


@pytest.fixture(scope="module")
def place(registered, tmp_path_factory):
    """The server with the clients that the module's fixture `registered` names."""
    made = Place(tmp_path_factory.mktemp("place"), registered)
    yield made
    made.close()


@pytest.fixture(params=WAYS)
def claim(request, place):
    """Each way: the attacker, and the user whose address is claimed."""
    way, victim = WAYS[request.param]
    return way(place, victim.login), victim
