"""Devices without a keyboard, as RFC 8628 describes them: no code of ours."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import requests

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass
class Device:
    """A device that has asked for a code."""

    metadata: dict
    client: dict
    answer: dict

    @property
    def user_code(self) -> str:
        return self.answer["user_code"]

    def poll(self, **changes: str) -> requests.Response:
        """Asks whether somebody has decided."""
        form = {"grant_type": GRANT, "device_code": self.answer["device_code"], **self.client, **changes}
        return requests.post(self.metadata["token_endpoint"], data=form, timeout=30)

    def error(self) -> str:
        answer = self.poll()
        assert answer.status_code == 400, answer.text
        assert answer.headers["cache-control"] == "no-store"
        return answer.json()["error"]


def ask(issuer: str, client: dict, scope: str = "openid profile offline_access", **more: str) -> Device:
    """What a device does first: it finds the endpoint, and asks for a code."""
    metadata = requests.get(f"{issuer}/.well-known/oauth-authorization-server", timeout=30).json()
    answer = requests.post(
        metadata["device_authorization_endpoint"], data={"scope": scope, **client, **more}, timeout=30
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return Device(metadata, client, answer.json())


def let_time_pass(database: Path, seconds: int) -> None:
    """Moves everything that waits to be let in into the past."""
    with sqlite3.connect(database, timeout=30) as connection:
        connection.execute(
            "UPDATE device_authorization SET expires_at = expires_at - ?1, next_poll_at = next_poll_at - ?1", [seconds]
        )
    connection.close()
