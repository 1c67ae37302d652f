"""Attacks 89, 91 and 93: resets, changed addresses and squatted accounts do not hand an account to somebody else."""

from __future__ import annotations

import time

import pyotp

from support.messages import Message, token_of
from support.methods import APP_PAGE, EMAIL, SMS, SPENT_LINK, new_email, new_password, new_phone, refused


def take_link(project, email: str) -> Message:
    """The next mail with a link; notices in between are read and put away."""
    while not (message := project.mail.take(email)).links:
        pass
    return message


def with_password(project) -> tuple[str, str, dict]:
    """Somebody with a verified address and a password."""
    email, password = new_email(), new_password()
    answer = project.sign_up(email)
    project.client.password.update(email, password, answer["refreshSessionToken"]["jwt"])
    return email, password, answer


def test_attack_89_reset_is_one_factor(project, client):
    """Whoever has a second factor does not get rid of it by a reset link, nor chooses a password by it alone."""
    email, old, answer = with_password(project)
    refresh = answer["refreshSessionToken"]["jwt"]
    key = client.totp.update_user(email, refresh)["key"]
    now = time.time()
    client.totp.sign_in_code(email, pyotp.TOTP(key).at(now))
    client.password.send_reset(email, APP_PAGE)
    link = take_link(project, email).token
    weak = refused(lambda: client.magiclink.verify(link), "E011003", status=403)
    assert weak["missing"] == "second_factor"
    new = new_password()
    refused(lambda: client.password.update(email, new, weak["pendingRef"]), status=401)
    beside = refused(lambda: client.password.sign_in(email, old), "E011003", status=403)
    assert beside["missing"] == "second_factor"
    both = client.totp.sign_in_code(email, pyotp.TOTP(key).at(now + 30), None, weak["pendingRef"])
    assert {"email", "totp", "mfa"} <= set(both["sessionToken"]["amr"])
    client.password.update(email, new, both["refreshSessionToken"]["jwt"])
    assert refused(lambda: client.password.sign_in(email, new), status=403)["missing"] == "second_factor"
    assert client.me(both["refreshSessionToken"]["jwt"])["TOTP"] is True


def test_attack_89_old_links_die(project, client):
    """A link that was asked for before the password was changed opens nothing any more."""
    email, old, _ = with_password(project)
    client.password.send_reset(email, APP_PAGE)
    first = take_link(project, email).token
    client.password.send_reset(email, APP_PAGE)
    second = take_link(project, email).token
    refresh = client.magiclink.verify(second)["refreshSessionToken"]["jwt"]
    client.password.update(email, new_password(), refresh)
    refused(lambda: client.magiclink.verify(first), *SPENT_LINK)
    refused(lambda: client.password.sign_in(email, old))


def test_attack_89_reset_ends_other_sessions(project, client):
    """Whoever took the account over is out."""
    email, old, _ = with_password(project)
    thief = client.password.sign_in(email, old)["refreshSessionToken"]["jwt"]
    client.password.send_reset(email, APP_PAGE)
    refresh = client.magiclink.verify(take_link(project, email).token)["refreshSessionToken"]["jwt"]
    client.password.update(email, new_password(), refresh)
    refused(lambda: client.refresh_session(thief), status=401)


def test_attack_89_reset_goes_to_the_verified_address_alone(project, client):
    """An address that was only claimed gets no link to an account."""
    answer, password = project.sign_up_with_password()
    email = answer["user"]["loginIds"][0]
    sent = client.password.send_reset(email, APP_PAGE)
    assert sent["resetMethod"]
    try:
        message = project.mail.take(email, 1)
    except AssertionError:
        return
    verified = client.magiclink.verify(message.token)
    assert verified["user"]["verifiedEmail"] is True, "following the link is proof of the address"
    refused(lambda: client.password.sign_in(email, password))


def test_attack_91_old_address_hears_of_it(project, client):
    email, new = new_email(), new_email("moved")
    _, refresh = project.tokens(project.sign_up(email))
    client.otp.update_user_email(email, new, refresh, add_to_login_ids=True)
    project.mail.nothing(email, 0.2)
    client.otp.verify_code(EMAIL, email, project.mail.take(new).code)
    notice = project.mail.take(email)
    assert not notice.links and new not in notice.text and not notice.has_code


