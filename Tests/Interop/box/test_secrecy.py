"""Attacks 29 and 113 over everything that these clients sent and got. Runs last."""

from __future__ import annotations

import pytest

from support.secrets_seen import seen

pytestmark = pytest.mark.late


def found_in(text: str) -> list[str]:
    return [f"{kind} {value[:6]}…" for value, kind in seen().items() if value in text]


def test_attack_113_no_secret_is_logged(enterprise):
    """Statements and exchanged tokens are among them, at the most talkative level."""
    assert len(seen()) > 2, "no client's secret was seen: the harness is broken"
    assert not found_in("\n".join(enterprise.server.output) + enterprise.server.log_text())


def test_attack_29_no_secret_is_stored(enterprise):
    """Not in the database, nor in what SQLite keeps beside it."""
    files = [path for path in enterprise.database.parent.iterdir() if path.name.startswith("keyturn.db")]
    assert files and not found_in("".join(path.read_bytes().decode("latin-1") for path in files))
