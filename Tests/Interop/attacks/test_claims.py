"""Attacks 20, 44 and 93: what an app hears about somebody, and what it does not."""

from __future__ import annotations

import json

import pytest
import requests

from support.configuration import MARIA, Client, Person, secret_of
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Visitor

CALLBACK = "http://127.0.0.1:9/callback"
OWN = Client("own", secret_of("own"), "client_secret_basic", (CALLBACK,))
LENIENT = Client(
    "lenient", secret_of("lenient"), "client_secret_basic", (CALLBACK,), {"unverified_contacts": True}
)
LISTED = Client(
    "listed", secret_of("listed"), "client_secret_basic", (CALLBACK,),
    {"first_party": False, "scope": "openid", "id_token_claims": ["groups"], "userinfo_claims": ["department"]},
)
WISH = json.dumps(
    {
        "userinfo": {"email": None, "name": None, "department": None, "groups": None},
        "id_token": {"email": None, "groups": None},
    }
)
STAFF = Person(
    MARIA.sub, MARIA.login, MARIA.password,
    {**MARIA.claims, "claims": {"department": "Engineering", "groups": ["admins", "staff"]}},
)


@pytest.fixture(scope="module")
def telling_server(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("claims"),
        {
            "registration": {"enabled": True, "scope": "openid email", "clients_max": 100},
            "clients": [OWN.entry(), LENIENT.entry(), LISTED.entry()],
            "users": [STAFF.entry()],
        },
        log_level="error",
    )
    yield server
    server.stop()


@pytest.fixture(scope="module")
def telling(telling_server) -> Provider:
    return Provider(telling_server.base)


def stranger(provider: Provider, scope: str) -> RelyingParty:
    """An app that registers itself."""
    metadata = {
        "redirect_uris": [CALLBACK], "client_name": "Tiny", "scope": scope,
        "grant_types": ["authorization_code", "refresh_token"],
    }
    answer = requests.post(f"{provider.base}/oauth2/register", json=metadata, timeout=30)
    assert answer.status_code == 201, answer.text
    entry = answer.json()
    return RelyingParty(
        provider, Client(entry["client_id"], entry["client_secret"], "client_secret_basic", (CALLBACK,))
    )


def test_attack_44_scope_openid_hears_that_it_is_her_and_nothing_else(telling):
    rp = stranger(telling, "openid")
    page = rp.open(visitor := telling.visitor(), rp.request(claims=WISH))
    consent = visitor.sign_in(page, STAFF)
    assert isinstance(consent, Page) and consent.name == "consent"
    words = consent.soup.get_text()
    assert "Know that it is you" in words
    assert not any(word in words for word in ("email", "name and profile", "groups", "department"))
    signed_in = rp.sign_in(scope="openid", claims=WISH)
    assert set(rp.userinfo(signed_in)) == {"sub"}
    assert not {"email", "groups", "name"} & set(signed_in.claims)


def test_attack_20_more_claims_ask_again(telling):
    rp = stranger(telling, "openid email")
    one = json.dumps({"id_token": {"auth_time": None}})
    first = rp.sign_in(scope="openid", claims=one)
    more = rp.open(first.visitor, rp.request(claims=WISH))
    assert isinstance(more, Page) and more.name == "consent"
    assert "See your email address" in more.soup.get_text() and "groups" not in more.soup.get_text()
    assert set(rp.userinfo(first)) == {"sub"}, "she has not agreed yet"
    agreed = rp.sign_in(first.visitor, scope="openid", claims=WISH, requested_claims={"email"})
    assert set(rp.userinfo(agreed)) == {"sub", "email"}
    assert agreed.claims["email"] == MARIA.login
    refreshed = rp.accepted(rp.refresh(agreed.refresh_token))
    assert rp.check_id_token(refreshed, agreed.request, nonce=None, requested_claims={"email"})["email"] == MARIA.login


def test_the_operators_lists_are_shown_and_told(telling):
    rp = RelyingParty(telling, LISTED)
    consent = (visitor := telling.visitor()).sign_in(rp.open(visitor, rp.request()), STAFF)
    assert isinstance(consent, Page) and consent.name == "consent"
    assert "“groups”" in consent.soup.get_text() and "“department”" in consent.soup.get_text()
    signed_in = rp.sign_in(requested_claims={"groups"})
    assert signed_in.claims["groups"] == ["admins", "staff"]
    assert rp.userinfo(signed_in)["department"] == "Engineering"


def test_attack_93_her_address_is_nobody_elses(telling):
    """By the wire anybody writes any address into their own profile; no program must take it for who they are."""
    project = telling.metadata["keyturn_project_id"]
    thief = Person("", "thief@evil.example", "some-long-pass-word-1")
    answer = requests.post(
        f"{telling.base}/v1/auth/password/signup",
        headers={"Authorization": f"Bearer {project}"},
        json={
            "loginId": thief.login, "password": thief.password,
            "user": {"email": MARIA.login, "name": MARIA.login, "phone": "+351210000000"},
        },
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    user = answer.json()["user"]
    assert (user["email"], user["phone"], user["name"]) == ("", "", "") and user["verifiedEmail"] is False
    me = requests.get(
        f"{telling.base}/v1/auth/me",
        headers={"Authorization": f"Bearer {project}:{answer.json()['refreshJwt']}"}, timeout=30,
    )
    assert MARIA.login not in me.text and "351210000000" not in me.text
    own, lenient = RelyingParty(telling, OWN), RelyingParty(telling, LENIENT)
    for scope in ("openid email phone profile", "openid"):
        signed_in = own.sign_in(person=thief, scope=scope, claims=WISH)
        told = json.dumps([own.userinfo(signed_in), signed_in.claims, own.introspect(signed_in.access_token)])
        assert MARIA.login not in told and "351210000000" not in told and "email_verified" not in told
    signed_in = lenient.sign_in(person=thief, scope="openid email profile")
    told = lenient.userinfo(signed_in)
    assert told["email"] == MARIA.login and told["email_verified"] is False
    assert "name" not in told, "a name is never another's address"
    assert own.userinfo(own.sign_in(person=STAFF, scope="openid email"))["email"] == MARIA.login


def test_a_client_does_not_say_what_it_hears(telling):
    for member, value in {
        "id_token_claims": ["groups"], "userinfo_claims": ["groups"], "unverified_contacts": True,
        "subject_type": "pairwise", "sector_identifier_uri": "https://app.example/apps.json",
    }.items():
        answer = requests.post(
            f"{telling.base}/oauth2/register", json={"redirect_uris": [CALLBACK], member: value}, timeout=30
        )
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_client_metadata", member
        assert member in answer.json()["error_description"]
