"""The audit log goes to receivers of others: rsyslog, the library of Standard Webhooks, and joserfc for shared signals."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet
from standardwebhooks import Webhook

from support.certificates import Authority
from support.server import Server, binary, die_with_parent, free_port
from support.signals import SignalEndpoint

SECRET = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="


class Watcher:
    """A program that takes events by webhook, and believes those alone whose signature is right."""

    def __init__(self, port: int):
        self.events: list[dict] = []
        self.ids: list[str] = []
        self.answers: list[int] = []
        watcher = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = watcher.answers.pop(0) if watcher.answers else 204
                if status == 204:
                    message = Webhook(SECRET).verify(body, {name.lower(): value for name, value in self.headers.items()})
                    watcher.events += message["events"]
                    watcher.ids.append(self.headers["webhook-id"])
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Rsyslog:
    """Debian's rsyslog in a folder of its own; what arrives over TLS, TCP and UDP is in a file each."""

    def __init__(self, folder: Path, authority: Authority):
        if not shutil.which("rsyslogd"):
            pytest.skip("rsyslog is not installed")
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.ports = {name: free_port() for name in ("tls", "tcp", "udp")}
        self.authority = authority
        self.open()

    def open(self) -> None:
        authority = self.authority
        modules = 'module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="{}" StreamDriver.AuthMode="anon")'
        # One driver for each process: TLS has a process of its own.
        self.processes = [
            self.start("tls", f"""
                global(DefaultNetstreamDriver="gtls" DefaultNetstreamDriverCAFile="{authority.ca_file}"
                       DefaultNetstreamDriverCertFile="{authority.server_file}"
                       DefaultNetstreamDriverKeyFile="{authority.server_file}")
                {modules.format(1)}
                input(type="imtcp" address="127.0.0.1" port="{self.ports['tls']}" ruleset="tls")
                {self.ruleset("tls")}"""),
            self.start("plain", f"""
                module(load="imtcp") module(load="imudp")
                input(type="imtcp" address="127.0.0.1" port="{self.ports['tcp']}" ruleset="tcp")
                input(type="imudp" address="127.0.0.1" port="{self.ports['udp']}" ruleset="udp")
                {self.ruleset("tcp")} {self.ruleset("udp")}"""),
        ]

    def ruleset(self, name: str) -> str:
        return f"""
            template(name="{name}" type="string"
                     string="%pri%|%timereported:::date-rfc3339%|%hostname%|%app-name%|%msgid%|%msg%\\n")
            ruleset(name="{name}") {{ action(type="omfile" file="{self.folder}/{name}.log" template="{name}") }}"""

    def start(self, name: str, configuration: str) -> subprocess.Popen:
        file = self.folder / f"{name}.conf"
        file.write_text(f'global(workDirectory="{self.folder}" maxMessageSize="16k")\n{configuration}\n')
        log = (self.folder / f"{name}.out").open("wb")
        return subprocess.Popen(
            ["rsyslogd", "-n", "-f", file, "-i", self.folder / f"{name}.pid"], stdout=log, stderr=log,
            preexec_fn=die_with_parent)

    def messages(self, name: str) -> list[list[str]]:
        file = self.folder / f"{name}.log"
        lines = file.read_text().splitlines() if file.exists() else []
        return [line.split("|", 5) for line in lines]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


