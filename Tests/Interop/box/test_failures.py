"""Cases 12 to 15: services that are busy, gone, or elsewhere, and tokens that nobody can renew."""

from __future__ import annotations

import json
import sqlite3
import time

import box_sdk_gen
import boxsdk
import pytest
from box_sdk_gen import AccessToken

from support.box_clients import Generated
from support.configuration import MARIA
from support.enterprise import SERVICE
from support.proxy import Exchange, Proxy, without_server
from support.server import free_port

OWN_ID = f"client:{SERVICE.client_id}"
DEAD = "an-access-token-that-is-dead"
UNAVAILABLE = b'{"error":"temporarily_unavailable"}'


class Busy:
    """The first answer of the token endpoint is 503, as a gateway gives it.

    - `seconds`: when to come back.
    - `after`: the server has done its part by then; its answer is lost.
    """

    def __init__(self, proxy: Proxy, seconds: int = 1, *, after: bool = False):
        self.proxy, self.left, self.after = proxy, 1, after
        headers = {"Retry-After": str(seconds), "Content-Type": "application/json"}
        self.answer = without_server(503, headers, UNAVAILABLE)
        proxy.instead = self.refuse

    def refuse(self, exchange: Exchange) -> bytes | None:
        if exchange.path != "/oauth2/token" or self.left == 0:
            return None
        self.left -= 1
        if self.after:
            exchange.answer = self.proxy.ask(exchange)
        return self.answer


def seconds(call) -> float:
    start = time.monotonic()
    call()
    return time.monotonic() - start


def test_both_wait_for_a_busy_server(proxy, legacy, generated):
    """As long as the answer says, which is longer than either would wait by itself."""
    Busy(proxy, 4)
    client = generated.client(generated.credentials())
    assert seconds(client.users.get_user_me) >= 4
    assert [exchange.path for exchange in proxy.exchanges] == ["/oauth2/token", "/oauth2/token", "/2.0/users/me"]
    proxy.exchanges.clear()
    Busy(proxy, 4)
    assert seconds(legacy.assertion().authenticate_instance) >= 4
    assert len(proxy.exchanges) == 2


def test_both_get_their_tokens_from_a_busy_server(enterprise, proxy, legacy, generated):
    """A code is redeemed by the request that reaches the server."""
    Busy(proxy)
    assert enterprise.is_good(generated.signed_in(enterprise).token_storage.get().access_token)
    Busy(proxy)
    assert enterprise.is_good(legacy.signed_in(enterprise).access_token)
    assert len(proxy.exchanges) == 4


@pytest.mark.parametrize("release", ["legacy", "generated"])
def test_both_wait_while_the_database_is_locked(enterprise, proxy, request, release):
    """The server's own 503: somebody else holds the database, until the first refusal has been given."""
    sdk = request.getfixturevalue(release)
    auth = sdk.signed_in(enterprise)
    database = sqlite3.connect(enterprise.database, isolation_level=None, check_same_thread=False)

    def let_go(exchange: Exchange) -> bytes:
        if database.in_transaction:
            database.execute("ROLLBACK")
        return exchange.answer

    proxy.treat_refresh = let_go
    database.execute("BEGIN IMMEDIATE")
    if release == "legacy":
        auth.refresh(auth.access_token)
    else:
        auth.refresh_token(network_session=sdk.network)
    database.close()
    refused, accepted = proxy.refreshes
    assert (refused.status, accepted.status) == (503, 200) and refused.answer_headers["retry-after"] == "1"
    assert b'"temporarily_unavailable"' in refused.answer_body
    assert enterprise.is_good(json.loads(accepted.answer_body)["access_token"])


def test_nobody_is_signed_out_by_a_refresh_whose_answer_was_lost(enterprise, proxy, legacy, generated):
    """Both send the same token again; the server has renewed it already, and gives the same successor."""
    auth = generated.signed_in(enterprise)
    before = auth.token_storage.get().refresh_token
    Busy(proxy, after=True)
    after = auth.refresh_token(network_session=generated.network)
    assert [exchange.form["refresh_token"] for exchange in proxy.refreshes] == [before, before]
    assert enterprise.is_good(after.access_token) and enterprise.is_good(after.refresh_token)
    proxy.exchanges.clear()
    older = legacy.signed_in(enterprise)
    access, before = older._get_tokens()
    Busy(proxy, after=True)
    access, refresh = older.refresh(access)
    assert [exchange.form["refresh_token"] for exchange in proxy.refreshes] == [before, before]
    assert enterprise.is_good(access) and enterprise.is_good(refresh)


def test_a_statement_counts_once_although_its_answer_was_lost(proxy, legacy, generated):
    """3.14 signs another one. 10.18 sends the same again: that is refused, and the next call succeeds."""
    Busy(proxy, after=True)
    assert legacy.assertion().authenticate_instance()
    assert [exchange.status for exchange in proxy.exchanges] == [200, 200]
    proxy.exchanges.clear()
    Busy(proxy, after=True)
    auth = generated.assertion()
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        auth.retrieve_token(network_session=generated.network)
    assert "jti" in caught.value.response_info.body["error_description"]
    first, second = proxy.exchanges
    assert (first.status, second.status) == (200, 400) and first.form["assertion"] == second.form["assertion"]
    assert generated.client(auth).users.get_user_me().id == OWN_ID


