"""A user without an account gets one: what an earlier user of the device set up to sign in with opens none of it."""

from __future__ import annotations

import re
import secrets

import pytest
import requests

from support.authgear_client import Authgear, AuthgearFailed
from support.guests import BANK, add_address, device_key, guest, settings
from support.own_account import APP, OwnAccounts, new_name, next_second
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor

@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(tmp_path_factory.mktemp("guests"), clients=[APP, BANK], connections=[{
        "id": "social", "name": "Social", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}])
    yield made
    made.close()


def through(visitor: Visitor, answer: requests.Response) -> Page | Callback:
    """Over the provider, which asks nothing, back to a page."""
    while answer.is_redirect:
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    return visitor.follow(answer)


def identity(site: OwnAccounts, told, app: Authgear):
    """An own identity at a provider, linked in the settings; what opens an account by it."""
    subject = f"mallory{secrets.token_hex(4)}"

    def comes() -> None:
        told.token, told.userinfo = {"sub": subject}, {"sub": subject}

    comes()
    visitor, page = settings(site, app, "/settings/connections")
    form = next(form for form in page.forms if ("action", "link") in form.buttons)
    page = visitor.follow(visitor.post(form.action, data=form.filled({"id": "social"}, button="link")))
    assert through(visitor, visitor.get(page.soup.select_one("a.primary")["href"])).url.endswith("?done=linked")

    def enter() -> str:
        comes()
        own = site.visitor()
        page = own.open("/settings")
        through(own, own.get(page.soup.select_one("a.provider")["href"]))
        return own.open("/settings/identifiers").response.text

    return enter


def by_the_page(site: OwnAccounts, app: Authgear, email: str) -> None:
    """She signs up on the pages of a promotion."""
    visitor = site.visitor()
    page, finish = app.begin_promotion(visitor)
    page = visitor.open(site.base + re.search(r"/signup\?transaction=[\w-]+", page.response.text).group(0))
    field = next(name for name in ("identifier", "email") if name in page.form.inputs)
    page = visitor.submit(page, {"name": "Vera", field: email}, button="code")
    arrived = visitor.submit(page, {"code": site.code(email)})
    assert isinstance(arrived, Callback) and not finish(arrived["code"]).is_anonymous


@pytest.mark.parametrize("promote", [by_the_page, add_address], ids=lambda way: way.__name__)
@pytest.mark.parametrize("left", [identity, device_key], ids=lambda way: way.__name__)
def test_what_an_earlier_user_of_the_device_set_up_opens_no_account(site, told, left, promote):
    app = guest(site)
    enter = left(site, told, app)
    next_second()
    app.authenticate_anonymously()
    email = new_name("vera")
    promote(site, app, email)
    assert site.user(email)["loginIds"] == [email], "the control: she has an account"
    assert email not in enter(), "the earlier user of the device is in her account"


@pytest.mark.parametrize("promote", [by_the_page, add_address], ids=lambda way: way.__name__)
def test_a_link_into_the_settings_that_the_guest_fetched_opens_no_account(site, promote):
    app = guest(site)
    request = {
        "response_type": "none", "client_id": BANK.client_id, "redirect_uri": f"{site.issuer}/settings/identifiers",
        "scope": "openid", "prompt": "none",
    }
    control, waiting = app._app_session_hint(), app._app_session_hint()
    assert site.visitor().open("/oauth2/authorize", request | {"login_hint": control}).name == "settings-identifiers"
    email = new_name("vera")
    promote(site, app, email)
    assert site.user(email)["loginIds"] == [email], "she has an account"
    page = site.visitor().open("/oauth2/authorize", request | {"login_hint": waiting})
    assert not isinstance(page, Page) or email not in page.response.text and page.name != "settings-identifiers"


def test_a_guests_session_sets_up_no_key_once_the_guest_has_an_account(site):
    app = guest(site)
    app.enable_biometric()
    app.disable_biometric()
    add_address(site, app, new_name("vera"))
    with pytest.raises(AuthgearFailed) as refused:
        app.enable_biometric()
    assert refused.value.error == "interaction_required", "the control: it could, as a guest"
