"""requests-oauthlib on oauthlib as relying party, with its scope check left on."""

from __future__ import annotations

import time

import pytest
from oauthlib.oauth2 import BackendApplicationClient, InvalidGrantError
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from support.configuration import MARIA


@pytest.fixture(autouse=True)
def plain_http_on_loopback(monkeypatch):
    """oauthlib refuses plain http everywhere, even on this machine."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.delenv("OAUTHLIB_RELAX_TOKEN_SCOPE", raising=False)


@pytest.mark.parametrize("client_id", ["first-app", "es256-app", "native-app"])
def test_oauthlib_signs_in_and_refreshes(provider, clients, visitor, client_id):
    """Code and PKCE; a change of scope would raise a warning that is an error here."""
    client = clients[client_id]
    session = OAuth2Session(
        client.client_id, redirect_uri=client.redirect_uri, scope=["openid", "email", "offline_access"], pkce="S256"
    )
    session.trust_env = False
    address, _ = session.authorization_url(provider.endpoint("authorization"), prompt="consent")
    callback = visitor.authorize(address, {})
    credentials = (
        {"auth": HTTPBasicAuth(client.client_id, client.secret)} if client.secret else {"include_client_id": True}
    )
    token = session.fetch_token(provider.endpoint("token"), authorization_response=callback.url, **credentials)
    assert session.get(provider.endpoint("userinfo")).json()["sub"] == MARIA.sub
    time.sleep(1)
    extra = {"auth": credentials["auth"]} if client.secret else {"client_id": client.client_id}
    renewed = session.refresh_token(provider.endpoint("token"), **extra)
    assert renewed["access_token"] != token["access_token"]
    assert session.get(provider.endpoint("userinfo")).json()["email"] == MARIA.claims["email"]


def test_oauthlib_understands_refusals(provider, clients):
    client = clients["first-app"]
    session = OAuth2Session(client.client_id, redirect_uri=client.redirect_uri)
    session.trust_env = False
    with pytest.raises(InvalidGrantError):
        session.fetch_token(
            provider.endpoint("token"), code="no-such-code", auth=HTTPBasicAuth(client.client_id, client.secret)
        )


def test_oauthlib_client_credentials(provider, clients):
    client = clients["service"]
    session = OAuth2Session(client=BackendApplicationClient(client.client_id, scope="reports.read"))
    session.trust_env = False
    token = session.fetch_token(provider.endpoint("token"), auth=HTTPBasicAuth(client.client_id, client.secret))
    assert token["access_token"] and token["expires_in"] > 0
