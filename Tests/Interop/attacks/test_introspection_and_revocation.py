"""Attacks 67, 69, 70: who may learn about a token, and who may end it."""

from __future__ import annotations

import pytest

from support import checks
from support.configuration import API_RESOURCE


def test_attack_69_unrelated_client_learns_nothing(app):
    """RFC 7662 §4: to a stranger, a token does not exist."""
    signed_in = app("first-app").sign_in()
    for stranger in ("second-app", "post-app", "api"):
        for token in (signed_in.access_token, signed_in.refresh_token):
            assert app(stranger).introspect(token) == {"active": False}, stranger
    own = app("first-app").introspect(signed_in.access_token)
    assert own["active"] is True and own["sub"] == signed_in.claims["sub"] and own["client_id"] == "first-app"
    assert app("first-app").introspect(signed_in.refresh_token)["active"] is True


def test_attack_69_resource_server_learns_about_its_own_tokens(app):
    """RFC 8707: a token for the API is the API's business."""
    signed_in = app("first-app").sign_in(scope="openid email", resource=API_RESOURCE)
    answer = app("api").introspect(signed_in.access_token)
    assert answer["active"] is True
    audience = answer["aud"] if isinstance(answer["aud"], list) else [answer["aud"]]
    assert API_RESOURCE in audience


def test_attack_67_token_for_elsewhere_is_not_for_us(app):
    """A token of a client itself, or for another audience alone, opens no UserInfo."""
    service = app("service")
    answer = service.accepted(service.post("token", {"grant_type": "client_credentials", "resource": API_RESOURCE}))
    assert service.provider.userinfo(answer["access_token"]).status_code in (401, 403)
    plain = service.accepted(service.post("token", {"grant_type": "client_credentials"}))
    assert service.provider.userinfo(plain["access_token"]).status_code in (401, 403)


@pytest.mark.parametrize("client_id", [None, "native-app"])
def test_attack_69_introspection_needs_a_client_that_authenticates(app, provider, client_id):
    token = app("first-app").sign_in().access_token
    form = {"token": token} | ({"client_id": client_id} if client_id else {})
    response = provider.http.post(provider.endpoint("introspection"), data=form, timeout=10)
    checks.check_refused(response, "invalid_client", "invalid_request")


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("stranger", ["second-app", "native-app"])
def test_attack_70_foreign_token_cannot_be_revoked(app, kind, stranger):
    """RFC 7009 §2.2: 200 all the same, so that nothing is learnt; no effect."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    response = app(stranger).revoke(signed_in.tokens[kind])
    assert response.status_code == 200, f"status {response.status_code}: {response.text[:200]}"
    assert rp.provider.is_good(signed_in.access_token)
    rp.accepted(rp.refresh(signed_in.refresh_token))


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_attack_70_own_token_ends_the_grant(app, kind):
    """Whichever token is revoked, the sign-in is over."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    assert rp.revoke(signed_in.tokens[kind]).status_code == 200
    assert not rp.provider.is_good(signed_in.access_token)
    assert rp.introspect(signed_in.access_token) == {"active": False}
    checks.check_refused(rp.refresh(signed_in.refresh_token), "invalid_grant", status=(400,))
    assert rp.revoke(signed_in.tokens[kind]).status_code == 200, "a second time changes nothing"


@pytest.mark.parametrize(
    "token", ["not-a-token", "", "é" * 100, "A" * 9_000], ids=["words", "empty", "unicode", "long"]
)
def test_attack_70_unknown_token(app, token):
    response = app("first-app").revoke(token)
    assert response.status_code in ((200,) if token else (200, 400)), f"status {response.status_code}"


def test_attack_70_client_credentials_token(app):
    """A client's own token can be revoked too."""
    service = app("service")
    token = service.accepted(service.post("token", {"grant_type": "client_credentials"}))["access_token"]
    assert service.introspect(token)["active"] is True
    assert service.revoke(token).status_code == 200
    assert service.introspect(token) == {"active": False}
