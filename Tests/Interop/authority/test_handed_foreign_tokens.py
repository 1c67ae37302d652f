"""A token of another service, which is exchanged for a session: what ends the user's sessions ends those of before."""

from __future__ import annotations

import time

import pytest
import requests

from support.forgery import Attacker
from support.own_account import OwnAccounts, new_name, new_password, next_second

ISSUER, AUDIENCE = "https://old.example/", "old-app"
key = Attacker()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    keys = {"audience": AUDIENCE, "jwks": {"keys": [key.jwk | {"alg": "ES256"}]}}
    made = OwnAccounts(tmp_path_factory.mktemp("moved"), project={"session_migration": [
        keys | {"issuer": ISSUER, "subject": "sub"}]})
    yield made
    made.close()


def token(site: OwnAccounts, login: str) -> str:
    """What the other service has given to an app of a user, whose name and proved address are the same there."""
    now = int(time.time())
    return key.sign({"alg": "ES256", "kid": key.jwk["kid"], "typ": "JWT"}, {
        "iss": ISSUER, "aud": AUDIENCE, "sub": site.user(login)["userId"], "email": login, "email_verified": True,
        "iat": now, "exp": now + 86400, "jti": f"{login}-{time.time_ns()}"})


def opens(site: OwnAccounts, foreign: str, login: str) -> bool:
    answer: requests.Response = site.post("refresh", {"externalToken": foreign})
    return answer.status_code == 200 and login in answer.json()["user"]["loginIds"]


def sign_out_everywhere(site: OwnAccounts, login: str, session: str) -> None:
    site.call("logoutall", {}, session)


def reset_the_password(site: OwnAccounts, login: str, session: str) -> None:
    site.call("password/update", {"loginId": login, "newPassword": new_password()}, session)
    site.manage("user/logout", {"loginId": login})


@pytest.mark.parametrize("end", [sign_out_everywhere, reset_the_password])
def test_what_ends_the_sessions_ends_a_token_of_before(site, end):
    """A thief has a copy of a token that her telephone got from the other service."""
    login = new_name("vera")
    session = site.sign_up(login)
    own, stolen = token(site, login), token(site, login)
    assert opens(site, own, login), "the control: nothing has ended it"
    next_second()
    end(site, login, session)
    next_second()
    assert opens(site, token(site, login), login), "the control: a new sign-in there"
    assert not opens(site, stolen, login), "the thief is signed in"


def test_a_squatters_token_opens_no_account_of_whom_the_address_is(site):
    """The stranger had her address at the other service, unproved, and came here with all its users."""
    hers, stranger = new_name("nora"), new_password()
    site.call("password/signup", {"loginId": hers, "password": stranger, "user": {"email": hers}})
    first, second = token(site, hers), token(site, hers)
    assert opens(site, first, hers), "the control: it was the stranger's account"
    next_second()
    site.call("otp/signin/email", {"loginId": hers})
    session = site.by_code(hers)
    site.add_authenticator(hers, session)
    assert site.by_password(hers, stranger).status_code != 200, "the control: nothing of the stranger's is left"
    next_second()
    assert not opens(site, second, hers), "the stranger is her"
