"""Keys behind a fingerprint or a face: who may add one, what it opens, and when it ends."""

from __future__ import annotations

import pytest

from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import Client, Person
from support.own_account import OwnAccounts, missing, new_name, new_password
from support.visitor import Visitor

REDIRECT = "com.example.harbour://host/path"
BANK = Client(
    "harbour-bank", None, "none", (REDIRECT,),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}", "grant_types": ["authorization_code", "refresh_token"],
    },
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("device-keys"), clients=[BANK],
        roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield made
    made.close()


class Somebody(Visitor):
    """A browser whose user fills in this name and password."""

    def __init__(self, site: OwnAccounts, login: str, password: str):
        super().__init__(site.base, site.issuer)
        self.person = Person("", login, password)

    def authorize(self, url, params, person=None, **options):
        return super().authorize(url, params, self.person, **options)


def app_of(site: OwnAccounts, login: str, password: str) -> Authgear:
    """The app on a telephone, with a session of this user."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate(Somebody(site, login, password))
    return app


def call(site: OwnAccounts, app: Authgear, path: str, body: dict):
    """A call of the methods' wire in the app's session."""
    proof = app.proof("POST", f"{site.issuer}/v1/auth/{path}")
    return site.post(path, body, app.keychain.refresh_token, headers={"DPoP": proof})


def refusal(action) -> str:
    """What the token endpoint says, in a word."""
    with pytest.raises(AuthgearFailed) as caught:
        action()
    return caught.value.error


@pytest.fixture
def pia(site):
    email, password = new_name("pia"), new_password()
    site.sign_up(email, password)
    return email, password


def test_a_recent_sign_in_adds_a_key_and_an_old_one_does_not(site, pia):
    app = app_of(site, *pia)
    site.age(pia[0])
    assert refusal(app.enable_biometric) == "interaction_required"
    app = app_of(site, *pia)
    app.enable_biometric()
    app.authenticate_biometric()
    assert any("fingerprint" in letter["subject"].lower() or "device" in letter["subject"].lower()
               for letter in site.letters(pia[0])), "the user is told"


def test_a_password_and_a_mailbox_add_no_key_beside_a_passkey(site, pia):
    """The same session is refused an authenticator app; a key that signs in for ever is worth as much."""
    with Authenticator() as device:
        site.add_passkey(pia[0], site.signed_in_by_code(pia[0]), device)
    app = app_of(site, *pia)
    assert refusal(app.enable_biometric) == "interaction_required"
    assert call(site, app, "otp/signin/email", {"loginId": pia[0], "loginOptions": {"mfa": True}}).status_code == 200
    raised = call(site, app, "otp/verify/email", {"loginId": pia[0], "code": site.code(pia[0])})
    assert raised.status_code == 200, raised.text
    assert missing(call(site, app, "totp/update", {"loginId": pia[0]})) == "second_factor"
    assert refusal(app.enable_biometric) == "interaction_required"


def test_a_key_opens_no_session_for_a_role_that_wants_two_factors(site, pia):
    """The password asks for the second factor from then on, and so does the key."""
    app = app_of(site, *pia)
    app.enable_biometric()
    app.authenticate_biometric()
    site.manage("user/update/role/add", {"loginId": pia[0], "roleNames": ["auditor"]})
    assert missing(site.by_password(*pia)) == "second_factor_setup"
    assert site.browse(*pia)[1].name == "totp-setup"
    assert refusal(app.authenticate_biometric) == "interaction_required"


def test_a_key_from_before_the_authenticator_opens_nothing(site, pia):
    app = app_of(site, *pia)
    app.enable_biometric()
    app.authenticate_biometric()
    site.add_authenticator(pia[0], site.signed_in_by_code(pia[0]))
    assert refusal(app.authenticate_biometric) == "interaction_required"


@pytest.mark.parametrize("end", ["sign-out everywhere", "new password", "disabled"])
def test_a_key_ends_with_everything_else(site, pia, end):
    app = app_of(site, *pia)
    app.enable_biometric()
    app.authenticate_biometric()
    session = site.signed_in_by_code(pia[0])
    if end == "sign-out everywhere":
        site.call("logoutall", {}, session)
    elif end == "new password":
        site.call("password/update", {"loginId": pia[0], "newPassword": new_password()}, session)
    else:
        site.manage("user/update/status", {"loginId": pia[0], "status": "disabled"})
        site.manage("user/update/status", {"loginId": pia[0], "status": "enabled"})
    assert refusal(app.refresh) == "invalid_grant"
    assert refusal(app.authenticate_biometric) == "invalid_grant"


def test_a_key_of_a_squatter_ends_when_the_owner_proves_the_address(site):
    """Somebody who registered her address first set it up."""
    email, password = new_name("nora"), new_password()
    site.call("password/signup", {"loginId": email, "password": password, "user": {"email": email}})
    app = app_of(site, email, password)
    app.enable_biometric()
    app.authenticate_biometric()
    site.call("otp/signup-in/email", {"loginId": email})
    owner = site.by_code(email)
    assert refusal(app.refresh) == "invalid_grant"
    assert refusal(app.authenticate_biometric) == "invalid_grant"
    assert site.is_alive(owner)


def test_two_telephones_with_one_challenge_add_one_key(site, pia):
    one, other = app_of(site, *pia), app_of(site, *pia)
    challenge = one.challenge()
    one.challenge = other.challenge = lambda purpose="biometric_request": challenge
    one.enable_biometric()
    assert refusal(other.enable_biometric) == "invalid_grant"
