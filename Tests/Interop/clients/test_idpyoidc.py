"""idpyoidc's relying party, a certified one: discovery, code, PKCE, refresh, UserInfo, logout."""

from __future__ import annotations

import pytest
from cryptojwt import KeyJar
from idpyoidc.client.rp_handler import RPHandler

from support.configuration import MARIA
from support.visitor import Callback

OIDC = "idpyoidc.client.oidc"
SERVICES = {
    "discovery": f"{OIDC}.provider_info_discovery.ProviderInfoDiscovery",
    "registration": f"{OIDC}.registration.Registration",
    "authorization": f"{OIDC}.authorization.Authorization",
    "accesstoken": f"{OIDC}.access_token.AccessToken",
    "refresh_token": f"{OIDC}.refresh_access_token.RefreshAccessToken",
    "userinfo": f"{OIDC}.userinfo.UserInfo",
    "end_session": f"{OIDC}.end_session.EndSession",
}


def make_handler(provider, client) -> RPHandler:
    """A handler with one client that was registered beforehand."""
    configuration = {
        "issuer": provider.issuer,
        "client_id": client.client_id,
        "client_secret": client.secret,
        "client_type": "oidc",
        "redirect_uris": [client.redirect_uri],
        "post_logout_redirect_uris": client.entry_extra["post_logout_redirect_uris"],
        "response_types": ["code"],
        "scope": ["openid", "profile", "email", "offline_access"],
        "token_endpoint_auth_method": "client_secret_basic",
        "client_authn_methods": ["client_secret_basic"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "id_token_signed_response_alg": client.entry_extra.get("id_token_signed_response_alg", "RS256"),
        "services": {name: {"class": path} for name, path in SERVICES.items()},
        "add_ons": {
            "pkce": {
                "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
            }
        },
    }
    origin = client.redirect_uri.rsplit("/", 1)[0]
    # A key set of its own, kept in memory: the default would be written to the working directory.
    return RPHandler(base_url=origin, client_configs={provider.issuer: configuration}, keyjar=KeyJar())


@pytest.mark.parametrize("client_id", ["first-app", "es256-app"])
def test_idpyoidc_signs_in(provider, clients, visitor, client_id):
    """What its users call: `begin`, `finalize`; then a refresh and a logout."""
    handler = make_handler(provider, clients[client_id])
    address = handler.begin(issuer_id=provider.issuer)
    address = address if isinstance(address, str) else address["url"]
    assert "code_challenge_method=S256" in address
    callback = visitor.authorize(address, {})
    result = handler.finalize(provider.issuer, callback.parameters)
    assert "error" not in result, result
    assert result["userinfo"]["sub"] == MARIA.sub
    assert result["id_token"]["sub"] == MARIA.sub
    renewed = handler.refresh_access_token(result["state"])
    assert renewed["access_token"] != result["token"]

    farewell = handler.logout(result["state"])
    arrival = visitor.open(farewell["url"])
    assert isinstance(arrival, Callback), f"no redirect: {arrival}"
    assert arrival.uri == clients[client_id].entry_extra["post_logout_redirect_uris"][0]
