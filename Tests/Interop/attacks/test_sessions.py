"""Attacks 72-76: the browser's session."""

from __future__ import annotations

import secrets

import pytest

from support import checks
from support.configuration import JONAS, MARIA, make_configuration
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback, Visitor


def set_cookies(visitor: Visitor, suffix: str) -> list[tuple[str, str, set[str]]]:
    """Name, value and attributes of each cookie of ours that was set, oldest first."""
    found = []
    for response in visitor.responses:
        for line in response.raw.headers.getlist("Set-Cookie"):
            pair, *attributes = (part.strip() for part in line.split(";"))
            name, _, value = pair.partition("=")
            if name.endswith(suffix):
                found.append((name, value, {attribute.lower() for attribute in attributes}))
    return found


def with_session(provider, value: str) -> Visitor:
    """A browser into which somebody put a session cookie."""
    visitor = provider.visitor()
    visitor.session.cookies.set("keyturn-session", value, domain="127.0.0.1", path="/")
    return visitor


def test_attack_72_session_changes_at_each_sign_in(app, provider):
    """A new cookie each time; the one before is worth nothing."""
    rp = app("first-app")
    visitor = provider.visitor()
    rp.sign_in(visitor)
    first = visitor.cookie()
    rp.sign_in(visitor, person=MARIA, prompt="login")
    second = visitor.cookie()
    assert first and second and first != second
    assert not rp.is_signed_in(with_session(provider, first))
    assert rp.is_signed_in(with_session(provider, second)), "the harness cannot carry a cookie over"


