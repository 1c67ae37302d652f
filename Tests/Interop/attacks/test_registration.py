"""Attack 3: addresses that nobody may register. Here that happens in the configuration file."""

from __future__ import annotations

import json
import subprocess

import pytest

from support.configuration import make_configuration
from support.server import binary


def check(folder, configuration: dict) -> subprocess.CompletedProcess:
    file = folder / "keyturn.json"
    file.write_text(json.dumps(configuration))
    return subprocess.run([binary(), "config", "check", "--config", file], capture_output=True, text=True, timeout=60)


def with_first_redirect(clients, address: str) -> dict:
    configuration = make_configuration(clients)
    configuration["clients"][0]["redirect_uris"] = [address]
    return configuration


def test_attack_03_the_suites_own_registrations_are_accepted(clients, tmp_path):
    result = check(tmp_path, make_configuration(clients))
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "address",
    [
        "https://app.example.test/callback#fragment",
        "javascript:alert(1)",
        "data:text/html,hello",
        "https://app.example.test/callback?code=1",
        "https://app.example.test/callback?state=1",
        "https://*.example.test/callback",
        "https://app.example.test/*",
    ],
)
def test_attack_03_address_is_refused(clients, tmp_path, address):
    """A mistake, said in words, before anything starts."""
    result = check(tmp_path, with_first_redirect(clients, address))
    assert result.returncode in (1, 2), f"exit code {result.returncode}: {result.stdout}{result.stderr}"
    assert "redirect" in (result.stdout + result.stderr)
