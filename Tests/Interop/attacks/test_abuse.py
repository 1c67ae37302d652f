"""Attacks 113, 115: line breaks, and requests that are too big, too deep, too many, too slow."""

from __future__ import annotations

import json
import socket
import time

import pytest

from support import checks
from support.configuration import MARIA
from support.measured import report
from support.pages import Page
from support.raw import exchange
from support.visitor import Callback

MARK = "INJECTED-LINE"
LINE_BREAK = f"\r\n{MARK}: yes\r\nSet-Cookie: {MARK}=1"
QUICK_SECONDS = 5
SLOW_SECONDS_MAX = 75


@pytest.mark.parametrize("mode", ["query", "fragment", "form_post"])
def test_attack_113_line_breaks_in_state(app, visitor, mode):
    """Sent back as they came, encoded; no header of their own."""
    rp = app("first-app", mode)
    signed_in = rp.sign_in(visitor, state=f"a{LINE_BREAK}<b>\"'&=é")
    assert signed_in.callback["code"]
    for response in visitor.responses:
        assert MARK not in response.headers and MARK not in str(response.cookies.keys())
    refused = rp.authorize(rp.provider.visitor(), rp.request(state=f"a{LINE_BREAK}", prompt="none"), person=None)
    assert refused["error"] == "login_required"


def test_attack_113_markup_in_what_pages_repeat(app, visitor):
    """What somebody typed comes back as text."""
    rp = app("first-app")
    markup = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    page = rp.open(visitor, rp.request(login_hint=markup, state=markup, ui_locales=markup, nonce=markup))
    assert isinstance(page, Page)
    again = visitor.submit(page, {"username": markup, "password": "x"})
    error = visitor.open(rp.provider.endpoint("authorization"), {"client_id": markup, "redirect_uri": markup})
    for shown in (page, again, error):
        assert isinstance(shown, Page)
        assert "<script>alert" not in shown.response.text and "<img src=x" not in shown.response.text


def test_attack_113_logs_have_no_lines_of_strangers(app, provider, server):
    """Whatever is logged of a request stays within its line."""
    rp = app("first-app")
    visitor = provider.visitor(source_address="127.0.113.1")
    page = rp.open(visitor, rp.request(state=LINE_BREAK))
    visitor.send(page, {"username": f"a{LINE_BREAK}", "password": LINE_BREAK})
    provider.http.get(f"{provider.base}/oauth2/nothing%0d%0a{MARK}", timeout=10)
    rp.refresh(f"a{LINE_BREAK}")
    time.sleep(0.2)
    assert not [line for line in server.log_text().splitlines() if line.startswith(MARK)]


FORM_TYPE = b"Content-Type: application/x-www-form-urlencoded\r\n"
TOKEN_HEAD = b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + FORM_TYPE


def check_refused_quickly(answer, *statuses: int) -> None:
    """A refusal, or a connection that was closed (status 0); soon, and never a fault of the server."""
    assert answer.status in (statuses or (0, 400, 413, 414, 415, 431)), f"status {answer.status}: {answer.head[:300]}"
    assert answer.seconds < QUICK_SECONDS, f"took {answer.seconds:.1f} s"


def test_attack_115_announced_body_is_too_large(server):
    """Refused before it is sent."""
    answer = exchange(server.address, TOKEN_HEAD + b"Content-Length: 50000000\r\n\r\n" + b"a=b&" * 100, 15)
    check_refused_quickly(answer, 413, 400)


def test_attack_115_body_without_length_is_too_large(server):
    """Refused when the limit is reached."""
    chunk = b"1000\r\n" + b"a" * 0x1000 + b"\r\n"
    answer = exchange(
        server.address, TOKEN_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 250 + b"0\r\n\r\n", 15
    )
    check_refused_quickly(answer, 413, 400, 0)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz?" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X-Many: a\r\n" * 5_000 + b"\r\n",
    ],
    ids=["address", "header", "headers"],
)
def test_attack_115_head_is_too_large(server, head):
    check_refused_quickly(exchange(server.address, head, 15))


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
        b"GET\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nabcd",
        b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /healthz\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["TLS", "no version", "unknown version", "two lengths", "length and chunks", "negative length", "zero byte"],
)
def test_attack_115_malformed_requests(server, request_bytes):
    """No desynchronisation: refused, or closed."""
    answer = exchange(server.address, request_bytes, QUICK_SECONDS + 1)
    check_refused_quickly(answer, 0, 400, 413, 501, 505)
    assert server.is_running()


