"""Two programs of one user that name no container: the command line, and a tool that was built with the SDK."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.command_line import Machine, Run, finish
from support.server import ServerFailed, binary
from support.site import Site


@pytest.fixture(scope="session")
def tool() -> Path:
    """The built example."""
    found = binary().parent / "ToolClient"
    if not found.exists():
        raise ServerFailed(f"no tool at {found}: run `swift build --product ToolClient`")
    return found


def start(tool: Path, site: Site, machine: Machine, *more: str) -> subprocess.Popen:
    """The tool, which calls an API that is not there: only its session matters."""
    return subprocess.Popen(
        [tool, "--issuer", site.issuer, "--api", site.issuer, "--no-browser", *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=machine.environment,
        cwd=machine.home,
        text=True,
    )


def sign_in(tool: Path, site: Site, machine: Machine) -> Run:
    process = start(tool, site, machine)
    try:
        address = next((line.split()[1] for line in process.stderr if line.startswith("Open http")), None)
        assert address, f"the tool did not ask for a sign-in: {finish(process)}"
        callback = site.visitor.authorize(address, {})
        site.visitor.session.get(callback.url, timeout=10).raise_for_status()
        return finish(process)
    finally:
        process.kill()


def is_signed_in(tool: Path, site: Site, machine: Machine) -> bool:
    """Whether the tool goes on without a sign-in."""
    process = start(tool, site, machine)
    try:
        if process.stderr.readline().startswith("Open http"):
            return False
        run = finish(process)
        assert "GET /me: " in run.output, run
        return True
    finally:
        process.kill()
        process.communicate()


def test_a_tool_at_one_server_and_the_command_line_at_another_keep_their_sessions(sites, tool):
    here, there = sites(2)
    machine = here.machine("machine")
    before = machine.run("whoami")
    assert before.is_done, before
    run = sign_in(tool, there, machine)
    assert "Signed in as" in run.output, run
    after = machine.run("whoami")
    assert after.is_done and after.output == before.output
    assert machine.has_session(machine.token())
    assert is_signed_in(tool, there, machine)


def test_two_tools_with_one_client_share_no_session(site, tool, tmp_path):
    machine = site.machine("machine")
    assert "Signed in as" in sign_in(tool, site, machine).output
    other = tmp_path / "another-tool"
    shutil.copy(tool, other)
    assert not is_signed_in(other, site, machine)
    assert is_signed_in(tool, site, machine)
    # Signing one program out leaves the others signed in.
    assert finish(start(tool, site, machine, "--logout")).is_done
    assert not is_signed_in(tool, site, machine)
    assert machine.has_session(machine.token())