def test_attack_91_only_with_a_session_of_ones_own(project, client):
    email, mallory = new_email(), project.sign_up()["refreshSessionToken"]["jwt"]
    _, refresh = project.tokens(project.sign_up(email))
    new = new_email("stolen")
    refused(lambda: client.otp.update_user_email(email, new, mallory))
    refused(lambda: client.magiclink.update_user_email(email, new, mallory))
    refused(lambda: client.enchantedlink.update_user_email(email, new, mallory))
    refused(lambda: client.otp.update_user_phone(SMS, email, new_phone(), mallory))
    answer = project.wire.post("/v1/auth/otp/update/email", {"loginId": email, "email": new})
    assert answer.status_code in (400, 401), answer.text
    project.mail.nothing(new, 0.2)
    assert client.me(refresh)["email"] == email


def test_attack_91_address_of_somebody_else(project, client):
    """Taking an address that signs somebody else in does not take their account, nor tell of it."""
    victim, mallory = new_email(), new_email()
    owner = project.sign_up(victim)
    _, refresh = project.tokens(project.sign_up(mallory))
    client.otp.update_user_email(mallory, victim, refresh, add_to_login_ids=True)
    for login in (victim, mallory):
        refused(lambda login=login: client.otp.verify_code(EMAIL, login, "000000"))
    assert project.mgmt.user.load(victim)["user"]["userId"] == owner["userId"]
    assert client.me(owner["refreshSessionToken"]["jwt"])["loginIds"] == [victim]
    assert client.me(refresh)["loginIds"] == [mallory]


def test_attack_91_merge_is_the_owners_to_grant(project, client):
    """With the code from the other address, the two become one: the one who asked stays."""
    kept, gone = new_email(), new_email()
    _, refresh = project.tokens(project.sign_up(kept))
    other = project.sign_up(gone)
    client.otp.update_user_email(kept, gone, refresh, add_to_login_ids=True)
    answer = client.otp.verify_code(EMAIL, kept, project.mail.take(gone).code)
    assert sorted(client.me(answer["refreshSessionToken"]["jwt"])["loginIds"]) == sorted([kept, gone])
    refused(lambda: client.refresh_session(other["refreshSessionToken"]["jwt"]), status=401)


def test_attack_93_password_of_a_squatter(project, client):
    """An account made in advance for somebody else's address: worthless once the owner shows up."""
    email, password = new_email(), new_password()
    squatter = client.password.sign_up(email, password, {"name": "Sid Squatter", "email": email})
    client.otp.sign_up_or_in(EMAIL, email)
    owner = client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    project.tokens(owner)
    refused(lambda: client.password.sign_in(email, password))
    refused(lambda: client.refresh_session(squatter["refreshSessionToken"]["jwt"]), status=401)
    assert client.me(owner["refreshSessionToken"]["jwt"])["password"] is False


def test_attack_93_authenticator_of_a_squatter(project, client):
    """The same with an authenticator app."""
    email = new_email()
    key = client.totp.sign_up(email, {"email": email})["key"]
    now = time.time()
    squatter = client.totp.sign_in_code(email, pyotp.TOTP(key).at(now))
    client.magiclink.sign_up_or_in(EMAIL, email, APP_PAGE)
    client.magiclink.verify(take_link(project, email).token)
    refused(lambda: client.totp.sign_in_code(email, pyotp.TOTP(key).at(now + 30)))
    refused(lambda: client.refresh_session(squatter["refreshSessionToken"]["jwt"]), status=401)


def test_attack_93_owner_comes_by_an_enchanted_link(project, client):
    """What a squatter left is removed, and what the owner waits for is not."""
    email, password = new_email(), new_password()
    squatter = client.password.sign_up(email, password, {"email": email})
    started = client.enchantedlink.sign_up_or_in(email, APP_PAGE)
    links = project.mail.take(email).numbered()
    client.enchantedlink.verify(token_of(links[started["linkId"]]))
    project.tokens(client.enchantedlink.get_session(started["pendingRef"]))
    refused(lambda: client.password.sign_in(email, password))
    refused(lambda: client.refresh_session(squatter["refreshSessionToken"]["jwt"]), status=401)


def test_attack_93_ones_own_password_survives(near):
    """Proving an address from one's own session costs nobody a password."""
    (answer, password), client = near.sign_up_with_password(), near.client
    email, refresh = answer["user"]["loginIds"][0], answer["refreshSessionToken"]["jwt"]
    client.otp.update_user_email(email, email, refresh)
    client.otp.verify_code(EMAIL, email, near.mail.take(email).code)
    near.tokens(client.password.sign_in(email, password))
