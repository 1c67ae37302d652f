"""Attack 115 on connections: slow, silent, greedy and broken ones, while others want their answer."""

from __future__ import annotations

import contextlib
import re
import select
import socket
import threading
import time

import pytest

from support.configuration import make_configuration
from support.measured import report
from support.process import resident_mib, sockets
from support.raw import SlowClient, exchange
from support.server import Server

REQUEST_SECONDS = 15
ANSWER_SECONDS = 30
MARGIN_SECONDS = 10
NEIGHBOUR_SECONDS_MAX = 3


@pytest.fixture(scope="module")
def own(clients, tmp_path_factory):
    """A server that only these tests use: its memory is measured."""
    server = Server(tmp_path_factory.mktemp("connections"), make_configuration(clients), log_level="error")
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module", autouse=True)
def slow(own):
    """A head that comes one byte a second, from its first byte on."""
    client = SlowClient(own.address, b"GET /", b"a")
    yield client
    client.stop()


@pytest.fixture(scope="module", autouse=True)
def unread(own):
    """Clients that ask for more than the system buffers, and read nothing."""
    connections = [GreedyClient(own.address) for _ in range(40)]
    yield connections
    for connection in connections:
        connection.close()


class GreedyClient:
    """Asks a thousand times for a document, and reads nothing."""

    def __init__(self, address: tuple[str, int]):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
        self.socket.connect(address)
        self.socket.setblocking(False)
        request = b"GET /.well-known/openid-configuration HTTP/1.1\r\nHost: x\r\n\r\n"
        with contextlib.suppress(BlockingIOError):
            self.socket.send(request * 1_000)

    def is_closed(self) -> bool:
        poll = select.poll()
        poll.register(self.socket, select.POLLERR | select.POLLHUP)
        return bool(poll.poll(0))

    def close(self) -> None:
        self.socket.close()


GET = b"GET /healthz HTTP/1.1\r\n"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE"])
@pytest.mark.parametrize(
    "fields",
    [
        b"",
        b"Host: a\r\nHost: a\r\n",
        b"Host: a\r\nX-Other: b\r\nhost: b\r\n",
        b"Host:\r\n",
        b"Host: a/b\r\n",
        b"Host: a b\r\n",
        b"Host: a:port\r\n",
        b"Host: u@a\r\n",
    ],
    ids=["none", "two", "two apart", "empty", "path", "space", "no port", "user"],
)
def test_attack_115_host(own, method, fields):
    """RFC 9112 §3.2: one Host field that names a host, or 400; whatever the method."""
    for path in (b"/healthz", b"/nothing"):
        answer = exchange(own.address, method.encode() + b" " + path + b" HTTP/1.1\r\n" + fields + b"\r\n", 5)
        assert answer.status == 400, f"status {answer.status}: {answer.head}"
        assert "connection: close" in answer.head.lower()


@pytest.mark.parametrize(
    "request_bytes",
    [GET + b"Host: [::1]:8080\r\n\r\n", GET + b"Host: a.example:\r\n\r\n", b"GET /healthz HTTP/1.0\r\n\r\n"],
    ids=["address", "empty port", "HTTP/1.0"],
)
def test_attack_115_other_hosts_are_good(own, request_bytes):
    assert exchange(own.address, request_bytes, 5).status == 200


@pytest.mark.parametrize(
    "body",
    [b"zz\r\na=b\r\n0\r\n\r\n", b"-1\r\na\r\n", b"ffffffffffffffffff\r\n", b"3\r\na=bXX0\r\n\r\n", b" 3\r\na=b\r\n"],
    ids=["letters", "negative", "huge", "no line end", "space"],
)
@pytest.mark.parametrize("path", [b"/oauth2/token", b"/healthz", b"/nothing", b"/v1/auth/otp/signup/email"])
def test_attack_115_chunks(own, path, body):
    """RFC 9112 §7.1: a broken chunk is 400, and no route sees the request."""
    head = b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange(own.address, head + body, 5)
    assert answer.status == 400, f"status {answer.status}: {answer.head}"
    assert not answer.body, f"a route answered: {answer.body[:200]}"


def test_attack_115_what_follows_a_refusal_is_dropped(own):
    answer = exchange(own.address, GET + b"\r\n" + (GET + b"Host: x\r\n\r\n") * 10, 5)
    assert answer.status == 400 and "200 OK" not in answer.head + answer.body


