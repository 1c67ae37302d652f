"""`keyturn login --method`, the built program against a built server: each method, its session, and what goes wrong."""

from __future__ import annotations

import json
import re
import time

import pyotp
import pytest

from support.command_line import DONE, REFUSED, UNREACHABLE, Machine, Run, answer, finish
from support.messages import token_of
from support.methods import EMAIL, new_email, new_phone
from support.project import PROJECT_ID
from support.server import binary, free_port
from support.terminal import Terminal
from support.tokens import payload_of

NUMBER = re.compile(r"Follow link (\d\d)")


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "home")
    yield machine
    machine.close()


def login(machine: Machine, project, method: str, login_id: str, *more: str):
    """The command, waiting for what it asks."""
    return machine.start(
        "login", "--issuer", project.base, "--project", PROJECT_ID, "--method", method, "--login-id", login_id, *more,
        typing=True,
    )


def check_session(machine: Machine, run: Run, *methods: str) -> dict:
    """The command has signed in: its token is this project's, and says how."""
    assert run.code == DONE, f"the sign-in failed: {run}"
    token = machine.token()
    assert token.code == DONE, f"no token after the sign-in: {token}"
    claims = payload_of(token.output)
    assert claims["drn"] == "DS" and claims["aud"] == PROJECT_ID and set(claims["amr"]) == set(methods)
    assert token.output not in run.output and token.output not in run.errors
    return claims


def check_refusal(machine: Machine, run: Run) -> None:
    """Nobody is signed in, and one sentence says why."""
    assert run.code == REFUSED, str(run)
    assert run.errors.strip().splitlines()[-1].startswith("keyturn: "), run.errors
    assert machine.token().code == REFUSED


def test_code(project, machine):
    """Somebody new by mail; `logout` ends the session at the server too."""
    email = new_email()
    process = login(machine, project, "otp", email, "--sign-up")
    code = project.mail.take(email).code
    claims = check_session(machine, answer(process, code), "email")
    assert project.mgmt.user.load(email)["user"]["userId"] == claims["sub"]
    for options in ((), ("--offline",)):
        who = machine.run("whoami", *options)
        assert who.is_done and who.output.splitlines()[0] == email, f"{options}: {who}"
        assert claims["sub"] in who.output
    assert machine.run("logout").code == DONE
    assert machine.token().code == REFUSED


def test_code_by_text_message(project, machine):
    phone = new_phone()
    process = login(machine, project, "otp", phone, "--sign-up")
    check_session(machine, answer(process, project.texts.take(phone).code), "sms")


def test_wrong_code(project, machine):
    """A program gets the refusal at once, and the right code stays good."""
    email = new_email()
    project.sign_up(email)
    process = login(machine, project, "otp", email)
    code = project.mail.take(email).code
    check_refusal(machine, answer(process, f"{(int(code) + 1) % 10**6:06}"))
    project.tokens(project.client.otp.verify_code(EMAIL, email, code))


def test_password(project, machine):
    answered, password = project.sign_up_with_password()
    email = answered["user"]["loginIds"][0]
    check_refusal(machine, answer(login(machine, project, "password", email), f"{password}x"))
    run = answer(login(machine, project, "password", email), password)
    check_session(machine, run, "pwd")
    assert password not in run.output + run.errors


def test_the_session_renews_itself(quiet_project, machine):
    """A token lives for a second there: each later command renews the session where it was made."""
    answered, password = quiet_project.sign_up_with_password()
    run = answer(login(machine, quiet_project, "password", answered["user"]["loginIds"][0]), password)
    first = check_session(machine, run, "pwd")
    for _ in range(2):
        time.sleep(1.2)
        later = machine.run("token", "--min-ttl", "0")
        claims = payload_of(later.output)
        assert claims["gid"] == first["gid"] and claims["iat"] > first["iat"] and claims["drn"] == "DS"
        first = claims


def test_magic_link(project, machine):
    """Pasted as it stands in the mail."""
    email = new_email()
    process = login(machine, project, "magiclink", email, "--sign-up")
    link = project.mail.take(email).link
    check_session(machine, answer(process, link), "email")
    process = login(machine, project, "magiclink", email)
    project.mail.take(email)
    assert answer(process, link).code == REFUSED, "a link is good once"


def test_enchanted_link(project, machine):
    """The command waits until the right one is followed elsewhere."""
    email = new_email()
    project.sign_up(email)
    process = login(machine, project, "enchantedlink", email)
    shown = ""
    while not (number := NUMBER.search(shown)):
        line = process.stderr.readline() or process.stdout.readline()
        assert line, f"the number was not shown: {shown}"
        shown += line
    links = project.mail.take(email).numbered()
    assert process.poll() is None, "it does not wait"
    project.client.enchantedlink.verify(token_of(links[number.group(1)]))
    check_session(machine, finish(process), "email", "approval")


