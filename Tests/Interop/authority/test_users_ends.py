"""What is left of a user's sessions when all of them end: nothing that was begun becomes one any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from support.messages import Message, token_of
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback

CALLBACK = APP.redirect_uri


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("ends"))
    yield made
    made.close()


class Thief:
    """Somebody who had the password and the mailbox for a moment, and kept what can be kept.

    Each member is something to come back with; `tries` says whether it still works.
    """

    def __init__(self, site: OwnAccounts, email: str, password: str):
        self.site, self.email = site, email
        self.session = site.by_password(email, password).json()["refreshJwt"]
        self.browser, page = site.browse(email, password)
        assert page.name == "settings"
        self.device, self.waiting_device = site.begin_device(), site.begin_device()
        for device in (self.device, self.waiting_device):
            assert site.decide(self.browser, device).name == "device-done"
        self.app = site.collect(self.device).json()["refresh_token"]
        self.code, self.verifier = self.authorize()
        self.app_session_token = site.app_session_token(self.app)
        self.app_browser = site.visitor()
        page = site.open_as_app(self.app_browser, site.app_session_token(self.app), "/settings")
        assert page.name == "settings", page
        self.collectable = self.opened_link()
        site.call("otp/signin/email", {"loginId": email})
        self.one_time_code = site.code(email)
        site.call("magiclink/signin/email", {"loginId": email})
        self.magic_link = site.tokens(email)[0]
        site.call("password/reset", {"loginId": email})
        self.reset_link = site.tokens(email)[0]
        mallory = new_name("mallory")
        site.call("otp/update/email", {"loginId": email, "email": mallory, "addToLoginIDs": True}, self.session)
        self.address, self.address_code = mallory, site.code(mallory)

    def opened_link(self) -> str:
        """The reference of a sign-in whose link was opened, and that was not collected yet."""
        started = self.site.call("enchantedlink/signin/email", {"loginId": self.email})
        letter = self.site.letters(self.email)[-1]
        link = Message(self.email, letter["subject"], letter["body"]).numbered()[started["linkId"]]
        self.site.call("enchantedlink/verify", {"token": token_of(link)})
        return started["pendingRef"]

    def authorize(self) -> tuple[str, str]:
        verifier = make_verifier()
        arrival = self.browser.open("/oauth2/authorize", {
            "response_type": "code", "client_id": APP.client_id, "redirect_uri": CALLBACK, "scope": "openid",
            "code_challenge": challenge_of(verifier), "code_challenge_method": "S256",
        })
        if not isinstance(arrival, Callback):
            arrival = self.browser.submit(arrival)
        return arrival["code"], verifier

    def token(self, form: dict) -> bool:
        answer = requests.post(
            f"{self.site.base}/oauth2/token", data={"client_id": APP.client_id, **form}, timeout=20)
        assert answer.status_code in (200, 400), answer.text
        return answer.status_code == 200

    def tries(self) -> dict[str, Callable[[], bool]]:
        site, email = self.site, self.email

        def accepted(path: str, body: dict, shown: str | None = None) -> bool:
            return site.post(path, body, shown).status_code == 200

        return {
            "session": lambda: accepted("refresh", {}, self.session),
            "browser": lambda: self.browser.open("/settings").name == "settings",
            "browser of an app": lambda: self.app_browser.open("/settings").name == "settings",
            "refresh token of an app": lambda: self.token({"grant_type": "refresh_token", "refresh_token": self.app}),
            "code": lambda: self.token({
                "grant_type": "authorization_code", "code": self.code, "code_verifier": self.verifier,
                "redirect_uri": CALLBACK}),
            "device that was let in": lambda: "access_token" in site.collect(self.waiting_device).json(),
            "token for the settings": lambda: getattr(
                site.open_as_app(site.visitor(), self.app_session_token, "/settings"), "name", None) == "settings",
            "link that was opened": lambda: accepted("enchantedlink/pending-session", {"pendingRef": self.collectable}),
            "code by mail": lambda: accepted("otp/verify/email", {"loginId": email, "code": self.one_time_code}),
            "magic link": lambda: accepted("magiclink/verify", {"token": self.magic_link}),
            "link of a reset": lambda: accepted("magiclink/verify", {"token": self.reset_link}),
            "new address": lambda: accepted(
                "otp/verify/email", {"loginId": email, "code": self.address_code}, self.session),
        }


def test_everything_works_before(site):
    """So that the refusals below are about the end."""
    email, password = new_name("tess"), new_password()
    site.sign_up(email, password)
    tries = Thief(site, email, password).tries()
    refused = [name for name, attempt in tries.items() if not attempt()]
    assert not refused


@pytest.mark.parametrize(
    "end", ["sign-out everywhere", "new password", "operator's sign-out", "disabled and enabled", "deleted"])
def test_nothing_is_left(site, end):
    email, password = new_name("tess"), new_password()
    site.sign_up(email, password)
    thief = Thief(site, email, password)
    own = site.signed_in_by_code(email)
    match end:
        case "sign-out everywhere":
            site.call("logoutall", {}, own)
        case "new password":
            site.call("password/update", {"loginId": email, "newPassword": new_password()}, own)
            assert site.is_alive(own), "the session that chose it goes on"
        case "operator's sign-out":
            site.manage("user/logout", {"loginId": email})
        case "disabled and enabled":
            site.manage("user/update/status", {"loginId": email, "status": "disabled"})
            assert not site.is_alive(own)
            site.manage("user/update/status", {"loginId": email, "status": "enabled"})
        case "deleted":
            site.manage("user/delete", {"loginId": email})
    left = [name for name, attempt in thief.tries().items() if attempt()]
    assert not left, f"after {end}"


def test_a_disabled_user_has_no_way_in(site):
    email, password = new_name("tess"), new_password()
    key, _ = site.add_authenticator(email, site.sign_up(email, password))
    reference = site.by_password(email, password).json()["pendingRef"]
    site.call("otp/signin/email", {"loginId": email})
    code = site.code(email)
    site.manage("user/update/status", {"loginId": email, "status": "disabled"})
    before = len(site.letters(email))
    answers = [
        site.by_password(email, password),
        site.post("password/replace", {"loginId": email, "oldPassword": password, "newPassword": new_password()}),
        site.post("totp/verify", {"loginId": email, "code": site.totp(key)}),
        site.post("totp/verify", {"loginId": email, "code": site.totp(key)}, reference),
        site.post("otp/verify/email", {"loginId": email, "code": code}),
    ]
    assert all(answer.status_code in (400, 401) for answer in answers), [answer.text[:80] for answer in answers]
    for path in ("otp/signin/email", "otp/signup-in/email", "magiclink/signin/email"):
        site.call(path, {"loginId": email})
    site.call("password/reset", {"loginId": email})
    for letter in site.letters(email)[before:]:
        for link in letter.get("links", []):
            token = link.split("t=")[1].split("&")[0]
            assert site.post("magiclink/verify", {"token": token}).status_code in (400, 401)
        if letter.get("code"):
            body = {"loginId": email, "code": letter["code"]}
            assert site.post("otp/verify/email", body).status_code in (400, 401)
    assert site.browse(email, password)[1].name == "login"
    site.manage("user/update/status", {"loginId": email, "status": "enabled"})
    assert missing(site.by_password(email, password)) == "second_factor"


def test_what_an_app_opened_ends_with_the_app(site):
    """Its pages of the settings, and a token for them, which counts once while the app is there."""
    email, password = new_name("tess"), new_password()
    site.sign_up(email, password)
    thief = Thief(site, email, password)
    tries = thief.tries()
    assert tries["token for the settings"]() and not tries["token for the settings"]()
    thief.app_session_token = site.app_session_token(thief.app)
    requests.post(f"{site.base}/oauth2/revoke", data={"client_id": APP.client_id, "token": thief.app}, timeout=20)
    for name in ("browser of an app", "refresh token of an app", "token for the settings"):
        assert not tries[name](), name
    assert tries["browser"]() and tries["session"]()
