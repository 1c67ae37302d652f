"""Attacks 29, 73, 113: what a thief of the database or of the logs would find. Runs last, over everything seen."""

from __future__ import annotations

import pytest

from support.secrets_seen import seen

pytestmark = pytest.mark.late


def found_in(text: str) -> list[str]:
    return [f"{kind} {value[:6]}…" for value, kind in seen().items() if value in text]


def test_attack_113_no_secret_is_logged(server, early):
    """Passwords, codes, tokens, cookies, client secrets: none, at the most talkative level."""
    text = "\n".join(server.output) + server.log_text()
    assert len(seen()) > 5, "the suites saw hardly any secrets: the harness is broken"
    assert not found_in(text)


def test_attack_29_no_secret_is_stored(server, early):
    """Codes, tokens, cookies, secrets are kept as digests, passwords as hashes: a copy of the files opens nothing."""
    files = [path for path in server.folder.iterdir() if path.name.startswith("keyturn.db")]
    assert files, f"no database in {server.folder}"
    text = "".join(path.read_bytes().decode("latin-1") for path in files)
    assert not found_in(text)
