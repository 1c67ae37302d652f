"""A guest's page that waits for a sign-in takes over no account that its user opened meanwhile."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
import requests

from support.authgear_client import Authgear
from support.guests import BANK, REDIRECT
from support.operators import command
from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.project import PROJECT_ID
from support.visitor import Callback


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("waiting"), clients=[APP, BANK], project={"approval": {"seconds": 180}})
    made.manage("permission/create", {"name": "Impersonate"})
    made.manage("role/create", {"name": "agent", "permissionNames": ["Impersonate"]})
    yield made
    made.close()


class Stranger:
    """A guest of an app, with a session of now, whose page waits for a sign-in."""

    def __init__(self, site: OwnAccounts):
        self.site, self.app = site, Authgear(site.issuer, BANK.client_id, REDIRECT)
        self.app.authenticate_anonymously()
        self.guest = self.app.keychain.refresh_token
        self.browser = site.visitor()
        self.page, self.finish = self.app.begin_promotion(self.browser)
        next_second()

    def is_let_in(self, login: str, phone=None):
        """By an approval on the person's telephone, or by a link that the person opens."""
        if phone is not None:
            page = self.browser.submit(self.page, {"username": login}, button="approval")
            self.site.approve(phone, page.soup.select_one(".number strong").get_text(strip=True))
            return self.browser.submit(page)
        page = self.browser.submit(self.page, {"username": login}, button="code")
        page = self.browser.press(self.browser.press(page, "other"), "link")
        number = page.soup.select_one(".number strong").get_text(strip=True)
        reader = self.site.visitor()
        link = next(link for link in self.site.letters(login)[-1]["links"] if link.endswith(f"n={number}"))
        assert reader.submit(reader.open(link)).name == "done"
        return self.browser.open(page.url)

    def sets_password(self, login: str) -> bool:
        """In the guest's session of before, to which the app's key is bound."""
        path, password = "/v1/auth/password/update", new_password()
        requests.post(
            self.site.base + path, json={"loginId": login, "newPassword": password}, timeout=20, headers={
                "Authorization": f"Bearer {PROJECT_ID}:{self.guest}",
                "DPoP": self.app.proof("POST", self.site.issuer + path)})
        return self.site.by_password(login, password).status_code == 200


def sign_up_on_pages(site: OwnAccounts):
    login, password, browser = new_name("vera"), new_password(), site.visitor()
    page = browser.open("/settings")
    link = next(each["href"] for each in page.soup.find_all("a", href=True) if "signup" in each["href"])
    page = browser.open(urljoin(page.url, link))
    values = {name: password if "password" in name else "Vera" if name == "name" else login for name in page.form.inputs}
    assert browser.submit(browser.submit(page, values), {"code": site.code(login)}).name == "settings"
    return login, browser


def stays_its_users(stranger: Stranger, login: str, page) -> None:
    site, subject = stranger.site, stranger.site.user(login)["userId"]
    assert not isinstance(page, Callback) and page.name == "promotion", page
    stranger.finish(stranger.browser.submit(page)["code"])
    assert site.user(login)["userId"] == subject
    assert not stranger.sets_password(login)


@pytest.mark.parametrize("way", ["link", "approval"])
def test_one_signs_up_while_the_page_waits(site, way):
    stranger = Stranger(site)
    login, phone = sign_up_on_pages(site)
    stays_its_users(stranger, login, stranger.is_let_in(login, phone if way == "approval" else None))


@pytest.mark.parametrize("kind", ["a role that acts as others", "invited", "a console role"])
def test_an_operator_makes_it_while_the_page_waits(site, kind):
    stranger, login = Stranger(site), new_name("made")
    state = {"invite": True} if kind == "invited" else {"verifiedEmail": True}
    site.manage("user/create", {"loginId": login, "email": login} | state)
    if kind == "a role that acts as others":
        site.manage("user/update/role/add", {"loginId": login, "roleNames": ["agent"]})
    if kind == "a console role":
        command(site.server, "operator", "grant", login, "--role", "operator")
    stays_its_users(stranger, login, stranger.is_let_in(login))
    if kind == "a console role":
        assert login in command(site.server, "operator", "list")


@pytest.mark.parametrize("by", ["a program", "a command"])
def test_one_that_others_made_asks_who_reads_the_mailbox(site, by):
    stranger, login = Stranger(site), new_name("made")
    if by == "a program":
        site.manage("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    else:
        command(site.server, "user", "create", login, "--verified", "--no-password")
    page = stranger.browser.submit(stranger.page, {"username": login}, button="code")
    assert stranger.browser.submit(page, {"code": site.code(login)}).name == "promotion"


def test_a_sign_up_on_the_page_is_the_guests_own(site):
    """The control: the account was made there, and the guest's identifier stays."""
    stranger, login = Stranger(site), new_name("guest")
    link = next(
        each["href"] for each in stranger.page.soup.find_all("a", href=True) if "signup" in each["href"])
    page = stranger.browser.open(urljoin(stranger.page.url, link))
    values = {name: new_password() if "password" in name else "Gil" if name == "name" else login
              for name in page.form.inputs}
    page = stranger.browser.submit(page, values)
    page = stranger.browser.submit(page, {"code": site.code(login)})
    assert isinstance(page, Callback) and page.get("code"), page
    stranger.finish(page["code"])
    assert site.user(login)["verifiedEmail"]
    assert not stranger.sets_password(login), "what an earlier user of the device may have is over"
