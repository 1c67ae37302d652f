"""Relying parties that ask who made an authenticator: roots of the operator's, and metadata. Attack 104."""

from __future__ import annotations

import pytest

from support.attestation import Maker
from support.authenticator import ES256, RS256
from support.metadata import MODEL, Metadata
from support.passkey_wire import Party, Service, check_refusal, named
from support.server import Server, ServerFailed

PARTY = Party("strict.example.test", "Strict", ("https://strict.example.test",))
STYLES = {
    "packed": (ES256, {"aaguid": MODEL}),
    "fido-u2f": (ES256, {"user_verified": False, "backup_eligible": False, "backed_up": False, "counter_step": 0}),
    "tpm": (RS256, {"aaguid": MODEL}),
    "android-key": (ES256, {"attestation": "packed"}),
    "apple": (ES256, {}),
}


@pytest.fixture
def start(tmp_path):
    """Starts a server whose relying party has these settings; files are written beside it."""
    servers: list[Server] = []

    def make(settings: dict, **files: bytes) -> Service:
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        paths = {name: str(tmp_path / name) for name in files}
        entry = PARTY.entry(**settings, **paths)
        servers.append(Server(tmp_path, {"issuer": "auto", "passkeys": [entry]}))
        return Service(servers[-1].base, PARTY)

    yield make
    for server in servers:
        assert server.stop() == 0


def vouched(service: Service, device, maker: Maker, style: str) -> dict:
    return maker.attest(device.create(named(service.creation_options(), "nina")), style)


def refused(service: Service, credential: dict) -> None:
    check_refusal(service.post("/attestation/process", {"credential": credential}, service.public), "InvalidInput")


def test_only_authenticators_of_a_maker(start, authenticators, maker):
    """Every format with certificates up to that root; other makers, itself and nobody do not do."""
    service = start({"attestation": "trusted"}, attestation_roots=maker.root_pem)
    assert service.creation_options()["publicKey"]["attestation"] == "direct"
    stranger = Maker()
    for style, (algorithm, behaviour) in list(STYLES.items()):
        device = authenticators(algorithms=[algorithm], origin=PARTY.origins[0], **behaviour)
        credential = vouched(service, device, maker, style)
        answer = service.post("/attestation/process", {"credential": credential}, service.public)
        assert answer.status_code == 200, f"{style}: {answer.text}"
        token = answer.json()["result"]["token"]
        assert service.attach(token, f"u-{style}")["isActive"]
        refused(service, vouched(service, device, stranger, style))
    for attestation in ("none", "packed", "compound"):
        device = authenticators(origin=PARTY.origins[0], attestation=attestation)
        refused(service, device.create(named(service.creation_options(), "nina")))


def test_asking_is_not_demanding(start, authenticators, maker):
    """`ask`: whoever vouches, is taken; a statement that is wrong is not."""
    service = start({"attestation": "ask"}, attestation_roots=maker.root_pem)
    assert service.creation_options()["publicKey"]["attestation"] == "direct"
    device = authenticators(origin=PARTY.origins[0], attestation="packed")
    service.finish_registration(device.create(named(service.creation_options(), "nina")))
    service.finish_registration(vouched(service, device, Maker(), "apple"))
    broken = vouched(service, device, maker, "apple")
    broken["response"]["clientDataJSON"] = device.create(named(service.creation_options(), "nina"))["response"][
        "clientDataJSON"
    ]
    refused(service, broken)


def test_104_models_that_the_metadata_knows(start, authenticators, maker):
    """By name; another maker's certificate under that model's number is not one of it."""
    metadata = Metadata()
    service = start({"attestation": "trusted"}, metadata=metadata.blob(maker), metadata_roots=metadata.root_pem)
    device = authenticators(origin=PARTY.origins[0], aaguid=MODEL)
    made = service.attach(service.finish_registration(vouched(service, device, maker, "packed")), "u-1")
    assert made["name"] == "Interop Authenticator" and made["aaguid"] == MODEL
    refused(service, vouched(service, device, Maker(), "packed"))
    other = authenticators(origin=PARTY.origins[0], aaguid="11111111-2222-4333-8444-555555555555")
    refused(service, vouched(service, other, maker, "packed"))