DEEP = {
    "lists": '{"userinfo":{"name":{"values":' + "[" * 1_500 + "]" * 1_500 + "}}}",
    "objects": '{"userinfo":' + '{"a":' * 1_000 + "1" + "}" * 1_000 + "}",
    "unclosed": "[" * 2_500,
    "65 levels": '{"userinfo":{"name":' + "[" * 65 + "]" * 65 + "}}",
}


@pytest.mark.parametrize("kind", DEEP)
def test_attack_115_deep_json(app, visitor, kind):
    """In `claims`: refused by its depth, soon."""
    rp = app("first-app")
    start = time.monotonic()
    arrival = rp.open(visitor, rp.request(claims=DEEP[kind]))
    assert time.monotonic() - start < QUICK_SECONDS
    if isinstance(arrival, Callback):
        assert arrival["error"] == "invalid_request"
    else:
        assert arrival.name == "error" and arrival.status in (400, 414), f"accepted: {arrival}"


@pytest.mark.parametrize(
    "claims", ["", "null", "[]", '"text"', "{", '{"a":1}{"b":2}', '{"userinfo":7}', '{"userinfo":{"name":7}}', "\x00"]
)
def test_attack_115_malformed_claims(app, visitor, claims):
    """Refused or ignored; never a fault of the server."""
    arrival = app("first-app").open(visitor, app("first-app").request(claims=claims))
    if isinstance(arrival, Callback):
        assert arrival["error"] == "invalid_request"
    else:
        assert arrival.status in (200, 400)


@pytest.mark.parametrize("endpoint", ["token", "introspection", "revocation", "authorization", "end_session"])
def test_attack_115_many_fields(provider, endpoint):
    body = "&".join(f"a{number}=" for number in range(4_500))
    start = time.monotonic()
    response = provider.http.post(
        provider.endpoint(endpoint),
        data=body,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        timeout=10,
        allow_redirects=False,
    )
    assert response.status_code in (400, 413), f"status {response.status_code}"
    assert time.monotonic() - start < QUICK_SECONDS


@pytest.mark.parametrize(
    "name", ["state", "nonce", "scope", "prompt", "login_hint", "ui_locales", "max_age", "resource", "acr_values"]
)
def test_attack_115_long_values(app, visitor, name):
    """Twelve thousand letters in each parameter: an answer, never a fault of the server."""
    arrival = app("first-app").open(visitor, app("first-app").request(**{name: "a" * 12_000}))
    if isinstance(arrival, Page):
        assert arrival.status in (200, 400, 414, 431), arrival
    else:
        assert arrival.get("code") is None and arrival["error"] in checks.AUTHORIZATION_ERRORS


@pytest.mark.parametrize("body", ["%", "%zz=1", "a=%ff%fe", "=&=&=", "a", "&&&&", "grant_type=%00", "\xff\xfe"])
def test_attack_115_malformed_forms(provider, body):
    response = provider.http.post(
        provider.endpoint("token"),
        data=body.encode("latin-1"),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        timeout=10,
    )
    checks.check_refused(response)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data; boundary=x", None])
def test_attack_115_other_content_types(app, content_type):
    rp = app("post-app")
    headers = {"Content-Type": content_type} if content_type else {}
    body = json.dumps(rp.credentials()["data"] | {"grant_type": "client_credentials"})
    response = rp.http.post(rp.provider.endpoint("token"), data=body.encode(), headers=headers, timeout=10)
    assert response.status_code in (400, 401, 415), f"status {response.status_code}"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "TRACE"])
def test_attack_115_other_methods(provider, method):
    response = provider.http.request(method, provider.endpoint("token"), timeout=10)
    assert response.status_code in (400, 404, 405, 501), f"status {response.status_code}"


def test_attack_115_others_are_served_meanwhile(server, provider, early):
    """Two slow clients and a hundred silent ones: an honest request is answered at once."""
    silent = [socket.create_connection(server.address, timeout=5) for _ in range(100)]
    try:
        start = time.monotonic()
        assert provider.http.get(f"{provider.base}/readyz", timeout=10).status_code == 200
        assert time.monotonic() - start < QUICK_SECONDS
    finally:
        for connection in silent:
            connection.close()


@pytest.mark.late
@pytest.mark.parametrize("part", ["slow_head", "slow_body"])
def test_attack_115_slow_client(early, part):
    """A byte a second: the connection is closed, whichever part of the request it is."""
    closed_after = getattr(early, part).wait(SLOW_SECONDS_MAX)
    assert closed_after is not None, f"still held after {SLOW_SECONDS_MAX} s"
    report(f"attack 115: {part.replace('_', ' ')} cut off after {closed_after:.0f} s")


def test_attack_115_the_server_is_well_after_all_this(app, server):
    assert server.is_running()
    assert app("first-app").sign_in(person=MARIA).claims["sub"] == MARIA.sub
