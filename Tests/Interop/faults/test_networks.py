"""Networks that repeat requests and answer in the service's place, and tokens that are shorter than what is asked for."""

from __future__ import annotations

import json
import subprocess
import time

import pytest

from support.command_line import REFUSED, UNREACHABLE
from support.proxy import Exchange, deliver, without_server
from support.server import binary
from support.tokens import payload_of

PAGE = b"<!doctype html><title>Guest network</title><p>Please pay."


def test_a_request_that_arrives_twice_gets_a_new_proof(site):
    """The network sends a refresh twice, and the answer to the second one arrives: its proof was used."""
    machine = site.machine("machine", expired=True)
    refused: list[bytes] = []

    def repeat_once(exchange: Exchange) -> bytes:
        site.proxy.treat_refresh = deliver
        refused.append(site.proxy.ask(exchange))
        return refused[0]

    site.proxy.treat_refresh = repeat_once
    run = machine.token()
    assert b"invalid_dpop_proof" in refused[0], "the server did not notice the second use"
    assert machine.has_session(run), str(run)


@pytest.mark.parametrize("status", [200, 302, 401, 403, 511])
def test_a_captive_portal_is_not_the_service(site, status):
    machine = site.machine("machine", expired=True)
    headers = {"Content-Type": "text/html", "Location": "https://portal.example/"}
    site.proxy.instead = lambda exchange: without_server(status, headers, PAGE)
    for command in (["token"], ["whoami"]):
        run = machine.run(*command)
        assert run.code == UNREACHABLE, str(run)
        assert "the sign-in page of a network or a proxy" in run.errors and "Nobody was signed out" in run.errors
    site.proxy.instead = lambda exchange: None
    assert machine.has_session(machine.token())


def test_a_token_is_valid_for_as_long_as_was_asked_for(sites):
    """Half a minute is less than five: refused, and said why. What the service can give is given."""
    [site] = sites(1, access_token_seconds=30)
    machine = site.machine("machine")
    run = machine.run("token", "--min-ttl", "300")
    assert run.code == REFUSED and run.output == "", str(run)
    assert "valid for 30 seconds" in run.errors or "valid for 29 seconds" in run.errors, run.errors
    time.sleep(4)
    run = machine.run("token", "--min-ttl", "28")
    assert machine.has_session(run), str(run)
    assert payload_of(run.output)["exp"] - time.time() > 26
    assert machine.has_session(machine.token()), "without a number, a short token is what there is"


def test_a_program_of_another_client_does_not_touch_the_command_lines_session(sites):
    """Two built programs of one user, at two services: the name that both give is not overwritten."""
    first, second = sites(2)
    machine = first.machine("machine")
    run = machine.run("login", "--issuer", second.issuer, "--no-browser")
    assert run.code == REFUSED and "choose another --name" in run.errors, str(run)
    assert machine.has_session(machine.token())
    listed = json.loads(machine.run("sessions", "--json").output)
    assert [(entry["name"], entry["issuer"]) for entry in listed] == [("default", first.issuer)]


def test_the_command_line_claims_the_session_it_signed_in(site):
    """An earlier release left no claim; the first command writes it, so that no other program takes the session over."""
    machine = site.machine("machine")
    folder = machine.home / "state" / "keyturn"
    claims = [path for path in folder.iterdir() if path.name == "default=2fowner"]
    assert claims, f"no claim in {sorted(path.name for path in folder.iterdir())}"
    subprocess.run(["rm", "-rf", *claims, machine.home / "config" / "keyturn" / "default=2fowner"], check=True)
    assert machine.has_session(machine.token())
    assert (folder / "default=2fowner").is_dir(), f"not written again by {binary().name}"
