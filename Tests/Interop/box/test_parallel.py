"""Cases 9 and 10: three requests at once find out that their token is dead."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from box_sdk_gen import AccessToken

from support.configuration import MARIA
from support.enterprise import SERVICE
from support.proxy import Exchange, Proxy

AT_ONCE = 3
WAIT_SECONDS = 30
DEAD = "an-access-token-that-is-dead"


class Meeting:
    """Holds requests of a kind back until so many are here: nobody is early.

    - `count`: how many meet. Later ones pass.
    """

    def __init__(self, proxy: Proxy, matches, count: int = AT_ONCE):
        self._barrier = threading.Barrier(count)
        self._seats = threading.Semaphore(count)
        self._matches = matches
        proxy.instead = self.attend

    def attend(self, exchange: Exchange) -> None:
        if self._matches(exchange) and self._seats.acquire(blocking=False):
            self._barrier.wait(WAIT_SECONDS)


def is_dead(exchange: Exchange) -> bool:
    return exchange.headers.get("authorization") == f"Bearer {DEAD}"


def all_at_once(call) -> list:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [future.result(120) for future in [pool.submit(call) for _ in range(AT_ONCE)]]


def test_10_18_refreshes_three_times_with_one_token(enterprise, proxy, generated):
    """It has no lock. Each of the three gets the same successor, and nobody is signed out."""
    refresh = generated.signed_in(enterprise).token_storage.get().refresh_token
    auth = generated.oauth(token=AccessToken(access_token=DEAD, refresh_token=refresh))
    client = generated.client(auth)
    Meeting(proxy, lambda exchange: exchange.is_refresh)
    people = all_at_once(client.users.get_user_me)
    assert [person.id for person in people] == [MARIA.sub] * AT_ONCE
    assert [exchange.form["refresh_token"] for exchange in proxy.refreshes] == [refresh] * AT_ONCE
    assert [exchange.status for exchange in proxy.refreshes] == [200] * AT_ONCE
    # Whichever was stored last, it goes on.
    renewed = auth.token_storage.get()
    assert renewed.refresh_token != refresh
    assert auth.refresh_token(network_session=generated.network).refresh_token not in (refresh, renewed.refresh_token)
    assert client.users.get_user_me().id == MARIA.sub


def test_10_18_and_all_answers_are_good_to_go_on_with(enterprise, proxy, generated):
    """Three processes, each with a store of its own: whichever goes on, the others still can."""
    token = generated.signed_in(enterprise).token_storage.get()
    apps = [generated.oauth(token=token) for _ in range(AT_ONCE)]
    Meeting(proxy, lambda exchange: exchange.is_refresh)
    waiting = iter(apps)
    lock = threading.Lock()

    def renew():
        with lock:
            auth = next(waiting)
        return auth.refresh_token(network_session=generated.network)

    successors = all_at_once(renew)
    assert len({successor.refresh_token for successor in successors}) == 1
    assert all(enterprise.is_good(successor.access_token) for successor in successors)


def test_3_14_refreshes_once(enterprise, proxy, legacy):
    """It has a lock, and compares: the server sees one refresh."""
    _, refresh = legacy.signed_in(enterprise)._get_tokens()
    client = legacy.client(legacy.oauth(access_token=DEAD, refresh_token=refresh))
    Meeting(proxy, is_dead)
    people = all_at_once(lambda: client.user().get())
    assert [person.id for person in people] == [MARIA.sub] * AT_ONCE
    assert len([exchange for exchange in proxy.exchanges if is_dead(exchange)]) == AT_ONCE
    assert [exchange.status for exchange in proxy.refreshes] == [200]


@pytest.mark.parametrize("way", ["credentials", "assertion"])
def test_services_whose_token_is_dead_ask_again(proxy, legacy, generated, way):
    """3.14 once, 10.18 three times, with a new statement each time."""
    older = legacy.client(getattr(legacy, way)(access_token=DEAD, user=MARIA.sub))
    Meeting(proxy, is_dead)
    assert [person.id for person in all_at_once(lambda: older.user().get())] == [MARIA.sub] * AT_ONCE
    assert len([exchange for exchange in proxy.exchanges if exchange.path == "/oauth2/token"]) == 1
    proxy.exchanges.clear()
    auth = getattr(generated, way)()
    auth.token_storage.store(AccessToken(access_token=DEAD))
    Meeting(proxy, lambda exchange: exchange.path == "/oauth2/token")
    people = all_at_once(generated.client(auth).users.get_user_me)
    assert [person.id for person in people] == [f"client:{SERVICE.client_id}"] * AT_ONCE
    asked = [exchange for exchange in proxy.exchanges if exchange.path == "/oauth2/token"]
    assert [exchange.status for exchange in asked] == [200] * AT_ONCE
    if way == "assertion":
        assert len({exchange.form["assertion"] for exchange in asked}) == AT_ONCE
