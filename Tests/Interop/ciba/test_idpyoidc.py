"""idpyoidc's own client of CIBA: its backchannel service asks, its messages read the answers."""

from __future__ import annotations

import json
import time

import pytest
import requests
from cryptojwt import KeyJar
from idpyoidc.client.rp_handler import RPHandler
from idpyoidc.message.oidc.backchannel_authentication import NotificationRequest, TokenRequest

from support.backchannel import GRANT, decide, metadata
from support.configuration import MARIA, secret_of
from support.tokens import payload_of

OIDC = "idpyoidc.client.oidc"


@pytest.fixture
def party(site):
    """A relying party of idpyoidc that was registered beforehand, after discovery."""

    def make(client_id: str):
        configuration = {
            "issuer": site.issuer,
            "client_id": client_id,
            "client_secret": secret_of(client_id),
            "client_type": "oidc",
            "redirect_uris": ["http://127.0.0.1/callback"],
            "token_endpoint_auth_method": "client_secret_basic",
            "client_authn_methods": ["client_secret_basic"],
            "services": {
                "discovery": {"class": f"{OIDC}.provider_info_discovery.ProviderInfoDiscovery"},
                "backchannel": {"class": f"{OIDC}.backchannel_authentication.BackChannelAuthentication"},
            },
        }
        handler = RPHandler(
            base_url="http://127.0.0.1", client_configs={site.issuer: configuration}, keyjar=KeyJar()
        )
        client = handler.init_client(site.issuer)
        client.do_request("provider_info")
        return client

    return make


def begin(client, **arguments):
    """What idpyoidc's service sends, and what it makes of the answer."""
    service = client.get_service("backchannel_authentication")
    information = service.get_request_parameters(
        request_args={"login_hint": MARIA.login, "scope": ["openid"], **arguments},
        authn_method="client_secret_basic",
        method="POST",
    )
    answer = requests.request(
        information["method"], information["url"], data=information.get("body"), headers=information.get("headers"),
        timeout=10,
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return service.parse_response(answer.text, sformat="json")


def redeem(site, client_id: str, auth_req_id: str) -> requests.Response:
    message = TokenRequest(grant_type=GRANT, auth_req_id=auth_req_id)
    message.verify()
    return requests.post(
        metadata(site)["token_endpoint"],
        data=message.to_dict(),
        auth=(client_id, secret_of(client_id)),
        timeout=10,
    )


def test_idpyoidc_polls(site, party, page):
    response = begin(party("till"), binding_message="Till 9")
    assert response["interval"] == 5 and response["expires_in"] == 300
    assert redeem(site, "till", response["auth_req_id"]).json()["error"] == "authorization_pending"
    decide(page, site, "allow", response["number"])
    time.sleep(5)
    answer = redeem(site, "till", response["auth_req_id"])
    assert answer.status_code == 200 and payload_of(answer.json()["id_token"])["sub"] == MARIA.sub


def test_idpyoidc_reads_the_notification(site, party, notified, page):
    response = begin(party("pager"), client_notification_token="token-of-idpyoidc-token-of-idpyoidc")
    decide(page, site, "allow", response["number"])
    arrived = notified.wait(response)
    assert arrived.headers["authorization"] == "Bearer token-of-idpyoidc-token-of-idpyoidc"
    message = NotificationRequest(**json.loads(arrived.body))
    message.verify()
    answer = redeem(site, "pager", message["auth_req_id"])
    assert answer.status_code == 200 and payload_of(answer.json()["id_token"])["aud"] == "pager"