def test_attack_115_pipelining_keeps_no_neighbour_waiting(own):
    """A hundred connections with 2,000 requests each; a neighbour's request takes its turn."""
    flood = (GET + b"Host: x\r\n\r\n") * 2_000
    waits: list[float] = []
    is_over = threading.Event()

    def read(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while not is_over.is_set() and connection.recv(65_536):
                pass

    def send(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(flood)

    connections = [socket.create_connection(own.address, timeout=60) for _ in range(100)]
    threads = [threading.Thread(target=work, args=(each,), daemon=True) for each in connections for work in (read, send)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.3)
        for _ in range(5):
            answer = exchange(own.address, GET + b"Host: x\r\n\r\n", 60)
            assert answer.status == 200
            waits.append(answer.seconds)
    finally:
        is_over.set()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
    # The flood and the neighbour share this interpreter, so that one wait alone says little.
    typical = sorted(waits)[len(waits) // 2]
    report(f"attack 115: beside 200,000 pipelined requests a neighbour waited {typical:.2f} s")
    assert typical < NEIGHBOUR_SECONDS_MAX, f"waited {waits}"


def test_attack_115_pipelined_requests_are_answered_in_order(own):
    """All of them, also those whose bodies contain requests."""
    inner = b"grant_type=a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
    form = b"Content-Type: application/x-www-form-urlencoded\r\n"
    post = b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\n" + form + b"Content-Length: %d\r\n\r\n" % len(inner) + inner
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)
    chunked = b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\n" + form + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    last = b"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    for pieces in (1_000_000, 7, 1):
        with socket.create_connection(own.address, timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            wire = GET + b"Host: x\r\n\r\n" + post + chunked + last
            for start in range(0, len(wire), pieces):
                connection.sendall(wire[start : start + pieces])
            received = b""
            while part := connection.recv(65_536):
                received += part
        statuses = re.findall(rb"HTTP/1\.1 (\d{3}) ", received)
        assert statuses == [b"200", b"401", b"401", b"404"] or statuses == [b"200", b"400", b"400", b"404"], statuses


def test_attack_115_memory_after_a_flood(own):
    """A thousand idle connections, nonsense, and bodies that never end: what they took comes back."""
    before = resident_mib(own.process.pid)
    idle = [socket.create_connection(own.address, timeout=10) for _ in range(1_000)]
    for connection in idle:
        connection.sendall(GET + b"Host: x\r\n\r\n")
    for connection in idle:
        connection.recv(4_096)
    for connection in idle[:300]:
        connection.sendall(b"\x16\x03\x01" + b"\0" * 500)
    body = b"POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + b"a" * 60_000
    for connection in idle[300:500]:
        with contextlib.suppress(OSError):
            connection.sendall(body)
    time.sleep(1)
    during = resident_mib(own.process.pid)
    for connection in idle:
        connection.close()
    deadline = time.monotonic() + 45
    while time.monotonic() < deadline and resident_mib(own.process.pid) > before + 10:
        time.sleep(1)
    after = resident_mib(own.process.pid)
    report(f"attack 115: memory {before:.0f} MiB, {during:.0f} during a flood, {after:.0f} after it")
    assert after < before + 24, f"{before:.0f} MiB before, {after:.0f} after"


@pytest.mark.late
def test_attack_115_slow_head_from_its_first_byte(slow):
    """One deadline from the first byte to the last: fifteen seconds."""
    closed_after = slow.wait(REQUEST_SECONDS + MARGIN_SECONDS)
    assert closed_after is not None, f"still held after {REQUEST_SECONDS + MARGIN_SECONDS} s"
    report(f"attack 115: a slow head cut off after {closed_after:.0f} s")


@pytest.mark.late
def test_attack_115_readers_that_do_not_read(own, unread):
    """Nobody takes their answers: after half a minute they are let go of, and meanwhile hold little."""
    # On a busy machine some were taken in late.
    deadline = time.monotonic() + ANSWER_SECONDS + 3 * MARGIN_SECONDS
    while time.monotonic() < deadline and not all(each.is_closed() for each in unread):
        time.sleep(0.5)
    held = sum(not each.is_closed() for each in unread)
    assert held == 0, f"{held} of {len(unread)} are still held"
    assert sockets(own.process.pid) < 40
