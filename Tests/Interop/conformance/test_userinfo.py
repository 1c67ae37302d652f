"""Basic OP and Form Post OP: UserInfo, and which claims arrive there (OpenID Connect Core §5)."""

from __future__ import annotations

import json

from support.configuration import MARIA, PROFILE
from support.modules import basic_module

# OpenID Connect Core §5.4
CLAIMS_OF_SCOPE = {
    "profile": set(PROFILE),
    "email": {"email", "email_verified"},
    "address": {"address"},
    "phone": {"phone_number", "phone_number_verified"},
}
# OpenID Connect Core §5.1: everything else is text.
TYPES = {"email_verified": bool, "phone_number_verified": bool, "updated_at": int, "address": dict}


def check_scopes(plan, *scopes: str) -> None:
    """Exactly the claims of these scopes, with the person's values, in the standard's types."""
    rp = plan.first
    signed_in = rp.sign_in(scope=" ".join(("openid", *scopes)))
    answer = rp.userinfo(signed_in)
    expected = {name: MARIA.claims[name] for scope in scopes for name in CLAIMS_OF_SCOPE[scope]}
    assert answer.keys() - {"sub"} == expected.keys()
    for name, value in expected.items():
        kind = TYPES.get(name, str)
        assert type(answer[name]) is kind, f"{name} is {type(answer[name]).__name__}, not {kind.__name__}"
        # The server may know better when a profile was changed last.
        assert answer[name] == value or name == "updated_at", f"{name}: {answer[name]!r} instead of {value!r}"


@basic_module("oidcc-userinfo-get")
def test_userinfo_by_get(plan):
    signed_in = plan.first.sign_in()
    plan.first.userinfo(signed_in)


@basic_module("oidcc-userinfo-post-header")
def test_userinfo_by_post_with_the_token_in_the_header(plan):
    signed_in = plan.first.sign_in()
    plan.first.userinfo(signed_in, "POST")


@basic_module("oidcc-userinfo-post-body")
def test_userinfo_by_post_with_the_token_in_the_body(plan):
    """RFC 6750 §2.2."""
    signed_in = plan.first.sign_in()
    plan.first.userinfo(signed_in, "POST", headers={}, data={"access_token": signed_in.access_token})


@basic_module("oidcc-scope-profile")
def test_scope_profile(plan):
    check_scopes(plan, "profile")


@basic_module("oidcc-scope-email")
def test_scope_email(plan):
    check_scopes(plan, "email")


@basic_module("oidcc-scope-address")
def test_scope_address(plan):
    check_scopes(plan, "address")


@basic_module("oidcc-scope-phone")
def test_scope_phone(plan):
    check_scopes(plan, "phone")


@basic_module("oidcc-scope-all")
def test_all_scopes(plan):
    check_scopes(plan, "profile", "email", "address", "phone")


@basic_module("oidcc-claims-essential")
def test_essential_claims_are_delivered(plan):
    """OpenID Connect Core §5.5: asked for by name, at UserInfo and in the ID token, without a scope."""
    rp = plan.first
    at_userinfo = rp.sign_in(claims=json.dumps({"userinfo": {"name": {"essential": True}}}))
    answer = rp.userinfo(at_userinfo)
    assert answer["name"] == MARIA.claims["name"]
    assert answer.keys() == {"sub", "name"}, "more than was asked for"
    in_id_token = rp.sign_in(claims=json.dumps({"id_token": {"name": {"essential": True}}}), requested_claims={"name"})
    assert in_id_token.claims["name"] == MARIA.claims["name"]