@pytest.mark.parametrize(
    "status", ["REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE"]
)
def test_104_models_that_it_warns_of(start, authenticators, maker, status):
    """Refused from the day of the report on, also where everybody else is taken."""
    metadata = Metadata()
    files = {"metadata": metadata.blob(maker, status=status), "metadata_roots": metadata.root_pem}
    service = start({"attestation": "ask"}, **files)
    device = authenticators(origin=PARTY.origins[0], aaguid=MODEL)
    refused(service, vouched(service, device, maker, "packed"))
    later = metadata.blob(maker, number=6, status=status, since="2100-01-01")
    service = start({"attestation": "ask"}, **{**files, "metadata": later})
    service.finish_registration(vouched(service, device, maker, "packed"))


def test_104_a_blob_is_the_services_and_never_older(start, tmp_path, maker):
    """Another signer, another root, a changed byte, no signature, a smaller number: the server says so and does not
    start."""
    metadata, stranger = Metadata(), Metadata()
    good = metadata.blob(maker, number=7)
    head, body, signature = good.split(b".")
    bad = {
        "another key": metadata.blob(maker, number=8, signer=stranger),
        "another host below the root": metadata.blob(maker, number=8, host="elsewhere.example"),
        "another root": stranger.blob(maker, number=8),
        "a changed byte": head + b"." + body[:-2] + (b"A" if body[-2:-1] != b"A" else b"B") + body[-1:] + b"." + signature,
        "no signature": head + b"." + body + b".",
        "none": metadata.blob(maker, number=8, alg="none"),
        "a symmetric one": metadata.blob(maker, number=8, alg="HS256"),
        "an extension": metadata.blob(maker, number=8, crit=["exp"], exp=1),
        "nothing": b"",
        "a page": b"<!doctype html><title>Not found</title>",
    }
    settings = {"attestation": "ask"}
    start(settings, metadata=good, metadata_roots=metadata.root_pem)
    for name, blob in bad.items():
        with pytest.raises(ServerFailed):
            start(settings, metadata=blob, metadata_roots=metadata.root_pem)
            pytest.fail(f"{name}: taken")
    with pytest.raises(ServerFailed, match="older"):
        start(settings, metadata=metadata.blob(maker, number=6), metadata_roots=metadata.root_pem)
    start(settings, metadata=metadata.blob(maker, number=7), metadata_roots=metadata.root_pem)
    start(settings, metadata=metadata.blob(maker, number=9), metadata_roots=metadata.root_pem)


def test_104_old_metadata_is_used_with_a_warning(start, authenticators, maker, tmp_path):
    """A few days late; much later it vouches for nobody."""
    metadata = Metadata()
    late = metadata.blob(maker, days=-3)
    service = start({"attestation": "trusted"}, metadata=late, metadata_roots=metadata.root_pem)
    device = authenticators(origin=PARTY.origins[0], aaguid=MODEL)
    service.finish_registration(vouched(service, device, maker, "packed"))
    assert "metadata of authenticators is old" in (tmp_path / "server.log").read_text()
    expired = metadata.blob(maker, number=6, days=-60)
    service = start({"attestation": "trusted"}, metadata=expired, metadata_roots=metadata.root_pem)
    refused(service, vouched(service, device, maker, "packed"))
    assert "metadata of authenticators has expired" in (tmp_path / "server.log").read_text()


def test_documents_for_devices(start, tmp_path):
    """Which apps and sites may use the passkeys, for Apple's devices, Android's and browsers."""
    fingerprint = ":".join(f"{number:02X}" for number in range(32))
    settings = {
        "apple_apps": ["ABCDE12345.com.example.app"],
        "android_apps": [{"package_name": "com.example.app", "sha256_cert_fingerprints": [fingerprint.lower()]}],
        "related_origins": ["https://strict.example.org"],
    }
    service = start(settings)

    def document(path: str):
        answer = service.raw(f"/.well-known/{path}", b"", None, method="GET", headers={"Host": "strict.example.test"})
        assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("application/json")
        return answer.json()

    assert document("apple-app-site-association")["webcredentials"]["apps"] == settings["apple_apps"]
    [statement] = document("assetlinks.json")
    assert statement["target"]["sha256_cert_fingerprints"] == [fingerprint]
    assert "delegate_permission/common.get_login_creds" in statement["relation"]
    assert set(document("webauthn")["origins"]) >= {"https://strict.example.org"}
    answer = service.raw("/attestation/options", b"{}", service.public, headers={"Origin": "https://strict.example.org"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://strict.example.org"