def test_attack_72_session_is_over_after_logout(app, provider):
    """On the server, not in the browser alone."""
    rp = app("first-app")
    signed_in = rp.sign_in()
    cookie = signed_in.visitor.cookie()
    signed_in.visitor.open(provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
    assert not rp.is_signed_in(with_session(provider, cookie))
    assert not signed_in.visitor.cookie(), "the browser keeps a dead cookie"


def test_attack_72_another_person_takes_over_the_browser(app, provider):
    """The second person's session has nothing of the first's."""
    rp = app("first-app")
    visitor = provider.visitor()
    rp.sign_in(visitor, person=MARIA)
    old = visitor.cookie()
    page = rp.open(visitor, rp.request(prompt="select_account"))
    if isinstance(page, Page) and "username" in page.form.inputs:
        callback = visitor.sign_in(page, JONAS)
        assert isinstance(callback, Callback)
        assert not rp.is_signed_in(with_session(provider, old))
        assert rp.sign_in(visitor, person=None).claims["sub"] == JONAS.sub


def test_attack_73_cookie_on_loopback(app):
    """Out of reach of scripts and other sites, for this host alone, and too long to guess."""
    visitor = app("first-app").sign_in().visitor
    cookies = set_cookies(visitor, "keyturn-session")
    assert cookies, "no session cookie was set"
    for name, value, attributes in cookies:
        assert name == "keyturn-session"
        assert {"httponly", "samesite=lax", "path=/"} <= attributes, attributes
        assert not any(attribute.startswith("domain") for attribute in attributes)
        assert len(value) >= 22, "fewer than 128 bits"
        checks.check_secret("session cookie", value)


@pytest.fixture(scope="module")
def https_provider(clients, tmp_path_factory):
    """A second server behind an imagined proxy: its issuer is https."""
    # Whoever reaches such a server would read its outbox: it refuses to have one.
    configuration = make_configuration(clients, "https://id.example.test") | {"delivery": {"outbox": False}}
    server = Server(tmp_path_factory.mktemp("https-server"), configuration)
    yield Provider(server.base)
    assert server.stop() == 0


def test_attack_73_cookie_under_https(https_provider, clients):
    """`__Host-`, Secure: bound to host, path and TLS (RFC 6265bis §4.1.3.2)."""
    assert https_provider.issuer == "https://id.example.test"
    rp = RelyingParty(https_provider, clients["first-app"])
    visitor = https_provider.visitor()
    request = rp.request()
    callback = rp.authorize(visitor, request)
    assert callback["code"]
    cookies = set_cookies(visitor, "keyturn-session")
    assert cookies, "no session cookie was set"
    for name, _, attributes in [*cookies, *set_cookies(visitor, "keyturn-browser")]:
        assert name.startswith("__Host-"), name
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= attributes, attributes
        assert not any(attribute.startswith("domain") for attribute in attributes)
    assert "max-age=" in visitor.responses[-1].headers.get("Strict-Transport-Security", "")


def test_attack_74_planted_cookie(app, provider):
    """Session fixation: what was there before somebody signed in is worth nothing afterwards."""
    rp = app("first-app")
    planted = secrets.token_urlsafe(32)
    victim = with_session(provider, planted)
    rp.sign_in(victim)
    values = {cookie.value for cookie in victim.session.cookies if cookie.name == "keyturn-session"}
    assert values != {planted}, "the planted cookie was kept"
    assert not rp.is_signed_in(with_session(provider, planted))


@pytest.mark.parametrize("parameters", ["none", "client_id", "hint of another session", "hint of another person"])
def test_attack_75_logout_is_confirmed(app, provider, parameters):
    """Anybody can send a browser here: without proof of this very session, the person is asked."""
    rp = app("first-app")
    visitor = rp.sign_in().visitor
    sent = {
        "none": dict,
        "client_id": lambda: {"client_id": rp.client_id},
        "hint of another session": lambda: {"id_token_hint": rp.sign_in().id_token},
        "hint of another person": lambda: {"id_token_hint": rp.sign_in(person=JONAS).id_token},
    }[parameters]()
    page = visitor.open(provider.endpoint("end_session"), sent)
    assert isinstance(page, Page) and page.name == "logout", f"nobody was asked: {page}"
    assert rp.is_signed_in(visitor), "signed out before the answer"
    if any(button == ("action", "deny") for button in page.form.buttons):
        visitor.submit(page, button="deny")
        assert rp.is_signed_in(visitor), "signed out by saying no"
        page = visitor.open(provider.endpoint("end_session"), sent)
    end = visitor.submit(page)
    assert isinstance(end, Page) and end.name == "signed-out", f"not signed out: {end}"
    assert not rp.is_signed_in(visitor)


@pytest.mark.parametrize(
    "variant", ["trailing slash", "capital", "query", "fragment", "user name", "other app's", "redirect_uri"]
)
def test_attack_76_post_logout_address_is_exact(app, provider, variant):
    rp = app("first-app")
    signed_in = rp.sign_in()
    exact = rp.client.entry_extra["post_logout_redirect_uris"][0]
    address = {
        "trailing slash": f"{exact}/",
        "capital": exact.replace("signed-out", "Signed-out"),
        "query": f"{exact}?a=b",
        "fragment": f"{exact}#a",
        "user name": exact.replace("http://", "http://a@"),
        "other app's": exact.replace("first-app", "second-app"),
        "redirect_uri": rp.redirect_uri,
    }[variant]
    arrival = signed_in.visitor.open(
        provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token, "post_logout_redirect_uri": address}
    )
    assert isinstance(arrival, Page), f"a redirect to {arrival}"
    if arrival.name == "logout":
        assert isinstance(signed_in.visitor.submit(arrival), Page)


def test_attack_76_post_logout_address_needs_its_app(app, provider):
    """Without hint and client_id it is nobody's; with another app's client_id it is not that app's."""
    rp = app("first-app")
    visitor = rp.sign_in().visitor
    exact = rp.client.entry_extra["post_logout_redirect_uris"][0]
    for parameters in ({}, {"client_id": "second-app"}):
        arrival = visitor.open(provider.endpoint("end_session"), {"post_logout_redirect_uri": exact, **parameters})
        assert isinstance(arrival, Page)
        if arrival.name == "logout":
            assert isinstance(visitor.submit(arrival), Page), "redirected after all"
            visitor = rp.sign_in().visitor
