"""Streams of shared signals that a receiver registers, pushed and polled; joserfc verifies each token by jwks_uri."""

from __future__ import annotations

import json
import subprocess
import threading
import time

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from support.server import Server, binary
from support.signals import SignalEndpoint

SECRET = "receiver-secret-receiver-secret-4711"
CONFIGURATION = {
    "issuer": "auto", "project": {"name": "Interop"},
    "clients": [{
        "client_id": "receiver", "client_secret": SECRET, "grant_types": ["client_credentials"], "scope": "ssf.manage"}],
}
PUSH, POLL = "urn:ietf:rfc:8935", "urn:ietf:rfc:8936"
REVOKED = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
VERIFICATION = "https://schemas.openid.net/secevent/ssf/event-type/verification"


class Receiver:
    """A client that knows nothing of the server but its issuer."""

    def __init__(self, base: str, issuer: str):
        self.issuer = issuer
        self.metadata = requests.get(f"{base}/.well-known/ssf-configuration", timeout=10).json()
        assert self.metadata["issuer"] == issuer and self.metadata["default_subjects"] == "ALL"
        assert {"spec_urn": "urn:ietf:rfc:6749"} in self.metadata["authorization_schemes"]
        answer = requests.post(f"{base}/oauth2/token", timeout=10, auth=("receiver", SECRET), data={
            "grant_type": "client_credentials", "scope": "ssf.manage"})
        assert answer.status_code == 200, answer.text
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"

    def call(self, method: str, endpoint: str, status: int = 200, **more):
        answer = self.session.request(method, self.metadata[f"{endpoint}_endpoint"], timeout=60, **more)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.text else None

    def events(self, tokens) -> list[tuple[str, dict]]:
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=10).json())
        found = []
        for text in tokens:
            token = jwt.decode(text, keys, algorithms=["ES256", "RS256"])
            assert token.header["typ"] == "secevent+jwt"
            assert token.claims["iss"] == self.issuer and token.claims["aud"] == "receiver"
            (kind, _), = token.claims["events"].items()
            found.append((kind, token.claims))
        return found


def keyturn(folder, *arguments: str, text: str = "") -> str:
    run = subprocess.run(
        [binary(), *arguments, "--database", f"sqlite:{folder}/keyturn.db"], input=text, capture_output=True, text=True,
        timeout=60, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def until(condition, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.1)


@pytest.fixture
def server(tmp_path):
    started = Server(tmp_path, CONFIGURATION)
    yield started
    if started.is_running():
        assert started.stop() == 0


def test_a_receiver_registers_a_stream_that_is_pushed(tmp_path, server):
    receiver, endpoint = Receiver(server.base, server.issuer), SignalEndpoint("Bearer of-the-receiver")
    stream = receiver.call("POST", "configuration", 201, json={
        "delivery": {"method": PUSH, "endpoint_url": endpoint.url, "authorization_header": "Bearer of-the-receiver"},
        "events_requested": [REVOKED]})
    assert stream["events_delivered"] == [REVOKED] and "of-the-receiver" not in json.dumps(stream)
    receiver.call("POST", "verification", 204, json={"stream_id": stream["stream_id"], "state": "hello"})
    until(lambda: endpoint.tokens)
    (kind, claims), = receiver.events(endpoint.tokens)
    assert kind == VERIFICATION and claims["events"][kind] == {"state": "hello"}
    assert claims["sub_id"] == {"format": "opaque", "id": stream["stream_id"]}

    keyturn(tmp_path, "user", "create", "ann@example.com", text="correct horse battery staple\n")
    keyturn(tmp_path, "user", "disable", "ann@example.com")
    until(lambda: len(endpoint.tokens) == 2)
    kind, claims = receiver.events(endpoint.tokens)[1]
    assert kind == REVOKED and claims["sub_id"]["format"] == "iss_sub"
    # The first push was refused, the next ones were not.
    shown, = json.loads(keyturn(tmp_path, "client", "show", "receiver", "--json"))["signal_streams"]
    assert shown["stream_id"] == stream["stream_id"] and shown["failures"] == 0 and shown["endpoint_url"] == endpoint.url
    receiver.call("POST", "status", json={"stream_id": stream["stream_id"], "status": "disabled"})
    keyturn(tmp_path, "user", "end-sessions", "ann@example.com")
    time.sleep(3)
    assert len(endpoint.tokens) == 2
    # The header is sealed: neither the database nor the audit log has it.
    log = keyturn(tmp_path, "audit", "--json")
    assert "signal_stream.created" in log and "of-the-receiver" not in log
    assert server.stop() == 0
    for file in tmp_path.glob("keyturn.db*"):
        assert b"of-the-receiver" not in file.read_bytes()


def test_a_receiver_polls_across_a_restart(tmp_path, server):
    receiver = Receiver(server.base, server.issuer)
    stream = receiver.call("POST", "configuration", 201, json={})
    assert stream["delivery"]["method"] == POLL
    keyturn(tmp_path, "user", "create", "ann@example.com", text="correct horse battery staple\n")
    for command in ("end-sessions", "disable", "enable", "disable"):
        keyturn(tmp_path, "user", command, "ann@example.com")

    def poll(**body):
        answer = receiver.session.post(stream["delivery"]["endpoint_url"], json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    first = poll(maxEvents=1)
    assert len(first["sets"]) == 1 and first["moreAvailable"]
    rest = poll(ack=list(first["sets"]), returnImmediately=True)
    assert not set(first["sets"]) & set(rest["sets"]) and not rest["moreAvailable"]
    kinds = [kind for kind, _ in receiver.events([*first["sets"].values(), *rest["sets"].values()])]
    assert kinds == [REVOKED] * 3
    assert server.stop() == 0
    started = Server(tmp_path, CONFIGURATION, port=server.address[1])
    assert set(poll(returnImmediately=True)["sets"]) == set(rest["sets"]), "what was acknowledged stays so"
    assert poll(ack=list(rest["sets"]), returnImmediately=True)["sets"] == {}

    # A poll that waits gets the event when it happens.
    waiting = []
    thread = threading.Thread(target=lambda: waiting.append(poll()))
    thread.start()
    time.sleep(1)
    keyturn(tmp_path, "user", "end-sessions", "ann@example.com")
    thread.join(timeout=20)
    assert len(waiting[0]["sets"]) == 1
    assert started.stop() == 0


def test_only_the_scope_that_the_operator_gave_opens_streams(server):
    endpoint = f"{server.base}/ssf/stream"
    assert requests.get(endpoint, timeout=10).status_code == 401
    token = requests.post(f"{server.base}/oauth2/token", timeout=10, auth=("receiver", SECRET), data={
        "grant_type": "client_credentials", "scope": "ssf.manage"}).json()["access_token"]
    assert requests.get(f"{endpoint}?access_token={token}", timeout=10).status_code == 401
    assert requests.get(endpoint, headers={"Authorization": f"Bearer {token}"}, timeout=10).json() == []
