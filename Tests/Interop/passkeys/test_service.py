"""The passkey service's wire, from outside: what its apps and their backends rely on."""

from __future__ import annotations

import json
import statistics
import time

import pytest

from support.authenticator import encode
from support.passkey_wire import (
    CLIENT_ROUTES,
    NEW_PATHS,
    OLD_PATHS,
    OLD_ROUTES,
    SECRET_ROUTES,
    check_binary,
    check_refusal,
    check_success,
    named,
    swift_shape,
    web_shape,
)
from support.secrets_seen import seen


@pytest.mark.parametrize("paths", [NEW_PATHS, OLD_PATHS], ids=["new routes", "old routes"])
@pytest.mark.parametrize("shape", [swift_shape, web_shape, dict], ids=["Swift", "web", "toJSON"])
def test_bodies_as_clients_send_them(service, keys, authenticators, new_user, shape, paths):
    """1, 2: both clients' bodies, on both generations of routes."""
    party, user, device = service(keys.party, paths), new_user(), authenticators(origin=keys.party.origins[0])
    options = party.creation_options({} if shape is swift_shape else {"upgrade": False})
    token = party.finish_registration(shape(device.create(named(options, user.name))))
    made = party.attach(token, user.id, user.name)
    assert made["isActive"] and made["isBackedUp"] and made["isBackupEligible"] and made["isUvInitialized"]
    for selector in ({"username": user.name}, {"id": user.id}):
        answer = shape(device.get(party.request_options(selector)))
        if shape is web_shape:
            assert answer["response"]["attestationObject"] == ""
        assert party.whose(party.finish_sign_in(answer, selector)) == user.id
    # Autofill: nobody is named, in any way that a client may say so.
    for body in ({}, {"user": None}):
        asked = party.ask(party.paths["sign in"][0], body, party.public)
        assert party.whose(party.finish_sign_in(shape(device.get(asked)))) == user.id


@pytest.mark.parametrize("alias", OLD_ROUTES)
def test_old_routes_refuse_alike(keys, alias):
    """2: the same answers to the same nonsense."""
    key = keys.secret if alias == "/registration/attach" else keys.public
    for body in ([], {"token": 1}, {"user": {"id": 1}}, {"credential": {}}):
        old, new = keys.post(alias, body, key), keys.post(OLD_ROUTES[alias], body, key)
        assert old.status_code == new.status_code
        if "Options" not in alias or old.status_code >= 400:
            assert old.json() == new.json()


def test_keys_have_places(keys):
    """3: the publishable key is a user name, the secret key a password, and neither the other."""
    publishable, secret = keys.party.publishable_key, keys.party.secret_key
    wrong = [
        None,
        "",
        "Basic",
        "Basic !!!",
        f"Bearer {publishable}",
        keys.basic(password=publishable),
        keys.basic(name=secret),
        keys.basic(name=publishable, password=secret),
        keys.basic(name=publishable, password="x"),
        keys.basic(),
    ]
    for path in CLIENT_ROUTES:
        for header in wrong:
            keys.refused(path, {}, header, "InvalidAuthorizationHeader", status=401)
        keys.refused(path, {}, keys.basic(name="pubkey_nobody_has_this_one"), "PublishableKeyNotFound", status=401)
        keys.refused(path, {}, keys.secret, "PermissionViolation", "InvalidAuthorizationHeader")
    for path in SECRET_ROUTES:
        for header in wrong:
            keys.refused(path, {}, header, "InvalidAuthorizationHeader", status=401)
        keys.refused(path, {}, keys.basic(password="secret_nobody_has_this_one"), "SecretKeyNotFound", status=401)
        keys.refused(path, {}, keys.public, "PermissionViolation", "InvalidAuthorizationHeader")


