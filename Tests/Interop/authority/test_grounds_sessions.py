"""What a session has let in, and nobody has fetched yet, when its user ends that session alone."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import ALL_SCOPES, Client, Person
from support.devices import GRANT as DEVICE_GRANT
from support.own_account import APP, OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.visitor import Callback, Visitor

PASSWORD = "nine-blue-herons-abreast"
STRANGERS = Client(
    "strangers", None, "none", ("http://127.0.0.1/callback",),
    {"application_type": "native", "scope": ALL_SCOPES, "first_party": False,
     "grant_types": ["authorization_code", "refresh_token", DEVICE_GRANT]})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("fetched"), project={"approval": {"seconds": 120}}, clients=[APP, STRANGERS])
    yield made
    made.close()


@pytest.fixture
def una(site) -> str:
    login = f"una{secrets.token_hex(4)}@example.test"
    site.sign_up(login, PASSWORD)
    return login


@pytest.fixture
def reader(site, una) -> Visitor:
    """A browser of whoever read the mailbox once."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.submit(visitor.open(f"{site.base}/settings"), {"username": una}, button="code")
    assert visitor.submit(page, {"code": site.code(una)}).name == "settings"
    return visitor


def nothing(site, una: str) -> None:
    pass


def ended(site, una: str) -> None:
    """Each session of another browser, on the page of her sessions."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.sign_in(visitor.open(f"{site.base}/settings"), Person("", una, PASSWORD))
    assert page.name == "settings", page
    page = visitor.open(f"{site.base}/settings/sessions")
    ids = [each["value"] for each in page.soup.select('input[name="id"]')]
    kinds = [each["value"] for each in page.soup.select('input[name="kind"]')]
    sessions = [one for one, kind in zip(ids, kinds, strict=True) if kind == "session"]
    assert sessions, kinds
    for one in sessions:
        answer = visitor.post(page.form.action, data={
            "csrf": page.form.values["csrf"], "action": "end", "kind": "session", "id": one})
        assert answer.status_code == 303, answer.text[:200]


ENDS = [(nothing, True), (ended, False)]


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_device_that_an_ended_session_let_in_gets_nothing(site, una, reader, end, goes_on):
    """Without `offline_access`, which goes on after a session of a browser."""
    device = requests.post(f"{site.base}/oauth2/device_authorization", timeout=20, data={
        "client_id": APP.client_id, "scope": "openid profile"}).json()
    site.decide(reader, device)
    end(site, una)
    assert (site.collect(device).status_code == 200) == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_desk_that_an_ended_session_approved_is_not_in(site, una, reader, end, goes_on):
    desk, page, number = site.ask_for_approval(una)
    assert site.approve(reader, number).url.endswith("?done=allowed")
    end(site, una)
    arrived = desk.submit(page, button="refresh")
    assert (isinstance(arrived, Page) and arrived.name == "settings") == goes_on, arrived


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_code_of_an_ended_session_gives_no_tokens(site, una, reader, end, goes_on):
    rp = RelyingParty(Provider(site.base), APP)
    request = rp.request(scope="openid")
    arrived = rp.open(reader, request)
    if isinstance(arrived, Page):
        arrived = reader.submit(arrived)
    assert isinstance(arrived, Callback) and arrived.get("code"), arrived
    end(site, una)
    assert (rp.redeem(arrived, request).status_code == 200) == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_yes_on_a_page_of_an_ended_session_gives_no_code(site, una, reader, end, goes_on):
    rp = RelyingParty(Provider(site.base), STRANGERS)
    page = rp.open(reader, rp.request(scope="openid email"))
    assert isinstance(page, Page) and page.name == "consent", page
    end(site, una)
    arrived = reader.submit(page)
    if isinstance(arrived, Page) and arrived.name == "continue":
        arrived = reader.submit(arrived)
    assert (isinstance(arrived, Callback) and bool(arrived.get("code"))) == goes_on, arrived


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
def test_a_token_for_the_settings_opens_nothing_after_the_session_of_its_app(site, una, end, goes_on):
    """The app's own sign-in, ended on the page of the sessions."""
    rp, visitor = RelyingParty(Provider(site.base), APP), Visitor(site.base, site.issuer)
    signed_in = rp.sign_in(visitor, Person("", una, PASSWORD), scope="openid offline_access")
    token = site.app_session_token(signed_in.refresh_token)
    if end is ended:
        assert rp.revoke(signed_in.refresh_token).status_code == 200
    page = site.open_as_app(site.visitor(), token, "/settings")
    assert (isinstance(page, Page) and page.name == "settings") == goes_on, page


@pytest.mark.parametrize("way", ["page", "wire"])
@pytest.mark.parametrize("removed", [False, True])
def test_a_code_in_a_mailbox_that_is_hers_no_more_opens_nothing(site, una, way, removed):
    """The operator takes the address out of the account while its reader has the code."""
    former = f"old{secrets.token_hex(4)}@example.test"
    both = {"loginId": una, "email": una, "verifiedEmail": True, "additionalLoginIds": [former]}
    own = site.by_password(una, PASSWORD).json()["refreshJwt"]
    site.call("otp/update/email", {"loginId": una, "email": former, "addToLoginIDs": True}, own)
    site.call("otp/verify/email", {"loginId": una, "code": site.code(former)}, own)
    assert former in site.user(una)["loginIds"]
    visitor = Visitor(site.base, site.issuer)
    if way == "page":
        page = visitor.submit(visitor.open(f"{site.base}/settings"), {"username": former}, button="code")
    else:
        site.call("otp/signin/email", {"loginId": former})
    code = site.code(former)
    if removed:
        site.manage("user/update", both | {"additionalLoginIds": []})
        assert former not in site.user(una)["loginIds"]
    if way == "page":
        visitor.submit(page, {"code": code})
        opened = visitor.open(f"{site.base}/settings/identifiers")
        assert (isinstance(opened, Page) and una in str(opened.soup)) != removed, opened
    else:
        answer = site.post("otp/verify/email", {"loginId": former, "code": code})
        opened_as = answer.json().get("user", {}).get("loginIds", []) if answer.status_code == 200 else []
        assert (una in opened_as) != removed, answer.text[:200]
