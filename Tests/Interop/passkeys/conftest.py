"""Authenticators without a device, and makers that vouch for them."""

from __future__ import annotations

import pytest

from support.attestation import Maker
from support.authenticator import Authenticator


@pytest.fixture
def authenticators():
    """Makes authenticators; ends them."""
    made: list[Authenticator] = []

    def make(seed: str | None = None, **behaviour) -> Authenticator:
        made.append(Authenticator(seed, **behaviour))
        return made[-1]

    yield make
    for authenticator in made:
        authenticator.close()


@pytest.fixture(scope="session")
def maker() -> Maker:
    return Maker()
