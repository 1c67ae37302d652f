"""The command line through the network: the same commands, with a management key or an operator's sign-in."""

from __future__ import annotations

import json
import re
import subprocess
import time

import pytest

from support.command_line import DONE, REFUSED, UNREACHABLE, Machine, answer, finish
from support.console import ConsoleUser
from support.server import Server, free_port

PASSWORD = "correct-horse-battery"
KEY = "a-management-key-for-the-tests-of-the-command-line"
SCOPE = "openid profile email offline_access keyturn:management"

# What differs between two servers: identifiers, secrets, digests, moments.
CHANGING = re.compile(
    r"(?<![\w-])[\w-]{20,}(?![\w-])|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z|\b1[78]\d{8}\b"
)

COMMANDS = [
    ["user", "list"],
    ["user", "create", "ann@example.com", "+4512345678", "--name", "Ann", "--verified", "--no-password"],
    ["user", "create", "ann@example.com", "--no-password"],
    ["user", "show", "ann@example.com"],
    ["user", "show", "nobody@example.com"],
    ["user", "list", "ann", "--status", "active"],
    ["tenant", "list"],
    ["tenant", "create", "harbour", "--name", "Harbour Tickets", "--domain", "harbour.example"],
    ["tenant", "create", "harbour"],
    ["tenant", "list"],
    ["role", "create", "clerk", "--permission", "tickets.sell", "--tenant", "harbour", "--description", "Sells."],
    ["role", "create", "helper"],
    ["role", "list"],
    ["role", "list", "--tenant", "harbour"],
    ["user", "assign", "ann@example.com", "--tenant", "harbour"],
    ["user", "assign", "ann@example.com", "--tenant", "harbour", "--role", "clerk"],
    ["user", "assign", "ann@example.com", "--role", "helper"],
    ["user", "unassign", "ann@example.com", "--role", "helper"],
    ["user", "disable", "ann@example.com"],
    ["user", "list", "--status", "disabled"],
    ["user", "enable", "ann@example.com"],
    ["user", "end-sessions", "ann@example.com"],
    ["client", "create", "shop", "--redirect-uri", "https://shop.example/back", "--name", "Shop"],
    ["client", "create", "app", "--public", "--first-party", "--redirect-uri", "com.example.app:/back",
     "--scope", "openid profile"],
    ["client", "create", "shop", "--redirect-uri", "https://shop.example/back"],
    ["client", "create", "bad", "--redirect-uri", "http://shop.example/#x"],
    ["client", "list"],
    ["client", "show", "app"],
    ["client", "show", "nothing"],
    ["client", "rotate-secret", "shop", "--keep-old"],
    ["client", "rotate-secret", "app"],
    ["client", "remove", "shop"],
    ["client", "remove", "shop"],
    ["key", "list"],
    ["key", "rotate"],
    ["key", "drop", "no-such-key"],
    ["message", "dead"],
    ["operator", "list"],
    ["operator", "grant", "ann@example.com", "--role", "support"],
    ["operator", "grant", "ann@example.com", "--role", "support"],
    ["operator", "grant", "ann@example.com", "--role", "king"],
    ["operator", "list"],
    ["operator", "remove", "ann@example.com"],
    ["operator", "remove", "ann@example.com"],
    ["scim", "token", "list", "--tenant", "harbour"],
    ["scim", "token", "create", "--tenant", "harbour", "--name", "directory", "--days", "30"],
    ["scim", "token", "create", "--tenant", "harbour", "--days", "0"],
    ["scim", "token", "list", "--tenant", "harbour"],
    ["scim", "token", "revoke", "nothing", "--tenant", "harbour"],
    ["audit", "--action", "tenant.created"],
    ["audit", "--user", "ann@example.com", "--since", "1h", "--action", "user.created"],
    ["role", "delete", "clerk", "--tenant", "harbour"],
    ["tenant", "delete", "harbour"],
    ["user", "delete", "ann@example.com"],
    ["user", "delete", "ann@example.com"],
]


def configuration(**more) -> dict:
    return {
        "issuer": "auto",
        "project": {"name": "Harbour", "management_keys": [KEY]},
        "clients": [{
            "client_id": "keyturn-cli", "client_name": "Command line", "redirect_uris": ["http://127.0.0.1/callback"],
            "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
            "application_type": "native", "first_party": True, "scope": SCOPE,
        }],
        "users": [
            {"email": f"{name}@example.com", "email_verified": True, "password": PASSWORD, "name": name} | (
                {"console_role": role} if role else {})
            for name, role in [("olga", "owner"), ("sam", "support"), ("nina", None)]
        ],
    } | more


