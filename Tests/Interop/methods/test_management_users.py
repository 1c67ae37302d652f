"""Management of users, with the unchanged package: made, changed, found, removed; each call by its effect."""

from __future__ import annotations

import base64
import hashlib
import time

import pyotp
import pytest
from descope import AssociatedTenant, UserObj, UserPassword, UserPasswordBcrypt, UserPasswordDjango, UserPasswordPbkdf2

from support.methods import EMAIL, SMS, USER_UNKNOWN, new_email, new_password, new_phone, refused

# "correct horse", hashed by others.
BCRYPT = "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
ROUNDS = 20_000
MANAGEMENT_UNKNOWN = ("E112102", USER_UNKNOWN)


@pytest.fixture
def email(mgmt) -> str:
    """Somebody whom an operator made."""
    email = new_email()
    mgmt.user.create(email, email=email, display_name="Uma User", verified_email=True)
    return email


def pbkdf2(password: str, salt: bytes) -> str:
    return base64.b64encode(hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)).decode()


def load(mgmt, login_id: str) -> dict:
    return mgmt.user.load(login_id)["user"]


def test_create_and_load(mgmt):
    """Everything that was given comes back, by login ID and by user ID."""
    mgmt.role.create("Created role")
    tenant, email, phone, other = mgmt.tenant.create("Created")["id"], new_email(), new_phone(), new_email("other")
    made = mgmt.user.create(
        email,
        email=email,
        phone=phone,
        display_name="Cleo Created",
        given_name="Cleo",
        middle_name="C.",
        family_name="Created",
        role_names=["Created role"],
        user_tenants=[AssociatedTenant(tenant, ["Created role"])],
        picture="https://people.example.com/cleo.png",
        verified_email=True,
        verified_phone=False,
        additional_login_ids=[other],
    )["user"]
    loaded = load(mgmt, email)
    assert loaded == made == mgmt.user.load_by_user_id(made["userId"])["user"] == load(mgmt, other)
    assert (loaded["email"], loaded["phone"], loaded["name"]) == (email, phone, "Cleo Created")
    assert (loaded["givenName"], loaded["middleName"], loaded["familyName"]) == ("Cleo", "C.", "Created")
    assert loaded["verifiedEmail"] is True and loaded["verifiedPhone"] is False
    assert loaded["roleNames"] == ["Created role"] and loaded["picture"].endswith("cleo.png")
    assert [(t["tenantId"], t["roleNames"]) for t in loaded["userTenants"]] == [(tenant, ["Created role"])]
    assert sorted(loaded["loginIds"]) == sorted([email, other]) and loaded["test"] is False
    assert abs(loaded["createdTime"] - time.time()) < 600


def test_create_twice(mgmt, email):
    refused(lambda: mgmt.user.create(email, email=email))
    refused(lambda: mgmt.user.create(new_email(), additional_login_ids=[email]))


def test_unknown(mgmt):
    refused(lambda: mgmt.user.load(new_email()), *MANAGEMENT_UNKNOWN)
    refused(lambda: mgmt.user.load_by_user_id("U-nobody"), *MANAGEMENT_UNKNOWN)
    refused(lambda: mgmt.user.update_display_name(new_email(), "X"), *MANAGEMENT_UNKNOWN)


def test_created_users_sign_in(project, mgmt, email):
    """A code to the address that the operator gave."""
    project.client.otp.sign_in(EMAIL, email)
    answer = project.client.otp.verify_code(EMAIL, email, project.mail.take(email).code)
    project.tokens(answer)
    assert answer["userId"] == load(mgmt, email)["userId"]


def test_invite(project, mgmt):
    """By mail, with a link of the operator's; invited until the first sign-in."""
    email = new_email()
    invited = mgmt.user.invite(email, email=email, invite_url="https://app.example.com/welcome", send_mail=True)["user"]
    assert invited["status"] == "invited"
    message = project.mail.take(email)
    assert "https://app.example.com/welcome" in message.text
    project.client.otp.sign_in(EMAIL, email)
    project.tokens(project.client.otp.verify_code(EMAIL, email, project.mail.take(email).code))
    assert load(mgmt, email)["status"] == "enabled"


