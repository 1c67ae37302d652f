"""What several attacks share."""

from __future__ import annotations

import pytest

from support.operators import Management
from support.told_provider import ToldProvider


@pytest.fixture(scope="module")
def told():
    """An OpenID provider that says what a test tells it to."""
    provider = ToldProvider()
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def key(own) -> Management:
    """The management interface of a module's server, with its key."""
    return Management(own)


@pytest.fixture(scope="module")
def tokens(own, people) -> dict[str, Management]:
    """The same with the access token of each operator of a module."""
    return {name: Management(own, one.tokens()["access_token"]) for name, one in people.items()}
