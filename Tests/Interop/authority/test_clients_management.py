"""A token for the management interface comes of an operator's yes on a page, and of nothing that another app has."""

from __future__ import annotations

import pyotp
import pytest
import requests

from support.configuration import Client, Person
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback, Visitor

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
TOKEN = "urn:ietf:params:oauth:token-type:"
CALLBACK = "https://mail.example/back"
OWNER = Person(
    "11111111-1111-4111-8111-111111111111", "olga@example.com", "correct-horse-battery",
    {"email": "olga@example.com", "email_verified": True, "console_role": "owner"},
)
PAGES = "https://authgear.com/scopes/pre-authenticated-url"
MAIL = Client(
    "mail", None, "none", (CALLBACK,), {"scope": f"openid profile offline_access device_sso {PAGES}"})
# A web application whose pages apps open signed in.
DESK = Client(
    "desk", None, "none", ("https://desk.example/back",),
    {
        "scope": "openid profile keyturn:management", "pre_authenticated_uris": ["https://desk.example"],
        "grant_types": ["authorization_code", "refresh_token", EXCHANGE],
    },
)
TOOL = Client(
    "tool", None, "none", ("https://tool.example/back",),
    {
        "scope": "openid profile offline_access keyturn:management",
        "grant_types": ["authorization_code", "refresh_token", EXCHANGE, DEVICE],
    },
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("management"),
        {
            "project": {"name": "Harbour"}, "clients": [MAIL.entry(), TOOL.entry(), DESK.entry()],
            "users": [OWNER.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


def strongly(visitor: Visitor, page: Page | Callback) -> Page | Callback:
    """Through the sign-in pages with a password and an authenticator app, which the first sign-in sets up."""
    for _ in range(5):
        if not isinstance(page, Page) or page.name not in ("login", "totp-setup"):
            return page
        if page.name == "login":
            page = visitor.sign_in(page, OWNER)
            continue
        key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
        page = visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(key).now()})
        if isinstance(page, Page) and page.name not in ("login", "consent"):
            page = visitor.submit(page)
    return page


@pytest.fixture(scope="module")
def owner(site) -> tuple[Visitor, dict]:
    """The owner's browser, and the tokens of an app that has nothing to do with the management interface."""
    visitor, app = site.visitor(), RelyingParty(site, MAIL)
    request = app.request(scope=f"openid offline_access device_sso {PAGES}", acr_values="urn:keyturn:acr:mfa")
    callback = strongly(visitor, app.open(visitor, request))
    assert isinstance(callback, Callback) and callback.get("code"), callback
    return visitor, app.accepted(app.redeem(callback, request))


def shared(site, owner) -> dict:
    """What the app leaves for the other apps of its vendor."""
    return {
        "grant_type": EXCHANGE, "audience": site.issuer,
        "subject_token": owner[1]["id_token"], "subject_token_type": TOKEN + "id_token",
        "actor_token": owner[1]["device_secret"], "actor_token_type": "urn:openid:params:token-type:device-secret",
    }


def administer(site, access_token: str) -> requests.Response:
    return requests.get(
        f"{site.base}/v1/mgmt/client/all", headers={"Authorization": f"Bearer {access_token}"}, timeout=30)


def test_the_owner_gets_such_a_token_by_a_yes_on_the_page(site, owner):
    tool = RelyingParty(site, TOOL)
    request = tool.request(scope="openid keyturn:management")
    page = tool.open(owner[0], request)
    assert isinstance(page, Page) and page.name == "consent"
    answer = tool.accepted(tool.redeem(owner[0].submit(page), request))
    assert administer(site, answer["access_token"]).status_code == 200


@pytest.mark.parametrize("asked", ["openid keyturn:management", None])
def test_a_device_secret_of_another_app_gives_no_token_for_the_management_interface(site, owner, asked):
    """Native SSO shares who the user is; what the user never said yes to is not shared."""
    tool, form = RelyingParty(site, TOOL), shared(site, owner) | {"scope": asked}
    plain = tool.post("token", form | {"scope": "openid profile"})
    assert plain.status_code == 200 and "management" not in plain.json()["scope"], plain.text
    answer = tool.post("token", form)
    assert answer.status_code == 200, answer.text
    assert administer(site, answer.json()["access_token"]).status_code == 403, answer.json()["scope"]
    assert "keyturn:management" not in answer.json()["scope"].split()


def test_a_page_that_an_app_opens_gets_no_token_for_the_management_interface(site, owner):
    """The app's pass answers who the user is, without a page."""
    desk, visitor = RelyingParty(site, DESK), site.visitor()
    made = desk.post("token", shared(site, owner) | {
        "requested_token_type": "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"})
    assert made.status_code == 200, made.text
    opened = visitor.get(site.endpoint("authorization"), params={
        "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
        "response_mode": "cookie", "client_id": "desk", "redirect_uri": "https://desk.example/start", "prompt": "none",
        "id_token_hint": made.json()["id_token"], "x_pre_authenticated_url_token": made.json()["access_token"],
    })
    assert opened.status_code in (302, 303), opened.text[:300]
    request = desk.request(prompt="none", scope="openid keyturn:management")
    answer = desk.open(visitor, request)
    assert isinstance(answer, Callback)
    if answer.get("code"):
        got = desk.accepted(desk.redeem(answer, request))
        assert administer(site, got["access_token"]).status_code == 403, got["scope"]
    else:
        assert answer["error"] == "login_required"


def test_a_device_gets_such_a_token_from_a_page_that_says_so(site, owner):
    visitor = owner[0]
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", timeout=30,
        data={"client_id": "tool", "scope": "openid keyturn:management"}).json()
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert page.name == "device" and "Administer this server" in page.response.text
    form = {"grant_type": DEVICE, "device_code": device["device_code"]}
    tool = RelyingParty(site, TOOL)
    assert tool.post("token", form).json()["error"] == "authorization_pending"
    assert "outcome=denied" in visitor.submit(page, button="deny").url
    assert tool.post("token", form).json()["error"] in ("access_denied", "slow_down")