@pytest.fixture
def make_server(tmp_path):
    servers: list[Server] = []

    def make(name: str) -> Server:
        servers.append(Server(tmp_path / name, configuration()))
        return servers[-1]

    yield make
    for server in servers:
        assert server.stop() == 0, server.log_tail()


@pytest.fixture
def machine(tmp_path):
    machine = Machine(tmp_path / "machine")
    yield machine
    machine.close()


def with_key(machine: Machine, server: Server) -> Machine:
    machine.environment |= {"KEYTURN_SERVER": server.base, "KEYTURN_MANAGEMENT_KEY": KEY}
    return machine


def masked(text: str) -> str:
    return CHANGING.sub("…", text)


def columns(text: str) -> list[str]:
    """Widths and order follow the identifiers: only the words of each line count."""
    return sorted(" ".join(line.split()) for line in masked(text).splitlines())


def test_each_command_says_the_same_as_on_the_database(make_server, machine, tmp_path):
    """Two servers get the same commands, one on its file, the other through the network."""
    near, far = make_server("near"), make_server("far")
    local = Machine(tmp_path / "local")
    remote = with_key(machine, far)
    database = ["--database", f"sqlite:{near.folder}/keyturn.db"]
    config = ["--config", str(near.config), *database]
    differences = []
    for command in COMMANDS:
        here = local.run(*command, *(config if command[0] == "key" else database))
        there = remote.run(*command)
        if here.code != there.code:
            differences.append(f"{command}: {here} | {there}")
        elif here.code == DONE and command[0] != "audit" and columns(here.output) != columns(there.output):
            differences.append(f"{command}:\n{here.output}\n---\n{there.output}")
        elif here.code != DONE and not there.errors.startswith("keyturn: "):
            differences.append(f"{command}: {there.errors}")
        elif command[0] == "audit" and len(here.output.splitlines()) != len(there.output.splitlines()):
            differences.append(f"{command}:\n{here.output}\n---\n{there.output}")
    assert not differences, "\n".join(differences)
    local.close()


JSON_COMMANDS = [
    ["user", "list", "--json"], ["user", "show", "olga@example.com", "--json"], ["tenant", "create", "t1", "--json"],
    ["tenant", "list", "--json"], ["role", "create", "clerk", "--json"], ["role", "list", "--json"],
    ["client", "create", "shop", "--redirect-uri", "https://shop.example/back", "--json"],
    ["client", "list", "--json"], ["client", "rotate-secret", "shop", "--json"], ["message", "dead", "--json"],
    ["operator", "list", "--json"], ["operator", "grant", "nina@example.com", "--role", "viewer", "--json"],
    ["scim", "token", "create", "--tenant", "t1", "--json"], ["scim", "token", "list", "--tenant", "t1", "--json"],
    ["user", "end-sessions", "olga@example.com", "--json"], ["audit", "--action", "tenant.created", "--json"],
]
# What the interface does not tell.
LOCAL_ALONE = {"updated_at", "previous", "digest", "changes_digest"}
REMOTE_ALONE = {"address"}


def members(value) -> set[str]:
    """The names of all members, with the path to them."""
    if isinstance(value, list):
        return set().union(*(members(element) for element in value)) if value else set()
    if isinstance(value, dict):
        return set().union(*({name} | {f"{name}.{inner}" for inner in members(below)} for name, below in value.items()))
    return set()


def test_programs_read_the_same_members(make_server, machine, tmp_path):
    near, far = make_server("near"), make_server("far")
    local, remote = Machine(tmp_path / "local"), with_key(machine, far)
    for command in JSON_COMMANDS:
        here = local.run(*command, "--database", f"sqlite:{near.folder}/keyturn.db")
        there = remote.run(*command)
        assert here.is_done and there.is_done, f"{command}: {here} | {there}"
        mine, other = members(json.loads(here.output)), members(json.loads(there.output))
        assert mine - other <= LOCAL_ALONE and other - mine <= REMOTE_ALONE, f"{command}: {mine ^ other}"
    local.close()


def test_a_password_goes_through_standard_input(make_server, machine):
    server = make_server("server")
    remote = with_key(machine, server)
    done = answer(remote.start("user", "create", "bob@example.com", typing=True), PASSWORD)
    assert done.is_done and PASSWORD not in server.log_text(), str(done)
    weak = answer(remote.start("user", "password", "bob@example.com", typing=True), "x")
    assert weak.code == REFUSED and "password" in weak.errors.lower(), str(weak)
    done = answer(remote.start("user", "password", "bob@example.com", typing=True), PASSWORD + "-new")
    assert done.is_done, str(done)


