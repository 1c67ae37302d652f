"""Case 6: the server's clock is two years off, and the client believes the server's. And: hours go by."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import box_sdk_gen
import pytest

from support.box_clients import Generated, Legacy
from support.clocks import FAKE_CLOCK
from support.configuration import MARIA
from support.enterprise import ENTERPRISE, SERVICE, YEAR_SECONDS, Enterprise
from support.proxy import Proxy
from support.tokens import payload_of

# A request may wait on a busy machine.
DELAY_SECONDS = 60


pytestmark = pytest.mark.skipif(FAKE_CLOCK is None, reason="libfaketime is not installed")


@pytest.fixture(scope="module", params=[2, -2], ids=["ahead", "behind"])
def strange(request, tmp_path_factory):
    """A server whose clock is years ahead or behind."""
    enterprise = Enterprise(tmp_path_factory.mktemp("strange"), clock_seconds=request.param * YEAR_SECONDS)
    yield enterprise
    enterprise.close()


@pytest.fixture
def proxy(strange):
    proxy = Proxy(strange.server.address[1])
    yield proxy
    proxy.close()


@pytest.fixture
def starting(tmp_path):
    """Starts servers one after the other, with the same data at the same address."""
    running: list[Enterprise] = []

    def start(clock_seconds: int) -> Enterprise:
        port = running[-1].server.address[1] if running else 0
        for enterprise in running[-1:]:
            enterprise.close()
        running.append(Enterprise(tmp_path / "hours", clock_seconds=clock_seconds, port=port))
        return running[-1]

    yield start
    running[-1].close()


def test_3_14_tries_again_by_the_date_of_the_answer(strange, proxy, monkeypatch):
    legacy = Legacy(proxy.base, monkeypatch)
    auth = legacy.assertion()
    token = auth.authenticate_instance()
    refused, accepted = proxy.exchanges
    assert refused.status == 400 and b'"invalid_grant"' in refused.answer_body and b"exp " in refused.answer_body
    date = parsedate_to_datetime(refused.answer_headers["date"]).timestamp()
    first, second = (payload_of(exchange.form["assertion"]) for exchange in proxy.exchanges)
    assert abs(abs(date - (first["exp"] - 30)) - 2 * YEAR_SECONDS) <= DELAY_SECONDS
    assert second["exp"] == date + 30 and second["jti"] != first["jti"]
    assert accepted.status == 200 and strange.introspect(token, SERVICE)["tenant"] == ENTERPRISE
    assert legacy.client(auth).user().get().enterprise.id == ENTERPRISE


def test_10_18_gives_up_after_one_request(strange, proxy):
    generated = Generated(proxy.base)
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        generated.assertion().retrieve_token(network_session=generated.network)
    body = caught.value.response_info.body
    assert body["error"] == "invalid_grant" and body["error_description"].split(": ")[1].startswith("exp ")
    assert len(proxy.exchanges) == 1


def test_10_18_works_with_a_secret_whatever_the_clock(strange, proxy):
    generated = Generated(proxy.base)
    auth = generated.credentials()
    assert generated.client(auth).users.get_user_me().enterprise.id == ENTERPRISE


def test_both_renew_what_has_really_expired(starting, monkeypatch):
    """An access token lives for an hour. Neither client looks at its watch: the server's 401 tells them."""
    today = starting(0)
    base = today.server.base
    legacy, generated = Legacy(base, monkeypatch), Generated(base)
    auths = legacy.signed_in(today), legacy.credentials(), generated.signed_in(today), generated.credentials()
    old, old_service, new, new_service = auths
    service = old_service.authenticate_instance()
    new_service.retrieve_token(network_session=generated.network)
    access, refresh = old._get_tokens()
    later = starting(7_200)
    assert not later.is_good(access) and not later.is_good(service, SERVICE) and later.is_good(refresh)
    assert legacy.client(old).user().get().id == generated.client(new).users.get_user_me().id == MARIA.sub
    assert old.access_token != access
    own = f"client:{SERVICE.client_id}"
    assert legacy.client(old_service).user().get().id == own
    assert generated.client(new_service).users.get_user_me().id == own
