"""Attacks on what stands before every rule: who counts as this machine, how bodies are framed, how many connections."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
import requests

from support.configuration import make_configuration
from support.measured import report
from support.raw import exchange
from support.server import Server

FILES = 256
NEIGHBOUR_SECONDS_MAX = 5


@pytest.fixture(scope="module")
def shown(clients, tmp_path_factory):
    """A server that shows its outbox."""
    configuration = make_configuration(clients) | {"delivery": {"outbox": True}}
    server = Server(tmp_path_factory.mktemp("perimeter"), configuration, log_level="error")
    yield server
    assert server.stop() == 0


def get(server: Server, path: str, *fields: str, version: str = "1.1") -> int:
    lines = [f"GET {path} HTTP/{version}", *fields, "", ""]
    return exchange(server.address, "\r\n".join(lines).encode(), 10).status


PRIVATE = ["/metrics", "/dev/outbox", "/dev/outbox.json"]


@pytest.mark.parametrize("path", PRIVATE)
def test_a_page_that_rebinds_its_name_reads_nothing(shown, path):
    port = shown.address[1]
    for host in ("localhost", f"localhost:{port}", f"127.0.0.1:{port}", "127.9.9.9", "[::1]:80", "LOCALHOST"):
        assert get(shown, path, f"Host: {host}") == 200, host
    hosts = ("evil.example", f"evil.example:{port}", "localhost.evil.example", "0.0.0.0", "127.0.0.1.nip.io", "127.1")
    for host in hosts:
        assert get(shown, path, f"Host: {host}") in (403, 404), host
    assert get(shown, f"http://evil.example{path}", "Host: localhost") in (403, 404)
    assert get(shown, path, "Host: localhost", version="1.0") in (403, 404)


@pytest.mark.parametrize("path", PRIVATE)
@pytest.mark.parametrize(
    "field",
    ["X-Forwarded-For: ::1", "Forwarded: for=127.0.0.1", "X-Real-IP: 127.0.0.1", "Via: 1.1 a", "x-forwarded-host: a"],
)
def test_a_proxy_on_this_machine_opens_nothing(shown, path, field):
    assert get(shown, path, "Host: localhost", field) in (403, 404)


@pytest.mark.parametrize(
    ("version", "codings", "status"),
    [
        ("1.0", ["chunked"], 400),
        ("1.0", ["gzip, chunked"], 400),
        ("1.1", ["gzip, chunked"], 501),
        ("1.1", ["gzip", "chunked"], 501),
        ("1.1", ["identity, chunked"], 501),
        ("1.1", ["chunked, gzip"], 400),
        ("1.1", ["chunked, chunked"], 400),
        ("1.1", ["chunked", "chunked"], 400),
        ("1.1", ["chunked;q=1"], 400),
        ("1.1", ["gzip"], 400),
    ],
)
def test_attack_115_codings(shown, version, codings, status):
    """RFC 9112 §6.1, §6.3: refused, and nothing that follows is read as a request."""
    fields = "".join(f"Transfer-Encoding: {coding}\r\n" for coding in codings)
    head = f"POST /oauth2/token HTTP/{version}\r\nHost: x\r\nConnection: keep-alive\r\n{fields}\r\n"
    behind = "3\r\na=b\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(shown.address, timeout=10) as connection:
        connection.sendall((head + behind).encode())
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                received += part
    assert received.startswith(f"HTTP/1.1 {status} ".encode()) and received.count(b"HTTP/1.1 ") == 1, received
    assert b"onnection: close" in received


def seconds_of_processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_attack_115_idle_connections_keep_nobody_out(clients, tmp_path):
    """With 256 open files, and 400 connections that ask for nothing."""
    server = Server(
        tmp_path, make_configuration(clients), log_level="error", below=["prlimit", f"--nofile={FILES}:{FILES}"]
    )
    idle = []
    try:
        for _ in range(400):
            idle.append(socket.create_connection(server.address, timeout=10))
        begin, worked = time.monotonic(), seconds_of_processor(server.process.pid)
        slowest = 0.0
        while time.monotonic() - begin < 5:
            start = time.monotonic()
            assert requests.get(f"{server.base}/healthz", timeout=NEIGHBOUR_SECONDS_MAX).status_code == 200
            slowest = max(slowest, time.monotonic() - start)
            time.sleep(0.1)
        share = (seconds_of_processor(server.process.pid) - worked) / (time.monotonic() - begin)
        report(f"attack 115: beside 400 idle connections of {FILES} files: {slowest:.2f} s, {share:.0%} of a processor")
        assert share < 0.5
        text = requests.get(f"{server.base}/metrics", timeout=10).text
        numbers = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#") and "{" not in line)
        assert float(numbers["keyturn_connections_max"]) < FILES
        assert float(numbers["keyturn_open_connections"]) <= float(numbers["keyturn_connections_max"])
        assert float(numbers["keyturn_connections_displaced_total"]) > 0
        assert float(numbers["process_open_fds"]) < FILES and float(numbers["keyturn_accept_failures_total"]) == 0
    finally:
        for connection in idle:
            connection.close()
        assert server.stop() == 0


def test_attack_115_a_system_without_files_is_not_asked_in_a_circle(clients, tmp_path):
    """The number of files is lowered under the running server: what waits is accepted when there are some again."""
    server = Server(tmp_path, make_configuration(clients), log_level="error")
    pid = server.process.pid

    def allow(files: int) -> None:
        subprocess.run(["prlimit", f"--pid={pid}", f"--nofile={files}:"], check=True)

    waiting = []
    try:
        allowed = int(Path(f"/proc/{pid}/limits").read_text().split("Max open files")[1].split()[0])
        allow(max(int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()) + 1)
        for _ in range(100):
            waiting.append(socket.create_connection(server.address, timeout=10))
        begin, worked = time.monotonic(), seconds_of_processor(pid)
        time.sleep(3)
        share = (seconds_of_processor(pid) - worked) / (time.monotonic() - begin)
        report(f"attack 115: without files: {share:.0%} of a processor")
        assert share < 0.3
        allow(allowed)
        assert requests.get(f"{server.base}/healthz", timeout=10).status_code == 200
        text = requests.get(f"{server.base}/metrics", timeout=10).text
        failures = next(line for line in text.splitlines() if line.startswith("keyturn_accept_failures_total "))
        assert 0 < float(failures.split()[1]) < 100
        assert Path(server.log).read_text().count("a connection could not be accepted") == 1
    finally:
        for connection in waiting:
            connection.close()
        assert server.stop() == 0


def test_the_number_of_open_files_is_raised_to_what_is_allowed(clients, tmp_path):
    server = Server(tmp_path, make_configuration(clients), log_level="error", below=["prlimit", "--nofile=128:2048"])
    try:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
        assert line.split()[3:5] == ["2048", "2048"]
        text = requests.get(f"{server.base}/metrics", timeout=10).text
        assert "\nkeyturn_connections_max 1536\n" in text
    finally:
        assert server.stop() == 0