def test_10_18_ends_with_a_developer_token(proxy, generated):
    """There is nothing to renew it with: one request."""
    with pytest.raises(box_sdk_gen.BoxSDKError, match="expired") as caught:
        generated.client(box_sdk_gen.BoxDeveloperTokenAuth(DEAD)).users.get_user_me()
    assert not isinstance(caught.value, box_sdk_gen.BoxAPIError)
    assert [exchange.status for exchange in proxy.exchanges] == [401]


def test_3_14_asks_somebody_for_another_developer_token(proxy, legacy):
    good = legacy.credentials().authenticate_instance()
    tokens = iter([DEAD, good])
    auth = boxsdk.auth.DeveloperTokenAuth(get_new_token_callback=lambda: next(tokens))
    assert legacy.client(auth).user().get().id == OWN_ID
    assert [exchange.status for exchange in proxy.exchanges] == [200, 401, 200]


def test_what_a_refused_request_says(proxy, generated):
    """Box's own form, and beside it the standard's challenge."""
    with pytest.raises(box_sdk_gen.BoxSDKError):
        generated.client(box_sdk_gen.BoxDeveloperTokenAuth(DEAD)).users.get_user_me()
    (refused,) = proxy.exchanges
    assert b'"type":"error"' in refused.answer_body and b'"code":"unauthorized"' in refused.answer_body
    assert refused.answer_headers["www-authenticate"].startswith('Bearer error="invalid_token"')


def test_what_is_not_there_is_said_in_json(legacy, generated):
    """Most of Box is not here. Whoever asks for it reads why."""
    with pytest.raises(boxsdk.BoxAPIException) as caught:
        legacy.client(legacy.credentials()).file("1").get()
    assert (caught.value.status, caught.value.code) == (404, "not_found")
    assert caught.value.message and caught.value.request_id
    client = generated.client(generated.credentials())
    for call in (client.users.get_users, lambda: client.files.get_file_by_id("1")):
        with pytest.raises(box_sdk_gen.BoxAPIError) as other:
            call()
        info = other.value.response_info
        assert (info.status_code, info.code) == (404, "not_found") and info.request_id


def test_10_18_tries_three_times_where_nobody_answers(proxy, generated):
    proxy.instead = lambda exchange: b""
    took = seconds(lambda: fails(generated))
    assert len(proxy.exchanges) == 3 and took >= 3


def test_10_18_gives_up_where_nobody_is(generated):
    """Two retries."""
    assert seconds(lambda: fails(Generated(f"http://127.0.0.1:{free_port()}"))) >= 3


def fails(generated: Generated) -> None:
    with pytest.raises(box_sdk_gen.BoxSDKError) as caught:
        generated.client(box_sdk_gen.BoxDeveloperTokenAuth(DEAD)).users.get_user_me()
    assert not isinstance(caught.value, box_sdk_gen.BoxAPIError)


@pytest.fixture
def elsewhere(enterprise, proxy):
    """The same server under another name, to which the first one sends everybody."""
    other = Proxy(enterprise.server.address[1])
    address = other.base.replace("127.0.0.1", "localhost")
    proxy.instead = lambda exchange: (
        without_server(302, {"Location": address + exchange.path}) if exchange.path.startswith("/2.0/") else None
    )
    yield other
    other.close()


def test_10_18_shows_its_token_to_nobody_else(proxy, elsewhere, generated):
    token = generated.credentials().retrieve_token(network_session=generated.network).access_token
    with pytest.raises(box_sdk_gen.BoxSDKError, match="expired"):
        generated.client(box_sdk_gen.BoxDeveloperTokenAuth(token)).users.get_user_me()
    assert proxy.exchanges[-1].headers["authorization"] == f"Bearer {token}"
    (arrived,) = elsewhere.exchanges
    assert "authorization" not in arrived.headers and arrived.status == 401


def test_3_14_shows_its_token_to_nobody_else(proxy, elsewhere, legacy):
    auth = legacy.credentials()
    token = auth.authenticate_instance()
    with pytest.raises(boxsdk.BoxAPIException) as caught:
        legacy.client(auth).make_request("GET", f"{legacy.base}/2.0/users/me", auto_session_renewal=False)
    assert (caught.value.status, caught.value.code) == (401, "unauthorized")
    assert proxy.exchanges[-1].headers["authorization"] == f"Bearer {token}"
    (arrived,) = elsewhere.exchanges
    assert "authorization" not in arrived.headers and arrived.status == 401


def test_the_server_itself_sends_nobody_elsewhere(proxy, legacy, generated):
    """Nothing that these clients call is answered with a redirect."""
    auth = generated.credentials()
    generated.client(auth).users.get_user_me()
    auth.downscope_token(["item_preview"], network_session=generated.network)
    auth.revoke_token(network_session=generated.network)
    assert legacy.client(legacy.credentials()).user(MARIA.sub).get().id == MARIA.sub
    assert {exchange.status for exchange in proxy.exchanges} == {200}


def test_a_token_that_never_expires_in_the_store_is_renewed_when_it_is_dead(enterprise, proxy, generated):
    """Release 10.18 does not look at the lifetime: it finds out by the 401."""
    refresh = generated.signed_in(enterprise).token_storage.get().refresh_token
    auth = generated.oauth(token=AccessToken(access_token=DEAD, refresh_token=refresh))
    assert generated.client(auth).users.get_user_me().id == MARIA.sub
    assert [exchange.status for exchange in proxy.exchanges[-3:]] == [401, 200, 200]
