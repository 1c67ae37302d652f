"""Attack 93 at an Apache with mod_auth_openidc, whose users are who the claim `email` says, or whom a claim admits."""

from __future__ import annotations

import json

import pytest
import requests

from support.apache import is_installed
from support.claimed_addresses import EVE, NORA, Account, as_login_id, beside_a_login_id
from support.configuration import MARIA, Client, secret_of
from support.guarding_apache import CLAIMS, GuardingApache, page_of
from support.server import free_port
from support.visitor import Visitor

pytestmark = pytest.mark.skipif(
    not is_installed(), reason="apache2-bin and libapache2-mod-auth-openidc are not installed and could not be"
)
PEOPLE = [MARIA, NORA]


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture(scope="module")
def registered(ports) -> list[Client]:
    return [
        Client(name, secret_of(name), "client_secret_basic", (f"http://127.0.0.1:{port}/callback",))
        for name, port in zip(("by-address", "by-subject"), ports, strict=True)
    ]


@pytest.fixture(scope="module")
def apache(place, ports):
    made = GuardingApache(ports, place.base, place.clients, PEOPLE)
    yield made
    made.stop()


def enter(
    apache: GuardingApache, place, site: str, who: Account, visitor: Visitor | None = None
) -> tuple[Visitor, requests.Response]:
    """A sign-in, and what the module answers to its code."""
    visitor = visitor or place.provider.visitor()
    callback = place.pass_through(visitor, apache.begin(visitor, site), who)
    return visitor, visitor.get(callback.url)


def user_at(site: str, visitor: Visitor) -> str | None:
    """`REMOTE_USER` of the first page, if it opens."""
    answer = visitor.get(f"{site}/")
    return answer.headers["X-Remote-User"] if answer.status_code == 200 else None


def opened(site: str, visitor: Visitor, claims: tuple[str, ...] = ("user",)) -> set[str]:
    """Which pages of one user open."""
    pages = {page_of(person, claim) for person in PEOPLE for claim in claims}
    return {page for page in pages if visitor.get(f"{site}{page}").status_code == 200}


def test_the_owner_of_a_proved_address_opens_her_pages(apache, place):
    visitor, _ = enter(apache, place, apache.by_address, Account(MARIA))
    assert user_at(apache.by_address, visitor) == MARIA.login
    assert opened(apache.by_address, visitor) == {page_of(MARIA)}
    visitor, _ = enter(apache, place, apache.by_subject, Account(MARIA))
    assert user_at(apache.by_subject, visitor) == MARIA.sub
    assert opened(apache.by_subject, visitor, CLAIMS) == {page_of(MARIA, "email")}
    assert apache.told(visitor)["userinfo"]["email"] == MARIA.login


def test_a_stranger_who_proves_an_address_is_another_user(apache, place):
    place.sign_up_by_code(EVE.login, EVE.password)
    visitor, _ = enter(apache, place, apache.by_address, Account(EVE))
    assert user_at(apache.by_address, visitor) == EVE.login and not opened(apache.by_address, visitor)


def test_attack_93_a_claimed_address_opens_no_page_of_its_owner(apache, place, claim):
    """At the one site it becomes no `REMOTE_USER`, at the other it satisfies no `Require claim`."""
    attacker, victim = claim
    visitor, answer = enter(apache, place, apache.by_address, attacker)
    assert (answer.status_code == 302) == (attacker.proved is not None), f"{answer.status_code} {answer.text[:300]}"
    assert user_at(apache.by_address, visitor) == attacker.proved
    assert not opened(apache.by_address, visitor)
    enter(apache, place, apache.by_subject, attacker, visitor)
    assert user_at(apache.by_subject, visitor) not in (None, MARIA.sub)
    told = apache.told(visitor)
    assert victim.login not in json.dumps(told).lower(), "the module hears the address by some name"
    assert told["userinfo"].get("email") == attacker.proved
    assert not opened(apache.by_subject, visitor, CLAIMS)


def test_attack_93_the_owner_opens_her_pages_after_all_that(apache, place):
    """Nora's address was claimed before she came."""
    as_login_id(place, NORA.login)
    place.sign_up_by_code(NORA.login, NORA.password)
    visitor, _ = enter(apache, place, apache.by_address, Account(NORA))
    assert user_at(apache.by_address, visitor) == NORA.login
    assert opened(apache.by_address, visitor) == {page_of(NORA)}


def test_without_the_rule_the_module_takes_the_attacker_for_maria(apache, place):
    """So that the tests above would notice."""
    attacker = beside_a_login_id(place, MARIA.login)
    place.start(unverified_contacts=True)
    visitor, _ = enter(apache, place, apache.by_address, attacker)
    assert user_at(apache.by_address, visitor) == MARIA.login
    assert opened(apache.by_address, visitor) == {page_of(MARIA)}
    visitor, _ = enter(apache, place, apache.by_subject, attacker)
    assert opened(apache.by_subject, visitor, CLAIMS) == {page_of(MARIA, "email")}
