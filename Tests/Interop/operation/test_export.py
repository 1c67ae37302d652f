"""A project is exported from a server at work, and taken in by one with other secrets: its users and clients go on there."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pyotp
import pytest
import requests

from support.backups import kill_at_random
from support.command_line import Run, finish
from support.configuration import ALL_SCOPES, Person
from support.postgresql import Database
from support.refreshing_app import RefreshingApp
from support.relying_party import Provider, RelyingParty
from support.server import Server, binary, free_port
from support.site import APP

OLD, NEW = "P2ExportedProject00000000000", "P2ImportingProject0000000000"
ADA = Person("55555555-5555-4555-8555-555555555555", "ada.moved@example.test", "a-long-password-of-ada")
OTTO = Person("66666666-6666-4666-8666-666666666666", "otto.moved@example.test", "a-long-password-of-otto")
KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CROWD = 6_000
KILLS = 5


class Place:
    """A server, with its database, and the command line beside it."""

    def __init__(self, folder: Path, project: str, database: str | None = None):
        self.folder, self.port = folder, free_port()
        folder.mkdir(parents=True)
        self.database = database or f"sqlite:{folder / 'keyturn.db'}"
        self.configuration = {"issuer": f"http://127.0.0.1:{self.port}", "project": {"id": project}}
        if database:
            self.configuration["secrets"] = [base64.b64encode(os.urandom(32)).decode()]
        self.project = project
        self.server: Server | None = None
        self.start()

    def start(self) -> None:
        self.server = Server(self.folder, self.configuration, port=self.port, database=self.database, log_level="info")

    def begin(self, *arguments: object) -> subprocess.Popen:
        return subprocess.Popen(
            [binary(), *map(str, arguments), "--config", self.folder / "keyturn.json", "--database", self.database],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
            env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})

    def run(self, *arguments: object) -> Run:
        return finish(self.begin(*arguments), 300)

    def command(self, *arguments: object) -> str:
        run = self.run(*arguments)
        assert run.is_done, f"{arguments}: {run}"
        return run.output

    def call(self, path: str, reference: str | None = None, **body: str) -> requests.Response:
        """A call of the methods' wire. `reference`: the sign-in that waits for its second factor."""
        bearer = f"{self.project}:{reference}" if reference else self.project
        return requests.post(f"{self.server.base}/v1/auth/{path}", json=body, timeout=20,
                             headers={"Authorization": f"Bearer {bearer}"})

    def half_way(self, login: str, password: str) -> str:
        """The reference of a sign-in whose password is right and whose second factor is missing."""
        answer = self.call("password/signin", loginId=login, password=password)
        assert answer.status_code == 403 and answer.json()["missing"] == "second_factor", answer.text
        return answer.json()["pendingRef"]

    def kinds(self) -> list[str]:
        lines = self.command("audit", "export").splitlines()
        return [json.loads(line)["action"] for line in lines]

    def partials(self) -> list[str]:
        return [path.name for path in self.folder.glob("*.partial")]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A server with users who sign in in every way that moves, and a crowd."""
    place = Place(tmp_path_factory.mktemp("export") / "old", OLD)
    folder = place.folder
    place.command("tenant", "create", "acme")
    place.command("role", "create", "reader")
    app = [*(f"--redirect-uri={uri}" for uri in APP.redirect_uris)]
    place.secret = json.loads(place.command(
        "client", "create", "mover", *app, "--scope", ALL_SCOPES, "--grant-type", "authorization_code", "--grant-type",
        "refresh_token", "--grant-type", "client_credentials", "--json"))["client_secret"]
    password = write(folder, "bind", "the-password-of-the-directory")
    place.command("connection", "add", "corp", "--ldap-url", "ldaps://ldap.example.test", "--bind-dn", "cn=app",
                  "--bind-password-file", password, "--base-dn", "dc=example,dc=test")
    people = [
        {"sub": ADA.sub, "login_ids": [{"value": ADA.login, "verified": True}], "email": ADA.login,
         "email_verified": True, "password": ADA.password, "totp_secret": KEY, "roles": ["reader"],
         "tenants": [{"id": "acme", "roles": ["reader"]}]},
        {"sub": OTTO.sub, "login_ids": [{"value": OTTO.login, "verified": True}], "password": OTTO.password},
    ]
    people += [{"login_ids": [f"member{number}@example.test"], "name": f"Member {number}"} for number in range(CROWD)]
    place.command("user", "import", write(folder, "users.jsonl", "".join(f"{json.dumps(p)}\n" for p in people)))
    # A running server notices within a second what the command line has made.
    deadline = time.monotonic() + 10
    while requests.post(f"{place.server.base}/oauth2/token", auth=("mover", place.secret), timeout=10,
                        data={"grant_type": "client_credentials"}).status_code != 200:
        assert time.monotonic() < deadline, "the server does not know the client"
        time.sleep(0.1)
    yield place
    place.server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request, tmp_path):
    if request.param == "sqlite":
        place = Place(tmp_path / "new", NEW)
        yield place
        place.server.stop()
        return
    # PostgreSQL's own user must reach it.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        database = Database(Path(folder), "primary")
        database.make()
        database.sql("CREATE DATABASE moved")
        place = Place(tmp_path / "new", NEW, f"postgres://postgres@127.0.0.1:{database.port}/moved")
        yield place
        place.server.stop()
        database.close()


def key_of(target: Place) -> str:
    """Made where the file goes to."""
    made = subprocess.run([binary(), "backup", "key", "create", target.folder / "move.identity"], check=True,
                          capture_output=True, text=True)
    return made.stdout.strip()


def app_of(place: Place, secret: str) -> RelyingParty:
    client = APP.__class__("mover", secret, "client_secret_basic", APP.redirect_uris)
    return RelyingParty(Provider(place.server.base), client)


def test_users_and_clients_go_on_at_another_server(source, target):
    old_app = app_of(source, source.secret)
    refreshing = RefreshingApp(old_app, old_app.sign_in(person=OTTO, scope=ALL_SCOPES).refresh_token)
    is_over = threading.Event()
    worker = threading.Thread(target=refreshing.run_until, args=(is_over,))
    worker.start()
    file = target.folder / "project.export"
    try:
        made = json.loads(source.command("export", "--recipient", key_of(target), "--json", file))
    finally:
        is_over.set()
        worker.join()
    assert refreshing.refreshes > 0 and not (refreshing.unheard or refreshing.cut_off or refreshing.refusal)
    assert made["tables"]["user"] == CROWD + 2 and made["unreadable"] == {}
    assert file.stat().st_mode & 0o777 == 0o600 and b"ada.moved" not in file.read_bytes()

    assert target.call("password/signin", loginId=ADA.login, password=ADA.password).status_code == 400
    identity = ["--identity", target.folder / "move.identity"]
    trial = json.loads(target.command("import", *identity, "--dry-run", "--json", file))
    assert trial["imported_tables"]["user"] == CROWD + 2 and trial["collision_count"] == 0
    taken = json.loads(target.command("import", *identity, "--json", file))
    assert taken["imported_tables"] == trial["imported_tables"]

    # The server that runs sees it: the same password, the same authenticator, and no other.
    reference = target.half_way(ADA.login, ADA.password)
    assert target.call("password/signin", loginId=ADA.login, password="another-password").status_code == 400
    code = pyotp.TOTP(KEY).now()
    verified = target.call("totp/verify", reference, loginId=ADA.login, code=code)
    assert verified.status_code == 200 and verified.json()["user"]["userId"] == ADA.sub, verified.text
    again = target.call("totp/verify", target.half_way(ADA.login, ADA.password), loginId=ADA.login, code=code)
    assert again.status_code >= 400, "a code counts once"
    shown = json.loads(target.command("user", "show", ADA.login, "--json"))
    assert "reader" in json.dumps(shown) and "acme" in json.dumps(shown)

    # The client has its secret, and users sign in through it. A server looks once a second whether clients changed.
    time.sleep(1.5)
    app = app_of(target, source.secret)
    signed_in = app.sign_in(person=OTTO, scope=ALL_SCOPES)
    assert signed_in.claims["sub"] == OTTO.sub
    assert app.refresh(signed_in.refresh_token).status_code == 200
    token = requests.post(app.provider.endpoint("token"), timeout=20, auth=("mover", source.secret),
                          data={"grant_type": "client_credentials"})
    assert token.status_code == 200, token.text
    wrong = requests.post(app.provider.endpoint("token"), timeout=20, auth=("mover", source.secret + "x"),
                          data={"grant_type": "client_credentials"})
    assert wrong.status_code == 401

    # What was sealed is sealed with this server's secrets.
    connection = json.loads(target.command("connection", "show", "corp", "--json"))
    assert "ldaps://ldap.example.test" in json.dumps(connection)
    assert "project.exported" in source.kinds() and target.kinds().count("project.imported") == 1

    # The old server's keys sign nothing here, and its sessions are its own.
    assert app.refresh(refreshing.refresh_token).status_code == 400
    again = target.run("import", *identity, file)
    assert again.code == 2 and "is there already" in again.errors
    kept = json.loads(target.command("import", *identity, "--keep-existing", "--json", file))
    assert kept["imported"] == 0
    assert target.server.stop() == 0
    target.start()
    assert target.call("password/signin", loginId=OTTO.login, password=OTTO.password).status_code == 200


def test_a_killed_export_leaves_no_file(source, tmp_path):
    key = subprocess.run([binary(), "backup", "key", "create", tmp_path / "id"], check=True, capture_output=True,
                         text=True).stdout.strip()
    started = time.monotonic()
    source.command("export", "--recipient", key, tmp_path / "whole.export")
    usual = time.monotonic() - started
    killed = 0
    for number in range(KILLS):
        file = tmp_path / f"{number}.export"
        killed += kill_at_random(source.begin("export", "--recipient", key, file), usual)
        assert not file.exists() or file.stat().st_size >= (tmp_path / "whole.export").stat().st_size * 0.99
    assert killed > 0, "none was killed in time"
    assert source.call("password/signin", loginId=OTTO.login, password=OTTO.password).status_code == 200


def test_a_killed_import_leaves_nothing(source, target):
    file = target.folder / "project.export"
    source.command("export", "--recipient", key_of(target), file)
    assert target.server.stop() == 0
    identity = ["--identity", target.folder / "move.identity"]
    started = time.monotonic()
    target.command("import", *identity, "--dry-run", file)
    trial = time.monotonic() - started
    killed = done = 0
    for _ in range(KILLS):
        # The first one long before its end; the next ones anywhere. An import takes longer than the trial.
        killed += kill_at_random(target.begin("import", *identity, file), trial * 2 if killed else trial / 4)
        users = json.loads(target.command("user", "list", "--json", "--limit", "1"))
        imported = target.kinds().count("project.imported")
        assert bool(users) == bool(imported), "users without the event, or the event without users"
        done = imported
        if done:
            break
    assert killed > 0, "none was killed in time"
    if not done:
        target.command("import", *identity, file)
    target.start()
    assert target.half_way(ADA.login, ADA.password)
    assert target.kinds().count("project.imported") == 1
    if target.database.startswith("sqlite:"):
        connection = sqlite3.connect(target.folder / "keyturn.db")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("SELECT count(*) FROM user").fetchone() == (CROWD + 2,)
        connection.close()