def until(holds, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


def keyturn(folder: Path, *arguments: str, code: int = 0) -> str:
    run = subprocess.run(
        [binary(), *arguments, "--database", f"sqlite:{folder}/keyturn.db"], capture_output=True, text=True, timeout=60,
        check=False)
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout


def configuration(streams: list[dict]) -> dict:
    return {"issuer": "auto", "project": {"name": "Interop"}, "audit": {"streams": streams}}


def test_a_webhook_gets_every_event_once_whatever_dies(tmp_path):
    port = free_port()
    streams = [{"name": "siem", "webhook": f"http://127.0.0.1:{port}/events", "secret": SECRET}]
    server = Server(tmp_path, configuration(streams))
    watcher = Watcher(port)
    try:
        keyturn(tmp_path, "tenant", "create", "one")
        until(lambda: [event["target"] for event in watcher.events if event["action"] == "tenant.created"] == ["one"])

        # Refused, and answered nothing: the same batch comes again under its identifier.
        watcher.answers = [503, 400]
        keyturn(tmp_path, "tenant", "create", "two")
        until(lambda: any(event.get("target") == "two" for event in watcher.events))
        watcher.close()
        for number in range(250):
            if number % 50 == 0:
                keyturn(tmp_path, "tenant", "create", f"away-{number}")
        rows = "".join(json.dumps({"login_ids": [f"user{number}@example.com"]}) + "\n" for number in range(300))
        (tmp_path / "users.jsonl").write_text(rows)
        keyturn(tmp_path, "user", "import", str(tmp_path / "users.jsonl"))
        metrics = until_metric(server, 'keyturn_audit_stream_waiting{stream="siem"}', 300)
        assert 'keyturn_audit_stream_failures_total{stream="siem"}' in metrics
        server.kill()

        later = Watcher(port)
        later.events, later.ids = watcher.events, watcher.ids
        server = Server(tmp_path, configuration(streams))
        # The dead one had the stream for a minute.
        until(lambda: sum(event["action"] == "user.created" for event in later.events) >= 300, 90)
        numbers = [event["number"] for event in later.events]
        assert numbers == sorted(set(numbers)), "once and in order"
        pairs = zip(later.events, later.events[1:])
        assert all(after["previous"] == before["digest"] for before, after in pairs), "nothing is missing"
        assert len(set(later.ids)) == len(later.ids)
        assert "follow each other" in keyturn(tmp_path, "audit", "verify", "--digest", later.events[-1]["digest"])
        later.close()
    finally:
        assert server.stop() == 0


def until_metric(server: Server, name: str, least: int) -> str:
    found = ""

    def holds() -> bool:
        nonlocal found
        found = requests.get(f"{server.base}/metrics", timeout=10).text
        values = [line.split()[-1] for line in found.splitlines() if line.startswith(name)]
        return bool(values) and float(values[0]) >= least

    until(holds)
    return found


def test_rsyslog_reads_every_event_over_tls_tcp_and_udp(tmp_path):
    authority = Authority(tmp_path / "authority")
    rsyslog = Rsyslog(tmp_path / "rsyslog", authority)
    ports = rsyslog.ports
    streams = [
        {"name": "tls", "syslog": f"tls://localhost:{ports['tls']}", "ca_file": str(authority.ca_file)},
        {"name": "tcp", "syslog": f"tcp://127.0.0.1:{ports['tcp']}"},
        {"name": "udp", "syslog": f"udp://127.0.0.1:{ports['udp']}", "actions": ["tenant.*"]},
    ]
    server = Server(tmp_path, configuration(streams))
    try:
        for name in ("plain", "with ü and ☃"):
            keyturn(tmp_path, "tenant", "create", "acme" if name == "plain" else "snow", "--name", name)
        keyturn(tmp_path, "role", "create", "admin")
        for kind in ("tls", "tcp"):
            until(lambda: len([m for m in rsyslog.messages(kind) if m[4] == "role.created"]) == 1)
        until(lambda: len(rsyslog.messages("udp")) == 2)
        for kind, wanted in (("tls", 3), ("tcp", 3), ("udp", 2)):
            messages = [m for m in rsyslog.messages(kind) if m[4] in ("tenant.created", "role.created")]
            assert len(messages) == wanted, messages
            for priority, at, host, program, action, text in messages:
                event = json.loads(text)
                assert (host, program, event["action"]) == ("127.0.0.1", "keyturn", action)
                assert priority == "85" and at.startswith("20") and event["actor"].startswith("operator:")
        # It is away for a while: what was written meanwhile arrives.
        rsyslog.close()
        keyturn(tmp_path, "role", "create", "reader")
        time.sleep(2)
        rsyslog.open()
        keyturn(tmp_path, "role", "create", "writer")
        for kind in ("tls", "tcp"):
            until(lambda: any("writer" in m[5] for m in rsyslog.messages(kind)), 90)
    finally:
        rsyslog.close()
        assert server.stop() == 0


def test_a_syslog_server_with_a_foreign_certificate_gets_nothing(tmp_path):
    authority = Authority(tmp_path / "authority")
    foreign = Authority(tmp_path / "foreign")
    rsyslog = Rsyslog(tmp_path / "rsyslog", foreign)
    streams = [
        {"name": "tls", "syslog": f"tls://localhost:{rsyslog.ports['tls']}", "ca_file": str(authority.ca_file)}
    ]
    server = Server(tmp_path, configuration(streams))
    try:
        keyturn(tmp_path, "tenant", "create", "acme")
        until(lambda: "audit events not sent yet" in server.log_text())
        assert "its certificate is not trusted" in server.log_text() and rsyslog.messages("tls") == []
    finally:
        rsyslog.close()
        assert server.stop() == 0


def test_a_log_that_was_changed_by_hand_is_noticed(tmp_path):
    server = Server(tmp_path, configuration([]))
    for number in range(5):
        keyturn(tmp_path, "tenant", "create", f"t{number}")
    assert server.stop() == 0
    report = json.loads(keyturn(tmp_path, "audit", "verify", "--json"))
    assert report["intact"] and report["signatures_checked"] and report["checkpoint_number"] == report["number"]

    # Every digest anew, as whoever can write the database could, but without the secrets.
    forged = tmp_path / "forged"
    forged.mkdir()
    for name in os.listdir(tmp_path):
        if name.startswith("keyturn.db"):
            shutil.copy(tmp_path / name, forged / name)
    database = sqlite3.connect(forged / "keyturn.db")
    database.execute("UPDATE audit_event SET target = 't9' WHERE target = 't3'")
    database.commit()
    assert "does not continue" in keyturn(forged, "audit", "verify", code=1)
    relink(database)
    assert "as the server signed it" in keyturn(forged, "audit", "verify", code=1)
    assert keyturn(tmp_path, "audit", "verify", "--digest", report["digest"])
    keyturn(forged, "audit", "verify", "--digest", report["digest"], code=1)


def relink(database) -> None:
    """What docs/audit.md says of the digest, written once more."""
    columns = "kind, at, user_id, client_id, session_id, address, reason, actor, target, changes_digest"
    digest = bytes(32)
    for number, *members, changes in database.execute(
            f"SELECT number, {columns} FROM audit_event ORDER BY number").fetchall():
        database.execute("UPDATE audit_event SET previous = ? WHERE number = ?", (digest, number))
        digest = digest_of(digest, *members, *([changes] if changes else []))
    database.execute("UPDATE audit_chain SET digest = ?", (digest,))
    database.commit()


def digest_of(begin: bytes, *members) -> bytes:
    hashed = hashlib.sha256(begin)
    for member in members:
        if member is None:
            hashed.update(b"\0")
        else:
            text = member if isinstance(member, bytes) else str(member).encode()
            hashed.update(b"\1" + len(text).to_bytes(4, "big") + text)
    return hashed.digest()


def chain_of(lines: list[dict]) -> None:
    """Verifies an export by what docs/audit.md says, and by nothing else."""
    digest = bytes(32)
    names = ("action", "at", "user", "client", "session", "address", "reason", "actor", "target")
    for line in lines:
        assert line["previous"] == digest.hex()
        covered = []
        if "changes_digest" in line:
            covered = [bytes.fromhex(line["changes_digest"])]
        if "changes" in line:
            values = [each.get(name) for each in line["changes"] for name in ("field", "before", "after")]
            assert digest_of(bytes.fromhex(line["changes_salt"]), *values) == covered[0]
        digest = digest_of(digest, *(line.get(name) for name in names), *covered)
        assert line["digest"] == digest.hex()


def test_an_export_tells_what_was_there_before_and_after_and_an_erasure_leaves_it_a_chain(tmp_path):
    watcher = Watcher(free_port())
    hook = f"http://127.0.0.1:{watcher.server.server_port}/events"
    server = Server(tmp_path, configuration([{"name": "siem", "webhook": hook, "secret": SECRET}]))
    keyturn(tmp_path, "tenant", "create", "acme", "--name", "Acme")
    keyturn(tmp_path, "user", "create", "eva@example.com", "--no-password", "--name", "Eva Erasmussen")
    keyturn(tmp_path, "user", "disable", "eva@example.com")
    keyturn(tmp_path, "user", "assign", "eva@example.com", "--tenant", "acme")
    until(lambda: len([each for each in watcher.events if "changes" in each]) >= 4)
    chain_of(watcher.events)
    changes = {each["action"]: each["changes"] for each in watcher.events if "changes" in each}
    assert changes["user.status"] == [{"field": "status", "before": "active", "after": "disabled"}]
    assert changes["user.tenants"] == [{"field": "tenants", "after": "acme"}]
    assert {"field": "name", "after": "Acme"} in changes["tenant.created"]

    whole = keyturn(tmp_path, "audit", "export")
    chain_of([json.loads(line) for line in whole.splitlines()])
    assert "Eva Erasmussen" in whole and "eva@example.com" in whole
    document = json.loads(keyturn(tmp_path, "user", "data", "eva@example.com"))
    told = [change["field"] for row in document["audit_changes"] for change in row["changes"]]
    assert {"name", "status", "tenants"} <= set(told)

    keyturn(tmp_path, "user", "delete", "eva@example.com")
    left = keyturn(tmp_path, "audit", "export")
    lines = [json.loads(line) for line in left.splitlines()]
    chain_of(lines)
    assert "Eva" not in left and "eva@example.com" not in left
    assert [line["action"] for line in lines if "changes_digest" in line and "changes" not in line] == [
        "user.created", "user.status", "user.tenants"]
    assert "went with their users" in keyturn(tmp_path, "audit", "verify")
    watcher.close()
    assert server.stop() == 0
    # SQLite overwrites what it deletes, as Debian builds it.
    database = sqlite3.connect(tmp_path / "keyturn.db")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert b"Erasmussen" not in (tmp_path / "keyturn.db").read_bytes()


def test_a_receiver_of_shared_signals_hears_of_sessions_and_credentials(tmp_path):
    receiver = SignalEndpoint("Bearer receiver")
    streams = [{"name": "partner", "receiver": receiver.url, "audience": "https://partner.example",
                "authorization": "Bearer receiver"}]
    server = Server(tmp_path, configuration(streams))
    try:
        subprocess.run(
            [binary(), "user", "create", "ann@example.com", "--database", f"sqlite:{tmp_path}/keyturn.db"],
            input="correct horse battery staple\n", text=True, check=True, timeout=60, capture_output=True)
        users = json.loads(keyturn(tmp_path, "user", "list", "--json"))
        for command in ("end-sessions", "disable"):
            keyturn(tmp_path, "user", command, "ann@example.com")
        until(lambda: len(receiver.tokens) >= 1, 30)
        keys = KeySet.import_key_set(requests.get(f"{server.base}/oauth2/jwks", timeout=10).json())
        for text in receiver.tokens:
            token = jwt.decode(text, keys, algorithms=["ES256", "RS256"])
            assert token.header["typ"] == "secevent+jwt"
            claims = token.claims
            assert claims["iss"] == server.issuer and claims["aud"] == "https://partner.example"
            assert claims["sub_id"] == {"format": "iss_sub", "iss": server.issuer, "sub": users[0]["sub"]}
            (kind, event), = claims["events"].items()
            assert kind == "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
            assert event["initiating_entity"] == "admin" and abs(event["event_timestamp"] - time.time()) < 60
        assert len({jwt.decode(text, keys, algorithms=["ES256", "RS256"]).claims["jti"] for text in receiver.tokens}) \
            == len(receiver.tokens)
    finally:
        assert server.stop() == 0
