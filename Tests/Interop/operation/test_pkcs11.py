"""Signing keys in a PKCS #11 token: SoftHSM, with the program and its commands as separate processes."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from support.command_line import REFUSED, Machine
from support.configuration import MARIA
from support.relying_party import Provider, RelyingParty
from support.server import Server, ServerFailed, free_port
from support.site import APP
from support.visitor import Visitor

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "271828"
SECRET = "service-secret-service-secret-service"
ALGORITHMS = ["ES256", "RS256"]


@pytest.fixture
def hsm(tmp_path):
    """Two tokens in a folder of their own; the environment that finds them."""
    tokens = tmp_path / "tokens"
    tokens.mkdir()
    configuration = tmp_path / "softhsm2.conf"
    configuration.write_text(f"directories.tokendir = {tokens}\nobjectstore.backend = file\nlog.level = ERROR\n")
    environment = {"SOFTHSM2_CONF": str(configuration)}
    for label in ["keyturn", "empty"]:
        subprocess.run(
            ["softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "31415926", "--pin", PIN],
            env=os.environ | environment, check=True, capture_output=True, timeout=30)
    return environment


def configuration(**token) -> dict:
    return {
        "issuer": "auto",
        "pkcs11": {"module": MODULE, "token": "keyturn", "pin": PIN} | token,
        "clients": [{
            "client_id": "service", "client_secret": SECRET, "grant_types": ["client_credentials"],
        }],
    }


def verified(server: Server) -> dict:
    """The claims of a new access token, checked with the published keys by another library."""
    answer = requests.post(
        f"{server.base}/oauth2/token", data={"grant_type": "client_credentials"}, auth=("service", SECRET), timeout=20)
    assert answer.status_code == 200, answer.text
    keys = KeySet.import_key_set(requests.get(f"{server.base}/oauth2/jwks", timeout=20).json())
    return jwt.decode(answer.json()["access_token"], keys, algorithms=ALGORITHMS).claims


def objects(hsm: dict) -> int:
    folder = Path(hsm["SOFTHSM2_CONF"]).parent / "tokens"
    return sum(1 for path in folder.rglob("*.object") if path.name != "token.object")


def test_keys_live_in_the_token(hsm, tmp_path):
    server = Server(tmp_path / "server", configuration(), environment=hsm)
    machine = Machine(tmp_path / "machine")
    machine.environment |= hsm
    try:
        assert verified(server)["iss"] == server.issuer
        wait_for(lambda: objects(hsm) == 4, "two key pairs")
        # What the database keeps is an address, and no key opens with it alone.
        with sqlite3.connect(f"{server.folder}/keyturn.db") as database:
            sealed = [row[0] for row in database.execute("SELECT sealed FROM signing_key")]
        # A sealed PKCS #8 of RSA has more than a thousand bytes, an address below two hundred.
        assert len(sealed) == 2 and all(len(value) < 250 for value in sealed), [len(value) for value in sealed]
        options = ["--config", str(server.config), "--database", f"sqlite:{server.folder}/keyturn.db"]
        # Another process makes a key, and the running server signs with it.
        before = json.loads(machine.run("key", "list", "--json", *options[2:]).output)
        kid = next(key["kid"] for key in before if key["alg"] == "ES256")
        dropped = machine.run("key", "drop", kid, *options)
        assert dropped.is_done and "signs now" in dropped.output, str(dropped)
        wait_for(lambda: key_id(server) not in (kid, None), "the new key signs")
        verified(server)
    finally:
        server.stop()
    # It goes on with the same keys.
    server = Server(tmp_path / "server", configuration(), environment=hsm)
    try:
        verified(server)
    finally:
        assert server.stop() == 0, server.log_tail()
    # Without the token no server starts, and nothing is changed.
    for change, words in [
        ({"pin": "000000"}, "PIN"), ({"token": "nothing"}, "no token"), ({"module": "/nowhere.so"}, "module"),
        ({"token": "empty"}, "no such key"),
    ]:
        with pytest.raises(ServerFailed):
            Server(tmp_path / "server", configuration(**change), environment=hsm)
        assert words in (tmp_path / "server" / "server.log").read_text().splitlines()[-1], change
    plain = {name: value for name, value in configuration().items() if name != "pkcs11"}
    with pytest.raises(ServerFailed):
        Server(tmp_path / "server", plain)
    assert "pkcs11" in (tmp_path / "server" / "server.log").read_text().splitlines()[-1]
    machine.close()


def key_id(server: Server) -> str | None:
    """The key that signs now; `None`: the server asks to try again in a moment."""
    answer = requests.post(
        f"{server.base}/oauth2/token", data={"grant_type": "client_credentials"}, auth=("service", SECRET), timeout=20)
    if answer.status_code == 503:
        return None
    header = answer.json()["access_token"].split(".")[0]
    # Not checked: the key may be gone from the published ones by now.
    return json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]


def wait_for(condition, what: str) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, f"not within 30 s: {what}"
        time.sleep(0.2)


def test_a_lost_token_spends_nothing(hsm, tmp_path):
    """The objects go away while the server runs: 503, and the app keeps its session. SoftHSM finds them again in a new
    process."""
    port = free_port()
    settings = configuration() | {
        "issuer": f"http://127.0.0.1:{port}", "clients": [*configuration()["clients"], APP.entry()],
        "users": [MARIA.entry()],
    }
    server = Server(tmp_path / "server", settings, port=port, environment=hsm)
    try:
        verified(server)
        wait_for(lambda: objects(hsm) == 4, "two key pairs")
        party = RelyingParty(Provider(server.base), APP)
        token = party.sign_in(Visitor(server.base)).refresh_token
        tokens = Path(hsm["SOFTHSM2_CONF"]).parent / "tokens"
        shutil.move(tokens, tokens.with_name("away"))
        wait_for(lambda: ask(server) in (500, 503), "the loss is noticed")
        assert ask(server) == 503, server.log_tail()
        before = counter(server)
        assert party.refresh(token).status_code == 503
        assert counter(server) == before, "the refresh token was spent"
    finally:
        assert server.stop() == 0, server.log_tail()
    shutil.move(tokens.with_name("away"), tokens)
    server = Server(tmp_path / "server", settings, port=port, environment=hsm)
    try:
        verified(server)
        party.accepted(party.refresh(token))
    finally:
        assert server.stop() == 0, server.log_tail()


def counter(server: Server) -> int:
    with sqlite3.connect(f"{server.folder}/keyturn.db") as database:
        return database.execute("SELECT max(counter) FROM grant_ WHERE client_id = 'app'").fetchone()[0]


def ask(server: Server) -> int:
    return requests.post(
        f"{server.base}/oauth2/token", data={"grant_type": "client_credentials"}, auth=("service", SECRET), timeout=30,
    ).status_code


def test_mistakes_in_the_file_are_named(tmp_path):
    machine = Machine(tmp_path / "machine")
    for section, words in [
        ({"token": "t", "pin": "1234"}, "module"), ({"module": MODULE, "pin": "1234"}, "token"),
        ({"module": MODULE, "token": "t"}, "PIN"), ({"module": "softhsm.so", "token": "t", "pin": "1"}, "whole path"),
        ({"module": MODULE, "token": "t" * 33, "pin": "1"}, "32 bytes"),
        ({"module": MODULE, "token": "t", "pin": "1", "pin_file": "/x"}, "pin_file"),
        ({"module": MODULE, "token": "t", "pin_file": "/nowhere"}, "cannot be read"),
        ({"module": MODULE, "token": "t", "pin_file": "/dev/null"}, "is empty"),
    ]:
        path = tmp_path / "keyturn.json"
        path.write_text(json.dumps({"issuer": "https://id.example.com", "pkcs11": section}))
        found = machine.run("config", "check", "--config", str(path))
        assert found.code == REFUSED and words in found.output + found.errors, f"{section}: {found}"
    machine.close()
