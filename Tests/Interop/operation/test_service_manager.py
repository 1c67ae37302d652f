"""The server under a service manager: readiness, the watchdog, and sockets that outlive it, as systemd does it."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.server import binary
from support.service_manager import ServiceManager, StoppedThread, threads

WATCHDOG = 2.0
RESTARTS = 5
CLIENTS = 8


@pytest.fixture
def managers(tmp_path):
    made: list[ServiceManager] = []

    def make(**options) -> ServiceManager:
        made.append(ServiceManager(tmp_path / f"manager-{len(made)}", **options))
        return made[-1]

    yield make
    for manager in made:
        manager.close()


def get(port: int, path: str = "/healthz", seconds: float = 30) -> tuple[int, str]:
    """On a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("is_abstract", [False, True], ids=["path", "abstract"])
def test_it_is_ready_when_it_listens_and_says_when_it_stops(managers, is_abstract):
    manager = managers(is_abstract=is_abstract, listens=False)
    server = manager.start()
    said = manager.hear_of("READY")
    assert said["READY"] == "1" and said["STATUS"].startswith("listening on http://127.0.0.1:")
    port = int(said["STATUS"].split(" ")[2].rsplit(":", 1)[1])
    assert get(port) == (200, "alive\n")
    server.send_signal(signal.SIGTERM)
    assert manager.hear_of("STOPPING") == {"STOPPING": "1", "STATUS": "finishing the requests in flight"}
    assert server.wait(15) == 0


def test_without_a_watchdog_nothing_more_is_said(managers):
    manager = managers()
    manager.start()
    manager.hear_of("READY")
    assert manager.is_silent(2)


def test_the_variables_are_for_the_server_alone(managers):
    """A watchdog of another process is not answered, and its sockets are not taken."""
    manager = managers(watchdog=WATCHDOG)
    server = subprocess.Popen(
        [binary(), "serve", "--config", manager.config], cwd=manager.folder, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
        env=os.environ | {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "1",
                          "LISTEN_PID": "1", "LISTEN_FDS": "7"})
    manager.started.append(server)
    assert server.stdout.readline().startswith("listening on http://127.0.0.1:")
    manager.hear_of("READY")
    assert manager.is_silent(WATCHDOG)


def test_a_server_that_is_frozen_is_noticed_and_the_next_one_answers_who_waited(managers):
    manager = managers(watchdog=WATCHDOG)
    server = manager.start()
    manager.hear_of("READY")
    for _ in range(3):
        began = time.monotonic()
        assert manager.hear_of("WATCHDOG", WATCHDOG) == {"WATCHDOG": "1"}
        assert time.monotonic() - began < WATCHDOG
    server.send_signal(signal.SIGSTOP)
    assert manager.is_silent(WATCHDOG)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(get, manager.port, seconds=60)
        # What systemd does in the end.
        server.kill()
        assert server.wait(15) == -signal.SIGKILL
        manager.start()
        manager.hear_of("READY")
        try:
            assert waiting.result() == (200, "alive\n")
        except ConnectionError:
            # The frozen server had taken the connection. Then it ends with the server, and the next one is answered.
            assert get(manager.port) == (200, "alive\n")


def test_one_event_loop_that_hangs_is_enough(managers):
    manager = managers(watchdog=WATCHDOG)
    server = manager.start()
    manager.hear_of("READY")
    loops = threads(server.pid, "NIO-SGLTN-")
    assert loops, "the event loops have other names"
    try:
        stopped = StoppedThread(loops[-1])
    except OSError as error:
        pytest.skip(f"threads cannot be stopped here: {error}")
    try:
        assert manager.is_silent(WATCHDOG * 1.5)
        assert "no answer within the time of the watchdog" in manager.log.read_text()
        assert "parts=event loops" in manager.log.read_text()
    finally:
        stopped.go_on()
    manager.hear_of("WATCHDOG", WATCHDOG)
    assert get(manager.port) == (200, "alive\n")


def test_a_restart_refuses_no_connection_and_cuts_off_no_request(managers):
    manager = managers()
    server = manager.start()
    assert manager.hear_of("READY")["STATUS"].startswith(f"listening on http://127.0.0.1:{manager.port} ")
    is_over = threading.Event()

    def load() -> int:
        answered = 0
        while not is_over.is_set():
            # A refused connection, or one without an answer, is an exception here.
            assert get(manager.port) == (200, "alive\n")
            answered += 1
        return answered

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(load) for _ in range(CLIENTS)]
        try:
            for _ in range(RESTARTS):
                time.sleep(0.5)
                server.send_signal(signal.SIGTERM)
                assert server.wait(15) == 0, manager.log_tail()
                server = manager.start()
                manager.hear_of("READY")
        finally:
            is_over.set()
        assert all(client.result() > RESTARTS for client in clients)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"LISTEN_FDS": "no"}, "LISTEN_FDS must say how many sockets are passed"),
        ({"LISTEN_FDNAMES": "a:b:c"}, "LISTEN_FDNAMES has 3 names for 1 sockets"),
        ({"NOTIFY_SOCKET": "relative"}, "NOTIFY_SOCKET is neither an absolute path nor @ and a name"),
        ({"WATCHDOG_USEC": "30s"}, "WATCHDOG_USEC must be a number of microseconds"),
    ],
    ids=["count", "names", "notify socket", "watchdog"],
)
def test_variables_that_make_no_sense_end_the_start_with_a_sentence(managers, variables, reason):
    manager = managers()
    server = manager.start(**variables)
    assert server.wait(60) == 2
    assert reason in manager.log.read_text()


def test_a_descriptor_that_is_no_listening_socket_is_refused_by_its_name(managers):
    manager = managers()
    manager.socket.close()
    with (manager.folder / "file").open("wb") as file:
        manager.socket = file
        server = manager.start()
        assert server.wait(60) == 2
    assert "descriptor 3 (keyturn.socket) is not a socket" in manager.log.read_text()
