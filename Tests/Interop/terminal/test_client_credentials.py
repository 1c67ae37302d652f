"""`keyturn login --client-credentials`: a job signs in as the client that it is."""

from __future__ import annotations

import json

import pytest

from support.command_line import REFUSED, Machine, Run, answer
from support.configuration import secret_of
from support.secrets_seen import remember
from support.tokens import payload_of
from terminal.conftest import JOBS


def log_in(machine: Machine, site, client: str, *more: str, secret: str | None = None) -> Run:
    secret = secret or secret_of(client)
    remember("client secret", secret)
    arguments = ["login", "--client-credentials", "--issuer", site.issuer, "--client-id", client, *more]
    return answer(machine.start(*arguments, "--client-secret-file", "-", typing=True), secret)


@pytest.mark.parametrize("client", list(JOBS))
def test_a_job_gets_tokens_as_the_client(machine, site, client):
    run = log_in(machine, site, client, "--scope", "reports.read", "--name", "job")
    assert run.is_done and f"the client {client}" in run.output, str(run)
    assert secret_of(client) not in run.output + run.errors
    token = machine.run("token", "--name", "job")
    claims = payload_of(token.output)
    assert claims["sub"] == f"client:{client}" and claims["scope"] == "reports.read"
    assert machine.run("token", "--name", "job").output == token.output, "asked for once while it is good"
    short = machine.run("token", "--name", "job", "--min-ttl", "86400")
    assert short.code == REFUSED and "shorter than --min-ttl" in short.errors, str(short)
    renewed = machine.run("token", "--name", "job")
    assert renewed.is_done and renewed.output != token.output, "a new one was asked for, and kept"
    assert machine.run("whoami", "--name", "job").output.startswith(client)
    listed = json.loads(machine.run("sessions", "--json").output)
    assert [(each["name"], each["method"], each["stored"]) for each in listed] == [("job", "client_credentials", "file")]
    assert json.loads(machine.run("token", "--name", "job", "--json").output)["kind"] == "access_token"


def test_the_secret_lies_sealed(machine, site):
    assert log_in(machine, site, "reports").is_done
    for file in machine.home.rglob("*"):
        assert file.is_dir() or secret_of("reports").encode() not in file.read_bytes(), str(file)


def test_the_secret_may_come_from_a_file_or_the_environment(machine, site, tmp_path):
    (tmp_path / "secret").write_text(secret_of("reports") + "\n")
    options = ["--issuer", site.issuer, "--client-id", "reports"]
    run = machine.run("login", "--client-credentials", *options, "--client-secret-file", str(tmp_path / "secret"))
    assert run.is_done, str(run)
    machine.environment["KEYTURN_CLIENT_SECRET"] = secret_of("reports")
    run = machine.run("login", "--client-credentials", *options, "--name", "other", "--json")
    answered = json.loads(run.output)
    assert answered["method"] == "client_credentials" and answered["client_id"] == "reports"


def test_a_wrong_secret_is_refused_and_nothing_is_kept(machine, site):
    run = log_in(machine, site, "reports", secret="a-secret-of-someone-else")
    assert run.code == REFUSED and "invalid_client" in run.errors, str(run)
    assert machine.token().code == REFUSED


def test_a_name_is_a_users_or_a_clients(machine, site, visitor):
    assert log_in(machine, site, "reports", "--name", "job").is_done
    run = machine.run("login", "--issuer", site.issuer, "--name", "job", "--no-browser")
    assert run.code == REFUSED and "`keyturn logout --name job`" in run.errors, str(run)
    lock = machine.run("lock", "--name", "job", "--pin", "1234")
    assert lock.code == REFUSED and "has no PIN" in lock.errors, str(lock)
    machine.sign_in(site.issuer, visitor)
    run = log_in(machine, site, "reports")
    assert run.code == REFUSED and "`keyturn logout`" in run.errors, str(run)
    assert machine.has_session(machine.token())


def test_a_sign_out_forgets_the_secret(machine, site):
    assert log_in(machine, site, "reports", "--name", "job").is_done
    assert machine.run("logout", "--name", "job").output == "Signed out."
    run = machine.run("token", "--name", "job")
    assert run.code == REFUSED and "`keyturn login --client-credentials" in run.errors, str(run)
    assert machine.run("logout", "--name", "job").output == "Nobody was signed in."
