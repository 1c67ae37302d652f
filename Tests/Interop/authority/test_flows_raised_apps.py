"""An app that other factors raised before the account had an authenticator: it lets nobody in who did not show that."""

from __future__ import annotations


import pytest
import requests
from joserfc.jwk import ECKey

from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import MARIA, Client
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire
from support.server import Server
from support.tokens import payload_of
from support.totp import Codes
from support.visitor import Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
TOKEN = "urn:ietf:params:oauth:token-type:"
SCOPE = f"openid offline_access {FULL_ACCESS} device_sso"
USUAL = ["authorization_code", "refresh_token"]
APP = Client("app", None, "none", ("com.example.app://host/path",), {
    "application_type": "native", "profile": "authgear", "scope": SCOPE, "grant_types": USUAL})
OTHER = Client("other", None, "none", ("https://other.example/back",), {
    "grant_types": [*USUAL, EXCHANGE], "scope": "openid profile offline_access"})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("raised"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
            "delivery": {"outbox": True},
            "clients": [APP.entry(), OTHER.entry()], "users": [MARIA.entry()],
        },
        log_level="error",
    )
    yield server
    assert server.stop() == 0


@pytest.fixture
def site(server):
    """Maria has no authenticator again afterwards."""
    yield server
    gone = Wire(server.base).post(
        "/v1/mgmt/user/totp/delete", {"loginId": MARIA.login}, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
    assert gone.status_code == 200, gone.text


class App(Authgear):
    """An app whose refresh token is bound to its key: it counts on the methods' wire as well."""

    def __init__(self, site):
        super().__init__(site.base, "app", APP.redirect_uri, proof_key=ECKey.generate_key("P-256"))
        self.site, self.secret = site, ""

    def sign_in(self) -> App:
        code, verifier = self._ask(
            Visitor(self.site.base), {"scope": SCOPE, "dpop_jkt": self.proof_key.thumbprint()})
        answer = self._redeem(code, verifier)
        self._keep(answer)
        self.secret = answer["device_secret"]
        return self

    def call(self, path: str, body: dict) -> dict:
        bearer = f"{PROJECT_ID}:{self.keychain.refresh_token}"
        answer = self.send("POST", f"{self.site.base}/v1/auth/{path}", json=body, headers={
            "Authorization": f"Bearer {bearer}"})
        assert answer.status_code == 200, f"{path}: {answer.text}"
        return answer.json()

    def shares(self) -> requests.Response:
        """Signs the other app in."""
        form = {
            "grant_type": EXCHANGE, "client_id": "other", "audience": self.site.base, "scope": "openid offline_access",
            "subject_token": self.id_token, "subject_token_type": TOKEN + "id_token", "actor_token": self.secret,
            "actor_token_type": "urn:openid:params:token-type:device-secret"}
        url = self.document["token_endpoint"]
        answer = self.send("POST", url, data=form)
        if answer.status_code == 400 and answer.json()["error"] == "use_dpop_nonce":
            proof = self.proof("POST", url, nonce=answer.headers["DPoP-Nonce"])
            answer = self.send("POST", url, data=form, proves=False, headers={"DPoP": proof})
        return answer


def add_authenticator(wire: Wire) -> None:
    """Maria does, in a session of her own."""
    opened = wire.post("/v1/auth/password/signin", {"loginId": MARIA.login, "password": MARIA.password}).json()
    bearer = f"{PROJECT_ID}:{opened['refreshJwt']}"
    key = wire.post("/v1/auth/totp/update", {"loginId": MARIA.login}, bearer=bearer).json()["key"]
    done = wire.post("/v1/auth/totp/verify", {
        "loginId": MARIA.login, "code": Codes(key).next()}, bearer=bearer)
    assert done.status_code == 200, done.text


def raise_by_mailbox(wire: Wire, app: App) -> None:
    """A code from the mailbox beside the password: two factors, and neither is the account's authenticator."""
    app.call("otp/signin/email", {"loginId": MARIA.login, "loginOptions": {"mfa": True}})
    letters = wire.send("GET", "/dev/outbox.json", bearer=None).json()
    code = [each["code"] for each in letters if each["to"] == MARIA.login and each.get("code")][-1]
    app.call("otp/verify/email", {"loginId": MARIA.login, "code": code})
    app.refresh()


@pytest.mark.parametrize("raised", [False, True])
def test_a_password_and_a_mailbox_are_not_the_authenticator_that_came_since(site, raised):
    """A thief may have both. They sign another app in no more."""
    wire, app = Wire(site.base), App(site).sign_in()
    if raised:
        raise_by_mailbox(wire, app)
    shared = app.shares()
    assert shared.status_code == 200, "the control"
    assert ("mfa" in payload_of(shared.json()["id_token"])["amr"]) == raised
    add_authenticator(wire)
    app.refresh()
    answer = app.shares()
    assert (answer.status_code, answer.json().get("error")) == (400, "invalid_grant"), (
        f"another app, and nobody showed the authenticator: {payload_of(answer.json()['id_token'])['amr']}")


@pytest.mark.parametrize("raised", [False, True])
def test_a_fingerprint_of_before_the_authenticator_opens_nothing(site, raised):
    """Also one that was set up with a password and a mailbox."""
    wire, app = Wire(site.base), App(site).sign_in()
    if raised:
        raise_by_mailbox(wire, app)
    app.enable_biometric()
    app.authenticate_biometric()
    add_authenticator(wire)
    with pytest.raises(AuthgearFailed) as failure:
        app.authenticate_biometric()
    assert failure.value.error == "interaction_required"
