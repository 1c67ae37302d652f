"""Attacks 1-14: what arrives at the authorization endpoint."""

from __future__ import annotations

import pytest

from support import checks
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback


def check_error_page(arrival) -> None:
    """The person reads what is wrong, and goes nowhere."""
    assert isinstance(arrival, Page), f"a redirect to {arrival}"
    assert arrival.status == 400 and arrival.name == "error", f"not an error page: {arrival}"
    assert "Location" not in arrival.response.headers


# Registered: http://127.0.0.1:PORT/first-app/callback
VARIANTS = {
    "path in capitals": lambda uri: uri.replace("first-app", "First-App"),
    "scheme in capitals": lambda uri: uri.replace("http://", "HTTP://"),
    "trailing slash": lambda uri: f"{uri}/",
    "doubled slash": lambda uri: uri.replace("/first-app", "//first-app"),
    "encoded dot segment": lambda uri: uri.replace("/callback", "/%2e%2e/first-app/callback"),
    "plain dot segment": lambda uri: uri.replace("/callback", "/../first-app/callback"),
    "encoded letter": lambda uri: uri.replace("callback", "callbac%6b"),
    "user name": lambda uri: uri.replace("http://", "http://somebody@"),
    "other host behind user name": lambda uri: uri.replace("http://127.0.0.1", "http://127.0.0.1@evil.example"),
    "other port": lambda uri: uri.replace("/first-app", "9/first-app", 1),
    "no port": lambda uri: "http://127.0.0.1/first-app/callback",
    "name instead of address": lambda uri: uri.replace("127.0.0.1", "localhost"),
    "decimal address": lambda uri: uri.replace("127.0.0.1", "2130706433"),
    "longer host": lambda uri: uri.replace("127.0.0.1", "127.0.0.1.evil.example"),
    "extra query": lambda uri: f"{uri}?next=https://evil.example",
    "empty query": lambda uri: f"{uri}?",
    "fragment": lambda uri: f"{uri}#part",
    "longer path": lambda uri: f"{uri}/more",
    "backslash": lambda uri: uri.replace("/first-app", "\\first-app"),
    "space": lambda uri: f"{uri} ",
    "line break": lambda uri: f"{uri}\r\n",
    "zero byte": lambda uri: f"{uri}\0",
    "script": lambda uri: "javascript:alert(1)",
    "data": lambda uri: "data:text/html,hello",
    "somebody else's": lambda uri: uri.replace("first-app", "second-app"),
    "empty": lambda uri: "",
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_attack_01_redirect_uri_that_is_almost_registered(app, visitor, variant):
    """RFC 9700 §4.1: compared letter by letter."""
    rp = app("first-app")
    check_error_page(rp.open(visitor, rp.request(redirect_uri=VARIANTS[variant](rp.redirect_uri))))


@pytest.mark.parametrize("address", ["http://127.0.0.1:51004/native/callback", "http://[::1]:51004/native/callback"])
def test_attack_02_loopback_port_may_vary(app, address):
    """RFC 8252 §7.3: a program takes the port that it gets."""
    rp = app("native-app")
    signed_in = rp.sign_in(redirect_uri=address)
    assert signed_in.callback.uri == address


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:51004/native/other",
        "http://127.0.0.1:51004/native/callback/",
        "http://127.0.0.1:51004/native/callback?x=1",
        "http://127.0.0.2:51004/native/callback",
        "http://localhost:51004/native/callback",
        "https://127.0.0.1:51004/native/callback",
        "http://127.0.0.1:99999/native/callback",
        "http://127.0.0.1:51004@evil.example/native/callback",
        "http://127.0.0.1.evil.example:51004/native/callback",
        "http://[::2]:51004/native/callback",
        "http://[::1%25eth0]:51004/native/callback",
        "app.example.native:51004/callback",
    ],
)
def test_attack_02_nothing_but_the_loopback_port_may_vary(app, visitor, address):
    rp = app("native-app")
    check_error_page(rp.open(visitor, rp.request(redirect_uri=address)))


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "no-such-app"},
        {"client_id": None},
        {"client_id": "first-app\0"},
        {"client_id": "FIRST-APP"},
        {"redirect_uri": None},
        {"redirect_uri": "https://evil.example/"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "more", [{}, {"prompt": "none"}, {"response_mode": "form_post"}, {"response_type": "token"}], ids=str
)
def test_attack_04_nobody_is_sent_to_strangers(app, visitor, changes, more):
    """Unknown client or address: a page, whatever else the request says."""
    rp = app("first-app")
    check_error_page(rp.open(visitor, rp.request(**(changes | more))))


def test_attack_05_invalid_scope_goes_to_registered_addresses_only(app, visitor):
    """RFC 9700 §4.11: no open redirector, not even with an error."""
    rp = app("first-app")
    request = rp.request(scope="no-such-scope")
    arrival = rp.open(visitor, request)
    if isinstance(arrival, Callback):
        checks.check_callback(arrival, request, rp.provider.issuer)
        assert arrival.uri == rp.redirect_uri and arrival["error"] == "invalid_scope"
    check_error_page(rp.open(visitor, rp.request(scope="no-such-scope", redirect_uri="https://evil.example/")))


