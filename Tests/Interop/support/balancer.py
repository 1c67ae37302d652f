"""HAProxy in front of some servers: it asks each whether it is ready, and sends requests to those that are."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import requests

from support.server import die_with_parent, free_port

CONFIGURATION = """
defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 3s
    retries 3
    option redispatch
    retry-on conn-failure
frontend all
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    balance roundrobin
    option forwardfor
    option httpchk GET /readyz
    default-server check inter 200 fall 2 rise 1
{servers}
"""


class Balancer:
    """Listens before the servers do, because they must know its address.

    - `addresses`: of the servers, with their ports.
    """

    def __init__(self, folder: Path, addresses: list[str]):
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        servers = "\n".join(f"    server node{number} {address}" for number, address in enumerate(addresses))
        file = folder / "haproxy.cfg"
        file.write_text(CONFIGURATION.format(port=self.port, servers=servers))
        self._process = subprocess.Popen(["haproxy", "-db", "-q", "-f", file], preexec_fn=die_with_parent)

    def wait(self, seconds: float = 20) -> None:
        """Until a server answers through it."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if requests.get(f"{self.base}/readyz", timeout=5).status_code == 200:
                    return
            except requests.RequestException:
                pass
            assert time.monotonic() < deadline, "no server answers through the balancer"
            time.sleep(0.1)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
