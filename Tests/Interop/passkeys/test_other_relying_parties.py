"""Our software authenticator before other people's relying parties: py_webauthn, and Yubico's server.

What it makes is taken, with every algorithm and attestation format that they know; one bit less, and it is not.
"""

from __future__ import annotations

import json

import pytest
import webauthn
from cryptography.hazmat.primitives.serialization import Encoding
from fido2.attestation import Attestation, AttestationVerifier
from fido2.server import Fido2Server
from webauthn.helpers import exceptions
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import AttestationConveyancePreference, AttestationFormat, PublicKeyCredentialDescriptor

from support.attestation import attestation_of, with_attestation
from support.authenticator import ALGORITHMS, ES256, RS256, Declined, decode, encode

RP_ID, ORIGIN = "keys.example.test", "https://keys.example.test"
# ES384 is not on its list; for PS256 it wants the longest salt, where RFC 8230 §2 wants that of the digest's length.
KNOWN_TO_PY_WEBAUTHN = ["ES256", "EdDSA", "ES512", "RS256"]
# format, algorithm of the credential, and what the authenticator is like
VOUCHED = {
    "packed": (ES256, {"aaguid": "08987058-cadc-4b81-b6e1-30de50dcbe96"}),
    "fido-u2f": (ES256, {"user_verified": False, "backup_eligible": False, "backed_up": False, "counter_step": 0}),
    "tpm": (RS256, {"aaguid": "08987058-cadc-4b81-b6e1-30de50dcbe96"}),
    "android-key": (ES256, {"attestation": "packed"}),
    "apple": (ES256, {}),
}


def creation_options(*algorithms: int) -> dict:
    options = webauthn.generate_registration_options(
        rp_id=RP_ID,
        rp_name="Keys",
        user_name="nina@example.test",
        attestation=AttestationConveyancePreference.DIRECT,
        supported_pub_key_algs=[COSEAlgorithmIdentifier(number) for number in algorithms],
    )
    return json.loads(webauthn.options_to_json(options))