def test_authenticator(project, machine):
    email = new_email()
    key = project.client.totp.sign_up(email)["key"]
    now = time.time()
    project.tokens(project.client.totp.sign_in_code(email, pyotp.TOTP(key).at(now)))
    check_refusal(machine, answer(login(machine, project, "totp", email), pyotp.TOTP(key).at(now)))
    code = pyotp.TOTP(key).at(now + 30)
    check_session(machine, answer(login(machine, project, "totp", email), f"{code[:3]} {code[3:]}"), "totp")


def test_another_project_and_no_server(project, machine):
    email = new_email()
    run = finish(
        machine.start("login", "--issuer", project.base, "--project", "P2Other", "--method", "otp", "--login-id", email)
    )
    assert run.code == REFUSED, str(run)
    run = finish(
        machine.start(
            "login", "--issuer", f"http://127.0.0.1:{free_port()}", "--project", PROJECT_ID, "--method", "password",
            "--login-id", email,
        )
    )
    assert run.code in (REFUSED, UNREACHABLE), str(run)
    assert machine.token().code == REFUSED


def sign_in(machine: Machine, project, *more: str) -> tuple[Run, str]:
    """A sign-in with a password that names no project, and whose."""
    answered, password = project.sign_up_with_password()
    email = answered["user"]["loginIds"][0]
    options = ("--issuer", project.origin, "--method", "password", "--login-id", email)
    return answer(machine.start("login", *options, *more, typing=True), password), email


def test_the_project_is_found_and_its_token_verified(project, machine):
    """Without `--project`: the server says which one it is; `verify` knows what `token` prints."""
    run, email = sign_in(machine, project)
    claims = check_session(machine, run, "pwd")
    verified = answer(machine.start("verify", typing=True), machine.token().output)
    assert verified.code == DONE and verified.output.startswith("accepted (session token)"), str(verified)
    assert claims["sub"] in verified.output and PROJECT_ID in verified.output
    other = answer(machine.start("verify", "--audience", "P2Other", typing=True), machine.token().output)
    assert other.code in (REFUSED, UNREACHABLE) and "accepted" not in other.output.splitlines(), str(other)


def test_a_session_token_is_called_that(project, machine):
    """UserInfo refuses it: said at the sign-in, to a person who looks on, and to programs that ask for JSON."""
    run, _ = sign_in(machine, project)
    assert "the project's session token" in run.output and "UserInfo" in run.output, run.output
    terminal = Terminal([str(binary()), "token"], machine.environment, machine.home, columns=300)
    assert terminal.finish() == DONE
    terminal.close()
    assert "this is the project's session token" in terminal.text and "`keyturn login`" in terminal.text
    assert machine.token().errors == "", "the logs of jobs are not filled"
    assert json.loads(machine.run("token", "--json").output)["kind"] == "session_token"


def test_the_person_is_shown(project, machine):
    """By name: not by identifier, not by nothing, and not by an address that was only claimed."""
    run, email = sign_in(machine, project)
    check_session(machine, run, "pwd")
    listed = machine.run("sessions").output.splitlines()
    assert listed[0].split()[:2] == ["NAME", "PERSON"] and "Paul Pass" in listed[1] and email not in listed[1], listed
    assert machine.run("whoami", "--offline").output.splitlines()[0] == "Paul Pass"


def test_another_issuer_is_named(project, machine):
    """What the server calls itself, and what to pass."""
    run = finish(machine.start("login", "--issuer", project.base, "--no-browser"))
    assert run.code == REFUSED and f"--issuer {project.origin}" in run.errors, str(run)
    run = finish(machine.start("login", "--issuer", project.base, "--method", "password", "--login-id", new_email()))
    assert run.code == REFUSED and f"--issuer {project.origin}" in run.errors, str(run)


def test_a_refused_connection_is_named(machine):
    address = f"http://127.0.0.1:{free_port()}"
    run = finish(machine.start("login", "--issuer", address, "--no-browser"))
    assert run.code == UNREACHABLE and address in run.errors, str(run)


def test_nothing_typed(project, machine):
    """Standard input that ends is no answer; nothing stays behind."""
    email = new_email()
    project.sign_up(email)
    process = login(machine, project, "otp", email)
    process.stdin.close()
    process.stdin = None
    check_refusal(machine, finish(process))
    project.mail.take(email)


def test_two_people_on_one_machine(project, machine):
    """Each name has a session of its own."""
    first, second = project.sign_up_with_password(), project.sign_up_with_password()
    for name, (answered, password) in zip(("one", "two"), (first, second), strict=True):
        run = answer(
            login(machine, project, "password", answered["user"]["loginIds"][0], "--name", name), password
        )
        assert run.code == DONE, str(run)
    subjects = [payload_of(machine.run("token", "--name", name).output)["sub"] for name in ("one", "two")]
    assert subjects == [first[0]["userId"], second[0]["userId"]]
