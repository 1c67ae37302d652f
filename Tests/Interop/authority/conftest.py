"""What several attacks share."""

from __future__ import annotations

import pytest

from support.told_provider import ToldProvider


@pytest.fixture(scope="module")
def told():
    """An OpenID provider that says what a test tells it to."""
    provider = ToldProvider()
    yield provider
    provider.stop()
