"""The methods' wire: what a session says beside its user's rights, and proofs that are worth less than they look."""

from __future__ import annotations

import json

import pytest

from support.authenticator import Authenticator
from support.own_account import OwnAccounts, missing, new_name, new_password
from support.tokens import payload_of


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("wire"),
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"},
               {"name": "clerk", "permissions": ["books.write"]}],
        tenants=[{"id": "acme", "name": "Acme"}, {"id": "vault", "name": "Vault", "second_factor": "required"}])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def test_a_client_gives_a_session_no_rights_by_claims_of_its_own(site, vera):
    """Whatever their names, they stand apart, and stay there over a refresh and a step-up."""
    wished = {
        "roles": ["auditor"], "permissions": ["books.read"], "tenants": {"acme": {"roles": ["auditor"]}},
        "dct": "acme", "sub": "somebody", "amr": ["mfa"], "act": {"sub": "somebody"}, "su": True,
    }
    body = {"loginId": vera[0], "password": vera[1], "loginOptions": {"customClaims": wished}}
    answer = site.call("password/signin", body)
    for token in (answer["sessionJwt"], site.call("refresh", {}, answer["refreshJwt"])["sessionJwt"]):
        claims = payload_of(token)
        assert claims["sub"] == answer["user"]["userId"] and claims["amr"] == ["pwd"]
        assert not claims.get("roles") and not claims.get("permissions") and not claims.get("tenants")
        assert "act" not in claims and "dct" not in claims and claims.get("su") is not True
        assert claims["nsec"]["roles"] == ["auditor"], "the client's own claims are kept for the client"


def test_a_session_selects_no_tenant_of_others(site, vera):
    own = site.by_password(*vera).json()["refreshJwt"]
    refused = site.post("tenant/select", {"tenant": "acme"}, own)
    assert refused.status_code == 400, refused.text
    site.manage("user/update/tenant/add", {"loginId": vera[0], "tenantId": "acme"})
    chosen = payload_of(site.call("tenant/select", {"tenant": "acme"}, own)["sessionJwt"])
    assert chosen["dct"] == "acme" and list(chosen["tenants"]) == ["acme"]
    site.manage("user/update/tenant/remove", {"loginId": vera[0], "tenantId": "acme"})
    left = payload_of(site.call("refresh", {}, own)["sessionJwt"])
    assert not left.get("tenants") and left.get("dct") != "acme"


@pytest.mark.parametrize("place", ["role", "tenant"])
def test_a_password_and_an_address_of_the_thiefs_are_no_second_factor(site, vera, place):
    """Beside a passkey, where the role or the tenant wants two factors: the password alone opens nothing."""
    with Authenticator() as device:
        site.add_passkey(vera[0], site.signed_in_by_code(vera[0]), device)
        if place == "role":
            site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
        else:
            site.manage("user/update/tenant/add", {"loginId": vera[0], "tenantId": "vault"})
        refused = site.by_password(*vera)
        assert missing(refused) == "second_factor"
        reference = refused.json()["pendingRef"]
        assert missing(site.post("totp/update", {"loginId": vera[0]}, reference)) == "second_factor"
        body = {"loginId": vera[0], "email": new_name("mallory"), "addToLoginIDs": True}
        assert site.post("otp/update/email", body, reference).status_code == 401
        assert site.by_passkey(vera[0], device).status_code == 200


def test_the_second_factor_of_a_new_address_is_not_the_accounts_own(site, vera):
    """A password and an address that its thief just added are two factors in name. What asks for a passkey asks on."""
    own = site.signed_in_by_code(vera[0])
    thief = site.by_password(*vera).json()["refreshJwt"]
    mallory = new_name("mallory")
    site.call("otp/update/email", {"loginId": vera[0], "email": mallory}, thief)
    raised = site.call("otp/verify/email", {"loginId": vera[0], "code": site.code(mallory)}, thief)["refreshJwt"]
    assert site.letters(vera[0])[-1]["kind"] == "address-changed", "the user is told"
    with Authenticator() as device:
        site.add_passkey(vera[0], own, device)
        for path, body in {
            "totp/update": {"loginId": vera[0]},
            "webauthn/update/start": {"loginId": vera[0], "origin": site.issuer},
            "otp/update/email": {"loginId": vera[0], "email": new_name("mallory")},
        }.items():
            assert missing(site.post(path, body, raised)) == "second_factor", path


