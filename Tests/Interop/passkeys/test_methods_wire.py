"""Passkeys of this server's own users: `webauthn` of the unchanged `descope` package, and DescopeKit's own bodies."""

from __future__ import annotations

import json
import secrets

import pytest
from descope import LoginOptions

from support.attestation import client_data_of
from support.authenticator import Declined, decode, encode
from support.forger import HONEST, VERIFIED, Forger
from support.methods import USER_EXISTS, check_problem, new_email, refused
from support.project import Project
from support.raw import all_at_once

APP_ORIGIN, APP_DOMAIN = "https://app.example.com", "app.example.com"
REFUSED = "E011003"


@pytest.fixture(scope="module")
def project(tmp_path_factory, mail):
    party = {"rp_id": APP_DOMAIN, "rp_name": "The app", "origins": [APP_ORIGIN]}
    project = Project(tmp_path_factory.mktemp("project"), mail, passkeys=[party])
    yield project
    project.close()


@pytest.fixture
def webauthn(project):
    return project.client.webauthn


@pytest.fixture
def phone(authenticators):
    return authenticators(origin=APP_ORIGIN)


def options_of(started: dict, create: bool) -> dict:
    """The options of a start, as both clients read them."""
    assert started["transactionId"] and started["create"] is create, started
    assert isinstance(started["options"], str), "options are a text that holds JSON"
    options = json.loads(started["options"])
    assert set(options) == {"publicKey"}
    inner = options["publicKey"]
    assert len(decode(inner["challenge"])) >= 16
    if create:
        assert inner["rp"]["id"] and inner["user"]["id"] and inner["user"]["name"]
    else:
        assert inner["rpId"] and isinstance(inner["allowCredentials"], list), "one client does without no list"
    return options


def apple_shape(credential: dict) -> str:
    """What DescopeKit sends."""
    response = dict(credential["response"])
    response.pop("transports", None)
    if handle := response.get("userHandle"):
        text = decode(handle).decode()
        response["userHandle"] = text if len(text) >= 30 and text.startswith("V") else handle
    return json.dumps(
        {"id": credential["id"], "rawId": credential["rawId"], "type": "public-key", "response": response}
    )


def sign_up(project, device, login_id: str | None = None, shape=json.dumps) -> dict:
    """Somebody new, with a passkey alone."""
    webauthn = project.client.webauthn
    started = webauthn.sign_up_start(login_id or new_email(), APP_ORIGIN, {"name": "Nina New"})
    answer = webauthn.sign_up_finish(started["transactionId"], shape(device.create(options_of(started, True))))
    project.tokens(answer)
    return answer


def sign_in(project, device, login_id: str, shape=json.dumps) -> dict:
    webauthn = project.client.webauthn
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    answer = webauthn.sign_in_finish(started["transactionId"], shape(device.get(options_of(started, False))))
    project.tokens(answer)
    return answer


@pytest.mark.parametrize("shape", [json.dumps, apple_shape], ids=["toJSON", "DescopeKit"])
@pytest.mark.parametrize("attestation", ["none", "packed"])
def test_sign_up_and_sign_in(project, authenticators, shape, attestation):
    """The same user each time; what the token says of how."""
    device = authenticators(origin=APP_ORIGIN, attestation=attestation)
    login_id = new_email()
    first = sign_up(project, device, login_id, shape)
    assert first["firstSeen"] and first["user"]["loginIds"] == [login_id] and first["user"]["webauthn"] is True
    assert first["user"]["name"] == "Nina New" and not first["user"].get("verifiedEmail")
    again = sign_in(project, device, login_id.upper(), shape)
    assert again["userId"] == first["userId"] and not again["firstSeen"]
    assert "webauthn" in again["sessionToken"]["amr"]
    # Verified users bring two factors; those who only touched bring one.
    assert "mfa" in again["sessionToken"]["amr"]
    touched = project.client.webauthn.sign_in_start(login_id, APP_ORIGIN)
    answer = project.client.webauthn.sign_in_finish(
        touched["transactionId"], shape(device.get(options_of(touched, False), user_verified=False))
    )
    assert "mfa" not in answer["sessionToken"]["amr"] and "webauthn" in answer["sessionToken"]["amr"]