def test_invite_batch_with_passwords(project, mgmt):
    """Clear, and as hashes of other systems; each signs in with it."""
    clear = new_password()
    django = f"pbkdf2_sha256${ROUNDS}$ordinarySalt$" + pbkdf2("correct horse", b"ordinarySalt")
    foreign = UserPasswordPbkdf2(pbkdf2("correct horse", b"salty salt"), "c2FsdHkgc2FsdA==", ROUNDS, "sha256")
    passwords = {
        new_email(): (UserPassword(cleartext=clear), clear),
        new_email(): (UserPassword(hashed=UserPasswordDjango(django)), "correct horse"),
        new_email(): (UserPassword(hashed=foreign), "correct horse"),
        new_email(): (UserPassword(hashed=UserPasswordBcrypt(BCRYPT)), "correct horse"),
    }
    users = [UserObj(login, email=login, password=password) for login, (password, _) in passwords.items()]
    answer = mgmt.user.invite_batch(users, send_mail=False)
    assert {user["loginIds"][0] for user in answer["createdUsers"]} == set(passwords) and not answer["failedUsers"]
    for login, (_, password) in passwords.items():
        refused(lambda login=login: project.client.password.sign_in(login, "wrong horse"))
        mgmt.user.activate(login)
        assert project.client.password.sign_in(login, password)["user"]["loginIds"] == [login]
        project.mail.nothing(login, 0)


def test_invite_batch_with_authenticators(project, mgmt):
    """The key that somebody's app has already counts at once; one that is no key keeps its user out, and is not repeated."""
    email, other, key = new_email(), new_email(), pyotp.random_base32()
    users = [
        UserObj(email, email=email, verified_email=True, status="enabled", seed=key),
        UserObj(other, email=other, seed="no-key-at-all"),
    ]
    answer = mgmt.user.invite_batch(users, send_mail=False)
    assert [(user["loginIds"], user["TOTP"]) for user in answer["createdUsers"]] == [([email], True)]
    (failed,) = answer["failedUsers"]
    assert "seed" in failed["failure"] and "no-key-at-all" not in str(answer) and key not in str(answer)
    signed_in = project.client.totp.sign_in_code(email, pyotp.TOTP(key).now())
    project.tokens(signed_in)
    assert signed_in["sessionToken"]["amr"] == ["totp"]
    refused(lambda: mgmt.user.load(other), *MANAGEMENT_UNKNOWN)


def test_invite_batch_with_a_mistake(mgmt, email):
    """One that cannot be made does not keep the others from it."""
    fresh = new_email()
    answer = mgmt.user.invite_batch([UserObj(fresh, email=fresh), UserObj(email, email=email)], send_mail=False)
    assert [user["loginIds"] for user in answer["createdUsers"]] == [[fresh]]
    assert len(answer["failedUsers"]) == 1 and load(mgmt, fresh)


def test_update_replaces(mgmt, email):
    """What is not given is gone."""
    mgmt.user.update_picture(email, "https://people.example.com/uma.png")
    mgmt.user.update(email, email=email, given_name="Uta")
    user = load(mgmt, email)
    assert user["givenName"] == "Uta" and not user["name"] and not user["picture"]


def test_patch_keeps(mgmt, email):
    """What is not given stays."""
    mgmt.user.patch(email, given_name="Uta")
    user = load(mgmt, email)
    assert (user["name"], user["givenName"], user["email"]) == ("Uma User", "Uta", email)
    mgmt.user.patch(email, status="disabled")
    assert load(mgmt, email)["status"] == "disabled"


def test_name_picture_and_login_id(mgmt, email):
    mgmt.user.update_display_name(email, "Una Other", given_name="Una")
    mgmt.user.update_picture(email, "https://people.example.com/una.png")
    login = new_email("login")
    mgmt.user.update_login_id(email, login)
    user = load(mgmt, login)
    assert (user["name"], user["givenName"], user["picture"][-7:]) == ("Una Other", "Una", "una.png")
    assert user["loginIds"] == [login]
    refused(lambda: mgmt.user.load(email), *MANAGEMENT_UNKNOWN)


