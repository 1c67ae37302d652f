"""Keyturn beside another server, in the same rounds. `PEER=file.json make bench ONLY=peer`.

The file describes a server that runs on this machine:

    {"name": "…", "pid": 123,
     "token": "http://127.0.0.1:3000/token", "introspection": "…", "userinfo": "…",
     "client_id": "…", "client_secret": "…", "scope": "…",
     "access_token": "…", "refresh_tokens": ["…", "…"]}

What is left out is not measured. `access_token` is a user's, for userinfo and introspection. Each refresh token is of a
grant of its own, and rotates; a run loses one for each connection, and a hundred are enough.
"""

import base64
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from driving import AUTHORIZATION, CONNECTIONS, ROUNDS, Load, keyturn, refresh_tokens, row

TRACED_SECONDS = 2
# A run for each round, one that is traced, and one that is left.
TOKENS = CONNECTIONS * (ROUNDS + 2)
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Side:
    """One of the two servers, and how it is asked."""

    name: str
    pid: int
    # By operation: the script for wrk, the address, and the script's environment.
    loads: dict[str, tuple[str, str, dict[str, str]]]
    figures: dict[str, list[tuple[float, float, float, float]]] = field(default_factory=dict)

    def processor_seconds(self) -> float:
        return sum(seconds_of(pid) for pid in family(self.pid))

    def measure(self, operation: str) -> None:
        """A round: requests a second, µs of processor time for each, and the 50th and 99th percentile in ms."""
        script, address, environment = self.loads[operation]
        before = self.processor_seconds()
        load = Load(script, address, **environment)
        output = load.process.communicate()[0]
        found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+)\nMEDIAN (\d+)", output)
        if not found or int(found[3]):
            raise SystemExit(f"{self.name}, {operation}: refused, or not answered: {output!r}")
        requests, microseconds, _, p99, p50 = map(int, found.groups())
        spent = (self.processor_seconds() - before) * 1e6 / requests
        self.figures.setdefault(operation, []).append((requests / (microseconds / 1e6), spent, p50 / 1e3, p99 / 1e3))

    def medians(self, operation: str) -> list[float]:
        return [statistics.median(column) for column in zip(*self.figures[operation])]

    def syncs(self, operation: str) -> float:
        """Syncs to the disk for each request, counted in a run of its own, which strace slows down."""
        script, address, environment = self.loads[operation]
        with tempfile.NamedTemporaryFile() as file:
            tracer = subprocess.Popen(
                ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", file.name, "-p", str(self.pid)],
                stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            output = Load(script, address, TRACED_SECONDS, **environment).process.communicate()[0]
            tracer.terminate()
            tracer.wait()
            counted = Path(file.name).read_text()
        requests = int(re.search(r"RESULT (\d+)", output).group(1))
        calls = sum(int(line.split()[3]) for line in counted.splitlines() if re.search(r" f(data)?sync$", line))
        return calls / requests

    def resident_mib(self) -> float:
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in family(self.pid))
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def family(pid: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [each for child in children for each in family(int(child))]


def seconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peer_rows(folder, wanted):
    file = os.environ.get("PEER")
    if not file or wanted not in ("", "peer"):
        return []
    theirs = described(json.loads(Path(file).read_text()), folder)
    server = keyturn(folder, "beside-peer")
    ours = own(server, folder)
    operations = [name for name in ours.loads if name in theirs.loads]
    for operation in operations:
        for _ in range(ROUNDS):
            for side in (ours, theirs):
                side.measure(operation)
    rows = [compared(operation, ours, theirs) for operation in operations]
    rows.append(row("peer-rss", ours.resident_mib(), "MiB", theirs.resident_mib(), theirs.name,
                    ours.resident_mib() / theirs.resident_mib(), None, "after these loads"))
    server.stop()
    return rows


def compared(operation, ours, theirs):
    rate, spent, p50, p99 = ours.medians(operation)
    their_rate, their_spent, their_p50, their_p99 = theirs.medians(operation)
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours.figures[operation], theirs.figures[operation]))
    syncs = f"; syncs a request {ours.syncs(operation):.2f}, {theirs.syncs(operation):.2f}" if operation == "refresh" else ""
    return row(
        f"peer-{operation}", rate, "1/s", their_rate, theirs.name, ratio, None,
        f"CPU µs {spent:.0f}, {their_spent:.0f}; p50 ms {p50:.2f}, {their_p50:.2f}; p99 {p99:.1f}, {their_p99:.1f}{syncs}")


def own(server, folder):
    tokens, access = refresh_tokens(server, folder, TOKENS, "openid offline_access")
    return Side("Keyturn", server.process.pid, loads_of(
        f"{server.base}/oauth2/token", f"{server.base}/oauth2/introspect", f"{server.base}/oauth2/userinfo",
        AUTHORIZATION, "bench.read", access, tokens))


def described(peer, folder):
    tokens = None
    if peer.get("refresh_tokens"):
        if len(peer["refresh_tokens"]) < TOKENS:
            raise SystemExit(f"PEER: {TOKENS} refresh tokens are needed")
        tokens = Path(folder) / "tokens-of-peer"
        tokens.write_text("".join(f"{token}\n" for token in peer["refresh_tokens"]))
    pair = f"{peer['client_id']}:{peer['client_secret']}".encode()
    return Side(peer["name"], peer["pid"], loads_of(
        peer.get("token"), peer.get("introspection"), peer.get("userinfo"),
        "Basic " + base64.b64encode(pair).decode(), peer.get("scope", ""), peer.get("access_token"), tokens))


def loads_of(token, introspection, userinfo, authorization, scope, access, tokens):
    loads = {}
    if token:
        form = "grant_type=client_credentials" + (f"&scope={scope}" if scope else "")
        loads["client_credentials"] = ("form.lua", token, {"FORM": form, "AUTHORIZATION": authorization})
    if introspection and access:
        loads["introspect"] = ("form.lua", introspection, {"FORM": f"token={access}", "AUTHORIZATION": authorization})
    if userinfo and access:
        loads["userinfo"] = ("get.lua", userinfo, {"AUTHORIZATION": f"Bearer {access}"})
    if token and tokens:
        loads["refresh"] = ("refresh.lua", token, {"TOKENS": str(tokens), "AUTHORIZATION": authorization, "KEEP": "1"})
    return loads