def test_handles_that_apples_client_can_say(project, webauthn):
    """DescopeKit takes a user handle for text: one that is none throws, and a long one with V is sent as it is."""
    for _ in range(20):
        options = options_of(webauthn.sign_up_start(new_email(), APP_ORIGIN), True)
        text = decode(options["publicKey"]["user"]["id"]).decode()
        assert not (len(text) >= 30 and text.startswith("V")), text


def test_sign_up_or_in(project, webauthn, phone):
    """`create` says which it becomes."""
    login_id = new_email()
    started = webauthn.sign_up_or_in_start(login_id, APP_ORIGIN)
    first = webauthn.sign_up_finish(started["transactionId"], json.dumps(phone.create(options_of(started, True))))
    started = webauthn.sign_up_or_in_start(login_id, APP_ORIGIN)
    again = webauthn.sign_in_finish(started["transactionId"], json.dumps(phone.get(options_of(started, False))))
    assert project.tokens(first) != project.tokens(again) and first["userId"] == again["userId"]


def test_nobody_signs_up_twice(project, webauthn, phone):
    login_id = new_email()
    started = webauthn.sign_up_start(login_id, APP_ORIGIN)
    sign_up(project, phone, login_id)
    refused(lambda: webauthn.sign_up_start(login_id, APP_ORIGIN), USER_EXISTS)
    credential = phone.create(options_of(started, True))
    refused(lambda: webauthn.sign_up_finish(started["transactionId"], json.dumps(credential)), USER_EXISTS)


def test_a_name_of_somebody_with_a_password(project, webauthn, phone):
    """Knowing a name adds no passkey to its account: sign-up-or-in asks for one that is there."""
    answer, _ = project.sign_up_with_password()
    login_id = answer["user"]["loginIds"][0]
    refused(lambda: webauthn.sign_up_start(login_id, APP_ORIGIN), USER_EXISTS)
    options = options_of(webauthn.sign_up_or_in_start(login_id, APP_ORIGIN), False)
    with pytest.raises(Declined):
        phone.get(options)


def test_another_passkey(project, webauthn, authenticators):
    """Added in a session that showed the one before; both sign in; those there are excluded; the owner gets mails."""
    first, second = (authenticators(origin=APP_ORIGIN) for _ in range(2))
    answer = project.sign_up()
    login_id, user_id = answer["user"]["loginIds"][0], answer["userId"]
    _, refresh = project.tokens(answer)
    for number, device in enumerate((first, second)):
        started = webauthn.update_start(login_id, refresh, APP_ORIGIN)
        options = options_of(started, True)
        assert len(options["publicKey"]["excludeCredentials"]) == number
        credential = device.create(options)
        assert webauthn.update_finish(started["transactionId"], json.dumps(credential)) is None
        assert project.mail.take(login_id).subject
        if number == 0:
            # What is there is shown first: whoever has the mailbox alone puts nothing beside it.
            refused(lambda: webauthn.update_start(login_id, refresh, APP_ORIGIN), REFUSED)
        _, refresh = project.tokens(sign_in(project, device, login_id))
    with pytest.raises(Declined, match="InvalidStateError"):
        first.create(options_of(webauthn.update_start(login_id, refresh, APP_ORIGIN), True))
    for device in (first, second):
        assert sign_in(project, device, login_id)["userId"] == user_id
    # One handle, so that each device keeps one for this person.
    assert {one["userHandle"] for device in (first, second) for one in device.credentials()} == {
        first.credentials()[0]["userHandle"]
    }


