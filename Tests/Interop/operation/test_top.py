"""`keyturn top`, in a terminal and without one."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
import requests

from support.server import Server, binary
from support.terminal import Terminal

KEY = "K2-the-operators-own-key-for-top"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    configuration = {"issuer": "auto", "project": {"management_keys": [KEY]}}
    server = Server(tmp_path_factory.mktemp("top"), configuration)
    yield server
    assert server.stop() == 0, server.log_tail()


def top(server, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [binary(), "top", "--url", server.base, *arguments], capture_output=True, text=True, timeout=30, check=False,
        env=os.environ | environment,
    )


def test_one_reading_for_scripts(server):
    for _ in range(5):
        requests.get(f"{server.base}/healthz", timeout=10)
    run = top(server, "--once", "--json")
    assert run.returncode == 0, run.stderr
    reading = json.loads(run.stdout)
    assert reading["requests"]["per_second"] > 0
    assert reading["now"]["keyturn_database_up"] == 1
    assert [route["route"] for route in reading["routes"]] == ["/metrics"]
    assert set(reading["key_rotations"]) >= {"ES256"}


def test_plain_text_without_a_terminal(server):
    run = top(server, "--once")
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout
    assert run.stdout.startswith("keyturn ") and "sign-ins" in run.stdout and "/metrics" in run.stdout


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_shows_it_until_q(server, tmp_path, columns):
    terminal = Terminal([binary(), "top", "--url", server.base], dict(os.environ), tmp_path, columns)
    try:
        terminal.wait_for("/metrics")
        assert "\x1b[?1049h" in terminal.shown
        assert [line for line in terminal.text.split("\n") if len(line) > columns] == []
        os.write(terminal._master, b"q")
        assert terminal.finish() == 0
        assert terminal.shown.endswith("\x1b[?25h\x1b[?1049l"), "the terminal is as it was"
    finally:
        terminal.close()


def test_ctrl_c_leaves_the_terminal_as_it_was(server, tmp_path):
    terminal = Terminal([binary(), "top", "--url", server.base], dict(os.environ), tmp_path)
    try:
        terminal.wait_for("/metrics")
        terminal.interrupt()
        assert terminal.finish() == 0
        assert terminal.shown.endswith("\x1b[?25h\x1b[?1049l")
    finally:
        terminal.close()


def test_a_server_that_is_not_there(server):
    run = subprocess.run([binary(), "top", "--once", "--url", "http://127.0.0.1:9"], capture_output=True, text=True,
                         timeout=30, check=False)
    assert run.returncode == 3 and "no answer from" in run.stderr


def test_another_server_is_asked_by_https_alone(server):
    run = subprocess.run([binary(), "top", "--once", "--url", "http://id.example.com"], capture_output=True, text=True,
                         timeout=30, check=False)
    assert run.returncode == 2 and "https" in run.stderr
