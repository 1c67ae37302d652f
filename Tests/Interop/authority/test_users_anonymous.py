"""Users without an account, where `project.sign_up` opens none: what they set up, and whom they become by it."""

from __future__ import annotations

import json
import sqlite3

import pytest
import requests

from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import Client
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.visitor import Callback, Visitor

CLOSED_TO_STRANGERS = ("invited", "off")
REDIRECT = "com.example.harbour://host/path"
BANK = Client(
    "harbour-bank", None, "none", (REDIRECT,),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": [
            "authorization_code", "refresh_token", "urn:authgear:params:oauth:grant-type:anonymous-request"],
    },
)


@pytest.fixture
def site(tmp_path):
    made = OwnAccounts(tmp_path, clients=[APP, BANK])
    yield made
    made.close()


def close_sign_up(site: OwnAccounts, policy: str) -> None:
    site.restart(project=site.configuration["project"] | {"sign_up": policy})


def anonymous(site: OwnAccounts) -> Authgear:
    """An app whose user has no account."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate_anonymously()
    return app


def settings(site: OwnAccounts, app: Authgear, path: str) -> tuple[Visitor, Page]:
    """A page of the settings, as the app shows it to its user."""
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "redirect_uri": f"{site.issuer}{path}",
        "scope": "openid", "prompt": "none", "login_hint": app._app_session_hint(),
    })
    assert isinstance(page, Page), page
    return visitor, page


def add_passkey(site: OwnAccounts, app: Authgear, device: Authenticator) -> bool:
    visitor, page = settings(site, app, "/settings/passkeys")
    button = page.soup.find(id="passkey")
    if button is None:
        return False
    made = device.create(json.loads(button["data-options"]), origin=site.issuer)
    form = page.forms[0]
    answer = visitor.post(f"{site.base}/settings/passkeys", data={
        "csrf": form.values["csrf"], "action": "add", "passkey": json.dumps(made)})
    return "done=added" in answer.headers.get("Location", "")


def by_passkey(site: OwnAccounts, visitor: Visitor, page: Page, device: Authenticator) -> Page | Callback:
    """Signs in on the sign-in page with a passkey of the device."""
    assert page.name == "login", page
    button = page.soup.find(id="passkey")
    shown = device.get(json.loads(button["data-options"]), origin=site.issuer)
    values = page.form.values | {"action": "passkey", "passkey": json.dumps(shown)}
    return visitor.follow(visitor.post(page.form.action, data=values))


def promoted(site: OwnAccounts, app: Authgear, device: Authenticator) -> bool:
    """Whether the app's user has an account, after a promotion in which the user signs in by the passkey."""
    visitor = site.visitor()
    page, finish = app.begin_promotion(visitor)
    if not isinstance(page, Page) or page.name != "login":
        return False
    arrived = by_passkey(site, visitor, page, device)
    if not isinstance(arrived, Callback) or not arrived.get("code"):
        return False
    try:
        return not finish(arrived["code"]).is_anonymous
    except AuthgearFailed:
        return False


def test_a_passkey_makes_an_account_of_nobody_where_none_is_opened(site):
    """Such a user sets up a passkey, and is promoted by signing in with it. No address was ever proved."""
    apps, devices = {}, {}
    for policy in ("open", *CLOSED_TO_STRANGERS):
        apps[policy], devices[policy] = anonymous(site), Authenticator()
        assert add_passkey(site, apps[policy], devices[policy]), "a user without an account may have a passkey"
    made = {}
    for policy in apps:
        if policy != "open":
            close_sign_up(site, policy)
        made[policy] = promoted(site, apps[policy], devices[policy])
        devices[policy].close()
    assert made == {"open": True, "invited": False, "off": False}


def made_yesterday(site: OwnAccounts, login: str) -> None:
    """An account that is not made in the sign-in of the promotion."""
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as database:
        user = site.user(login)["userId"]
        database.execute('UPDATE "user" SET created_at = created_at - 86400 WHERE id = ?', (user,))
    database.close()


def test_who_opens_an_attackers_promotion_changes_nothing(site):
    """The code of the answer is worth nothing without the verifier, and the attacker has no code."""
    email, password = new_name("vera"), new_password()
    own = site.sign_up(email, password)
    made_yesterday(site, email)
    mallory = anonymous(site)
    victim = site.visitor()
    page, finish = mallory.begin_promotion(victim)
    page = victim.submit(page, {"username": email, "password": password})
    assert page.name == "promotion", page
    arrived = victim.submit(page, button="bring")
    assert isinstance(arrived, Callback) and arrived.get("code")
    with pytest.raises(AuthgearFailed) as caught:
        mallory._redeem(arrived["code"], "v" * 43)
    assert caught.value.error == "invalid_grant"
    assert site.is_alive(own) and site.user(email)["loginIds"] == [email]
    assert mallory.authenticate_anonymously().is_anonymous


def test_a_promotion_code_of_an_ended_session_promotes_nobody(site):
    """A code that was asked for in the session of the user before, who signed out."""
    answer = requests.post(
        f"{site.base}/api/anonymous_user/signup",
        json={"session_type": "refresh_token", "client_id": BANK.client_id}, timeout=20)
    assert answer.status_code == 200, answer.text
    refresh = answer.json()["result"]["refresh_token"]

    def promotion_code() -> str:
        made = requests.post(
            f"{site.base}/api/anonymous_user/promotion_code",
            json={"session_type": "refresh_token", "refresh_token": refresh}, timeout=20)
        assert made.status_code == 200, made.text
        return made.json()["result"]["promotion_code"]

    app = Authgear(site.base, BANK.client_id, REDIRECT)
    hints = [f"https://authgear.com/login_hint?type=anonymous&promotion_code={promotion_code()}" for _ in range(2)]
    page = site.visitor().open(app.promotion_address(hint=hints[0]))
    assert isinstance(page, Page) and page.name == "login", page
    requests.post(f"{site.base}/oauth2/revoke", data={"client_id": BANK.client_id, "token": refresh}, timeout=20)
    page = site.visitor().open(app.promotion_address(hint=hints[1]))
    assert isinstance(page, Callback) and page["error"] == "invalid_request", page


def test_a_user_without_an_account_changes_no_other_user(site):
    """The wire takes login IDs; a session without one reaches nobody's."""
    email = new_name("vera")
    site.sign_up(email)
    app = anonymous(site)
    for path, body in {
        "totp/update": {"loginId": email},
        "password/update": {"loginId": email, "newPassword": new_password()},
        "otp/update/email": {"loginId": email, "email": new_name("mallory"), "addToLoginIDs": True},
        "webauthn/update/start": {"loginId": email, "origin": site.issuer},
    }.items():
        proof = app.proof("POST", f"{site.issuer}/v1/auth/{path}")
        answer = site.post(path, body, app.keychain.refresh_token, headers={"DPoP": proof})
        assert answer.status_code == 400, f"{path}: {answer.status_code} {answer.text[:200]}"
    assert site.user(email)["loginIds"] == [email] and not site.user(email)["TOTP"]
