"""DescopeKit's own requests, by hand, and a decoder as strict as its own."""

from __future__ import annotations

import base64
import time
from urllib.parse import urlsplit

import pyotp
import pytest

from support.descope_kit import Kit, KitError, decode_session, decode_token, decode_user, need
from support.messages import token_of
from support.methods import APP_PAGE, new_email, new_password, new_phone


@pytest.fixture
def kit(project) -> Kit:
    return Kit(project.base, project.id)


def fails(call, *codes: str, status: int | None = None) -> None:
    with pytest.raises(KitError) as caught:
        call()
    assert caught.value.code in codes or not codes, caught.value
    assert status is None or caught.value.status == status, caught.value


def test_one_time_code(near):
    """Sign up with some details and without others, then in with every option: the kit shows no session with a code."""
    project, kit = near, Kit(near.base, near.id)
    email = new_email()
    user = {"name": "Swen/Swift", "email": email, "phone": None, "givenName": None}
    assert "*" in kit.masked("otp/signup/email", {"loginId": email, "user": user})
    body = {"loginId": email, "code": project.mail.take(email).code}
    session = kit.session("otp/verify/email", body)
    assert session["firstSeen"] is True and session["user"]["name"] == "Swen/Swift" and session["user"]["phone"] is None
    options = {"stepup": True, "customClaims": {"k": "v", "url": "https://a/b"}, "revokeOtherSessions": True}
    kit.masked("otp/signin/email", {"loginId": email, "loginOptions": options}, session["refreshJwt"])
    again = kit.session("otp/verify/email", body | {"code": project.mail.take(email).code})
    claims = decode_token(again["sessionJwt"])
    assert claims["su"] is True and claims["nsec"] == {"k": "v", "url": "https://a/b"} and again["firstSeen"] is False


def test_sign_up_or_in_by_phone(project, kit):
    phone = new_phone()
    assert "*" in kit.masked("otp/signup-in/sms", {"loginId": phone})
    session = kit.session("otp/verify/sms", {"loginId": phone, "code": project.texts.take(phone).code})
    assert session["user"]["verifiedPhone"] is True and session["user"]["email"] is None


def test_update_addresses(project, kit):
    """Flags only where they are true, the suffix on the phone's path also for magic links."""
    email, new, phone, second = new_email(), new_email("moved"), new_phone(), new_phone()
    refresh = project.tokens(project.sign_up(email))[1]
    kit.masked("otp/update/email", {"loginId": email, "email": new, "addToLoginIDs": True}, refresh)
    # The kit shows no session with a code: the one that it gets changes nothing more, the one that asked does.
    opened = kit.session("otp/verify/email", {"loginId": email, "code": project.mail.take(new).code})["refreshJwt"]
    fails(lambda: kit.masked("otp/update/phone/sms", {"loginId": email, "phone": phone}, opened), "E011003", status=403)
    kit.masked("otp/update/phone/sms", {"loginId": email, "phone": phone}, refresh)
    kit.session("otp/verify/sms", {"loginId": email, "code": project.texts.take(phone).code})
    body = {"loginId": email, "phone": second, "redirectUrl": APP_PAGE, "addToLoginIDs": True}
    kit.masked("magiclink/update/phone/sms", body, refresh)
    # Without the session that asked, the link may have been opened by anybody: methods.same_network_counts is off.
    fails(lambda: kit.session("magiclink/verify", {"token": project.texts.take(second).token}), "E063010")
    kit.masked("magiclink/update/phone/sms", body, refresh)
    session = kit.session("magiclink/verify", {"token": project.texts.take(second).token}, refresh)
    user = kit.me(session["refreshJwt"])
    assert user["email"] == new and user["phone"] == second and second in user["loginIds"]


def test_magic_link(project, kit):
    """`redirectUrl`, and without it the project's own page."""
    email = new_email()
    kit.masked("magiclink/signup/email", {"loginId": email, "user": {"name": "Maja"}, "redirectUrl": APP_PAGE})
    message = project.mail.take(email)
    assert message.link.startswith(APP_PAGE)
    first = kit.session("magiclink/verify", {"token": message.token})
    kit.masked("magiclink/signin/email", {"loginId": email, "redirectUrl": None})
    message = project.mail.take(email)
    assert message.link.startswith(project.server.issuer)
    again = kit.session("magiclink/verify", {"token": message.token})
    assert again["user"]["userId"] == first["user"]["userId"]
    fails(lambda: kit.session("magiclink/verify", {"token": message.token}), "E062504", "E063010")


def test_enchanted_link(project, kit):
    """The poll goes by the code E062503, and by nothing else."""
    email = new_email()
    started = kit.post("enchantedlink/signup-in/email", {"loginId": email, "redirectUrl": APP_PAGE})
    reference = {"pendingRef": need(started, "pendingRef", str)}
    assert "*" in need(started, "maskedEmail", str)
    fails(lambda: kit.session("enchantedlink/pending-session", reference), "E062503", status=401)
    link = project.mail.take(email).numbered()[need(started, "linkId", str)]
    kit.post("enchantedlink/verify", {"token": token_of(link)})
    assert kit.session("enchantedlink/pending-session", reference)["user"]["email"] == email


