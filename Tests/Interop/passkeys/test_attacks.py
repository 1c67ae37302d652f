"""What an attacker with an authenticator of their own can try: attacks 94 to 102, over HTTP."""

from __future__ import annotations

import secrets

import pytest

from support.authenticator import decode, encode
from support.forged_answers import REGISTER, registration_refused, sign_in_refused, still_signs_in
from support.forger import BACKED_UP, ELIGIBLE, HONEST, PRESENT, VERIFIED

# One line each: what is changed in the client data.
FOREIGN_ORIGINS = [
    "https://evil.test",
    "https://keys.example.test.evil.test",
    "https://evil-keys.example.test",
    "https://sub.keys.example.test",
    "https://example.test",
    "http://keys.example.test",
    "https://keys.example.test:444",
    "https://keys.example.test:443",
    "https://keys.example.test/",
    "https://KEYS.example.test",
    "https://user@keys.example.test",
    "https://keys.example.test\u0000",
    "keys.example.test",
    "android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
    "ios:bundle-id:com.example",
    "null",
    "",
]


def test_94_challenges_are_random(keys):
    """Long, all different, and no two alike in any part."""
    found = [decode(keys.creation_options()["publicKey"]["challenge"]) for _ in range(40)]
    found += [decode(keys.request_options()["publicKey"]["challenge"]) for _ in range(40)]
    assert all(len(one) >= 16 for one in found) and len(set(found)) == len(found)
    handles = {keys.creation_options()["publicKey"]["user"]["id"] for _ in range(40)}
    assert len(handles) == 40
    for start in range(0, min(map(len, found)) - 8):
        assert len({one[start : start + 8] for one in found}) > 70, f"bytes {start}… are the same"


def test_94_a_challenge_is_answered_once(keys, registered, forger):
    """Whether the first answer was good or bad."""
    user, device = registered()
    options = keys.request_options()
    device.count += 1
    keys.whose(keys.finish_sign_in(device.get(options)))
    device.count += 1
    sign_in_refused(keys, device.get(options))
    options = keys.request_options()
    device.count += 1
    sign_in_refused(keys, device.get(options, signature=b"0" * 70))
    sign_in_refused(keys, device.get(options))
    options, stranger = keys.creation_options(), forger()
    keys.finish_registration(stranger.create(options))
    registration_refused(keys, stranger.create(options))
    registration_refused(keys, forger().create(options))
    options = keys.creation_options()
    registration_refused(keys, stranger.create(options, rp_id="evil.test"))
    registration_refused(keys, stranger.create(options))
    still_signs_in(keys, user, device)


def test_94_a_challenge_is_for_one_ceremony(keys, registered, forger):
    """Not for the other kind, not for another user, not for nobody, and never a made-up one."""
    user, device = registered()
    other, other_device = registered()
    creation, request = keys.creation_options(), keys.request_options()
    registration_refused(keys, forger().create(request))
    sign_in_refused(keys, device.get(creation))
    for asked, answered in [
        (user.selector, other.selector),
        (user.selector, None),
        (None, user.selector),
        (user.selector, {"id": user.id + "x"}),
    ]:
        device.count += 1
        options = keys.request_options(asked)
        answer = device.get(options)
        sign_in_refused(keys, answer, answered)
    honest = keys.request_options()["publicKey"]["challenge"]
    raw = decode(honest)
    for made_up in [
        encode(secrets.token_bytes(len(raw))),
        encode(raw[:-1]),
        encode(raw + b"\0"),
        encode(raw[:-1] + bytes([raw[-1] ^ 1])),
        encode(bytes([raw[0] ^ 1]) + raw[1:]),
        encode(b""),
        honest + "=",
        honest[:-1],
    ]:
        device.count += 1
        sign_in_refused(keys, device.get({"challenge": made_up}))
    still_signs_in(keys, user, device)
    still_signs_in(keys, other, other_device)


@pytest.mark.parametrize("kind", ["webauthn.get", "webauthn.Create", "webauthn.create ", "payment.get", "", None])
def test_95_a_registration_is_a_registration(keys, forger, kind):
    registration_refused(keys, forger().create(keys.creation_options(), client_data={"type": kind}))


@pytest.mark.parametrize("kind", ["webauthn.create", "webauthn.Get", "payment.get", "navigator.id.getAssertion", None])
def test_95_an_assertion_is_an_assertion(keys, registered, kind):
    user, device = registered()
    device.count += 1
    sign_in_refused(keys, device.get(keys.request_options(), client_data={"type": kind}))
    still_signs_in(keys, user, device)


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS, ids=range(len(FOREIGN_ORIGINS)))
def test_96_origins_are_exact(keys, registered, forger, origin):
    """Each but the registered one, letter by letter."""
    registration_refused(keys, forger().create(keys.creation_options(), client_data={"origin": origin}))
    user, device = registered()
    device.count += 1
    sign_in_refused(keys, device.get(keys.request_options(), client_data={"origin": origin}))
    still_signs_in(keys, user, device)


@pytest.mark.parametrize(
    "change",
    [{"crossOrigin": True}, {"crossOrigin": True, "topOrigin": "https://evil.test"}, {"topOrigin": "https://evil.test"}],
    ids=["cross", "cross and top", "top"],
)
def test_96_no_ceremony_in_a_strangers_frame(keys, registered, forger, change):
    registration_refused(keys, forger().create(keys.creation_options(), client_data=change))
    user, device = registered()
    device.count += 1
    sign_in_refused(keys, device.get(keys.request_options(), client_data=change))
    still_signs_in(keys, user, device)


