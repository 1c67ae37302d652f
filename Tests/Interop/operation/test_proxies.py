"""The server behind nginx, Caddy and HAProxy with TLS, by the files that docs/proxies.md shows."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property

import pytest
import requests

from support.browsing import address, fill_and_send, wait_for_app
from support.certificates import Authority
from support.configuration import JONAS, Client, make_configuration
from support.raw import SlowClient
from support.relying_party import Provider, RelyingParty
from support.server import Server, binary, free_port
from support.tls_proxies import TLSProxy
from support.upstream import Upstream
from support.visitor import SourceAddress, Visitor
from support.window import Window

KINDS = ("nginx", "caddy", "haproxy")
TRUSTED = {"trusted_proxies": ["127.0.0.1/32"]}
SLOW = b"POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n" \
    b"Content-Length: 900\r\n\r\n"
# How long a connection to the server may be idle, as the file says it, and what a test says instead.
PAUSES = {
    "nginx": ("keepalive_timeout 50s;", "keepalive_timeout 1s;"),
    "caddy": ("keepalive 50s", "keepalive 1s"),
    "haproxy": ("pool-purge-delay 10s", "pool-purge-delay 1s"),
}


class SecureProvider(Provider):
    """The server as it is reached through a proxy whose authority the client trusts."""

    def __init__(self, base: str, authority: Authority):
        super().__init__(base)
        self.http.verify = str(authority.ca_file)

    def visitor(self, source_address: str | None = None) -> Visitor:
        visitor = super().visitor()
        visitor.session.verify = self.http.verify
        if source_address:
            visitor.session.mount("https://", SourceAddress(source_address))
        return visitor


@dataclass
class Behind:
    """A proxy, and the server behind it."""

    proxy: TLSProxy
    server: Server
    clients: dict[str, Client]
    slow: SlowClient

    @cached_property
    def provider(self) -> SecureProvider:
        return SecureProvider(self.proxy.base, self.proxy.authority)

    def app(self, name: str = "first-app") -> RelyingParty:
        party = RelyingParty(self.provider, self.clients[name])
        party.http.verify = self.provider.http.verify
        return party

    def get(self, path: str, **options) -> requests.Response:
        return self.provider.http.get(self.proxy.base + path, timeout=30, allow_redirects=False, **options)

    def post(self, path: str, **options) -> requests.Response:
        return self.provider.http.post(self.proxy.base + path, timeout=60, allow_redirects=False, **options)

    def failures(self) -> list[str]:
        """The network addresses of the sign-ins that failed, oldest first."""
        time.sleep(1.5)
        command = [binary(), "audit", "--action", "sign_in.failed", "--json", "--database",
                   f"sqlite:{self.server.folder / 'keyturn.db'}"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        return [event["address"] for event in json.loads(printed)]


@pytest.fixture(scope="module")
def authority(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module", params=KINDS)
def behind(request, authority, clients, tmp_path_factory):
    """A server that knows itself by the address of its proxy."""
    folder = tmp_path_factory.mktemp(request.param)
    port, upstream = free_port(), free_port()
    configuration = make_configuration(clients, f"https://localhost:{port}") | TRUSTED
    server = Server(folder / "server", configuration, port=upstream)
    proxy = TLSProxy(request.param, folder / "proxy", upstream, authority, port)
    slow = SlowClient(proxy.address, SLOW, b"a", proxy.context())
    yield Behind(proxy, server, clients, slow)
    slow.stop()
    proxy.close()
    assert server.stop() == 0


@pytest.fixture
def stand_in(authority, tmp_path):
    """Makes a proxy before a server that is none of ours: `stand_in("nginx")`."""
    upstream = Upstream()
    made: list[TLSProxy] = []

    def make(kind: str, changes: dict[str, str]) -> tuple[TLSProxy, Upstream]:
        made.append(TLSProxy(kind, tmp_path / kind, upstream.port, authority, changes=changes))
        return made[-1], upstream

    yield make
    for proxy in made:
        proxy.close()
    upstream.close()


def test_discovery_names_the_address_of_the_proxy(behind):
    metadata = behind.get("/.well-known/openid-configuration").json()
    assert metadata["issuer"] == behind.proxy.base
    ends = [value for key, value in metadata.items() if key.endswith(("_endpoint", "_uri")) and isinstance(value, str)]
    assert len(ends) > 8 and all(value.startswith(f"{behind.proxy.base}/") for value in ends)


def test_http_leads_to_https(behind):
    answer = requests.get(f"http://127.0.0.1:{behind.proxy.plain_port}/login?a=b", headers={"Host": "localhost"},
                          allow_redirects=False, timeout=10)
    # Caddy takes its https port for the one that clients see as 443.
    base = "https://localhost" if behind.proxy.kind == "caddy" else behind.proxy.base
    assert (answer.status_code, answer.headers["Location"]) == (308, f"{base}/login?a=b")


def test_a_whole_sign_in(behind):
    signed_in = behind.app().sign_in(scope="openid offline_access")
    answers = signed_in.visitor.responses
    cookies = [line for answer in answers for line in answer.raw.headers.getlist("Set-Cookie")]
    assert any(line.startswith("__Host-keyturn-session=") for line in cookies)
    for line in cookies:
        attributes = [part.strip().lower() for part in line.split(";")[1:]]
        assert line.startswith("__Host-") and {"secure", "httponly", "path=/"} <= set(attributes), line
    assert all("Strict-Transport-Security" in answer.headers for answer in answers)
    # Pages hold secrets beside what a stranger may have put into them, and their length would say which.
    assert not any(answer.headers.get("Content-Encoding") for answer in answers)
    behind.app().accepted(behind.app().refresh(signed_in.refresh_token))


def test_a_browser_signs_in_over_http_2(behind, chromium, callback_receiver):
    window = Window(chromium, {behind.proxy.base, callback_receiver.base}, ignore_https_errors=True)
    rp = behind.app()
    window.page.goto(address(rp, rp.request(pkce=True)))
    spoken = window.page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
    fill_and_send(window.page)
    wait_for_app(window.page, rp)
    kept = {cookie["name"]: cookie["secure"] for cookie in window.context.cookies(behind.proxy.base)}
    window.close()
    assert spoken == "h2"
    assert kept.pop("__Host-keyturn-session") and all(name.startswith("__Host-") for name in kept)


def test_the_longest_request_and_many_cookies_pass(behind):
    """2 KB of state, 8 KB of claims, and 16 KB of cookies that other programs of the same name left behind."""
    visitor = behind.provider.visitor()
    for number in range(4):
        visitor.session.cookies.set(f"other-{number}", "x" * 4_000, domain="localhost.local", path="/")
    classes = [f"urn:example:acr:{number:04}-{'x' * 170}" for number in range(38)]
    claims = json.dumps({"id_token": {"acr": {"values": classes}}}, separators=(",", ":"))
    assert len(claims) < 8_192
    signed_in = behind.app().sign_in(visitor, state="s" * 2_048, claims=claims)
    first = signed_in.visitor.responses[0]
    assert len(first.request.url) > 10_000 and len(first.request.headers["Cookie"]) > 16_000
    # More than nginx takes from a server without being told.
    assert sum(len(name) + len(value) for name, value in first.headers.items()) > 8_192


def test_attempts_count_by_the_address_of_the_client(behind):
    """Also if the client says that it is another one."""
    before = len(behind.failures())
    for source, forged in [("127.0.0.5", None), ("127.0.0.6", "203.0.113.7"), ("127.0.0.7", "203.0.113.8, 127.0.0.1")]:
        visitor = behind.provider.visitor(source)
        if forged:
            visitor.session.headers["X-Forwarded-For"] = forged
        rp = behind.app()
        visitor.sign_in(rp.open(visitor, rp.request()), JONAS, "a-wrong-password")
    assert behind.failures()[before:] == ["127.0.0.5", "127.0.0.6", "127.0.0.7"]


def test_metrics_are_not_for_the_outside(behind):
    assert requests.get(f"{behind.server.base}/metrics", timeout=10).status_code == 200
    for path in ("/metrics", "/metrics/", "/metrics?a=b", "/%6detrics", "//metrics", "/a/../metrics", "/./metrics"):
        request = requests.Request("GET", behind.proxy.base + path).prepare()
        request.url = behind.proxy.base + path
        answer = behind.provider.http.send(request, verify=behind.provider.http.verify, timeout=10)
        assert answer.status_code in (400, 404) and "keyturn_" not in answer.text, path


def test_logs_hold_no_query(behind):
    behind.get("/login?a=a-secret-in-the-query")
    assert "a-secret-in-the-query" not in behind.proxy.requests_logged()


@pytest.mark.parametrize("size", [40_000, 900_000])
def test_a_body_that_is_too_long_for_its_address_is_refused_by_the_server(behind, size):
    answer = behind.post("/oauth2/token", data={"grant_type": "x" * size})
    assert answer.status_code == 413, answer.text
    assert behind.get("/healthz").status_code == 200


def test_a_body_that_is_too_long_for_every_address_is_refused_by_the_proxy(behind):
    # The server has refused it before Caddy counts so far, and Caddy may not see more than a closed connection.
    allowed = {413, 502} if behind.proxy.kind == "caddy" else {413}
    with contextlib.suppress(requests.ConnectionError):
        # A client that goes on sending may find its connection closed before it has read why.
        assert behind.post("/oauth2/token", data={"grant_type": "x" * 5_000_000}).status_code in allowed
    assert behind.get("/healthz").status_code == 200


def test_a_body_that_comes_slowly_is_given_up(behind):
    """Its client sent one byte a second while the other tests ran."""
    assert behind.slow.wait(60) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_connections_to_the_server_are_kept_and_closed_before_the_server_does(stand_in, kind):
    """So no request meets a connection that the server is closing: it does that after 60 seconds."""
    as_shown, shortened = PAUSES[kind]
    proxy, upstream = stand_in(kind, {as_shown: shortened})
    with requests.Session() as session:
        session.trust_env = False
        session.verify = str(proxy.authority.ca_file)
        for _ in range(10):
            assert session.post(f"{proxy.base}/", data="x", timeout=10).text == "ok"
    assert sum(len(connection.requests) for connection in upstream.connections) == 10
    assert len(upstream.connections) <= 2
    assert all(connection.ended.wait(30) for connection in upstream.connections)


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_is_told_one_address(stand_in, kind):
    proxy, upstream = stand_in(kind, {})
    requests.get(f"{proxy.base}/", headers={"X-Forwarded-For": "203.0.113.7"}, verify=str(proxy.authority.ca_file),
                 timeout=10)
    (said,) = [fields for connection in upstream.connections for fields in connection.requests]
    assert said["x-forwarded-for"] == "127.0.0.1" and said["host"].startswith("localhost")