def test_phone_and_email(mgmt, email):
    """With the operator's word for whether they were verified."""
    new, phone = new_email("changed"), new_phone()
    user = mgmt.user.update_phone(email, phone, verified=False)["user"]
    assert (user["phone"], user["verifiedPhone"], user["verifiedEmail"]) == (phone, False, True)
    user = mgmt.user.update_email(email, new, verified=True)["user"]
    assert (user["email"], user["verifiedEmail"], user["phone"]) == (new, True, phone)


def test_custom_attributes(mgmt, email):
    """Set, found, listed with the user."""
    name = f"shoe{int(time.time())}"
    mgmt.user.update_custom_attribute(email, name, 44)
    assert load(mgmt, email)["customAttributes"] == {name: 44}
    found = mgmt.user.search_all(custom_attributes={name: 44})["users"]
    assert [user["loginIds"] for user in found] == [[email]]


@pytest.fixture(scope="module")
def crowd(mgmt) -> tuple[list[str], str, str]:
    """Five people of one tenant: their login IDs in order, the tenant, and a word in their names."""
    tenant, word = mgmt.tenant.create("Searched")["id"], f"Zelda{time.time_ns():x}"
    logins = sorted(new_email("searched") for _ in range(5))
    for number, login in enumerate(logins):
        mgmt.user.create(login, email=login, display_name=f"{word} {number}", user_tenants=[AssociatedTenant(tenant)])
    return logins, tenant, word


def found(mgmt, **marks) -> list[str]:
    return [user["loginIds"][0] for user in mgmt.user.search_all(**marks)["users"]]


def test_search(mgmt, crowd):
    """By each of several marks, and by two of them together."""
    logins, tenant, word = crowd
    assert sorted(found(mgmt, tenant_ids=[tenant])) == logins == sorted(found(mgmt, text=word))
    assert sorted(found(mgmt, emails=logins[:2])) == logins[:2] == sorted(found(mgmt, login_ids=logins[:2]))
    assert found(mgmt, emails=logins[:2], tenant_ids=["no-such-tenant"]) == []
    assert found(mgmt, tenant_ids=[tenant], role_names=["No such role"]) == []
    assert found(mgmt, tenant_ids=[tenant], test_users_only=True) == []
    mgmt.user.deactivate(logins[0])
    assert found(mgmt, tenant_ids=[tenant], statuses=["disabled"]) == [logins[0]]


def test_search_page_by_page(mgmt, crowd):
    """Everybody once."""
    logins, tenant, _ = crowd
    pages = [found(mgmt, tenant_ids=[tenant], limit=2, page=page) for page in range(3)]
    assert [len(page) for page in pages] == [2, 2, 1] and sorted(sum(pages, [])) == logins


def test_phone_of_two(project, mgmt, email):
    """An address that signs somebody in belongs to one person."""
    phone = new_phone()
    other = new_email()
    mgmt.user.create(other, additional_login_ids=[phone], phone=phone, verified_phone=True)
    refused(lambda: mgmt.user.update_phone(email, phone, verified=True, fail_on_conflict=True))
    project.client.otp.sign_in(SMS, phone)
    answer = project.client.otp.verify_code(SMS, phone, project.texts.take(phone).code)
    assert answer["userId"] == load(mgmt, other)["userId"]


def test_delete(project, mgmt, email):
    """By login ID and by user ID; their sessions end."""
    client = project.client
    client.otp.sign_in(EMAIL, email)
    _, refresh = project.tokens(client.otp.verify_code(EMAIL, email, project.mail.take(email).code))
    mgmt.user.delete(email)
    refused(lambda: mgmt.user.load(email), *MANAGEMENT_UNKNOWN)
    refused(lambda: client.refresh_session(refresh), status=401)
    user_id = mgmt.user.create(email, email=email)["user"]["userId"]
    mgmt.user.delete_by_user_id(user_id)
    refused(lambda: mgmt.user.load_by_user_id(user_id), *MANAGEMENT_UNKNOWN)
