"""Attack 93 at Dovecot, which opens the mailbox that the claim `email` of UserInfo names."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.claimed_addresses import EVE, NORA, Account, as_login_id, beside_a_login_id
from support.configuration import MARIA, Client, secret_of
from support.dovecot import MECHANISMS, Dovecot, is_installed

pytestmark = pytest.mark.skipif(not is_installed(), reason="dovecot-imapd 2.3 is not installed and could not be")


@pytest.fixture(scope="module")
def registered() -> list[Client]:
    return [Client("mail", secret_of("mail"), "client_secret_basic", ("http://127.0.0.1:9/callback",))]


@pytest.fixture(scope="module")
def dovecot(place):
    made = Dovecot(place.provider, [MARIA, NORA])
    yield made
    made.stop()


def token_of(place, who: Account) -> str:
    """The access token of the mail program."""
    return place.sign_in(who, place.clients[0]).access_token


def read(dovecot: Dovecot, token: str, *names: str) -> list[list[str] | None]:
    """The letters of each mailbox, the same by both mechanisms. All at once, because a refusal takes half a second."""
    with ThreadPoolExecutor() as pool:
        started = [pool.map(lambda name, way=way: dovecot.letters(name, token, way), names) for way in MECHANISMS]
        first, second = map(list, started)
    assert first == second
    return first


def test_the_owner_of_a_proved_address_reads_her_mail(dovecot, place):
    token = token_of(place, Account(MARIA))
    assert read(dovecot, token, MARIA.login, NORA.login) == [[MARIA.login], None]


def test_a_stranger_who_proves_an_address_reads_another_mailbox(dovecot, place):
    place.sign_up_by_code(EVE.login, EVE.password)
    token = token_of(place, Account(EVE))
    assert read(dovecot, token, EVE.login, MARIA.login, NORA.login) == [[], None, None]


def test_attack_93_a_claimed_address_opens_no_mailbox(dovecot, place, claim):
    """The mail server refuses, or opens the mailbox of the address that the attacker did prove."""
    attacker, victim = claim
    token = token_of(place, attacker)
    assert read(dovecot, token, MARIA.login, NORA.login) == [None, None]
    if attacker.proved:
        assert read(dovecot, token, attacker.proved) == [[]]
    told = {
        "UserInfo": place.provider.userinfo(token).json(),
        "Box's user": requests.get(
            f"{place.base}/2.0/users/me", headers={"Authorization": f"Bearer {token}"}, timeout=20).json(),
    }
    assert told["Box's user"]["type"] == "user"
    assert victim.login not in json.dumps(told).lower()


def test_attack_93_sessions_of_the_wire_open_no_mailbox(dovecot, place):
    """They are no access tokens of a program."""
    made = place.sign_up("mallory-with-no-program@elsewhere.test", email=MARIA.login)
    for token in (made["sessionJwt"], made["refreshJwt"]):
        assert read(dovecot, token, MARIA.login) == [None]


def test_attack_93_the_owner_reads_her_mail_after_all_that(dovecot, place):
    """Nora's address was claimed before she came. What the attacker holds from then opens it no more than before."""
    claimed = token_of(place, as_login_id(place, NORA.login))
    place.sign_up_by_code(NORA.login, NORA.password)
    assert read(dovecot, token_of(place, Account(NORA)), NORA.login) == [[NORA.login]]
    assert read(dovecot, claimed, NORA.login) == [None]


def test_without_the_rule_the_mail_server_takes_the_attacker_for_maria(dovecot, place):
    """So that the tests above would notice."""
    attacker = beside_a_login_id(place, MARIA.login)
    place.start(unverified_contacts=True)
    assert read(dovecot, token_of(place, attacker), MARIA.login) == [[MARIA.login]]
