"""What the certification modules run against."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from support.relying_party import Provider, RelyingParty, SignedIn


@dataclass
class Plan:
    """Two clients with a secret in the header, one with a secret in the body; all answered in the plan's mode."""

    provider: Provider
    first: RelyingParty
    second: RelyingParty
    post: RelyingParty

    @property
    def mode(self) -> str | None:
        return self.first.response_mode

    def visitor(self):
        return self.provider.visitor()


def make_plan(provider, app, mode: str | None) -> Plan:
    return Plan(provider, app("first-app", mode), app("second-app", mode), app("post-app", mode))


@pytest.fixture
def plan(request, provider, app) -> Plan:
    return make_plan(provider, app, request.param)


@pytest.fixture
def module_name(request) -> str:
    """Does nothing but stand in the test's name."""
    return request.param


@dataclass
class Aged:
    """A sign-in that was finished some time ago."""

    signed_in: SignedIn
    finished_at: float

    def wait_until(self, seconds: float) -> None:
        """Sleeps for what is missing; nothing, if other tests took that long."""
        time.sleep(max(0.0, self.finished_at + seconds - time.monotonic()))


@pytest.fixture(scope="session", autouse=True)
def redeemed_early(app) -> dict[str | None, Aged]:
    """Made before the first test of this folder, used by its last: response mode to sign-in."""
    return {mode: Aged(app("first-app", mode).sign_in(), time.monotonic()) for mode in (None, "form_post")}
