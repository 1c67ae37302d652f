"""An app's session that a device code opened, bound to a key and shown on the methods' wire."""

from __future__ import annotations

import json
import time
import uuid

import pytest
import requests
from joserfc import jws
from joserfc.jwk import ECKey

from support.devices import GRANT as DEVICE_GRANT
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.project import PROJECT_ID


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("devices"), project={"approval": {"seconds": 120}})
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


class BoundDevice:
    """A device with a key of its own, that asks for a code."""

    def __init__(self, site: OwnAccounts):
        self.site, self.key, self.nonce = site, ECKey.generate_key("P-256"), None
        answer = self.form("oauth2/device_authorization", {"scope": "openid profile offline_access"})
        assert answer.status_code == 200, answer.text
        self.answer = answer.json()
        self.refresh = None

    def send(self, path: str, **options) -> requests.Response:
        """A request with a proof of the key; once more with the server's nonce, if it wants one."""
        for _ in range(2):
            header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.as_dict(private=False)}
            claims = {
                "iat": int(time.time()), "jti": str(uuid.uuid4()), "htm": "POST", "htu": f"{self.site.issuer}/{path}"}
            claims |= {"nonce": self.nonce} if self.nonce else {}
            proof = jws.serialize_compact(header, json.dumps(claims), self.key, algorithms=["ES256"])
            headers = {"DPoP": proof, **options.get("headers", {})}
            answer = requests.post(
                f"{self.site.base}/{path}", timeout=20, **options | {"headers": headers})
            self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
            if "use_dpop_nonce" not in answer.text:
                break
        return answer

    def form(self, path: str, fields: dict) -> requests.Response:
        return self.send(path, data={"client_id": APP.client_id, **fields})

    def collect(self) -> None:
        answer = self.form("oauth2/token", {"grant_type": DEVICE_GRANT, "device_code": self.answer["device_code"]})
        assert answer.status_code == 200, answer.text
        self.refresh = answer.json()["refresh_token"]

    def call(self, path: str, body: dict | None = None) -> requests.Response:
        """A call of the methods' wire in its session."""
        headers = {"Authorization": f"Bearer {PROJECT_ID}:{self.refresh}"}
        return self.send(f"v1/auth/{path}", json=body or {}, headers=headers)


@pytest.fixture
def thief(site, vera) -> BoundDevice:
    """A device of an attacker's that the user let in by one click."""
    device = BoundDevice(site)
    visitor, _ = site.browse(*vera)
    assert site.decide(visitor, device.answer).name == "device-done"
    device.collect()
    return device


def sensitive(site: OwnAccounts, login: str) -> dict[str, dict]:
    return {
        "password/update": {"loginId": login, "newPassword": new_password()},
        "otp/update/email": {"loginId": login, "email": new_name("mallory"), "addToLoginIDs": True},
        "otp/update/phone/sms": {"loginId": login, "phone": "+4915112345678"},
        "magiclink/update/email": {"loginId": login, "email": new_name("mallory")},
        "enchantedlink/update/email": {"loginId": login, "email": new_name("mallory")},
        "webauthn/update/start": {"loginId": login, "origin": site.issuer},
        "totp/update": {"loginId": login},
    }


def test_a_device_that_was_let_in_changes_nothing_about_the_sign_in(site, vera, thief):
    for path, body in sensitive(site, vera[0]).items():
        assert missing(thief.call(path, body)) == "recent_sign_in", path
    own = site.by_password(*vera).json()["refreshJwt"]
    for path in ("otp/update/email", "totp/update"):
        site.call(path, sensitive(site, vera[0])[path], own)


def test_a_code_of_the_mailbox_makes_it_no_session_of_the_users_own(site, vera, thief):
    """One read of the mailbox raises the session, and it is still one that another device let in."""
    body = {"loginId": vera[0], "loginOptions": {"mfa": True}}
    assert thief.call("otp/signin/email", body).status_code == 200
    raised = thief.call("otp/verify/email", {"loginId": vera[0], "code": site.code(vera[0])})
    assert raised.status_code == 200, raised.text
    for path, body in sensitive(site, vera[0]).items():
        assert missing(thief.call(path, body)) == "recent_sign_in", path


def test_a_code_for_the_devices_session_opens_none_elsewhere(site, vera, thief):
    """An app's session is raised for the app alone."""
    assert thief.call("otp/signin/email", {"loginId": vera[0], "loginOptions": {"mfa": True}}).status_code == 200
    answer = site.post("otp/verify/email", {"loginId": vera[0], "code": site.code(vera[0])})
    assert answer.status_code == 400 and "refreshJwt" not in answer.json(), answer.text


def test_a_device_that_was_let_in_ends_no_other_session(site, vera, thief):
    """The settings refuse it, and so must the wire. Its own end is the device's to ask for."""
    own, browser = site.by_password(*vera).json()["refreshJwt"], site.browse(*vera)[0]
    thief.call("logoutall")
    assert site.is_alive(own), "a device that was let in signed the user out everywhere"
    assert browser.open("/settings").name == "settings"


def test_the_users_own_session_ends_the_devices(site, vera, thief):
    own = site.by_password(*vera).json()["refreshJwt"]
    assert thief.call("otp/signin/email", {"loginId": vera[0], "loginOptions": {"stepup": True}}).status_code == 200
    site.call("logoutall", {}, own)
    answer = thief.call("totp/update", {"loginId": vera[0]})
    assert answer.status_code == 401, answer.text


def test_a_device_that_was_let_in_ends_no_other_session_by_a_wish_beside_a_code(site, vera, thief):
    own = site.by_password(*vera).json()["refreshJwt"]
    options = {"stepup": True, "revokeOtherSessions": True}
    thief.call("otp/signin/email", {"loginId": vera[0], "loginOptions": options})
    thief.call("otp/verify/email", {"loginId": vera[0], "code": site.code(vera[0])})
    assert site.is_alive(own), "a device that was let in signed the user out everywhere"


def test_a_device_that_was_let_in_says_nothing_to_requests_for_approval(site, vera, thief):
    """It lets nobody in. The user's own browser does."""
    desk, page, number = site.ask_for_approval(vera[0])

    def approvals(**more) -> requests.Response:
        return thief.send("v1/approvals", json={"refresh_token": thief.refresh, **more})

    listed = approvals()
    assert listed.status_code == 200, listed.text
    waiting = listed.json()["approvals"][0]["id"]
    answer = approvals(id=waiting, action="approve", number=int(number))
    assert (answer.status_code, answer.json()["error"]) == (403, "chained")
    assert desk.submit(page, button="refresh").name == "approval"
    phone, _ = site.browse(*vera)
    site.approve(phone, number)
    assert desk.submit(page, button="refresh").name == "settings"
