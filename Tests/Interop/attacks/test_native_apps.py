"""Attack 19: a program that claims the address of a native app (RFC 8252 §8.6)."""

from __future__ import annotations

import pytest

from support.configuration import ALL_SCOPES, MARIA, Client, secret_of
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback

WEB = Client("web", secret_of("web"), "client_secret_basic", ("http://127.0.0.1:9/callback",))
ADDRESSES = {
    "loopback": "http://127.0.0.1/callback", "six": "http://[::1]/callback", "scheme": "com.example.app:/callback",
}
NATIVE = {
    name: Client(name, None, "none", (address,), {"application_type": "native", "scope": ALL_SCOPES})
    for name, address in ADDRESSES.items()
}
CLAIMED = Client("claimed", None, "none", ("https://app.example.test/callback",))


@pytest.fixture(scope="module")
def native_provider(tmp_path_factory):
    clients = [WEB, CLAIMED, *NATIVE.values()]
    server = Server(
        tmp_path_factory.mktemp("native"),
        {"clients": [client.entry() for client in clients], "users": [MARIA.entry()]},
        log_level="error",
    )
    yield Provider(server.base)
    server.stop()


@pytest.mark.parametrize("name", list(ADDRESSES))
def test_attack_19_a_session_alone_answers_no_native_app(native_provider, name):
    visitor = RelyingParty(native_provider, WEB).sign_in().visitor
    rp = RelyingParty(native_provider, NATIVE[name])
    port = ":55555" if name != "scheme" else ""
    address = ADDRESSES[name].replace("/callback", f"{port}/callback") if port else ADDRESSES[name]
    silent = rp.open(visitor, rp.request(prompt="none", redirect_uri=address, scope="openid offline_access"))
    assert isinstance(silent, Callback) and silent["error"] == "interaction_required"
    page = rp.open(visitor, rp.request(redirect_uri=address))
    assert isinstance(page, Page) and page.name == "continue" and len(page.soup.find_all("h1")) == 1
    assert "Maria da Silva" in page.soup.get_text()
    assert page.soup.find("button", class_="primary")["value"] == "continue"
    # Nothing but the page's own form continues.
    for values in ({"csrf": ""}, {"csrf": "forged"}):
        answer = visitor.send(page, values)
        assert answer.status_code == 403 and "Location" not in answer.headers
    refused = visitor.submit(page, button="deny")
    assert isinstance(refused, Callback) and refused["error"] == "access_denied"
    again = rp.open(visitor, rp.request(redirect_uri=address))
    other = visitor.submit(again, button="other")
    assert isinstance(other, Page) and other.name == "login"
    assert isinstance(visitor.sign_in(other), Callback), "she has just acted"
    assert rp.sign_in(visitor, redirect_uri=address).claims["sub"] == MARIA.sub


def test_what_is_proved_is_answered_without_a_page(native_provider):
    visitor = RelyingParty(native_provider, WEB).sign_in().visitor
    for client in (WEB, CLAIMED):
        rp = RelyingParty(native_provider, client)
        answer = rp.open(visitor, rp.request(prompt="none"))
        assert isinstance(answer, Callback) and "code" in answer.parameters
    rp = RelyingParty(native_provider, NATIVE["loopback"])
    fresh = native_provider.visitor()
    page = rp.open(fresh, rp.request())
    assert isinstance(page, Page) and page.name == "login"
    assert isinstance(fresh.sign_in(page), Callback)
