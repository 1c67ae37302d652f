"""Passwords, with the unchanged package: sign up, sign in, replace, update, reset, policy."""

from __future__ import annotations

import unicodedata

import pytest

from support.methods import APP_PAGE, EMAIL, USER_EXISTS, new_email, new_password, refused


def test_sign_up_and_in(project, client):
    """An address that was only claimed is not verified by a password."""
    email, password = new_email(), new_password()
    first = client.password.sign_up(email, password, {"name": "Paula Pass", "email": email})
    project.tokens(first)
    assert first["firstSeen"] is True and first["sessionToken"]["amr"] == ["pwd"]
    user = first["user"]
    assert user["password"] is True and user["email"] == "" and user["verifiedEmail"] is False
    again = client.password.sign_in(email, password)
    project.tokens(again)
    assert again["userId"] == first["userId"] and again["firstSeen"] is False


def test_sign_up_of_somebody_who_exists(project, client):
    """Refused, and the owner's password stays what it was."""
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    refused(lambda: client.password.sign_up(login, new_password()), USER_EXISTS)
    client.password.sign_in(login, password)


def test_wrong_password_and_unknown_account(project, client):
    """One answer for both."""
    answer, password = project.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    wrong = refused(lambda: client.password.sign_in(login, f"{password}x"))
    assert refused(lambda: client.password.sign_in(new_email(), password)) == wrong
    without = project.sign_up()["user"]["email"]
    assert refused(lambda: client.password.sign_in(without, password)) == wrong


def test_replace(project, client):
    """The old password is the proof; afterwards it is worth nothing."""
    answer, old = project.sign_up_with_password()
    login, new = answer["user"]["loginIds"][0], new_password()
    refused(lambda: client.password.replace(login, f"{old}x", new))
    replaced = client.password.replace(login, old, new)
    project.tokens(replaced)
    assert replaced["userId"] == answer["userId"]
    refused(lambda: client.password.sign_in(login, old))
    client.password.sign_in(login, new)


def test_update(project, client):
    """Somebody who is signed in, by a code for example, chooses a password."""
    answer = project.sign_up()
    login, password = answer["user"]["email"], new_password()
    assert client.password.update(login, password, answer["refreshSessionToken"]["jwt"]) is None
    assert client.password.sign_in(login, password)["userId"] == answer["userId"]


def test_update_of_somebody_else(project, client):
    """A refresh token is good for its own person."""
    answer, password = project.sign_up_with_password()
    mallory = project.sign_up()["refreshSessionToken"]["jwt"]
    login = answer["user"]["loginIds"][0]
    refused(lambda: client.password.update(login, new_password(), mallory))
    client.password.sign_in(login, password)


def test_reset(project, client):
    """A link to the verified address; whoever follows it is signed in and chooses anew."""
    email = new_email()
    first = project.sign_up(email)
    client.password.update(email, new_password(), first["refreshSessionToken"]["jwt"])
    answer = client.password.send_reset(email, APP_PAGE)
    assert answer["resetMethod"] == "magiclink" and "*" in answer["maskedEmail"] and answer["maskedEmail"] != email
    # The first one tells that the password was changed, if it tells.
    message = project.mail.take(email)
    while not message.links:
        message = project.mail.take(email)
    assert message.link.startswith(APP_PAGE.split("?")[0])
    signed_in = client.magiclink.verify(message.token)
    _, refresh = project.tokens(signed_in)
    assert signed_in["userId"] == first["userId"] and "pwd" not in signed_in["sessionToken"]["amr"]
    password = new_password()
    client.password.update(email, password, refresh)
    client.password.sign_in(email, password)


def test_reset_of_somebody_who_does_not_exist(project, client):
    email, known = new_email(), project.sign_up()["user"]["email"]
    unknown, other = client.password.send_reset(email, APP_PAGE), client.password.send_reset(known, APP_PAGE)
    assert unknown.keys() == other.keys() and unknown["resetMethod"] == other["resetMethod"]
    project.mail.nothing(email)


def test_policy(project, client):
    """All five members, as the server enforces them."""
    policy = client.password.get_policy()
    assert policy.keys() == {"minLength", "lowercase", "uppercase", "number", "nonAlphanumeric"}
    assert type(policy["minLength"]) is int and all(
        type(value) is bool for name, value in policy.items() if name != "minLength"
    )
    short = "a7!Kz9"[: policy["minLength"] - 1]
    refused(lambda: client.password.sign_up(new_email(), short))


@pytest.mark.parametrize("password", ["password", "12345678", "iloveyou", "qwertyuiop"])
def test_attack_83_passwords_that_everybody_knows(client, password):
    refused(lambda: client.password.sign_up(new_email(), password))


@pytest.mark.parametrize(
    "password",
    ["long and with spaces " * 3, "zażółć gęślą jaźń", "hippopotamus\N{HIPPOPOTAMUS}\N{HIPPOPOTAMUS}", "x7-" * 40],
    ids=["spaces", "accents", "emoji", "120 letters"],
)
def test_attack_82_passwords_of_all_kinds(project, client, password):
    """Neither shortened nor changed; composed and decomposed accents are the same."""
    email = new_email()
    project.tokens(client.password.sign_up(email, password))
    project.tokens(client.password.sign_in(email, unicodedata.normalize("NFD", password)))
    refused(lambda: client.password.sign_in(email, password[:-1]))
    refused(lambda: client.password.sign_in(email, f"{password}\0x"))


def test_temporary_password(project, client, mgmt):
    """One that an operator chose must be replaced before it signs in."""
    email, temporary, own = new_email(), new_password(), new_password()
    mgmt.user.create(email, email=email, verified_email=True)
    mgmt.user.set_temporary_password(email, temporary)
    refused(lambda: client.password.sign_in(email, temporary), "E062909")
    project.tokens(client.password.replace(email, temporary, own))
    client.password.sign_in(email, own)


def test_code_proves_what_a_password_does_not(project, client):
    """Somebody with a password proves the address by a code; the account is the same."""
    answer, _ = project.sign_up_with_password()
    email = answer["user"]["loginIds"][0]
    client.otp.sign_in(EMAIL, email)
    verified = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    assert verified["userId"] == answer["userId"] and verified["user"]["verifiedEmail"] is True
