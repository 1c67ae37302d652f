"""A tenant's directory, which speaks SCIM."""

from __future__ import annotations

import json

import requests

from support.server import Server

PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Directory:
    def __init__(self, server: Server, token: str):
        self.base, self.token = f"{server.base}/scim/v2", token

    def send(self, method: str, path: str, body: dict | None = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/scim+json"}
        data = None if body is None else json.dumps(body)
        return requests.request(method, self.base + path, headers=headers, data=data, timeout=20)

    def make(self, name: str, **more) -> str:
        made = self.send("POST", "/Users", {"userName": name} | more)
        assert made.status_code == 201, made.text
        return made.json()["id"]

    def patch(self, user: str, *operations: dict, **values) -> requests.Response:
        """Operations as they are, and values that are replaced."""
        replaced = [{"op": "replace", "path": path, "value": value} for path, value in values.items()]
        return self.send("PATCH", f"/Users/{user}", {"schemas": [PATCH], "Operations": [*operations, *replaced]})