def test_a_passkey_as_second_factor(project, webauthn, phone):
    """`mfa` on update: the session that began it gets the passkey beside what it had."""
    answer = project.sign_up()
    _, refresh = project.tokens(answer)
    started = webauthn.update_start(answer["user"]["loginIds"][0], refresh, APP_ORIGIN, mfa=True)
    merged = webauthn.update_finish(started["transactionId"], json.dumps(phone.create(options_of(started, True))))
    assert merged, "no session came of it"
    assert {"otp", "webauthn"} <= set(merged["sessionToken"]["amr"]) or {"email", "webauthn"} <= set(
        merged["sessionToken"]["amr"]
    )


def test_step_up(project, webauthn, phone):
    """With a session, a passkey steps it up; with somebody else's, nothing does."""
    login_id = new_email()
    answer = sign_up(project, phone, login_id)
    _, refresh = project.tokens(answer)
    started = webauthn.sign_in_start(login_id, APP_ORIGIN, LoginOptions(stepup=True), refresh)
    stepped = webauthn.sign_in_finish(started["transactionId"], json.dumps(phone.get(options_of(started, False))))
    assert stepped["sessionToken"]["su"] is True
    stranger = project.sign_up()
    _, theirs = project.tokens(stranger)
    refused(lambda: webauthn.sign_in_start(login_id, APP_ORIGIN, LoginOptions(stepup=True), theirs))
    # Nor does that tell whether there is such a name.
    refused(lambda: webauthn.sign_in_start(new_email(), APP_ORIGIN, LoginOptions(stepup=True), theirs))


def test_without_a_name(project, phone):
    """Whoever the device finds."""
    user_id = sign_up(project, phone)["userId"]
    started = project.wire.post("/v1/auth/webauthn/signin/start", {"loginId": "", "origin": APP_ORIGIN})
    assert started.status_code == 200, started.text
    options = options_of(started.json(), False)
    assert options["publicKey"]["allowCredentials"] == []
    body = {"transactionId": started.json()["transactionId"], "response": json.dumps(phone.get(options))}
    assert project.wire.post("/v1/auth/webauthn/signin/finish", body).json()["user"]["userId"] == user_id


def test_strangers_look_like_users(project, webauthn, phone):
    """A name that nobody has is answered with decoys, the same each time, and leads nowhere."""
    login_id = new_email()
    sign_up(project, phone, login_id)
    nobody = new_email()
    known = options_of(webauthn.sign_in_start(login_id, APP_ORIGIN), False)["publicKey"]
    first = options_of(webauthn.sign_in_start(nobody, APP_ORIGIN), False)["publicKey"]
    again = options_of(webauthn.sign_in_start(nobody, APP_ORIGIN), False)["publicKey"]
    assert set(first) == set(known) and first["allowCredentials"] == again["allowCredentials"] != []
    started = webauthn.sign_in_start(nobody, APP_ORIGIN)
    problem = refused(
        lambda: webauthn.sign_in_finish(
            started["transactionId"],
            json.dumps(phone.get(options_of(started, False), credential=phone.credentials()[0]["id"])),
        ),
        REFUSED,
    )
    wrong = webauthn.sign_in_start(login_id, APP_ORIGIN)
    broken = phone.get(options_of(wrong, False))
    broken["response"]["signature"] = encode(bytes(70))
    assert refused(lambda: webauthn.sign_in_finish(wrong["transactionId"], json.dumps(broken)), REFUSED) == problem


