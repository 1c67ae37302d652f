"""A hundred at once: one challenge, one token, one identifier, one name. One of them wins."""

from __future__ import annotations

import pytest

from support.authenticator import decode
from support.forger import Forger
from support.passkey_wire import Service
from support.raw import all_at_once

PARALLEL = 100


@pytest.fixture
def race(keys, service):
    """Sends the same request, or one made for each number, a hundred times at once: the answers."""
    crowd = [service(keys.party) for _ in range(PARALLEL)]

    def run(path: str, body, key: str) -> list:
        make = body if callable(body) else lambda _: body
        bodies = [make(number) for number in range(PARALLEL)]
        answers = all_at_once(PARALLEL, lambda number: crowd[number].post(path, bodies[number], key))
        assert all(answer.status_code < 500 for answer in answers), [answer.text for answer in answers][:3]
        return [answer.json()["result"] for answer in answers if answer.status_code < 300]

    return run


def device_of(keys: Service, credential_id: bytes | None = None) -> Forger:
    return Forger(keys.party.rp_id, keys.party.origins[0], credential_id)


@pytest.fixture
def signed_up(keys, new_user):
    user, device = new_user(), device_of(keys)
    options = keys.creation_options()
    device.user_handle = decode(options["publicKey"]["user"]["id"])
    keys.attach(keys.finish_registration(device.create(options)), user.id, user.name)
    return user, device


def test_94_one_challenge_of_a_registration(keys, race, new_user):
    credential = device_of(keys).create(keys.creation_options())
    won = race("/attestation/process", {"credential": credential}, keys.public)
    assert len(won) == 1
    keys.attach(won[0]["token"], new_user().id)


def test_94_one_challenge_of_an_assertion(keys, race, signed_up):
    """The same answer, and a hundred answers with counters that all go up."""
    user, device = signed_up
    device.count += 1
    answer = device.get(keys.request_options())
    won = race("/assertion/process", {"credential": answer}, keys.public)
    assert len(won) == 1 and keys.whose(won[0]["token"]) == user.id
    options = keys.request_options()
    won = race(
        "/assertion/process", lambda number: {"credential": device.get(options, count=10 + number)}, keys.public
    )
    assert len(won) == 1 and keys.whose(won[0]["token"]) == user.id


def test_100_one_counter_under_a_hundred_challenges(keys, race, signed_up):
    """A hundred copies of one key sign at the same moment: one of them has the next number."""
    user, device = signed_up

    def copy(_: int) -> dict:
        return {"credential": device.get(keys.request_options(), count=5)}

    won = race("/assertion/process", copy, keys.public)
    assert len(won) == 1 and keys.whose(won[0]["token"]) == user.id


def test_one_token_of_a_sign_in(keys, race, signed_up):
    user, device = signed_up
    device.count += 1
    token = keys.finish_sign_in(device.get(keys.request_options()))
    won = race("/auth/verify", {"token": token}, keys.secret)
    assert [one["user"]["id"] for one in won] == [user.id]


def test_one_token_of_a_registration(keys, race, new_user):
    """For the same user, and for a hundred users."""
    for body in (lambda token: lambda _: {"token": token, "user": {"id": "the-same"}}, None):
        device = device_of(keys)
        token = keys.finish_registration(device.create(keys.creation_options()))
        users = [new_user() for _ in range(PARALLEL)]
        make = body(token) if body else lambda number, token=token: {"token": token, "user": {"id": users[number].id}}
        won = race("/credential/create", make, keys.secret)
        assert len(won) == 1
        found = [
            user
            for user in [*users, type(users[0])("the-same", "")]
            for one in keys.ask("/credential/list", {"user": {"id": user.id}}, keys.secret)["credentials"]
            if one["id"] == won[0]["id"]
        ]
        assert len(found) == 1, found


def test_102_one_identifier_under_a_hundred_tokens(keys, race, new_user):
    """Everybody has a good token for it."""
    identifier = device_of(keys).credential_id
    tokens = [
        keys.finish_registration(device_of(keys, identifier).create(keys.creation_options())) for _ in range(PARALLEL)
    ]
    won = race(
        "/credential/create", lambda number: {"token": tokens[number], "user": {"id": new_user().id}}, keys.secret
    )
    assert len(won) == 1


def test_one_name_for_a_hundred_users(keys, race, new_user):
    name = new_user("wanted").name
    tokens = [keys.finish_registration(device_of(keys).create(keys.creation_options())) for _ in range(PARALLEL)]
    won = race(
        "/credential/create",
        lambda number: {"token": tokens[number], "user": {"id": new_user().id, "username": name}},
        keys.secret,
    )
    assert len(won) == 1


def test_switched_off_before_they_arrive(keys, race, signed_up):
    """Once switching off was answered, no answer that was made before signs anybody in."""
    user, device = signed_up
    made = keys.ask("/credential/list", {"user": {"id": user.id}}, keys.secret)["credentials"][0]
    answers = [device.get(keys.request_options(), count=10 + number) for number in range(PARALLEL)]
    keys.ask("/credential/update", {"id": made["id"], "isActive": False}, keys.secret)
    assert race("/assertion/process", lambda number: {"credential": answers[number]}, keys.public) == []