@pytest.mark.parametrize("rp_id", ["other.example.test", "example.test", "KEYS.example.test", "https://keys.example.test"])
def test_97_the_domain_is_the_relying_partys(keys, registered, forger, rp_id):
    registration_refused(keys, forger().create(keys.creation_options(), rp_id=rp_id))
    user, device = registered()
    device.count += 1
    sign_in_refused(keys, device.get(keys.request_options(), rp_id=rp_id))
    still_signs_in(keys, user, device)


def test_98_somebody_is_there(keys, registered, forger):
    """Always; also on upgrades nobody signs in without being there."""
    absent = HONEST & ~PRESENT
    registration_refused(keys, forger().create(keys.creation_options(), flags=absent))
    user, device = registered()
    device.count += 1
    sign_in_refused(keys, device.get(keys.request_options(), flags=absent))
    still_signs_in(keys, user, device)


def test_98_verified_where_it_is_required(keys, registered):
    """Where it is only preferred, the backend is told that nobody was verified."""
    user, device = registered()
    options = keys.request_options()
    device.count += 1
    answer = device.get(options, flags=HONEST & ~VERIFIED)
    if options["publicKey"]["userVerification"] == "required":
        sign_in_refused(keys, answer)
    else:
        told = keys.ask("/auth/verify", {"token": keys.finish_sign_in(answer)}, keys.secret)
        assert told["user"]["id"] == user.id and told.get("uv", told.get("isUserVerified")) is False, told


def test_99_backup_flags_agree(keys, registered, forger):
    """Backed up without being able to be; or able to be today, and not yesterday."""
    registration_refused(keys, forger().create(keys.creation_options(), flags=HONEST & ~ELIGIBLE))
    user, device = registered()
    for flags in (HONEST & ~ELIGIBLE, HONEST & ~ELIGIBLE & ~BACKED_UP):
        device.count += 1
        sign_in_refused(keys, device.get(keys.request_options(), flags=flags))
    # Not backed up any more: that happens.
    device.count += 1
    assert keys.whose(keys.finish_sign_in(device.get(keys.request_options(), flags=HONEST & ~BACKED_UP))) == user.id


def test_100_a_counter_goes_up(keys, registered):
    """A copy of the key shows itself: by the same counter, by a lower one, by none any more."""
    user, device = registered()
    device.count = 7
    assert keys.whose(keys.finish_sign_in(device.get(keys.request_options(), count=7))) == user.id
    for count in (7, 6, 1, 0):
        sign_in_refused(keys, device.get(keys.request_options(), count=count))
    assert keys.whose(keys.finish_sign_in(device.get(keys.request_options(), count=8))) == user.id
    assert keys.whose(keys.finish_sign_in(device.get(keys.request_options(), count=2**32 - 1))) == user.id


def test_101_an_answer_is_the_owners(keys, registered):
    """Another user handle, another user's name, another user's credential."""
    user, device = registered()
    other, other_device = registered()
    for handle in (other_device.user_handle, secrets.token_bytes(32), b"\0", device.user_handle + b"\0"):
        device.count += 1
        sign_in_refused(keys, device.get(keys.request_options(), user_handle=handle))
        device.count += 1
        sign_in_refused(keys, device.get(keys.request_options(user.selector), user_handle=handle), user.selector)
    # A good answer of theirs, to what we were asked.
    other_device.count += 1
    sign_in_refused(keys, other_device.get(keys.request_options(user.selector)), user.selector)
    # Our identifier, their key.
    other_device.count += 1
    answer = other_device.get(keys.request_options(user.selector), user_handle=device.user_handle)
    answer["id"] = answer["rawId"] = encode(device.credential_id)
    sign_in_refused(keys, answer, user.selector)
    # No user handle and no name: nobody.
    device.count += 1
    handle, device.user_handle = device.user_handle, None
    sign_in_refused(keys, device.get(keys.request_options()))
    device.user_handle = handle
    still_signs_in(keys, user, device)
    still_signs_in(keys, other, other_device)


def test_102_an_identifier_is_registered_once(keys, registered, forger, new_user):
    """For nobody else, and not for the same person again; with another key or the same."""
    user, device = registered()
    thief = forger(device.credential_id)
    for owner in (new_user(), user):
        options = keys.creation_options()
        response = keys.post(REGISTER, {"credential": thief.create(options)}, keys.public)
        if response.status_code < 400:
            body = {"token": response.json()["result"]["token"], "user": {"id": owner.id}}
            keys.refused("/credential/create", body, keys.secret)
    still_signs_in(keys, user, device)
    sign_in_refused(keys, thief.get(keys.request_options(), user_handle=device.user_handle, count=10**6))


@pytest.mark.parametrize("length", [0, 1024, 4096, 20_000])
def test_102_identifiers_have_a_length(keys, forger, length):
    registration_refused(keys, forger(bytes(length)).create(keys.creation_options()))


def test_102_the_longest_identifier(keys, forger, new_user):
    user, device = new_user(), forger(secrets.token_bytes(1023))
    options = keys.creation_options()
    device.user_handle = decode(options["publicKey"]["user"]["id"])
    keys.attach(keys.finish_registration(device.create(options)), user.id, user.name)
    still_signs_in(keys, user, device)
    assert keys.request_options(user.selector)["publicKey"]["allowCredentials"][0]["id"] == encode(device.credential_id)


def test_102_both_identifiers_agree(keys, forger):
    """`rawId` is not what the authenticator data says, or not what `id` says."""
    for change in ({"rawId": encode(b"another")}, {"id": encode(b"another")}, {"id": encode(b"a"), "rawId": encode(b"a")}):
        registration_refused(keys, {**forger().create(keys.creation_options()), **change})