def test_transactions_are_bound(project, webauthn, phone, authenticators):
    """94: to their ceremony, their user, their one answer."""
    login_id = new_email()
    user_id = sign_up(project, phone, login_id)["userId"]
    started, other = (webauthn.sign_in_start(login_id, APP_ORIGIN) for _ in range(2))
    answer = json.dumps(phone.get(options_of(started, False)))
    refused(lambda: webauthn.sign_in_finish(other["transactionId"], answer), REFUSED)
    refused(lambda: webauthn.sign_up_finish(started["transactionId"], answer))
    refused(lambda: webauthn.update_finish(started["transactionId"], answer))
    refused(lambda: webauthn.sign_in_finish(started["transactionId"] + "x", answer), REFUSED)
    refused(lambda: webauthn.sign_in_finish(encode(secrets.token_bytes(200)), answer), REFUSED)
    assert webauthn.sign_in_finish(started["transactionId"], answer)["userId"] == user_id
    refused(lambda: webauthn.sign_in_finish(started["transactionId"], answer), REFUSED)
    # Another user's passkey, in this user's transaction.
    stranger = authenticators(origin=APP_ORIGIN)
    sign_up(project, stranger)
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    theirs = stranger.get(options_of(started, False), credential=stranger.credentials()[0]["id"])
    refused(lambda: webauthn.sign_in_finish(started["transactionId"], json.dumps(theirs)), REFUSED)
    # A registration's answer twice.
    started = webauthn.sign_up_start(new_email(), APP_ORIGIN)
    credential = json.dumps(stranger.create(options_of(started, True)))
    webauthn.sign_up_finish(started["transactionId"], credential)
    refused(lambda: webauthn.sign_up_finish(started["transactionId"], credential))


def test_origins_are_relying_parties(project, webauthn, phone):
    """96, 97: options for our own pages and for the app's; an answer from elsewhere is none."""
    own = options_of(webauthn.sign_up_start(new_email(), project.origin), True)
    assert own["publicKey"]["rp"]["id"] == "localhost"
    assert options_of(webauthn.sign_up_start(new_email(), APP_ORIGIN), True)["publicKey"]["rp"]["id"] == APP_DOMAIN
    refused(lambda: webauthn.sign_up_start(new_email(), "https://elsewhere.example.test"))
    started = webauthn.sign_up_start(new_email(), APP_ORIGIN)
    credential = phone.create(options_of(started, True), origin="https://elsewhere.example.test")
    assert client_data_of(credential)["origin"] == "https://elsewhere.example.test"
    refused(lambda: webauthn.sign_up_finish(started["transactionId"], json.dumps(credential)), REFUSED)


def test_what_is_over_adds_nothing(project, webauthn, phone):
    """No passkey for a session that was signed out meanwhile, a user who is disabled, or no session at all."""
    answer = project.sign_up()
    login_id = answer["user"]["loginIds"][0]
    _, refresh = project.tokens(answer)
    started = webauthn.update_start(login_id, refresh, APP_ORIGIN)
    project.client.logout(refresh)
    credential = json.dumps(phone.create(options_of(started, True)))
    refused(lambda: webauthn.update_finish(started["transactionId"], credential), REFUSED)
    refused(lambda: webauthn.update_start(login_id, refresh, APP_ORIGIN), status=401)
    body = {"loginId": login_id, "origin": APP_ORIGIN}
    response = project.wire.post("/v1/auth/webauthn/update/start", body)
    assert response.status_code == 401
    check_problem(response.json())
    # Nor for another user's name.
    other = project.sign_up()
    _, theirs = project.tokens(other)
    refused(lambda: webauthn.update_start(login_id, theirs, APP_ORIGIN))


def test_operators_end_it(project, webauthn, phone):
    """Disabled, then enabled; its passkeys taken away; the user deleted."""
    login_id = new_email()
    sign_up(project, phone, login_id)
    project.mgmt.user.deactivate(login_id)
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    answer = phone.get(options_of(started, False), credential=phone.credentials()[0]["id"])
    refused(lambda: webauthn.sign_in_finish(started["transactionId"], json.dumps(answer)), REFUSED)
    project.mgmt.user.activate(login_id)
    assert sign_in(project, phone, login_id)["user"]["webauthn"] is True
    project.mgmt.user.remove_all_passkeys(login_id)
    assert project.mgmt.user.load(login_id)["user"]["webauthn"] is False
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    answer = phone.get(options_of(started, False), credential=phone.credentials()[0]["id"])
    refused(lambda: webauthn.sign_in_finish(started["transactionId"], json.dumps(answer)), REFUSED)