def test_totp(kit):
    """A picture that an iPhone can show: strict base64 without a prefix."""
    email = new_email()
    answer = kit.post("totp/signup", {"loginId": email, "user": {"name": "Tom"}})
    assert urlsplit(need(answer, "provisioningURL", str)).scheme == "otpauth"
    assert base64.b64decode(need(answer, "image", str), validate=True)[1:4] == b"PNG"
    key, now = need(answer, "key", str), time.time()
    fails(lambda: kit.session("totp/verify", {"loginId": email, "code": "000000"}))
    session = kit.session("totp/verify", {"loginId": email, "code": pyotp.TOTP(key).at(now)})
    assert session["user"]["TOTP"] is True
    need(kit.post("totp/update", {"loginId": email}, session["refreshJwt"]), "key", str)


def test_password(project, kit):
    email, password, other = new_email(), new_password(), new_password()
    policy = kit.call("GET", "/v1/auth/password/policy")
    assert need(policy, "minLength", int) >= 1
    for name in ("lowercase", "uppercase", "number", "nonAlphanumeric"):
        need(policy, name, bool)
    first = kit.session("password/signup", {"loginId": email, "password": password, "user": {"email": email}})
    kit.session("password/signin", {"loginId": email, "password": password})
    kit.session("password/replace", {"loginId": email, "oldPassword": password, "newPassword": other})
    kit.post("password/reset", {"loginId": email, "redirectUrl": APP_PAGE})
    last = kit.session("password/signin", {"loginId": email, "password": other})
    assert last["user"]["userId"] == first["user"]["userId"]
    kit.post("password/update", {"loginId": email, "newPassword": new_password()}, last["refreshJwt"])
    fails(lambda: kit.session("password/signin", {"loginId": email, "password": other}))


def test_session(project, kit, mgmt):
    """Refresh, me, tenants, revocation of this session and of all."""
    email = new_email()
    answer, tenant = project.sign_up(email), mgmt.tenant.create("Kit/Tenant")["id"]
    mgmt.user.add_tenant(email, tenant)
    refreshed = kit.refresh(project.tokens(answer)[1])
    refresh = refreshed["refreshJwt"] or project.tokens(answer)[1]
    assert kit.me(refresh)["userId"] == answer["userId"]
    for body in ({"dct": False, "ids": [tenant]}, {"ids": [tenant]}, {"dct": True}):
        (listed,) = need(kit.post("me/tenants", body, refresh), "tenants", list)
        assert (need(listed, "id", str), need(listed, "name", str)) == (tenant, "Kit/Tenant")
        need(listed, "customAttributes", dict)
    kit.post("logout", {}, refresh)
    fails(lambda: kit.me(refresh), status=401)
    again = project.tokens(project.sign_up())[1]
    kit.post("logoutall", {}, again)
    fails(lambda: kit.refresh(again), "E064001", status=401)


def test_access_key(kit, mgmt):
    key = mgmt.access_key.create("Kit")["cleartext"]
    answer = kit.post("accesskey/exchange", {}, key)
    assert decode_token(need(answer, "sessionJwt", str))["sub"]
    fails(lambda: kit.post("accesskey/exchange", {}, f"{key}x"), "E062803")


def test_every_key_is_written(project, kit):
    """No member of an answer is left out because it is empty or false: all names of §3.3, always."""
    phone = new_phone()
    kit.masked("otp/signup-in/sms", {"loginId": phone})
    body = kit.post("otp/verify/sms", {"loginId": phone, "code": project.texts.take(phone).code})
    assert {
        "sessionJwt", "refreshJwt", "firstSeen", "user", "cookieDomain", "cookiePath", "cookieMaxAge",
        "cookieExpiration",
    } <= body.keys()  # fmt: skip
    decode_session(body)
    assert {
        "userId", "loginIds", "status", "createdTime", "email", "verifiedEmail", "phone", "verifiedPhone", "name",
        "givenName", "middleName", "familyName", "picture", "roleNames", "userTenants", "ssoAppIds", "webauthn",
        "password", "TOTP", "OAuth", "SAML", "SCIM", "customAttributes", "test",
    } <= body["user"].keys()  # fmt: skip
    assert "firstSeen" in kit.post("refresh", {}, body["refreshJwt"])
    decode_user(kit.call("GET", "/v1/auth/me", refresh=body["refreshJwt"]))


@pytest.mark.parametrize("missing", ["firstSeen", "user", "createdTime", "OAuth", "SCIM", "roleNames"])
def test_the_decoder_is_strict(project, kit, missing):
    """Whether it is worth anything: without a member it decodes nothing."""
    phone = new_phone()
    kit.masked("otp/signup-in/sms", {"loginId": phone})
    body = kit.post("otp/verify/sms", {"loginId": phone, "code": project.texts.take(phone).code})
    body.pop(missing, None)
    body.get("user", {}).pop(missing, None)
    with pytest.raises(AssertionError):
        decode_session(body)