def registered(credential: dict, options: dict, roots: dict | None = None):
    return webauthn.verify_registration_response(
        credential=credential,
        expected_challenge=decode(options["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=False,
        supported_pub_key_algs=[COSEAlgorithmIdentifier(entry["alg"]) for entry in options["pubKeyCredParams"]],
        pem_root_certs_bytes_by_fmt=roots,
    )


def request_options(*credential_ids: bytes) -> dict:
    options = webauthn.generate_authentication_options(
        rp_id=RP_ID, allow_credentials=[PublicKeyCredentialDescriptor(id=one) for one in credential_ids]
    )
    return json.loads(webauthn.options_to_json(options))


def authenticated(credential: dict, options: dict, known, count: int | None = None):
    return webauthn.verify_authentication_response(
        credential=credential,
        expected_challenge=decode(options["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        credential_public_key=known.credential_public_key,
        credential_current_sign_count=known.sign_count if count is None else count,
        require_user_verification=True,
    )


def flipped(data: bytes, position: int) -> str:
    return encode(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])


def changed(credential: dict, member: str, value: str) -> dict:
    return {**credential, "response": {**credential["response"], member: value}}


@pytest.mark.parametrize("attestation", ["none", "packed"])
@pytest.mark.parametrize("name", KNOWN_TO_PY_WEBAUTHN)
def test_registers_and_signs_in(authenticators, name, attestation):
    """Each algorithm, vouched for by nobody and by itself."""
    device = authenticators(algorithms=[ALGORITHMS[name]], attestation=attestation)
    options = creation_options(ALGORITHMS[name])
    known = registered(device.create(options), options)
    assert known.fmt == attestation and known.user_verified and known.credential_backed_up
    assert known.sign_count == 1
    options = request_options(known.credential_id)
    answer = authenticated(device.get(options), options, known)
    assert answer.new_sign_count == 2 and answer.user_verified
    with pytest.raises(exceptions.InvalidAuthenticationResponse):
        authenticated(device.get(options, counter_step=0), options, known, count=2)


@pytest.mark.parametrize("style", VOUCHED)
def test_is_vouched_for_by_its_maker(authenticators, maker, style):
    """Certificates up to the maker's root, for each format; another root does not do."""
    algorithm, behaviour = VOUCHED[style]
    device = authenticators(algorithms=[algorithm], **behaviour)
    options = creation_options(algorithm)
    credential = maker.attest(device.create(options), style)
    assert registered(credential, options, {AttestationFormat(style): [maker.root_pem]}).fmt == style
    with pytest.raises(exceptions.InvalidRegistrationResponse):
        registered(credential, options, {AttestationFormat(style): [type(maker)().root_pem]})


@pytest.mark.parametrize("style", ["packed-self", *VOUCHED])
def test_one_bit_less_is_no_registration(authenticators, maker, style):
    """Every byte that the statement covers, and every third one of the client data."""
    algorithm, behaviour = VOUCHED.get(style, (ES256, {"attestation": "packed"}))
    device = authenticators(algorithms=[algorithm], **behaviour)
    options = creation_options(algorithm)
    credential = device.create(options)
    if style in VOUCHED:
        credential = maker.attest(credential, style)
    roots = {AttestationFormat(style): [maker.root_pem]} if style in VOUCHED else None
    registered(credential, options, roots)
    made = attestation_of(credential)
    data, client_data = made["authData"], decode(credential["response"]["clientDataJSON"])
    # FIDO U2F signs the relying party, the identifier and the key, but no flags and no counter.
    covered = [position for position in range(len(data)) if style != "fido-u2f" or not 32 <= position < 55]
    spoiled = [with_attestation(credential, {**made, "authData": decode(flipped(data, at))}) for at in covered]
    for part in ("sig", "certInfo", "pubArea"):
        whole = made["attStmt"].get(part, b"")
        # RSA and elliptic curves alike: a signature has no byte that says nothing.
        for position in range(0, len(whole), 3):
            statement = {**made["attStmt"], part: decode(flipped(whole, position))}
            spoiled.append(with_attestation(credential, {**made, "attStmt": statement}))
    for position in range(0, len(client_data), 3):
        spoiled.append(changed(credential, "clientDataJSON", flipped(client_data, position)))
    taken = []
    for number, one in enumerate(spoiled):
        try:
            registered(one, options, roots)
            taken.append(number)
        except Exception:
            pass
    assert not taken, f"{len(taken)} of {len(spoiled)} taken: {taken[:5]}"


@pytest.mark.parametrize("name", KNOWN_TO_PY_WEBAUTHN)
def test_one_bit_less_is_no_assertion(authenticators, name):
    device = authenticators(algorithms=[ALGORITHMS[name]])
    options = creation_options(ALGORITHMS[name])
    known = registered(device.create(options), options)
    options = request_options()
    credential = device.get(options)
    authenticated(credential, options, known)
    for member in ("authenticatorData", "clientDataJSON", "signature"):
        data = decode(credential["response"][member])
        for position in range(len(data)):
            with pytest.raises(Exception):
                authenticated(changed(credential, member, flipped(data, position)), options, known)


def test_what_a_person_did_not_do_is_not_taken(authenticators):
    """Flags: not present, not verified, backed up without being able to be."""
    device = authenticators()
    options = creation_options(ES256)
    with pytest.raises(exceptions.InvalidRegistrationResponse):
        registered(device.create(options, user_present=False), options)
    known = registered(device.create(options, user_present=True), options)
    options = request_options()
    with pytest.raises(exceptions.InvalidAuthenticationResponse):
        authenticated(device.get(options, user_verified=False), options, known)
    with pytest.raises(Exception):
        authenticated(device.get(options, user_verified=True, backup_eligible=False), options, known)
    with pytest.raises(exceptions.InvalidAuthenticationResponse):
        authenticated(device.get(options, backup_eligible=True, origin="https://elsewhere.test"), options, known)


@pytest.mark.parametrize("attestation", ["none", "packed"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_yubicos_server_takes_every_algorithm(authenticators, name, attestation):
    """All six, ES384 and PS256 included; a signature with one bit changed is not one."""
    server = Fido2Server({"id": RP_ID, "name": "Keys"}, attestation="direct", verify_attestation=verify_any)
    device = authenticators(algorithms=[ALGORITHMS[name]], attestation=attestation)
    user = {"id": b"nina", "name": "nina@example.test", "displayName": "Nina"}
    options, state = server.register_begin(user, user_verification="required")
    made = device.create(dict(options))
    credential = server.register_complete(state, made).credential_data
    assert credential.public_key[3] == ALGORITHMS[name]
    options, state = server.authenticate_begin([credential], user_verification="required")
    answer = device.get(dict(options))
    assert server.authenticate_complete(state, [credential], answer) == credential
    signature = decode(answer["response"]["signature"])
    with pytest.raises(Exception):
        server.authenticate_complete(
            state, [credential], changed(answer, "signature", flipped(signature, len(signature) - 1))
        )


def verify_any(attestation, client_hash: bytes) -> None:
    """Yubico's check of a statement, without certificates to follow."""
    Attestation.for_type(attestation.fmt)().verify(attestation.att_stmt, attestation.auth_data, client_hash)


@pytest.mark.parametrize("style", ["packed", "fido-u2f", "tpm", "apple"])
def test_yubicos_server_follows_the_certificates(authenticators, maker, style):
    class Roots(AttestationVerifier):
        def ca_lookup(self, result, auth_data):
            return maker.root.public_bytes(Encoding.DER)

    algorithm, behaviour = VOUCHED[style]
    server = Fido2Server({"id": RP_ID, "name": "Keys"}, attestation="direct", verify_attestation=Roots())
    options, state = server.register_begin({"id": b"nina", "name": "nina@example.test"})
    device = authenticators(algorithms=[algorithm], **behaviour)
    made = maker.attest(device.create(dict(options)), style)
    server.register_complete(state, made)
    stranger = type(maker)().attest(device.create(dict(options)), style)
    with pytest.raises(Exception):
        server.register_complete(state, stranger)


def test_it_says_which_credentials_it_has(authenticators):
    """Excluded ones are not made twice; a request for somebody else's finds none."""
    device = authenticators()
    options = creation_options(ES256)
    first = device.create(options)
    with pytest.raises(Declined, match="InvalidStateError"):
        device.create({**options, "excludeCredentials": [{"type": "public-key", "id": first["id"]}]})
    with pytest.raises(Declined, match="NotAllowedError"):
        device.get(request_options(b"not-this-one"))
    device.forget(first["id"])
    with pytest.raises(Declined, match="NotAllowedError"):
        device.get(request_options())
