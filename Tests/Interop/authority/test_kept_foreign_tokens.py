"""A token of another service, of before its user said of a sign-in that it was not theirs."""

from __future__ import annotations

import time

import pytest

from support.forgery import Attacker
from support.own_account import OwnAccounts, new_name, next_second

ISSUER, AUDIENCE = "https://old.example/", "old-app"
TELEPHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1"}
key = Attacker()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    keys = {"audience": AUDIENCE, "jwks": {"keys": [key.jwk | {"alg": "ES256"}]}}
    made = OwnAccounts(tmp_path_factory.mktemp("said"), project={"session_migration": [
        keys | {"issuer": ISSUER, "subject": "sub"}]})
    yield made
    made.close()


@pytest.fixture
def vera(site) -> str:
    login = new_name("vera")
    site.call("otp/signup/email", {"loginId": login})
    site.call("otp/verify/email", {"loginId": login, "code": site.code(login)}, headers=TELEPHONE)
    return login


def token(site: OwnAccounts, login: str) -> str:
    """What the other service has given to an app of a user."""
    now = int(time.time())
    return key.sign({"alg": "ES256", "kid": key.jwk["kid"], "typ": "JWT"}, {
        "iss": ISSUER, "aud": AUDIENCE, "sub": site.user(login)["userId"], "iat": now, "exp": now + 86400,
        "jti": f"{login}-{time.time_ns()}"})


def opened(site: OwnAccounts, foreign: str) -> str | None:
    answer = site.post("refresh", {"externalToken": foreign})
    return answer.json()["refreshJwt"] if answer.status_code == 200 else None


def this_was_not_me(site: OwnAccounts, login: str) -> None:
    link = [letter["links"][0] for letter in site.letters(login) if letter["kind"] == "new-sign-in"][-1]
    reader = site.visitor()
    reader.submit(reader.open(link))


@pytest.mark.parametrize("is_disputed", [False, True])
def test_a_thief_with_two_tokens_does_not_come_back_with_the_second(site, vera, is_disputed):
    """She says of the sign-in by the first one that it was not hers."""
    first, second = token(site, vera), token(site, vera)
    next_second()
    thief = opened(site, first)
    assert thief, "the control: nothing has ended it"
    next_second()
    if is_disputed:
        this_was_not_me(site, vera)
        assert not site.is_alive(thief), "the control"
    next_second()
    assert (opened(site, second) is None) == is_disputed
    assert opened(site, token(site, vera)), "the control: a new sign-in there"
