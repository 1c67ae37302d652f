"""What the rules for Authgear's apps must not open: for others, and for thieves."""

from __future__ import annotations

import time

import pytest
import requests

from support.authgear_client import CLAIM, GRANT, Authgear, AuthgearFailed, payload
from support.configuration import ALL_SCOPES
from support.visitor import Visitor


@pytest.fixture
def plain(site, visitor):
    """An app of no profile, with a bearer token."""
    app = Authgear(site.base, "plain-app", "http://127.0.0.1/callback")
    code, verifier = app._ask(visitor, {"scope": ALL_SCOPES})
    answer = app.token(
        "authorization_code",
        {"code": code, "redirect_uri": app.redirect_uri, "code_verifier": verifier},
        proves=False,
    ).json()
    app.access_token, app.id_token = answer["access_token"], answer["id_token"]
    app.keychain.refresh_token = answer["refresh_token"]
    return app


def test_a_token_of_another_client_is_not_revoked_without_its_name(plain):
    for token in (plain.keychain.refresh_token, plain.access_token):
        answer = requests.post(plain.document["revocation_endpoint"], data={"token": token}, timeout=30)
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_client"
        assert "www-authenticate" not in answer.headers
    assert plain.token("refresh_token", {"refresh_token": plain.keychain.refresh_token}, proves=False)


def test_another_client_is_told_nothing_of_the_profile(plain):
    assert not any(name.startswith("https://authgear.com/") for name in payload(plain.id_token))
    answer = requests.get(
        plain.document["userinfo_endpoint"], headers={"Authorization": f"Bearer {plain.access_token}"}, timeout=30
    )
    assert answer.status_code == 200
    assert not any(name.startswith("https://authgear.com/") for name in answer.json())
    assert "custom_attributes" not in answer.json()
    with pytest.raises(AuthgearFailed) as failure:
        plain.token(f"{GRANT}id-token", {}, proves=False, bearer=plain.access_token)
    assert failure.value.error == "unauthorized_client"


def test_an_id_token_comes_of_the_apps_own_access_token_alone(signed_in, plain):
    with pytest.raises(AuthgearFailed) as failure:
        signed_in.token(f"{GRANT}id-token", {}, bearer=plain.access_token)
    assert (failure.value.status, failure.value.error) == (401, "invalid_grant")
    for bearer in ("garbage", signed_in.keychain.refresh_token, signed_in.id_token):
        with pytest.raises(AuthgearFailed) as failure:
            signed_in.token(f"{GRANT}id-token", {}, bearer=bearer)
        assert (failure.value.status, failure.value.error) == (401, "invalid_grant")


def test_attack_45_a_proof_is_good_once_although_no_nonce_is_asked_for(signed_in):
    url = signed_in.document["token_endpoint"]
    proof = signed_in.proof("POST", url)
    fields = {"grant_type": "refresh_token", "client_id": signed_in.client_id}
    statuses = []
    for _ in range(2):
        answer = requests.post(
            url, data={**fields, "refresh_token": signed_in.keychain.refresh_token}, headers={"DPoP": proof}, timeout=30
        )
        statuses.append((answer.status_code, answer.json().get("error")))
    assert statuses == [(200, None), (400, "invalid_dpop_proof")]


@pytest.mark.parametrize("seconds", [-330, 330])
def test_a_proof_from_another_time_is_refused(signed_in, seconds):
    url = signed_in.document["token_endpoint"]
    proof = signed_in.proof("POST", url, iat=int(time.time()) + seconds)
    answer = requests.post(
        url,
        data={
            "grant_type": "refresh_token",
            "client_id": signed_in.client_id,
            "refresh_token": signed_in.keychain.refresh_token,
        },
        headers={"DPoP": proof},
        timeout=30,
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_dpop_proof")


def test_somebody_elses_page_does_not_move_the_session(site, signed_in, authgear):
    """Who proves it again must be who signed in."""
    other = authgear()
    other.authenticate(Visitor(site.base, site.issuer))
    before = payload(signed_in.id_token)["auth_time"]
    time.sleep(1.1)
    other.reauthenticate(Visitor(site.base, site.issuer))
    signed_in.refresh()
    assert payload(signed_in.id_token)["auth_time"] == before
    assert payload(signed_in.id_token)[CLAIM + "can_reauthenticate"] is True