def heard(machine: Machine, action: str) -> list[dict]:
    """Events are written within a second."""
    deadline = time.monotonic() + 10
    while not (events := json.loads(machine.run("audit", "--action", action, "--json").output)):
        assert time.monotonic() < deadline, f"no {action}"
        time.sleep(0.2)
    return events


def sign_in(machine: Machine, server: Server, chromium, user: ConsoleUser, *more: str):
    """`keyturn login --operator`, at a real browser."""
    login = machine.start("login", "--operator", "--issuer", server.base, "--no-browser", *more)
    context = chromium.new_context(locale="en-US")
    try:
        user.open_address(
            context.new_page(), next(line.strip() for line in login.stdout if line.startswith("http")))
        return finish(login)
    finally:
        login.kill()
        context.close()


def test_operators_sign_in_with_a_second_factor(make_server, machine, chromium, tmp_path):
    server = make_server("server")
    machine.environment["KEYTURN_SERVER"] = server.base
    nothing = machine.run("user", "list")
    assert nothing.code == REFUSED and "keyturn login --operator" in nothing.errors, str(nothing)
    olga = ConsoleUser(server.base, "olga@example.com", PASSWORD)
    signed_in = sign_in(machine, server, chromium, olga)
    assert signed_in.is_done and "olga@example.com" in signed_in.output, str(signed_in)
    assert olga.secret, "the sign-in set up no second factor"
    users = json.loads(machine.run("user", "list", "--json").output)
    assert {"olga@example.com", "sam@example.com"} <= {i["value"] for user in users for i in user["identifiers"]}
    assert machine.run("user", "disable", "nina@example.com").is_done
    assert machine.run("operator", "grant", "sam@example.com", "--role", "viewer").is_done
    assert machine.run("key", "rotate").is_done
    events = heard(machine, "user.status")
    sub = next(u["sub"] for u in users if any(i["value"] == "olga@example.com" for i in u["identifiers"]))
    assert events[-1]["actor"] == sub and events[-1]["address"] == "127.0.0.1", events
    # Signing out ends it, and the ordinary session under another name was never touched.
    assert machine.run("logout", "--name", "operator").is_done
    assert machine.run("user", "list").code == REFUSED


def test_a_lower_role_is_refused_with_the_role_that_it_needs(make_server, machine, chromium):
    server = make_server("server")
    machine.environment["KEYTURN_SERVER"] = server.base
    sam = ConsoleUser(server.base, "sam@example.com", PASSWORD)
    assert sign_in(machine, server, chromium, sam, "--name", "sam").is_done
    assert machine.run("user", "list", "--as", "sam").is_done
    for command in [["key", "rotate"], ["client", "remove", "keyturn-cli"], ["operator", "remove", "olga@example.com"]]:
        refused = machine.run(*command, "--as", "sam")
        assert refused.code == REFUSED and "the role" in refused.errors, f"{command}: {refused}"
    refused = machine.run("user", "disable", "olga@example.com", "--as", "sam")
    assert refused.code == REFUSED and "role owner" in refused.errors, str(refused)


def test_mistakes_are_explained(make_server, machine):
    server = make_server("server")
    wrong = {"KEYTURN_MANAGEMENT_KEY": "a-wrong-key"}
    machine.environment |= wrong
    refused = machine.run("user", "list", "--server", server.base)
    assert refused.code == REFUSED and "management key" in refused.errors, str(refused)
    both = machine.run("user", "list", "--server", server.base, "--database", "sqlite:x.db")
    assert both.code == REFUSED and "say one" in both.errors, str(both)
    silent = machine.run("user", "list", "--server", f"http://127.0.0.1:{free_port()}")
    assert silent.code == UNREACHABLE, str(silent)
    plain = machine.run("user", "list", "--server", "http://id.example.com")
    assert plain.code == REFUSED and "https" in plain.errors, str(plain)
    missing = machine.run("user", "list", "--server", server.base, "--key-file", "/nowhere")
    assert missing.code == REFUSED and "cannot be read" in missing.errors, str(missing)
    help_text = subprocess.run(
        [*map(str, [machine.start("user", "list", "--help").args[0], "user", "list", "--help"])], capture_output=True,
        text=True, timeout=30, check=True).stdout
    assert "THROUGH THE NETWORK" in help_text and "--server" in help_text
