"""An app that asks its user for the password once more: which of its sessions that is worth anything to."""

from __future__ import annotations

import pytest

from authority.test_users_device_keys import BANK, Somebody
from support.authgear_client import Authgear
from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.pages import Page
from support.visitor import Visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("once-more"), clients=[APP, BANK])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


class Unbound(Authgear):
    """The app of a maker who binds no token to a key."""

    def send(self, method, url, *, proves=True, headers=None, **options):
        return super().send(method, url, proves=False, headers=headers, **options)

    def settings(self, site: OwnAccounts, path: str) -> tuple[Visitor, Page]:
        """A page of the settings in its session."""
        visitor = site.visitor()
        page = visitor.open(self.document["authorization_endpoint"], {
            "response_type": "none", "client_id": BANK.client_id, "redirect_uri": f"{site.issuer}/settings/{path}",
            "scope": "openid", "prompt": "none", "login_hint": self._app_session_hint()})
        assert isinstance(page, Page), page
        return visitor, page

    def is_recent(self, site: OwnAccounts) -> bool:
        """Whether it may change how the user signs in."""
        name = self.settings(site, "password")[1].name
        assert name in ("settings-password", "login"), name
        return name == "settings-password"

    def adds(self, site: OwnAccounts, address: str) -> bool:
        """Whether it adds a mailbox to the account."""
        visitor, page = self.settings(site, "identifiers")
        form = next((form for form in page.forms if "identifier" in form.inputs), None)
        if form is None:
            return False
        page = visitor.follow(visitor.post(form.action, data=form.filled({"identifier": address, "action": "add"})))
        if "code" not in page.form.inputs:
            return False
        visitor.send(page, {"code": site.code(address)})
        return True


def unbound_in(site: OwnAccounts, visitor, **fields) -> Unbound:
    app = Unbound(site.base, BANK.client_id, BANK.redirect_uri)
    app.authenticate(visitor, dpop_jkt=None, **fields)
    return app


def test_a_reauthentication_makes_no_earlier_sign_in_recent(site, vera):
    """A thief has the refresh token of an earlier sign-in. She signs in to the app again in the same browser, and the
    app asks for her password once more."""
    browser = Somebody(site, *vera)
    stolen, elsewhere = unbound_in(site, browser), unbound_in(site, Somebody(site, *vera))
    assert stolen.is_recent(site) and elsewhere.is_recent(site)
    next_second()
    app = unbound_in(site, browser, prompt="login")
    site.age(vera[0])
    assert not app.is_recent(site) and not stolen.is_recent(site)
    app.refresh_id_token()
    app.reauthenticate(browser)
    assert app.is_recent(site), "the control: the session that was reauthenticated"
    assert not elsewhere.is_recent(site), "another browser's sign-in"
    assert not stolen.is_recent(site), "the sign-in of before"


class WithCode(Somebody):
    """Who types the code of an authenticator app where a page asks for it."""

    def __init__(self, site: OwnAccounts, vera: tuple[str, str]):
        super().__init__(site, *vera)
        self.site, self.key = site, None

    def sign_in(self, page, person=None, password=None):
        page = super().sign_in(page, self.person)
        if isinstance(page, Page) and page.name == "code":
            page = self.submit(page, {"code": self.site.totp(self.key)})
        return page


def test_a_token_of_before_the_authenticator_adds_no_mailbox_after_a_reauthentication(site, vera):
    """What the thief's session did not show is what the app asked her for."""
    browser = WithCode(site, vera)
    stolen = unbound_in(site, browser)
    browser.key, _ = site.add_authenticator(vera[0], site.by_password(*vera).json()["refreshJwt"])
    mallory = new_name("mallory")
    assert not stolen.adds(site, mallory)
    next_second()
    app = unbound_in(site, browser, prompt="login")
    assert not stolen.adds(site, mallory)
    app.reauthenticate(browser)
    assert app.adds(site, new_name("vera")), "the control"
    assert not stolen.adds(site, mallory), "the thief has a mailbox in the account"
    assert mallory not in site.user(vera[0])["loginIds"]
