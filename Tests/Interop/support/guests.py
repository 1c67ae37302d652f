"""An app whose users need no account, and what an earlier user of its device leaves behind."""

from __future__ import annotations

from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import Client
from support.own_account import OwnAccounts
from support.pages import Page
from support.visitor import Visitor

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


def guest(site: OwnAccounts) -> Authgear:
    """The app on a device, with a user who has no account."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate_anonymously()
    return app


def settings(site: OwnAccounts, app: Authgear, path: str) -> tuple[Visitor, Page]:
    """A page of the settings, as the app shows it to its user."""
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "redirect_uri": f"{site.issuer}{path}",
        "scope": "openid", "prompt": "none", "login_hint": app._app_session_hint()})
    assert isinstance(page, Page), page
    return visitor, page


def add_address(site: OwnAccounts, app: Authgear, email: str) -> None:
    """The user adds an address in the settings, and proves it."""
    visitor, page = settings(site, app, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    page = visitor.follow(visitor.post(form.action, data=form.filled({"identifier": email, "action": "add"})))
    visitor.submit(page, {"code": site.code(email)})


def device_key(site: OwnAccounts, told, app: Authgear):
    """A key behind a fingerprint; what opens an account by it."""
    app.enable_biometric()
    key_id = app.keychain.biometric_key_id
    key = app.keychain.keys[key_id]

    def enter() -> str:
        other = Authgear(site.base, BANK.client_id, REDIRECT)
        other.keychain.keys[key_id], other.keychain.biometric_key_id = key, key_id
        try:
            other.authenticate_biometric()
        except AuthgearFailed:
            return ""
        return settings(site, other, "/settings/identifiers")[1].response.text

    return enter
