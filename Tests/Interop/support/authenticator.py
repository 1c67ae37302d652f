"""The software authenticator: `keyturn-authenticator`, which speaks JSON, a line each way."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from itertools import count
from pathlib import Path

from support.server import ServerFailed, binary, die_with_parent

ES256, EDDSA, ES384, ES512, PS256, RS256 = -7, -8, -35, -36, -37, -257
ALGORITHMS = {"ES256": ES256, "EdDSA": EDDSA, "ES384": ES384, "ES512": ES512, "PS256": PS256, "RS256": RS256}

_seeds = count(1)


class Declined(RuntimeError):
    """The authenticator did not do it; `name` is the exception that a browser would have raised."""

    def __init__(self, name: str, reason: str):
        super().__init__(f"{name}: {reason}")
        self.name, self.reason = name, reason


def encode(data: bytes) -> str:
    """Unpadded base64url."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    assert re.fullmatch(r"[A-Za-z0-9_-]*", text), f"not unpadded base64url: {text!r}"
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def program() -> Path:
    found = binary().parent / "keyturn-authenticator"
    if not os.access(found, os.X_OK):
        raise ServerFailed(f"no authenticator at {found}: run `swift build --product keyturn-authenticator`")
    return found


class Authenticator:
    """One authenticator. `behaviour` in Python's spelling: `user_verified`, `counter_step`, `origin`, `algorithms`, …"""

    def __init__(self, seed: str | None = None, **behaviour):
        self._process = subprocess.Popen(
            [program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent
        )
        self._ask({"command": "begin", "seed": seed or f"interop-{os.getpid()}-{next(_seeds)}"}, behaviour)

    def create(self, options: dict, **behaviour) -> dict:
        """What `navigator.credentials.create()` gives, as `toJSON()` spells it."""
        return self._ask({"command": "create", "options": options}, behaviour)["credential"]

    def get(self, options: dict, credential: str | None = None, **behaviour) -> dict:
        """What `navigator.credentials.get()` gives. `credential`: the one that the person picks, by its `id`."""
        if credential:
            inner = options.get("publicKey", options)
            options = {**inner, "allowCredentials": [{"type": "public-key", "id": credential}]}
        return self._ask({"command": "get", "options": options}, behaviour)["credential"]

    def credentials(self) -> list[dict]:
        """What is kept: `id`, `rpId`, `userHandle`, `publicKey`, `algorithm`, `signCount`."""
        return self._ask({"command": "list"}, {})["credentials"]

    def forget(self, credential: str) -> None:
        self._ask({"command": "forget", "id": credential}, {})

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(10)

    def __enter__(self) -> Authenticator:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _ask(self, command: dict, behaviour: dict) -> dict:
        changes = {re.sub(r"_(.)", lambda found: found[1].upper(), name): value for name, value in behaviour.items()}
        self._process.stdin.write(json.dumps({**command, "behaviour": changes}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise Declined(answer["error"], answer["reason"])
        return answer
