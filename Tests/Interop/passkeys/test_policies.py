"""What an operator decides for a relying party: verification, resident keys, counters, frames, other domains."""

from __future__ import annotations

import json
import subprocess

import pytest

from support.authenticator import decode
from support.forger import HONEST, VERIFIED, Forger
from support.passkey_wire import Party, Service, check_refusal
from support.server import Server, binary

HOME, FRAME, RELATED = "https://shop.example.test", "https://frame.example.test", "https://shop.example.org"
PARTY = Party("shop.example.test", "Shop", (HOME,))


@pytest.fixture
def start(tmp_path):
    """Starts a server whose relying party has these settings."""
    servers: list[Server] = []

    def make(**settings) -> Service:
        servers.append(Server(tmp_path / str(len(servers)), {"issuer": "auto", "passkeys": [PARTY.entry(**settings)]}))
        return Service(servers[-1].base, PARTY, log=servers[-1].log)

    yield make
    for server in servers:
        assert server.stop() == 0


def signed_up(service: Service, **parts) -> Forger:
    device, options = Forger(PARTY.rp_id, HOME), service.creation_options()
    device.user_handle = decode(options["publicKey"]["user"]["id"])
    service.attach(service.finish_registration(device.create(options, **parts)), "u-1")
    return device


def refused(service: Service, path: str, credential: dict) -> None:
    check_refusal(service.post(path, {"credential": credential}, service.public), "InvalidInput", status=400)


def test_98_verification_is_required(start):
    """In the options of both ceremonies, and of every answer; of an upgrade, too."""
    service = start(user_verification="required")
    creation, request = service.creation_options()["publicKey"], service.request_options()["publicKey"]
    assert creation["authenticatorSelection"]["userVerification"] == request["userVerification"] == "required"
    for body in ({}, {"upgrade": True}):
        options = service.creation_options(body)
        refused(service, "/attestation/process", Forger(PARTY.rp_id, HOME).create(options, flags=HONEST & ~VERIFIED))
    device = signed_up(service)
    device.count += 1
    refused(service, "/assertion/process", device.get(service.request_options(), flags=HONEST & ~VERIFIED))
    assert service.whose(service.finish_sign_in(device.get(service.request_options()))) == "u-1"


@pytest.mark.parametrize("wish", ["required", "preferred", "discouraged"])
def test_wishes_reach_the_browser(start, wish):
    service = start(user_verification=wish, resident_key=wish)
    selection = service.creation_options()["publicKey"]["authenticatorSelection"]
    assert (selection["userVerification"], selection["residentKey"]) == (wish, wish)
    assert selection["requireResidentKey"] is (wish == "required")


def test_100_counters_that_are_reported(start):
    """`report`: a copy signs in, and is written down; the counter never goes back, and a challenge is spent."""
    service = start(signature_counter="report")
    device = signed_up(service, count=5)
    for count in (9, 9, 3, 0):
        options = service.request_options()
        answer = device.get(options, count=count)
        assert service.whose(service.finish_sign_in(answer)) == "u-1"
        refused(service, "/assertion/process", answer)


def test_96_frames_of_named_sites_alone(start):
    service = start(top_origins=[FRAME])
    device = signed_up(service)
    good = {"crossOrigin": True, "topOrigin": FRAME}
    device.count += 1
    assert service.whose(service.finish_sign_in(device.get(service.request_options(), client_data=good))) == "u-1"
    for bad in (
        {"crossOrigin": True, "topOrigin": "https://evil.test"},
        {"crossOrigin": True, "topOrigin": FRAME + ":8443"},
        {"crossOrigin": False, "topOrigin": FRAME},
        {"crossOrigin": True, "topOrigin": FRAME, "origin": FRAME},
    ):
        device.count += 1
        refused(service, "/assertion/process", device.get(service.request_options(), client_data=bad))
        refused(
            service, "/attestation/process", Forger(PARTY.rp_id, HOME).create(service.creation_options(), client_data=bad)
        )


def test_96_pages_of_a_related_domain(start):
    """May ask, and answer; pages below it, or of another one, do neither."""
    service = start(related_origins=[RELATED])
    device = signed_up(service)
    device.count += 1
    answer = device.get(service.request_options(), client_data={"origin": RELATED})
    response = service.post("/assertion/process", {"credential": answer}, service.public, Origin=RELATED)
    assert response.status_code == 200 and response.headers["Access-Control-Allow-Origin"] == RELATED
    for stranger in ("https://sub.shop.example.org", "https://example.org", "http://shop.example.org"):
        device.count += 1
        refused(service, "/assertion/process", device.get(service.request_options(), client_data={"origin": stranger}))
        assert service.post("/assertion/options", {}, service.public, Origin=stranger).status_code == 403


@pytest.mark.parametrize(
    "mistake",
    [
        {"rp_id": "https://shop.example.test"},
        {"rp_id": "127.0.0.1", "origins": ["http://127.0.0.1:9000"]},
        {"origins": ["https://elsewhere.test"]},
        {"origins": ["http://shop.example.test"]},
        {"origins": []},
        {"publishable_key": "secret_in_the_wrong_place"},
        {"secret_key": "pubkey_in_the_wrong_place"},
        {"attestation": "trusted"},
        {"top_origins": ["shop"]},
        {"android_apps": [{"package_name": "com.example", "sha256_cert_fingerprints": ["12:34"]}]},
        {"apple_apps": ["com.example.app"]},
        {"user_verification": "sometimes"},
        {"surprise": 1},
    ],
    ids=lambda mistake: "-".join(mistake),
)
def test_mistakes_are_named(tmp_path, mistake):
    """The program ends with the key that is wrong; no crash, and no secret in what it says."""
    path = tmp_path / "keyturn.json"
    path.write_text(json.dumps({"issuer": "http://localhost:8080", "passkeys": [{**PARTY.entry(), **mistake}]}))
    run = subprocess.run(
        [binary(), "serve", "--config", path, "--listen", "127.0.0.1:0", "--database", f"sqlite:{tmp_path}/k.db"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    said = run.stdout + run.stderr
    assert 0 < run.returncode < 64 and "Fatal" not in said, (run.returncode, said[:500])
    assert list(mistake)[0] in said, said[:500]
    assert PARTY.secret_key not in said and "pubkey_in_the_wrong_place" not in said
