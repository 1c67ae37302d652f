"""Yubico's client, with a security key in memory, against our server: it checks the domain and writes the client data."""

from __future__ import annotations

import pytest
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.webauthn import PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions

from support.ctap_device import SecurityKey
from support.passkey_wire import named


class Person(UserInteraction):
    def prompt_up(self):
        pass

    def request_uv(self, permissions, rp_id):
        return True


@pytest.fixture
def plugged_in(keys):
    """A client with this key, on the pages of the relying party."""

    def make(device: SecurityKey, origin: str | None = None) -> Fido2Client:
        return Fido2Client(device, DefaultClientDataCollector(origin or keys.party.origins[0]), Person())

    return make


def create(client: Fido2Client, options: dict, username: str) -> dict:
    parsed = PublicKeyCredentialCreationOptions.from_dict(named(options, username)["publicKey"])
    return dict(client.make_credential(parsed))


def get(client: Fido2Client, options: dict, index: int = 0) -> dict:
    parsed = PublicKeyCredentialRequestOptions.from_dict(options["publicKey"])
    return dict(client.get_assertion(parsed).get_response(index))


@pytest.mark.parametrize("verifies", [True, False], ids=["with a finger", "by touch"])
def test_registers_and_signs_in_by_name(keys, plugged_in, new_user, verifies):
    """Its credential names no user when it signs in: the site's name for them does."""
    client = plugged_in(SecurityKey(keeps=False, verifies=verifies))
    user = new_user()
    token = keys.finish_registration(create(client, keys.creation_options(), user.name))
    made = keys.attach(token, user.id, user.name)
    assert made["isUvInitialized"] == verifies and not made["isBackupEligible"]
    for selector in ({"username": user.name}, {"id": user.id}):
        answer = get(client, keys.request_options(selector))
        assert not answer["response"].get("userHandle")
        assert keys.whose(keys.finish_sign_in(answer, selector)) == user.id
    # Nobody said who it is.
    options = keys.request_options(user.selector)
    keys.refused(
        "/assertion/process", {"credential": get(client, options)}, keys.public, "InvalidInput", status=400
    )


def test_resident_keys_of_two_people(keys, plugged_in, new_user):
    """One key, two accounts: each answer says whose it is."""
    client = plugged_in(SecurityKey())
    people = [new_user(), new_user()]
    for person in people:
        keys.attach(
            keys.finish_registration(create(client, keys.creation_options(), person.name)), person.id, person.name
        )
    for index, person in enumerate(reversed(people)):
        answer = get(client, keys.request_options(), index)
        assert keys.whose(keys.finish_sign_in(answer)) == person.id


def test_it_refuses_other_domains(keys, plugged_in):
    """The client's own check: our options name a domain that the page belongs to."""
    elsewhere = plugged_in(SecurityKey(), "https://elsewhere.example.test")
    with pytest.raises(ClientError):
        create(elsewhere, keys.creation_options(), "nina")
    with pytest.raises(ClientError):
        get(elsewhere, keys.request_options())


def test_packed_attestation_of_the_key_itself(keys, plugged_in, new_user):
    """The key vouches for itself, though nobody asked: it is taken, as any other."""
    client, user = plugged_in(SecurityKey()), new_user()
    answer = create(client, keys.creation_options(), user.name)
    made = keys.attach(keys.finish_registration(answer), user.id)
    assert made["aaguid"] == "08987058-cadc-4b81-b6e1-30de50dcbe96"
