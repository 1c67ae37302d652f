"""Case 8: both clients revoke, in each of their ways, and understand the answer."""

from __future__ import annotations

import box_sdk_gen
import boxsdk
import pytest
from box_sdk_gen import AccessToken

from support.configuration import MARIA
from support.enterprise import APP, SERVICE
from support.proxy import without_server


def check_answer(exchange) -> None:
    """An empty object: nothing at all would be an error to release 3.14."""
    assert exchange.path == "/oauth2/revoke" and exchange.status == 200 and exchange.answer_body == b"{}"
    assert exchange.answer_headers["content-type"].startswith("application/json")
    assert set(exchange.form) == {"client_id", "client_secret", "token"}


def test_10_18_revokes_and_the_grant_ends(enterprise, proxy, generated):
    """It shows the access token; the refresh token ends with it. The client keeps both, and finds out."""
    auth = generated.signed_in(enterprise)
    token = auth.token_storage.get()
    auth.revoke_token(network_session=generated.network)
    check_answer(proxy.exchanges[-1])
    assert proxy.exchanges[-1].form["token"] == token.access_token
    assert not enterprise.is_good(token.access_token) and not enterprise.is_good(token.refresh_token)
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        generated.client(auth).users.get_user_me()
    assert caught.value.response_info.body["error"] == "invalid_grant"


def test_3_14_revokes_and_the_grant_ends(enterprise, proxy, legacy):
    stored: list[tuple] = []
    access, refresh = legacy.signed_in(enterprise)._get_tokens()
    auth = legacy.oauth(access_token=access, refresh_token=refresh, store_tokens=lambda *pair: stored.append(pair))
    auth.revoke()
    check_answer(proxy.exchanges[-1])
    assert proxy.exchanges[-1].form["token"] == access and stored == [(None, None)]
    assert not enterprise.is_good(access) and not enterprise.is_good(refresh)


def test_3_14_takes_an_empty_answer_for_an_error(proxy, legacy):
    """Why there is a body: the standard wants none."""
    proxy.instead = lambda exchange: without_server(200)
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        legacy.oauth(access_token="no-such-token").revoke()
    assert caught.value.status == 200


def test_3_14_revokes_by_the_refresh_token_alone(enterprise, proxy, legacy):
    access, refresh = legacy.signed_in(enterprise)._get_tokens()
    legacy.oauth(refresh_token=refresh).revoke()
    check_answer(proxy.exchanges[-1])
    assert proxy.exchanges[-1].form["token"] == refresh
    assert not enterprise.is_good(access) and not enterprise.is_good(refresh)


def test_3_14_closes(enterprise, proxy, legacy):
    """What is closed asks for nothing any more."""
    auth = legacy.signed_in(enterprise)
    access, _ = auth._get_tokens()
    with auth.closing() as session:
        assert legacy.client(session).user().get().id == MARIA.sub
    check_answer(proxy.exchanges[-1])
    assert not enterprise.is_good(access)
    count = len(proxy.exchanges)
    with pytest.raises(ValueError, match="closed"):
        auth.refresh(None)
    assert len(proxy.exchanges) == count


@pytest.mark.parametrize("way", ["credentials", "assertion"])
def test_services_revoke_their_tokens(enterprise, legacy, generated, way):
    """And get new ones when they need them."""
    auth = getattr(generated, way)()
    token = auth.retrieve_token(network_session=generated.network).access_token
    auth.revoke_token(network_session=generated.network)
    assert not enterprise.is_good(token, SERVICE) and auth.token_storage.get() is None
    assert generated.client(auth).users.get_user_me().id == f"client:{SERVICE.client_id}"
    other = getattr(legacy, way)()
    token = other.authenticate_user(MARIA.sub)
    other.revoke()
    assert not enterprise.is_good(token, SERVICE)
    assert legacy.client(other).user().get().id == MARIA.sub


def test_10_18_revokes_a_developer_token(enterprise, proxy, generated):
    token = generated.credentials().retrieve_token(network_session=generated.network).access_token
    config = box_sdk_gen.DeveloperTokenConfig(client_id=SERVICE.client_id, client_secret=SERVICE.secret)
    auth = box_sdk_gen.BoxDeveloperTokenAuth(token, config=config)
    assert generated.client(auth).users.get_user_me().id == f"client:{SERVICE.client_id}"
    auth.revoke_token(network_session=generated.network)
    check_answer(proxy.exchanges[-1])
    assert not enterprise.is_good(token, SERVICE)


def test_a_token_that_nobody_knows_is_revoked_all_the_same(proxy, legacy, generated):
    legacy.oauth(access_token="no-such-token").revoke()
    check_answer(proxy.exchanges[-1])
    generated.oauth(token=AccessToken(access_token="no-such-token")).revoke_token(network_session=generated.network)
    check_answer(proxy.exchanges[-1])


def test_nobody_revokes_with_another_secret(enterprise, legacy, generated):
    """The refusal is one that both understand, and the grant goes on."""
    access, refresh = legacy.signed_in(enterprise)._get_tokens()
    impostor = boxsdk.OAuth2(APP.client_id, "not-the-secret", access_token=access, refresh_token=refresh)
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        impostor.revoke()
    assert caught.value.status == 400
    storage = box_sdk_gen.InMemoryTokenStorage(token=AccessToken(access_token=access))
    config = box_sdk_gen.OAuthConfig(APP.client_id, "not-the-secret", token_storage=storage)
    with pytest.raises(box_sdk_gen.BoxAPIError) as other:
        box_sdk_gen.BoxOAuth(config).revoke_token(network_session=generated.network)
    assert other.value.response_info.body["error"] == "invalid_client"
    assert enterprise.is_good(access) and enterprise.is_good(refresh)
