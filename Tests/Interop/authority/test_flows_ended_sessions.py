"""A page that waits in a browser whose session was ended elsewhere: it opens none again, and sets nothing up."""

from __future__ import annotations

import itertools

import pyotp
import pytest

from support.configuration import Client, Person, secret_of
from support.own_account import OwnAccounts
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.visitor import Callback, Visitor

APP = Client("app", secret_of("app"), "client_secret_basic", ("https://app.example/back",))
MAILBOX = itertools.count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("ended"), clients=[APP])
    yield made
    made.close()


@pytest.fixture
def una(site) -> tuple[str, str]:
    """Address and password."""
    email, password = f"una{next(MAILBOX)}@example.test", "nine-blue-herons-abreast"
    site.sign_up(email, password)
    return email, password


def by_code(site, email: str) -> Visitor:
    """A browser of whoever reads the mailbox once."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.submit(visitor.open(f"{site.base}/settings"), {"username": email}, button="code")
    assert visitor.submit(page, {"code": site.code(email)}).name == "settings"
    return visitor


def waiting(site, visitor: Visitor) -> Page:
    """An app asks for two factors, and the page wants to set the second one up."""
    rp = RelyingParty(Provider(site.base), APP)
    page = rp.open(visitor, rp.request(acr_values="urn:keyturn:acr:mfa"))
    assert isinstance(page, Page) and page.name == "totp-setup", page
    return page


def set_up(visitor: Visitor, page: Page) -> Page | Callback:
    key = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    return visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(key).now()})


def is_in(site, visitor: Visitor) -> bool:
    return visitor.open(f"{site.base}/settings").name == "settings"


def end_others(site, una: tuple[str, str]) -> None:
    """In her own browser, on the page of her sessions."""
    visitor = Visitor(site.base, site.issuer)
    page = visitor.sign_in(visitor.open(f"{site.base}/settings"), Person("", *una))
    assert page.name == "settings", page
    page = visitor.open(f"{site.base}/settings/sessions")
    ids = [each["value"] for each in page.soup.select('input[name="id"]')]
    kinds = [each["value"] for each in page.soup.select('input[name="kind"]')]
    sessions = [one for one, kind in zip(ids, kinds, strict=True) if kind == "session"]
    assert len(sessions) == 1, (ids, kinds)
    answer = visitor.post(page.form.action, data={
        "csrf": page.form.values["csrf"], "action": "end", "kind": "session", "id": sessions[0]})
    assert answer.status_code == 303, answer.text[:200]


def test_whoever_waits_in_a_live_session_sets_an_authenticator_up(site, una):
    """The control: the session is of a moment ago, and there is no factor yet."""
    visitor = by_code(site, una[0])
    set_up(visitor, waiting(site, visitor))
    assert is_in(site, visitor)


def test_whoever_waits_in_a_session_that_she_ended_comes_in_no_more(site, una):
    """One read of the mailbox opened it. She saw it, and ended it."""
    visitor = by_code(site, una[0])
    page = waiting(site, visitor)
    end_others(site, una)
    assert not is_in(site, visitor), "it is over"
    set_up(visitor, page)
    assert not is_in(site, visitor), "a session again, and nobody signed in"


def test_whoever_comes_to_a_browser_of_hers_after_the_sign_out_comes_in_no_more(site, una):
    """The page is one step back in a browser that others use, too."""
    visitor = by_code(site, una[0])
    page = waiting(site, visitor)
    visitor.submit(visitor.open(f"{site.base}/logout"))
    assert not is_in(site, visitor), "it is over"
    set_up(visitor, page)
    assert not is_in(site, visitor), "a session again, and nobody signed in"


@pytest.mark.parametrize("end", ["logoutall", "password/update"])
def test_whoever_waits_comes_in_no_more_after_the_end_of_everything(site, una, end):
    visitor = by_code(site, una[0])
    page = waiting(site, visitor)
    own = site.by_password(*una).json()["refreshJwt"]
    site.call(end, {"loginId": una[0], "newPassword": "ten-green-herons-asleep"}, own)
    set_up(visitor, page)
    assert not is_in(site, visitor)


def test_whoever_waits_in_a_session_that_she_ended_sets_nothing_up(site, una):
    visitor = by_code(site, una[0])
    page = waiting(site, visitor)
    end_others(site, una)
    set_up(visitor, page)
    answer = site.by_password(*una)
    assert answer.status_code == 200, f"the password alone is not enough any more: {answer.text}"