@pytest.mark.parametrize("mode", ["query", "fragment", "form_post"])
def test_attack_07_every_answer_names_its_issuer(app, visitor, mode):
    """RFC 9207: on success and on error, in each response mode, announced in the metadata."""
    rp = app("first-app", mode)
    assert rp.provider.metadata["authorization_response_iss_parameter_supported"] is True
    assert rp.sign_in(visitor).callback["iss"] == rp.provider.issuer
    refused = rp.authorize(rp.provider.visitor(), rp.request(prompt="none"), person=None)
    assert refused["error"] == "login_required" and refused["iss"] == rp.provider.issuer


@pytest.mark.parametrize(
    "name",
    [
        "client_id",
        "redirect_uri",
        "response_type",
        "scope",
        "state",
        "nonce",
        "code_challenge",
        "prompt",
        "response_mode",
    ],
)
@pytest.mark.parametrize("same", [True, False], ids=["same value", "other value"])
def test_attack_08_parameters_that_are_sent_twice(app, visitor, name, same):
    """RFC 6749 §3.1: refused, even if both say the same."""
    rp = app("first-app")
    request = rp.request(pkce=True, prompt="login", response_mode="query")
    pairs = [*request.parameters.items(), (name, request.parameters[name] if same else "other")]
    arrival = visitor.open(rp.provider.endpoint("authorization"), pairs)
    if isinstance(arrival, Callback):
        assert arrival.uri == rp.redirect_uri and arrival["error"] == "invalid_request"
        assert name not in ("client_id", "redirect_uri"), "whom to trust is in doubt"
    else:
        check_error_page(arrival)


@pytest.mark.parametrize("name", ["grant_type", "code", "redirect_uri", "client_id"])
def test_attack_08_form_fields_that_are_sent_twice(app, visitor, name):
    """RFC 6749 §3.2."""
    rp = app("post-app")
    request = rp.request()
    callback = rp.authorize(visitor, request)
    form = rp.credentials()["data"] | rp.redemption(callback["code"], request)
    pairs = [(k, v) for k, v in form.items() if v is not None]
    response = rp.http.post(rp.provider.endpoint("token"), data=[*pairs, (name, form[name])], timeout=10)
    checks.check_refused(response, "invalid_request", "invalid_client")


def test_attack_09_query_and_body_disagree(app, visitor):
    """Parameters come in one place."""
    rp = app("first-app")
    other = app("second-app")
    endpoint = rp.provider.endpoint("authorization")
    response = visitor.post(endpoint, params=rp.request().parameters, data=other.request().parameters)
    check_error_page(visitor.follow(response))
    request = rp.request()
    callback = rp.authorize(visitor, request)
    form = rp.redemption(callback["code"], request)
    in_query = rp.http.post(
        rp.provider.endpoint("token"),
        params={"code": form.pop("code")},
        auth=rp.credentials()["auth"],
        data=form,
        timeout=10,
    )
    checks.check_refused(in_query, "invalid_request", "invalid_grant")


@pytest.mark.parametrize(
    ("client_id", "changes"),
    [
        ("native-app", {"code_challenge": None, "code_challenge_method": None}),
        ("native-app", {"code_challenge_method": "plain"}),
        ("native-app", {"code_challenge_method": None}),
        ("native-app", {"code_challenge_method": "s256"}),
        ("native-app", {"code_challenge": "too-short"}),
        ("native-app", {"code_challenge": ""}),
        ("first-app", {"code_challenge": make_verifier(), "code_challenge_method": "plain"}),
        ("first-app", {"code_challenge": make_verifier()}),
        ("first-app", {"code_challenge": challenge_of("x") + "=", "code_challenge_method": "S256"}),
    ],
)
def test_attack_10_missing_or_plain_challenge(app, visitor, client_id, changes):
    """RFC 9700 §2.1.1: public clients prove that they began; `plain` proves nothing."""
    rp = app(client_id)
    callback = rp.authorize(visitor, rp.request(**changes), person=None)
    assert callback["error"] == "invalid_request"


@pytest.mark.parametrize(
    "response_type", ["token", "id_token", "id_token token", "code token", "code id_token", "none", "CODE"]
)
def test_attack_13_14_tokens_never_travel_through_browsers(app, response_type):
    """RFC 9700 §2.1.2; for somebody who is signed in, so that nothing else stands in the way."""
    rp = app("first-app")
    visitor = rp.sign_in().visitor
    arrival = rp.open(visitor, rp.request(response_type=response_type))
    if isinstance(arrival, Page):
        check_error_page(arrival)
        return
    assert arrival["error"] in ("unsupported_response_type", "unauthorized_client", "invalid_request")
    assert not {"code", "access_token", "id_token", "token"} & arrival.parameters.keys()


@pytest.mark.parametrize("mode", ["web_message", "query.jwt", "jwt", "okpostmessage", "", "QUERY"])
def test_attack_13_unknown_response_mode(app, visitor, mode):
    rp = app("first-app")
    arrival = rp.open(visitor, rp.request(response_mode=mode))
    if mode == "" and isinstance(arrival, Page) and arrival.name == "login":
        return  # RFC 6749 §3.1: a parameter without a value counts as left out.
    if isinstance(arrival, Page):
        check_error_page(arrival)
    else:
        assert arrival["error"] in ("invalid_request", "unsupported_response_mode") and arrival.get("code") is None
