"""Authlib's `OAuth2Session` as relying party: code, PKCE, nonce, both signature algorithms, refresh, revocation."""

from __future__ import annotations

import pytest
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt

from support.configuration import ALL_SCOPES, MARIA
from support.tokens import header_of


class AuthlibApp:
    """An app as Authlib's manual builds it."""

    def __init__(self, provider, client, scope: str = "openid profile email"):
        self.provider = provider
        self.client = client
        self.verifier = generate_token(48)
        self.nonce = generate_token()
        self.session = OAuth2Session(
            client.client_id,
            client.secret,
            token_endpoint_auth_method=client.method,
            revocation_endpoint_auth_method=client.method,
            scope=scope,
            redirect_uri=client.redirect_uri,
            code_challenge_method="S256",
            token_endpoint=provider.endpoint("token"),
        )
        self.session.trust_env = False

    def sign_in(self, visitor) -> dict:
        address, state = self.session.create_authorization_url(
            self.provider.endpoint("authorization"), code_verifier=self.verifier, nonce=self.nonce
        )
        callback = visitor.authorize(address, {})
        assert callback["state"] == state
        return self.session.fetch_token(
            self.provider.endpoint("token"),
            authorization_response=callback.url,
            state=state,
            code_verifier=self.verifier,
        )

    def id_token(self, token: dict, algorithm: str) -> CodeIDToken:
        decoded = jwt.decode(token["id_token"], self.provider.keys, algorithms=[algorithm])
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {"iss": {"essential": True, "values": [self.provider.issuer]}},
            {"nonce": self.nonce, "client_id": self.client.client_id, "access_token": token["access_token"]},
        )
        claims.validate(leeway=60)
        return claims


@pytest.mark.parametrize(
    ("client_id", "algorithm"),
    [("first-app", "RS256"), ("es256-app", "ES256"), ("post-app", "RS256"), ("native-app", "RS256")],
)
def test_authlib_signs_in(provider, clients, visitor, client_id, algorithm):
    """Each way of client authentication, each algorithm."""
    app = AuthlibApp(provider, clients[client_id])
    token = app.sign_in(visitor)
    assert header_of(token["id_token"])["alg"] == algorithm
    claims = app.id_token(token, algorithm)
    userinfo = app.session.get(provider.endpoint("userinfo")).json()
    assert claims["sub"] == userinfo["sub"] == MARIA.sub
    assert userinfo["email"] == MARIA.claims["email"] and "address" not in userinfo


def test_authlib_refreshes_and_revokes(provider, clients, visitor):
    app = AuthlibApp(provider, clients["first-app"], scope=ALL_SCOPES)
    first = dict(app.sign_in(visitor))
    second = app.session.refresh_token(provider.endpoint("token"))
    assert second["access_token"] != first["access_token"]
    assert app.session.get(provider.endpoint("userinfo")).status_code == 200
    answer = app.session.revoke_token(provider.endpoint("revocation"), token_type_hint="refresh_token")
    assert answer.status_code == 200
    assert not provider.is_good(second["access_token"])
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.session.refresh_token(provider.endpoint("token"), refresh_token=second["refresh_token"])


def test_authlib_introspects(provider, clients, visitor):
    app = AuthlibApp(provider, clients["first-app"])
    token = app.sign_in(visitor)
    answer = app.session.introspect_token(provider.endpoint("introspection"), token=token["access_token"])
    assert answer.json()["active"] is True and answer.json()["client_id"] == "first-app"


def test_authlib_client_credentials(provider, clients):
    client = clients["service"]
    session = OAuth2Session(client.client_id, client.secret, scope="reports.read")
    session.trust_env = False
    token = session.fetch_token(provider.endpoint("token"), grant_type="client_credentials")
    assert token["token_type"].lower() == "bearer" and "refresh_token" not in token
