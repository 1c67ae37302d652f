"""What the command line says: where a session lies, what to do over SSH, and commands as they were typed."""

from __future__ import annotations

import json
import shutil

import pytest

from support.command_line import REFUSED, Machine
from support.server import binary
from support.terminal import Terminal

SSH = {"SSH_CONNECTION": "192.0.2.7 50122 192.0.2.8 22"}


def stored(machine: Machine, folder: str = "default") -> str:
    return str(machine.home / "state" / "keyturn" / folder)


def test_where_the_session_lies_is_told(machine, site, visitor):
    """No keyring is here: a sealed file, in a folder that is named."""
    run = machine.log_in(site.issuer, visitor)
    assert "no keyring is open" in run.output and stored(machine) in run.output, run.output
    machine.log_in(site.issuer, visitor, "--name", "work")
    listed = machine.run("sessions").output.splitlines()
    assert listed[0].endswith("STORED IN") and [line.split()[-1] for line in listed[1:]] == [
        stored(machine), stored(machine, "work"),
    ]
    entries = json.loads(machine.run("sessions", "--json").output)
    assert [(each["name"], each["stored"], each["path"]) for each in entries] == [
        ("default", "file", stored(machine)), ("work", "file", stored(machine, "work")),
    ]


def test_programs_are_told_too(machine, site, visitor):
    login = machine.start("login", "--issuer", site.issuer, "--no-browser", "--json")
    address = next(line.strip() for line in login.stderr if line.startswith("http"))
    visitor.session.get(visitor.authorize(address, {}).url, timeout=60).raise_for_status()
    answer = json.loads(login.communicate(timeout=60)[0])
    assert answer["stored"] == "file" and answer["path"] == stored(machine)
    assert answer["issuer"] == site.issuer and answer["name"] == "default"


@pytest.mark.parametrize(("more", "is_offered"), [({}, True), ({"DISPLAY": ":0"}, False)])
def test_over_ssh_a_code_for_another_device_is_offered(machine, site, more, is_offered):
    environment = machine.environment | SSH | more
    arguments = ["login", "--issuer", site.issuer, "--no-browser", "--name", "work"]
    terminal = Terminal([str(binary()), *arguments], environment, machine.home, columns=200)
    terminal.wait_for(r"\nhttp\S+\s")
    terminal.interrupt()
    terminal.finish(15)
    terminal.close()
    command = f"keyturn login --device --issuer {site.issuer} --name work"
    assert (f"`{command}`" in terminal.text) == is_offered, terminal.text


def test_commands_are_named_with_the_options_that_were_used(machine, site, visitor, end_sessions):
    nothing = machine.run("token", "--name", "work")
    assert nothing.code == REFUSED and "`keyturn login --issuer URL --name work`" in nothing.errors
    machine.log_in(site.issuer, visitor, "--name", "work")
    end_sessions()
    ended = machine.run("token", "--name", "work", "--min-ttl", "3600")
    assert ended.code == REFUSED and "`keyturn login --no-browser --name work`" in ended.errors, str(ended)
    machine.environment["KEYTURN_ISSUER"] = "https://elsewhere.example"
    nobody = machine.run("token", "--name", "work")
    assert f"`keyturn login --no-browser --issuer {site.issuer} --name work`" in nobody.errors, str(nobody)


def test_a_sign_in_at_another_server_names_the_sign_out(machine, site, visitor):
    machine.log_in(site.issuer, visitor, "--name", "work")
    run = machine.run("login", "--issuer", "https://elsewhere.example", "--name", "work")
    assert run.code == REFUSED and "`keyturn logout --name work`" in run.errors, str(run)


def test_a_lost_key_is_told_and_a_sign_in_replaces_the_session(machine, site, visitor):
    machine.sign_in(site.issuer, visitor)
    (machine.home / "config" / "keyturn" / "default" / "key").unlink()
    for command in (["token"], ["whoami"], ["whoami", "--offline"], ["logout"]):
        run = machine.run(*command)
        assert run.code == REFUSED and "never be read again" in run.errors, f"{command}: {run}"
        assert "`keyturn login --no-browser`" in run.errors and "`keyturn logout --force`" in run.errors
    assert "store.key_lost" in machine.run("sessions").output
    machine.sign_in(site.issuer, visitor)
    assert machine.has_session(machine.token())


def test_with_all_keys_lost_a_sign_in_or_a_forced_sign_out_helps(machine, site, visitor):
    """A backup of `~/.local` without `~/.config`: what is remembered is lost with the keys."""
    for ends in (False, True):
        machine.sign_in(site.issuer, visitor)
        shutil.rmtree(machine.home / "config")
        run = machine.token()
        assert run.code == REFUSED and "`keyturn login --issuer URL`" in run.errors, str(run)
        if ends:
            assert machine.run("logout", "--force").output == "Signed out."
            assert "nobody is signed in" in machine.token().errors
        machine.sign_in(site.issuer, visitor)
        assert machine.has_session(machine.token())
