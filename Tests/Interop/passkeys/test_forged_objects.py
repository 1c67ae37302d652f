"""Keys, objects and client data that are not what they should be: attack 103, over HTTP."""

from __future__ import annotations

import cbor2
import pytest

from support.attestation import attestation_of, with_attestation
from support.authenticator import encode
from support.forged_answers import REGISTER, registration_refused, sign_in_refused, still_signs_in
from support.forger import ATTESTED, Forger
from support.passkey_wire import check_refusal, named


def keys_that_are_none(device: Forger) -> dict[str, bytes]:
    good = device.cose()
    point = {**good, -3: good[-3][:-1] + bytes([good[-3][-1] ^ 1])}
    encoded = cbor2.dumps(good, canonical=True)
    return {
        "an algorithm that was not offered": cbor2.dumps({**good, 3: -47}, canonical=True),
        "one that nobody knows": cbor2.dumps({**good, 3: -65535}, canonical=True),
        "the algorithm of another kind of key": cbor2.dumps({**good, 3: -257}, canonical=True),
        "a kind of key of another algorithm": cbor2.dumps({**good, 1: 3}, canonical=True),
        "another curve": cbor2.dumps({**good, -1: 2}, canonical=True),
        "a point beside the curve": cbor2.dumps(point, canonical=True),
        "no point": cbor2.dumps({**good, -2: bytes(32), -3: bytes(32)}, canonical=True),
        "half a point": cbor2.dumps({name: value for name, value in good.items() if name != -3}, canonical=True),
        "a compressed point": cbor2.dumps({**good, -3: True}, canonical=True),
        "a private key": cbor2.dumps({**good, -4: bytes(32)}, canonical=True),
        "a short coordinate": cbor2.dumps({**good, -2: good[-2][:31]}, canonical=True),
        "no algorithm": cbor2.dumps({name: value for name, value in good.items() if name != 3}, canonical=True),
        "members out of order": cbor2.dumps(dict(reversed(good.items()))),
        "a member twice": bytes([0xA6]) + encoded[1:] + b"\x01\x02",
        "a map without an end": b"\xbf" + encoded[1:] + b"\xff",
        "a number in more bytes than it takes": encoded[:1] + b"\x01\x18\x02" + encoded[3:],
        "a text": cbor2.dumps("key"),
        "nothing": b"",
    }


def test_103_keys_are_what_was_offered(keys, forger):
    """Each in one spelling."""
    device = forger()
    for name, key in keys_that_are_none(device).items():
        response = keys.post(REGISTER, {"credential": device.create(keys.creation_options(), key=key)}, keys.public)
        assert response.status_code == 400, f"{name}: {response.status_code} {response.text[:200]}"
        check_refusal(response, "InvalidInput")


def test_103_objects_are_what_they_are_and_no_more(keys, forger):
    """Trailing bytes, missing bytes, another order, other types, depth and size."""
    device = forger()
    data = device.authenticator_data(attested=True)
    honest = {"fmt": "none", "attStmt": {}, "authData": data}
    encoded = cbor2.dumps(honest, canonical=True)
    deep = b"\x81" * 5_000 + b"\x00"
    objects = {
        "a byte after it": encoded + b"\0",
        "a byte less": encoded[:-1],
        "a map without an end": b"\xbf" + encoded[1:] + b"\xff",
        "another order": cbor2.dumps({"authData": data, "fmt": "none", "attStmt": {}}),
        "a member more, twice": b"\xa4" + encoded[1:] + cbor2.dumps("fmt") + cbor2.dumps("none"),
        "a statement under none": cbor2.dumps({**honest, "attStmt": {"x": 1}}, canonical=True),
        "a format that does not exist": cbor2.dumps({**honest, "fmt": "invented"}, canonical=True),
        "a format that is not taken": cbor2.dumps({**honest, "fmt": "android-safetynet"}, canonical=True),
        "no format": cbor2.dumps({"attStmt": {}, "authData": data}, canonical=True),
        "authenticator data as text": cbor2.dumps({**honest, "authData": "x"}, canonical=True),
        "bytes after the key": cbor2.dumps({**honest, "authData": data + b"\0"}, canonical=True),
        "less than a key": cbor2.dumps({**honest, "authData": data[:-1]}, canonical=True),
        "no credential": cbor2.dumps({**honest, "authData": device.authenticator_data()}, canonical=True),
        "a credential without its flag": cbor2.dumps(
            {**honest, "authData": data[:32] + bytes([data[32] & ~ATTESTED]) + data[33:]}, canonical=True
        ),
        "extensions without their flag": cbor2.dumps({**honest, "authData": data + cbor2.dumps({})}, canonical=True),
        "a flag without extensions": cbor2.dumps(
            {**honest, "authData": data[:32] + bytes([data[32] | 0x80]) + data[33:]}, canonical=True
        ),
        "very deep": b"\xa3" + cbor2.dumps("fmt") + cbor2.dumps("none") + cbor2.dumps("attStmt") + deep,
        "a length that lies": encoded[:-len(data) - 2] + b"\x5b" + b"\x7f" + b"\xff" * 7 + data,
        "nothing": b"\xa0",
    }
    for name, one in objects.items():
        credential = device.create(keys.creation_options(), attestation_object=one)
        response = keys.post(REGISTER, {"credential": credential}, keys.public)
        assert response.status_code == 400, f"{name}: {response.status_code} {response.text[:200]}"
        check_refusal(response, "InvalidInput")
    keys.finish_registration(device.create(keys.creation_options(), attestation_object=encoded))


def test_103_statements_are_looked_at(keys, authenticators, maker):
    """A statement that nobody asked for is wrong all the same if it is wrong."""
    device = authenticators(attestation="packed", origin=keys.party.origins[0])
    for change in ("sig", "alg"):
        credential = device.create(named(keys.creation_options(), "nina"))
        made = attestation_of(credential)
        value = bytes(70) if change == "sig" else -257
        statement = {**made["attStmt"], change: value}
        registration_refused(keys, with_attestation(credential, {**made, "attStmt": statement}))
    credential = maker.attest(device.create(named(keys.creation_options(), "nina")), "packed")
    made = attestation_of(credential)
    made["attStmt"]["sig"] = bytes(70)
    registration_refused(keys, with_attestation(credential, made))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"type":"webauthn.get","type":"webauthn.create"}',
        b"\xef\xbb\xbf{}",
        b'{"type":"webauthn.get","challenge":"%s","origin":"https://keys.example.test"' + b" " * 20_000 + b"}",
    ],
    ids=["nothing", "a brace", "a list", "no UTF-8", "a member twice", "a mark of order", "very long"],
)
def test_103_client_data_is_json(keys, registered, forger, raw):
    user, device = registered()
    device.count += 1
    options = keys.request_options()
    data = raw.replace(b"%s", options["publicKey"]["challenge"].encode()) or b" "
    sign_in_refused(keys, device.get(options, raw_client_data=data))
    registration_refused(keys, forger().create(keys.creation_options(), raw_client_data=data))
    still_signs_in(keys, user, device)


def test_103_very_large_answers_cost_little(keys, forger):
    """A megabyte in any member is refused, and nobody waits for it."""
    for member in ("clientDataJSON", "attestationObject"):
        credential = forger().create(keys.creation_options())
        credential["response"][member] = encode(bytes(1_000_000))
        response = keys.post(REGISTER, {"credential": credential}, keys.public)
        assert response.status_code in (400, 413) and response.elapsed.total_seconds() < 2
