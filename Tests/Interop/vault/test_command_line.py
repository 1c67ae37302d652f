"""`keyturn lock`, `unlock` and `--pin`, the built program against a built server."""

from __future__ import annotations

import base64
import json
import re

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from support.command_line import DONE, REFUSED, UNREACHABLE, Machine, answer
from support.server import Server


def lock(machine: Machine, pin: str = "1234", *more: str) -> None:
    run = answer(machine.start("lock", *more, typing=True), pin)
    assert run.is_done, str(run)


def test_a_session_is_locked_opened_and_locked_again_without_the_pin(signed_in):
    lock(signed_in)
    refused = signed_in.token()
    assert refused.code == REFUSED and "locked" in refused.errors and "keyturn unlock" in refused.errors
    assert signed_in.run("whoami", "--offline").code == REFUSED
    opened = answer(signed_in.start("unlock", typing=True), "1234")
    assert opened.is_done, str(opened)
    assert signed_in.has_session(signed_in.token()) and signed_in.has_session(signed_in.token())
    assert signed_in.run("unlock").is_done, "it is open"
    again = signed_in.run("lock", "--json")
    assert again.is_done and json.loads(again.output)["locked"] is True
    assert signed_in.token().code == REFUSED
    assert signed_in.run("lock").is_done, "it is locked"


def test_a_pin_for_one_command_leaves_it_locked(signed_in):
    lock(signed_in)
    assert signed_in.has_session(signed_in.run("token", "--pin", "1234"))
    assert signed_in.has_session(answer(signed_in.start("token", "--pin", "-", typing=True), "1234"))
    assert signed_in.run("whoami", "--pin", "1234").output.startswith("maria@example.test")
    assert signed_in.token().code == REFUSED
    # What was renewed in between is sealed: the next PIN finds it.
    assert signed_in.has_session(signed_in.run("token", "--pin", "1234", "--min-ttl", "595"))
    assert signed_in.has_session(signed_in.run("token", "--pin", "1234"))


def test_wrong_pins_are_counted_and_the_third_locks_for_good(signed_in, site, visitor):
    lock(signed_in)
    first = signed_in.run("unlock", "--pin", "0000", "--json")
    assert first.code == REFUSED and "2 tries are left" in first.errors
    assert json.loads(first.output)["remaining_attempts"] == 2
    second = signed_in.run("token", "--pin", "0001")
    assert second.code == REFUSED and "One more wrong one" in second.errors
    for pin in ["0002", "1234"]:
        run = signed_in.run("unlock", "--pin", pin)
        assert run.code == REFUSED and "lock --new-pin" in run.errors
    signed_in.sign_in(site.issuer, visitor)
    lock(signed_in, "5678", "--new-pin")
    assert signed_in.has_session(signed_in.run("token", "--pin", "5678"))


def test_without_the_server_nothing_opens_and_nothing_is_lost(tmp_path, machine):
    from vault.conftest import COMMAND_LINE
    from support.configuration import MARIA
    from support.visitor import Visitor

    site = Server(
        tmp_path / "site",
        {"clients": [COMMAND_LINE.entry()], "users": [MARIA.entry()], "key_service": {"enabled": True}})
    machine.sign_in(site.issuer, Visitor(site.base, site.issuer))
    lock(machine)
    assert site.stop() == 0
    run = machine.run("unlock", "--pin", "1234")
    assert run.code == UNREACHABLE and "cannot be reached" in run.errors
    assert machine.run("lock").is_done


def test_a_new_sign_in_is_not_replaced_by_what_lay_open(signed_in, site, visitor):
    lock(signed_in)
    assert signed_in.run("unlock", "--pin", "1234").is_done
    first = signed_in.session
    signed_in.sign_in(site.issuer, visitor)
    assert signed_in.session != first
    assert signed_in.has_session(signed_in.token())
    lock(signed_in, "1234")
    assert signed_in.has_session(signed_in.run("token", "--pin", "1234"))


def test_a_locked_session_is_listed_and_ends_with_its_pin_or_by_force(signed_in, site, visitor):
    lock(signed_in)
    assert "(locked)" in signed_in.run("sessions").output
    assert signed_in.run("logout").code == REFUSED
    assert signed_in.run("logout", "--pin", "1234").output == "Signed out."
    assert signed_in.token().code == REFUSED
    signed_in.sign_in(site.issuer, visitor)
    lock(signed_in, "1234")
    assert signed_in.run("logout", "--force").is_done
    assert signed_in.run("unlock", "--pin", "1234").code == REFUSED
    assert "Nobody is signed in" in signed_in.run("sessions").output


def test_nothing_to_lock_and_nothing_to_unlock(machine, signed_in):
    run = signed_in.run("unlock", "--pin", "1234")
    assert run.code == REFUSED and "under no PIN" in run.errors
    assert signed_in.run("lock", "--name", "nobody").code == REFUSED
    assert signed_in.run("lock", "--pin", "").code != DONE


def files(machine: Machine) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(machine.home.rglob("*")) if path.is_file()}


def opened(contents: dict[str, bytes]) -> list[bytes]:
    """What the sealed files hold for whoever has all of them: each is AES-GCM with a key that lies in another."""
    keys = {value for value in contents.values() if len(value) == 32}
    found = []
    for value in contents.values():
        if not value.startswith(b"KTS1"):
            continue
        head = 5 + value[4] + 8
        for name in names(contents):
            context = b"".join(
                len(part).to_bytes(4, "big") + part for part in [b"keyturn session v1", name, value[:head]]
            )
            for key in keys:
                try:
                    found.append(AESGCM(key).decrypt(value[head : head + 12], value[head + 12 :], context))
                except InvalidTag:
                    continue
    return found


def names(contents: dict[str, bytes]) -> list[bytes]:
    from hashlib import sha256

    from support.configuration import MARIA

    user = base64.urlsafe_b64encode(sha256(MARIA.sub.encode()).digest()).rstrip(b"=")
    places = [b"", b"/vault", b"/vault/" + user, b"/vault-open", b"/device-key"]
    return [b"default" + place for place in places]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_stolen_home_opens_only_while_the_session_is_open(signed_in, is_open):
    """Everything that lies there, by a program that is not ours: the sealed files, their keys, and every word in them
    as the key of what they seal."""
    lock(signed_in)
    if is_open:
        assert signed_in.run("unlock", "--pin", "1234").is_done
    contents = opened(files(signed_in))
    vault = next(json.loads(text) for text in contents if b'"items"' in text)
    assert signed_in.first_token.encode() not in b"".join(contents)
    sealed = decode(vault["session"]["sealed"])
    parts = [
        "keyturn vault v1", vault["alg"], vault["user"], vault["key_id"], "session", vault["session"]["sign_in"],
        str(vault["session"]["number"]),
    ]
    label = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    words = [word for text in contents for word in re.findall(rb"[A-Za-z0-9_=-]{20,}", text)]
    candidates = {key for word in words if (key := decode(word.decode()))} | set(contents)
    plain = []
    for candidate in candidates:
        for count in (16, 24, 32):
            for start in range(max(0, min(len(candidate), 512) - count) + 1):
                key = candidate[start : start + count]
                if len(key) != count:
                    continue
                try:
                    plain.append(AESGCM(key).decrypt(sealed[:12], sealed[12:], label))
                except InvalidTag:
                    continue
    assert bool(plain) == is_open
    if is_open:
        assert b'"access_token"' in plain[0]


def decode(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""