def test_tokens_are_redeemed_once(keys, authenticators, new_user):
    """4: the second time there is no such token."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    token = keys.registration_token(device)
    keys.attach(token, user.id)
    body = {"token": token, "user": {"id": user.id}}
    keys.refused("/credential/create", body, keys.secret, "TokenNotFound", status=404)
    token = keys.sign_in_token(device, {"id": user.id})
    assert keys.whose(token) == user.id
    keys.refused("/auth/verify", {"token": token}, keys.secret, "TokenNotFound", status=404)


def test_tokens_of_one_kind_are_not_of_the_other(keys, authenticators, new_user):
    """5: refused, and still good where they belong."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    token = keys.registration_token(device)
    keys.refused("/auth/verify", {"token": token}, keys.secret, "TokenNotFound", status=404)
    keys.attach(token, user.id)
    token = keys.sign_in_token(device, {"id": user.id})
    body = {"token": token, "user": {"id": new_user().id}}
    keys.refused("/credential/create", body, keys.secret, "TokenNotFound", status=404)
    assert keys.whose(token) == user.id


def test_tokens_belong_to_one_relying_party(keys, other_party, authenticators, new_user):
    """Another backend's secret key redeems nothing of ours."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    token = keys.registration_token(device)
    body = {"token": token, "user": {"id": user.id}}
    other_party.refused("/credential/create", body, other_party.secret, "TokenNotFound", status=404)
    keys.attach(token, user.id)
    token = keys.sign_in_token(device, {"id": user.id})
    other_party.refused("/auth/verify", {"token": token}, other_party.secret, "TokenNotFound", status=404)
    assert keys.whose(token) == user.id


def test_nobody_named_means_autofill(keys):
    """6: `mediation` from the server, and no list."""
    options = keys.request_options()
    assert options["mediation"] == "conditional" and "allowCredentials" not in options["publicKey"]
    check_binary(options)
    named_options = keys.request_options({"username": "nina@example.test"})
    assert "mediation" not in named_options and named_options["publicKey"]["allowCredentials"]
    check_binary(named_options)


def test_an_upgrade_is_quiet(keys, authenticators, new_user):
    """7: `mediation`, and nobody has to touch anything; else somebody has."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    quiet = keys.creation_options({"upgrade": True})
    assert quiet["mediation"] == "conditional"
    token = keys.finish_registration(device.create(named(quiet, user.name), user_present=False, user_verified=False))
    made = keys.attach(token, user.id)
    assert not made["isUvInitialized"]
    for body in ({"upgrade": False}, {}):
        loud = keys.creation_options(body)
        assert "mediation" not in loud
        credential = device.create(named(loud, user.name), user_present=False, user_verified=False)
        keys.refused("/attestation/process", {"credential": credential}, keys.public, "InvalidInput", status=400)
    # Nor does an upgrade sign anybody in who is not there.
    answer = device.get(keys.request_options({"id": user.id}), user_present=False)
    keys.refused("/assertion/process", {"credential": answer, "user": {"id": user.id}}, keys.public, "InvalidInput")