def test_a_code_of_an_authenticator_alone_sets_no_password(site, vera):
    """It signs in as a first factor, and is no second one beside itself."""
    key, _ = site.add_authenticator(vera[0], site.signed_in_by_code(vera[0]))
    alone = site.call("totp/verify", {"loginId": vera[0], "code": site.totp(key)})["refreshJwt"]
    body = {"loginId": vera[0], "newPassword": new_password()}
    assert missing(site.post("password/update", body, alone)) == "second_factor"
    reference = site.by_password(*vera).json()["pendingRef"]
    both = site.call("totp/verify", {"loginId": vera[0], "code": site.totp(key)}, reference)["refreshJwt"]
    site.call("password/update", body, both)


def test_a_passkey_that_waits_ends_with_a_new_authenticator(site, vera):
    """The thief of a password began it while the account had no second factor."""
    thief = site.by_password(*vera).json()["refreshJwt"]
    with Authenticator() as device:
        started = site.call("webauthn/update/start", {"loginId": vera[0], "origin": site.issuer}, thief)
        made = device.create(json.loads(started["options"]), origin=site.issuer)
        site.add_authenticator(vera[0], site.signed_in_by_code(vera[0]))
        body = {"transactionId": started["transactionId"], "response": json.dumps(made)}
        assert missing(site.post("webauthn/update/finish", body)) == "second_factor"
        assert not site.user(vera[0])["webauthn"]


def test_an_authenticator_that_a_sign_in_began_ends_with_the_sign_in(site, vera):
    """A thief of the password is asked to set one up; the user signs out everywhere before its first code."""
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
    refused = site.by_password(*vera)
    assert missing(refused) == "second_factor_setup"
    reference = refused.json()["pendingRef"]
    key = site.call("totp/update", {"loginId": vera[0]}, reference)["key"]
    site.manage("user/logout", {"loginId": vera[0]})
    for bearer in (reference, None):
        answer = site.post("totp/verify", {"loginId": vera[0], "code": site.totp(key)}, bearer)
        assert answer.status_code in (400, 401), answer.text
    assert not site.user(vera[0])["TOTP"]
    reference = site.by_password(*vera).json()["pendingRef"]
    key = site.call("totp/update", {"loginId": vera[0]}, reference)["key"]
    done = site.call("totp/verify", {"loginId": vera[0], "code": site.totp(key)}, reference)
    assert site.is_alive(done["refreshJwt"]), "the control"


def test_a_reference_of_one_user_sets_nothing_up_for_another(site, vera):
    site.manage("user/update/role/add", {"loginId": vera[0], "roleNames": ["auditor"]})
    mallory, password = new_name("mallory"), new_password()
    site.sign_up(mallory, password)
    site.manage("user/update/role/add", {"loginId": mallory, "roleNames": ["auditor"]})
    reference = site.by_password(mallory, password).json()["pendingRef"]
    assert site.post("totp/update", {"loginId": vera[0]}, reference).status_code == 400
    key = site.call("totp/update", {"loginId": mallory}, reference)["key"]
    answer = site.post("totp/verify", {"loginId": vera[0], "code": site.totp(key)}, reference)
    assert answer.status_code == 400 and not site.user(vera[0])["TOTP"], answer.text


def test_a_merge_brings_no_right_that_wants_two_factors_into_a_session_of_one(site, vera):
    """The account that is given up has the role. A new session of the merged one asks for the second factor."""
    other = new_name("vic")
    site.sign_up(other)
    site.manage("user/update/role/add", {"loginId": other, "roleNames": ["auditor"]})
    own = site.by_password(*vera).json()["refreshJwt"]
    site.call("otp/update/email", {"loginId": vera[0], "email": other, "addToLoginIDs": True}, own)
    answer = site.post("otp/verify/email", {"loginId": vera[0], "code": site.code(other)})
    assert missing(answer) == "second_factor_setup"
    assert sorted(site.user(vera[0])["loginIds"]) == sorted([vera[0], other]), "the two are one"
    assert missing(site.by_password(*vera)) == "second_factor_setup"