def test_operators_see_the_list(project, phone):
    """`list_passkeys` and `delete_passkey`."""
    login_id = new_email()
    sign_up(project, phone, login_id)
    [listed] = project.mgmt.user.list_passkeys(login_id)["passkeys"]
    assert listed["name"] == "Passkey" and listed["isActive"] and listed["rpId"] == APP_DOMAIN
    other = new_email()
    sign_up(project, phone, other)
    refused(lambda: project.mgmt.user.delete_passkey(other, listed["credentialId"]))
    assert len(project.mgmt.user.list_passkeys(login_id)["passkeys"]) == 1
    project.mgmt.user.delete_passkey(login_id, listed["credentialId"])
    assert project.mgmt.user.list_passkeys(login_id)["passkeys"] == []
    assert project.mgmt.user.load(login_id)["user"]["webauthn"] is False


def test_a_key_that_was_stolen_before_it_verified(project, webauthn):
    """Made by touch alone, a key does not count as two factors when somebody has set its PIN since."""
    device = Forger(APP_DOMAIN, APP_ORIGIN)
    login_id = new_email()
    started = webauthn.sign_up_start(login_id, APP_ORIGIN)
    options = options_of(started, True)
    device.user_handle = decode(options["publicKey"]["user"]["id"])
    webauthn.sign_up_finish(started["transactionId"], json.dumps(device.create(options, flags=HONEST & ~VERIFIED)))
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    device.count += 1
    answer = webauthn.sign_in_finish(started["transactionId"], json.dumps(device.get(options_of(started, False))))
    assert "mfa" not in answer["sessionToken"]["amr"]


def test_94_a_hundred_answers_at_once(project, webauthn):
    """One transaction, one session; one name, one user."""
    device = Forger(APP_DOMAIN, APP_ORIGIN)
    login_id = new_email()
    started = webauthn.sign_up_start(login_id, APP_ORIGIN)
    options = options_of(started, True)
    device.user_handle = decode(options["publicKey"]["user"]["id"])
    wires = [project.new_wire() for _ in range(100)]

    def race(path: str, bodies: list[dict]) -> list[dict]:
        answers = all_at_once(100, lambda number: wires[number].post(f"/v1/auth/webauthn/{path}/finish", bodies[number]))
        assert all(answer.status_code < 500 for answer in answers)
        return [answer.json() for answer in answers if answer.status_code == 200]

    body = {"transactionId": started["transactionId"], "response": json.dumps(device.create(options))}
    assert len(race("signup", [body] * 100)) == 1
    started = webauthn.sign_in_start(login_id, APP_ORIGIN)
    options = options_of(started, False)
    bodies = [
        {"transactionId": started["transactionId"], "response": json.dumps(device.get(options, count=5 + number))}
        for number in range(100)
    ]
    assert len(race("signin", bodies)) == 1
    wanted, bodies = new_email(), []
    for _ in range(100):
        starting = project.wire.post(
            "/v1/auth/webauthn/signup/start", {"user": {"loginId": wanted}, "origin": APP_ORIGIN},
            network=f"203.0.113.{len(bodies) + 1}",
        ).json()
        one = Forger(APP_DOMAIN, APP_ORIGIN)
        made = one.create(json.loads(starting["options"]))
        bodies.append({"transactionId": starting["transactionId"], "response": json.dumps(made)})
    assert len(race("signup", bodies)) == 1


def test_names_are_told_to_the_device(project, webauthn):
    """The login ID and the name, as people will see them in the list of their passkeys."""
    login_id = new_email()
    started = webauthn.sign_up_start(login_id, APP_ORIGIN, {"name": "Nina New"})
    user = options_of(started, True)["publicKey"]["user"]
    assert (user["name"], user["displayName"]) == (login_id, "Nina New")