def test_strangers_look_like_people_without_passkeys(keys, authenticators, new_user):
    """8: status and shape; the same decoys whenever they are asked for."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    keys.register(device, user.id, user.name)
    lost = new_user()
    made = keys.register(device, lost.id, lost.name)
    keys.ask("/credential/delete", {"id": made["id"]}, keys.secret)
    shapes = set()
    for selector in (user.selector, lost.selector, new_user().selector, {"id": "nobody"}, {"id": lost.id}):
        first, again = keys.request_options(selector), keys.request_options(selector)
        assert first["publicKey"]["allowCredentials"] == again["publicKey"]["allowCredentials"]
        assert first["publicKey"]["challenge"] != again["publicKey"]["challenge"]
        shapes.add(tuple(sorted(first["publicKey"])))
        for one in first["publicKey"]["allowCredentials"]:
            assert set(one) >= {"type", "id"}, one
    assert len(shapes) == 1, shapes
    # No name is called by another one's decoys, at no other relying party by the same.
    lists = [json.dumps(keys.request_options({"id": f"nobody-{n}"})["publicKey"]["allowCredentials"]) for n in range(50)]
    assert len(set(lists)) == 50


@pytest.mark.timed
def test_strangers_take_as_long_as_people_with_passkeys(keys, authenticators, new_user):
    """8: the time of an answer does not tell who has a passkey."""
    user = new_user()
    keys.register(authenticators(origin=keys.party.origins[0]), user.id, user.name)
    spans: dict[str, list[float]] = {"known": [], "unknown": []}
    for _ in range(60):
        for kind, selector in (("known", user.selector), ("unknown", {"username": "nobody@example.test"})):
            start = time.perf_counter()
            keys.request_options(selector)
            spans[kind].append(time.perf_counter() - start)
    known, unknown = (statistics.median(spans[kind]) for kind in ("known", "unknown"))
    assert abs(known - unknown) < 0.003, f"known {known * 1000:.2f} ms, unknown {unknown * 1000:.2f} ms"


def test_names_are_compared_without_case(keys, authenticators, new_user):
    """9: `USERNAME@B` is `username@b`, and the answer has the identifier as it was given."""
    user, device = new_user("MixedCase"), authenticators(origin=keys.party.origins[0])
    keys.register(device, user.id, user.name)
    for selector in (
        {"username": user.name.upper()},
        {"username": user.name.lower()},
        {"id": user.id.upper()},
        {"id": user.id.lower()},
    ):
        assert keys.sign_in(device, selector) == user.id, selector
    # Both at once: the identifier counts.
    both = {"id": user.id, "username": "somebody-else@example.test"}
    assert keys.sign_in(device, both) == user.id


@pytest.mark.parametrize("name", ["Straße", "ΣΊΣΥΦΟΣ", "Ｗide", "ﬁne", "İstanbul"])
def test_names_are_compared_without_case_in_every_script(keys, authenticators, new_user, name):
    """Their own upper case, lower case and compatible forms."""
    user, device = new_user(name), authenticators(origin=keys.party.origins[0])
    keys.register(device, user.id, user.name)
    for typed in (user.name.upper(), user.name.lower(), user.name.swapcase(), user.name.casefold()):
        assert keys.sign_in(device, {"username": typed}) == user.id, typed


def test_identifiers_that_differ_in_case_are_two_people(keys, authenticators, new_user):
    """Many sites have such identifiers. Whoever they find, nobody is ever told to be somebody else."""
    user = new_user("aBc")
    twin = user.id.swapcase()
    first, second = (authenticators(origin=keys.party.origins[0]) for _ in range(2))
    keys.register(first, user.id)
    token = keys.registration_token(second)
    response = keys.post("/credential/create", {"token": token, "user": {"id": twin}}, keys.secret)
    if response.status_code == 200:
        assert keys.sign_in(second) == twin and keys.sign_in(second, {"id": twin}) == twin
    assert keys.sign_in(first) == user.id and keys.sign_in(first, {"id": user.id}) == user.id


def test_challenges_belong_to_one_relying_party(keys, other_party, authenticators, new_user):
    """10: another publishable key cannot answer them, and they are still good."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    credential = device.create(named(keys.creation_options(), user.name))
    body = {"credential": credential}
    other_party.refused("/attestation/process", body, other_party.public, "InvalidInput")
    keys.attach(keys.finish_registration(credential), user.id)
    answer = device.get(keys.request_options({"id": user.id}))
    body = {"credential": answer, "user": {"id": user.id}}
    other_party.refused("/assertion/process", body, other_party.public)
    assert keys.whose(keys.finish_sign_in(answer, {"id": user.id})) == user.id


