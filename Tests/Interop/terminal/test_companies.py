"""Behind a company's proxy, at a server with a certificate of the company's own authority."""

from __future__ import annotations

import time

import pytest

from support.certificates import Authority
from support.command_line import REFUSED, UNREACHABLE, Run, answer
from support.tunnels import ConnectProxy, SecureFront
from terminal.conftest import HOST

# A connection that is refused is tried for ten seconds; what the user must mend is told before that.
AT_ONCE_SECONDS = 8


def timed(machine, *arguments: str) -> tuple[Run, float]:
    start = time.monotonic()
    return machine.run(*arguments), time.monotonic() - start


def check_told_at_once(machine, issuer: str, *words: str) -> Run:
    run, seconds = timed(machine, "login", "--issuer", issuer, "--no-browser")
    assert run.code == UNREACHABLE, str(run)
    assert all(word in run.errors for word in words), run.errors
    assert seconds < AT_ONCE_SECONDS, f"{seconds} s"
    return run


def test_a_sign_in_goes_through_the_proxy_and_the_authority_is_remembered(company, machine):
    machine.sign_in(company.issuer, company.visitor(), "--ca-file", str(company.authority.ca_file))
    assert company.proxy.asked and set(company.proxy.asked) == {f"{HOST}:443"}
    before = len(company.proxy.asked)
    assert machine.run("whoami").output.startswith("maria@example.test")
    assert len(company.proxy.asked) > before
    verified = answer(machine.start("verify", typing=True), machine.token().output)
    assert verified.is_done and verified.output.startswith("accepted"), str(verified)
    assert machine.run("logout").output == "Signed out."


def test_a_relative_path_is_remembered_as_the_file_that_it_was(company, machine):
    (machine.home / "ca.pem").write_bytes(company.authority.ca_file.read_bytes())
    machine.sign_in(company.issuer, company.visitor(), "--ca-file", "ca.pem")
    (machine.home / "ca.pem").rename(machine.home / "moved.pem")
    run = machine.run("whoami")
    assert run.code == REFUSED and f"{machine.home}/ca.pem" in run.errors, str(run)
    assert machine.run("whoami", "--ca-file", "moved.pem").is_done


def test_all_authorities_may_be_named_by_the_environment(company, machine):
    machine.environment["SSL_CERT_FILE"] = str(company.authority.ca_file)
    machine.sign_in(company.issuer, company.visitor())
    assert machine.run("whoami").is_done
    del machine.environment["SSL_CERT_FILE"]
    run, seconds = timed(machine, "whoami")
    assert run.code == UNREACHABLE and "is not trusted" in run.errors and seconds < AT_ONCE_SECONDS, str(run)
    assert machine.has_session(machine.token()), "nobody was signed out"


def test_a_certificate_of_an_unknown_authority_is_called_that_at_once(company, machine):
    check_told_at_once(
        machine, company.issuer, f"the certificate of https://{HOST} is not trusted", "--ca-file", "SSL_CERT_FILE")


def test_the_same_without_a_proxy(company, machine, tmp_path):
    del machine.environment["HTTPS_PROXY"]
    authority = Authority(tmp_path / "other")
    front = SecureFront(company.server.address[1], authority.server_context())
    check_told_at_once(machine, f"https://localhost:{front.port}", "is not trusted", "--ca-file")
    front.close()


def test_a_certificate_for_another_name_is_called_that_at_once(company, machine, tmp_path):
    other = Authority(tmp_path / "other", "mail.corp.test")
    front = SecureFront(company.server.address[1], other.server_context())
    proxy = ConnectProxy(front.port)
    machine.environment |= {"HTTPS_PROXY": proxy.address, "SSL_CERT_FILE": str(other.ca_file)}
    check_told_at_once(machine, company.issuer, "is for another name")
    proxy.close()
    front.close()


def test_a_file_without_certificates_is_named(company, machine):
    (machine.home / "empty.pem").write_text("nothing")
    run = machine.run("login", "--issuer", company.issuer, "--no-browser", "--ca-file", "empty.pem")
    assert run.code == REFUSED and "--ca-file" in run.errors and "holds no certificates" in run.errors, str(run)
    machine.environment["SSL_CERT_FILE"] = "/nowhere.pem"
    run = machine.run("login", "--issuer", company.issuer, "--no-browser")
    assert run.code == REFUSED and "SSL_CERT_FILE: /nowhere.pem" in run.errors, str(run)


def test_the_proxy_wants_a_password(company, machine):
    company.proxy.credentials = "ann:p@ss word"
    check_told_at_once(machine, company.issuer, "wants a user and a password", "HTTPS_PROXY")
    port = company.proxy.port
    machine.environment["HTTPS_PROXY"] = f"http://ann:wrong@127.0.0.1:{port}"
    refused = check_told_at_once(machine, company.issuer, "wants a user and a password")
    assert "wrong" not in refused.errors
    machine.environment["HTTPS_PROXY"] = f"http://ann:p%40ss%20word@127.0.0.1:{port}"
    machine.sign_in(company.issuer, company.visitor(), "--ca-file", str(company.authority.ca_file))


def test_the_proxy_refuses_or_is_not_there(company, machine):
    company.proxy.refuses = True
    check_told_at_once(machine, company.issuer, "does not connect to", HOST, "NO_PROXY")
    company.proxy.close()
    run = machine.run("login", "--issuer", company.issuer, "--no-browser")
    assert run.code == UNREACHABLE and f"the proxy 127.0.0.1:{company.proxy.port} (HTTPS_PROXY)" in run.errors, str(run)


@pytest.mark.parametrize("value", ["socks5://127.0.0.1:1080", "https://127.0.0.1:3128"])
def test_a_proxy_of_another_kind_is_refused_by_name(company, machine, value):
    machine.environment["HTTPS_PROXY"] = value
    run = machine.run("login", "--issuer", company.issuer, "--no-browser")
    assert run.code == REFUSED and "HTTPS_PROXY names no proxy" in run.errors, str(run)


@pytest.mark.parametrize("listed", [HOST, "x.example, .corp.test:443"])
def test_what_is_listed_is_asked_without_the_proxy(company, machine, listed):
    """No resolver knows the name."""
    machine.environment["NO_PROXY"] = listed
    run = machine.run("login", "--issuer", company.issuer, "--no-browser")
    assert run.code == UNREACHABLE and f"https://{HOST}" in run.errors, str(run)
    assert company.proxy.asked == []


def test_this_machine_is_asked_without_the_proxy(company, machine, site, visitor):
    machine.environment |= {name: company.proxy.address for name in ("HTTPS_PROXY", "HTTP_PROXY", "http_proxy")}
    machine.sign_in(site.issuer, visitor)
    assert machine.run("whoami").is_done and company.proxy.asked == []
