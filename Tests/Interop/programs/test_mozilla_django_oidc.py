"""Attack 93 at a Django site with mozilla-django-oidc, which finds its users by the claim `email` alone."""

from __future__ import annotations

import pytest

from support.claimed_addresses import EVE, NORA, Account, as_login_id, beside_a_login_id
from support.configuration import MARIA, Client, Person, secret_of
from support.django_site import DjangoSite
from support.server import free_port

NO_USER = {"id": None, "email": None, "is_superuser": False}


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def registered(port) -> list[Client]:
    callback = f"http://127.0.0.1:{port}/oidc/callback/"
    return [Client("django", secret_of("django"), "client_secret_post", (callback,))]


@pytest.fixture(scope="module")
def site(place, port, tmp_path_factory):
    """Maria is its administrator, Nora a member."""
    made = DjangoSite(tmp_path_factory.mktemp("django"), port, place.provider, place.clients[0], MARIA, [NORA])
    yield made
    made.stop()


def user_of(site: DjangoSite, person: Person) -> dict:
    (found,) = [user for user in site.users() if user["email"] == person.login]
    return found


def enter(site: DjangoSite, place, who: Account) -> dict:
    """A sign-in; who the site takes the visitor for."""
    visitor = place.provider.visitor()
    callback = place.pass_through(visitor, site.begin(visitor), who)
    return site.finish(visitor, callback.url)


def test_the_owner_of_a_proved_address_gets_her_account_at_the_site(site, place):
    assert enter(site, place, Account(MARIA)) == user_of(site, MARIA) | {"is_superuser": True}


def test_a_stranger_who_proves_an_address_gets_another_account(site, place):
    place.sign_up_by_code(EVE.login, EVE.password)
    assert enter(site, place, Account(EVE)) == user_of(site, EVE)
    assert not user_of(site, EVE)["is_superuser"]


def test_attack_93_a_claimed_address_opens_no_account_of_the_site(site, place, claim):
    """The site refuses, or makes a user of the address that the attacker did prove."""
    attacker, victim = claim
    owner = user_of(site, victim)
    entered = enter(site, place, attacker)
    assert entered == (user_of(site, Person("", attacker.proved, "")) if attacker.proved else NO_USER)
    assert entered["id"] != owner["id"] and not entered["is_superuser"]
    assert user_of(site, victim) == owner


def test_attack_93_the_owner_gets_her_account_after_all_that(site, place):
    """Nora's address was claimed before she came."""
    as_login_id(place, NORA.login)
    place.sign_up_by_code(NORA.login, NORA.password)
    assert enter(site, place, Account(NORA)) == user_of(site, NORA)


def test_without_the_rule_the_site_takes_the_attacker_for_its_administrator(site, place):
    """So that the tests above would notice."""
    attacker = beside_a_login_id(place, MARIA.login)
    place.start(unverified_contacts=True)
    assert enter(site, place, attacker)["is_superuser"]