def test_a_passkey_counts_when_the_backend_says_so(keys, authenticators, new_user):
    """Until the token is redeemed, nobody signs in with it."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    token = keys.registration_token(device)
    answer = device.get(keys.request_options())
    keys.refused("/assertion/process", {"credential": answer}, keys.public, status=400)
    keys.attach(token, user.id)
    assert keys.sign_in(device) == user.id


def test_user_names_are_one_persons(keys, authenticators, new_user):
    """Neither changed in passing, nor somebody else's; a refusal does not spend the token."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    keys.register(device, user.id, user.name)
    token = keys.registration_token(device)

    def attempt(user_id: str, username: object) -> dict:
        return {"token": token, "user": {"id": user_id, "username": username}}

    keys.refused(
        "/credential/create", attempt(user.id, "another@example.test"), keys.secret, "UsernameCannotChange", status=409
    )
    other = new_user()
    keys.refused(
        "/credential/create",
        attempt(other.id, user.name.upper()),
        keys.secret,
        "UsernameInUseByDifferentAccount",
        status=409,
    )
    for bad in ({"id": ""}, {"id": "x" * 256}, {"id": 5}, {}, None, {"id": "a", "username": "y" * 256}):
        keys.refused("/credential/create", {"token": token, "user": bad}, keys.secret, "InvalidInput", status=400)
    # null is what one client sends for no name.
    made = check_success(keys.post("/credential/create", attempt(user.id, None), keys.secret))
    assert made["isActive"]


def test_a_passkey_that_is_switched_off(keys, authenticators, new_user):
    """Refused by name, as long as it is off; tokens from before are worth nothing meanwhile."""
    user, device = new_user(), authenticators(origin=keys.party.origins[0])
    made = keys.register(device, user.id, user.name)
    before = keys.sign_in_token(device, {"id": user.id})
    off = keys.ask("/credential/update", {"id": made["id"], "isActive": False}, keys.secret)
    assert off["isActive"] is False and off["id"] == made["id"]
    keys.refused("/auth/verify", {"token": before}, keys.secret, "TokenNotFound")
    answer = device.get(keys.request_options())
    keys.refused(
        "/assertion/process", {"credential": answer}, keys.public, "UsingDeactivatedCredential", status=403
    )
    # Only who holds it hears that.
    broken = device.get(keys.request_options())
    broken["response"]["signature"] = encode(b"0" * 70)
    problem = check_refusal(keys.post("/assertion/process", {"credential": broken}, keys.public))
    assert problem["code"] != "UsingDeactivatedCredential"
    keys.ask("/credential/update", {"id": made["id"], "isActive": True, "name": "Nina's phone"}, keys.secret)
    assert keys.sign_in(device) == user.id
    listed = keys.ask("/credential/list", {"user": {"id": user.id}}, keys.secret)["credentials"]
    assert [one["name"] for one in listed] == ["Nina's phone"]
    keys.ask("/credential/delete", {"id": made["id"]}, keys.secret)
    answer = device.get(keys.request_options())
    keys.refused("/assertion/process", {"credential": answer}, keys.public, status=400)


def test_every_algorithm_that_is_offered(keys, authenticators, new_user):
    offered = [one["alg"] for one in keys.creation_options()["publicKey"]["pubKeyCredParams"]]
    for algorithm in offered:
        user = new_user()
        device = authenticators(algorithms=[algorithm], origin=keys.party.origins[0])
        keys.register(device, user.id, user.name)
        assert keys.sign_in(device, user.selector) == user.id, algorithm


def test_what_backends_hear(keys, authenticators, new_user):
    """`user.id` as it was given, and how it was shown."""
    user, device = new_user("Ünïcode 🙂"), authenticators(origin=keys.party.origins[0])
    made = keys.register(device, user.id, user.name)
    answer = keys.ask("/auth/verify", {"token": keys.sign_in_token(device)}, keys.secret)
    assert answer["user"]["id"] == user.id
    assert answer.get("credentialId", made["id"]) == made["id"]


@pytest.mark.late
def test_nothing_secret_is_kept(keys, passkey_server):
    """No key and no token that these suites have seen, and no user's name, is in the log or in the database."""
    assert " listening" in keys.log_text()
    files = [passkey_server.log, *passkey_server.folder.glob("keyturn.db*")]
    assert len(files) > 1
    for file in files:
        content = file.read_bytes()
        kept = [kind for value, kind in seen().items() if value.encode() in content]
        assert not kept, f"{file.name}: {kept}"
        assert b"@example.test" not in content, f"{file.name}: a user's name"
        for header in (keys.secret, keys.public):
            assert header.split()[1].encode() not in content
