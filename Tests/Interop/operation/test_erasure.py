"""What a database still holds of a user who was deleted: looked for in every column of every table."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
import requests

from support.configuration import Person
from support.relying_party import Provider, RelyingParty
from support.server import Server, binary, free_port
from support.site import APP

EVA = Person("44444444-4444-4444-8444-444444444444", "eva.erased@example.test", "a-long-password-of-eva")
PHONE = "+4570205060"
PROJECT = "P2ErasureProject000000000000"
# What would say who she was.
NAMES = (b"eva.erased", b"4570205060", b"Erasmussen")
# The longest window of a count, and a minute.
HOUR = 3_660


class Place:
    """A server with a database in a folder, and the command line beside it."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.configuration = {"issuer": f"http://127.0.0.1:{self.port}", "project": {"id": PROJECT},
                              "delivery": {"outbox": True}, "clients": [APP.entry()]}
        self.server = Server(self.folder, self.configuration, port=self.port)

    def command(self, *arguments: str) -> str:
        done = subprocess.run([binary(), *arguments, "--database", f"sqlite:{self.folder / 'keyturn.db'}"],
                              capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def call(self, path: str, **body: str) -> None:
        requests.post(f"{self.server.base}/v1/auth/{path}", json=body, timeout=10,
                      headers={"Authorization": f"Bearer {PROJECT}"})

    def latest_end(self, table: str) -> int:
        """When the last row of a table of counts ends."""
        connection = sqlite3.connect(self.folder / "keyturn.db")
        (end,) = connection.execute(f"SELECT coalesce(max(ends_at), 0) FROM {table}").fetchone()
        connection.close()
        return end

    def tables_with(self, *needles: bytes) -> set[str]:
        """The tables in which a row has one of these bytes."""
        found = set()
        connection = sqlite3.connect(self.folder / "keyturn.db")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert len(tables) > 50
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                cells = [cell if isinstance(cell, bytes) else str(cell).encode() for cell in row]
                if any(needle in cell for needle in needles for cell in cells):
                    found.add(table)
        connection.close()
        return found


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    if made.server.is_running():
        made.server.stop()


def live_a_little(place: Place) -> None:
    """Signs in, mistypes, asks for codes, and is looked for."""
    users = place.folder / "users.jsonl"
    users.write_text(json.dumps({
        "sub": EVA.sub, "password": EVA.password, "email": EVA.login, "email_verified": True, "phone_number": PHONE,
        "name": "Eva Erasmussen",
        "login_ids": [{"value": EVA.login, "verified": True}, {"value": PHONE, "verified": True}]}) + "\n")
    place.command("user", "import", str(users))
    provider = Provider(place.server.base)
    rp = RelyingParty(provider, APP)
    rp.sign_in(person=EVA, scope="openid offline_access")
    visitor = provider.visitor()
    visitor.sign_in(rp.open(visitor, rp.request(login_hint=EVA.login)), EVA, "a-wrong-password")
    place.call("otp/signin/email", loginId=EVA.login)
    place.call("otp/signin/sms", loginId=PHONE)
    place.call("otp/verify/email", loginId=EVA.login, code="000000")
    place.call("magiclink/signin/email", loginId=EVA.login)
    # Events are written within a second.
    time.sleep(2)


def test_the_document_of_a_user_has_what_was_done_and_no_secret(place):
    live_a_little(place)
    place.command("user", "data", EVA.login, "--output", str(place.folder / "eva.json"))
    text = (place.folder / "eva.json").read_text()
    document = json.loads(text)
    assert (place.folder / "eva.json").stat().st_mode & 0o777 == 0o600
    assert document["profile"][0]["claims"]["name"] == "Eva Erasmussen"
    assert {each["value"] for each in document["login_ids"]} == {EVA.login, PHONE}
    assert document["sessions"][0]["address"] == "127.0.0.1"
    assert document["grants"][0]["client_id"] == APP.client_id
    assert document["past_sign_ins"] and document["codes"]
    assert {"sign_in.succeeded", "sign_in.failed", "users.exported"} <= {e["kind"] for e in document["audit_events"]}
    assert EVA.password not in text and "argon2" not in text


def test_nothing_says_who_a_deleted_user_was(place):
    live_a_little(place)
    assert {"user", "identifier", "attempt", "budget", "one_time_code"} <= place.tables_with(*NAMES)
    place.command("user", "delete", EVA.login)
    # Counts of messages and of tries at codes protect the address, whether it has an account or not.
    assert place.tables_with(*NAMES) <= {"budget", "code_tries"}
    # Events name the user by the identifier alone, and so do counts.
    assert place.tables_with(EVA.sub.encode()) <= {"audit_event", "logout_notice", "code_tries", "budget"}
    # They end by themselves, and the server removes what has ended.
    assert place.latest_end("budget") < time.time() + HOUR and place.latest_end("code_tries") < time.time() + HOUR


def test_the_file_itself_has_no_trace_when_the_log_is_gone(place):
    """SQLite overwrites what it deletes, as Debian builds it."""
    live_a_little(place)
    assert place.server.stop() == 0
    checkpoint(place.folder / "keyturn.db")
    assert NAMES[0] in (place.folder / "keyturn.db").read_bytes()
    place.command("user", "delete", EVA.login)
    checkpoint(place.folder / "keyturn.db")
    left = (place.folder / "keyturn.db").read_bytes()
    assert b"Erasmussen" not in left


def checkpoint(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
