"""A token of another service that ended with the sessions of an account opens no account that this one goes into."""

from __future__ import annotations

import time

import pytest

from support.forgery import Attacker
from support.own_account import OwnAccounts, new_name, next_second

ISSUER, AUDIENCE = "https://old.example/", "old-app"
key = Attacker()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    keys = {"audience": AUDIENCE, "jwks": {"keys": [key.jwk | {"alg": "ES256"}]}}
    made = OwnAccounts(tmp_path_factory.mktemp("merged"), project={"session_migration": [
        keys | {"issuer": ISSUER, "subject": "email"}]})
    yield made
    made.close()


def token(login: str) -> str:
    """What the other service has given to an app of a user with this proved address."""
    now = int(time.time())
    return key.sign({"alg": "ES256", "kid": key.jwk["kid"], "typ": "JWT"}, {
        "iss": ISSUER, "aud": AUDIENCE, "sub": f"old-{login}", "email": login, "email_verified": True,
        "iat": now, "exp": now + 86400, "jti": f"{login}-{time.time_ns()}"})


def opens(site: OwnAccounts, foreign: str, login: str) -> bool:
    answer = site.post("refresh", {"externalToken": foreign})
    return answer.status_code == 200 and login in answer.json()["user"]["loginIds"]


def merge(site: OwnAccounts, kept: str, gone: str, session: str) -> None:
    """The user takes the address of an older account of theirs into this one, by a code to it."""
    site.call("otp/update/email", {
        "loginId": kept, "email": gone, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    site.call("otp/verify/email", {"loginId": kept, "code": site.code(gone)}, session)
    assert {kept, gone} <= set(site.user(kept)["loginIds"]), "the control: there is one account now"


def robbed(site: OwnAccounts) -> tuple[str, str, str]:
    """The address of her older account, that of her account, and a copy that a thief has of the old app's token."""
    old, hers = new_name("vera"), new_name("vera")
    session = site.sign_up(old)
    stolen = token(old)
    next_second()
    site.call("logoutall", {}, session)
    next_second()
    return old, hers, stolen


def test_a_token_that_is_over_opens_no_account(site):
    """The control: the sign-out everywhere ended it."""
    old, _, stolen = robbed(site)
    assert opens(site, token(old), old), "the control: a new sign-in there"
    assert not opens(site, stolen, old)


def test_a_token_that_is_over_opens_no_account_that_the_old_one_went_into(site):
    old, hers, stolen = robbed(site)
    merge(site, hers, old, site.sign_up(hers))
    next_second()
    assert opens(site, token(old), hers), "the control: a new sign-in there"
    assert not opens(site, stolen, hers), "the thief has the account, with all that is in it"
