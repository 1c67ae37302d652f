"""A sign-in that was not the user's takes the roles along that came with it: no role outlives the identity it is of."""

from __future__ import annotations

import pytest
import requests

from support.own_account import APP, OwnAccounts, new_name, new_password, next_second
from support.pages import Page
from support.told_provider import CLIENT_ID, SECRET
from support.visitor import Callback, Visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(
        tmp_path_factory.mktemp("roles"), roles=[{"name": "admin", "permissions": ["write"]}],
        connections=[{
            "id": "staff", "name": "Staff", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "roles": {"admins": "admin"}}])
    yield made
    made.close()


def employee(told, subject: str, *groups: str) -> None:
    """Who signs in at the provider next."""
    told.token = {"sub": subject, "groups": list(groups)}
    told.userinfo = {"sub": subject}


def through(visitor: Visitor, answer: requests.Response) -> Page | Callback:
    """Over the provider, which asks nothing, back to a page."""
    while answer.is_redirect:
        answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
    return visitor.follow(answer)


def link(visitor: Visitor) -> Page:
    """Links the account at the provider, on the page of the settings."""
    page = visitor.open("/settings/connections")
    form = next(form for form in page.forms if ("action", "link") in form.buttons)
    page = visitor.follow(visitor.post(form.action, data=form.filled({"id": "staff"}, button="link")))
    assert isinstance(page, Page) and page.name == "departure", page
    done = through(visitor, visitor.get(page.soup.select_one("a.primary")["href"]))
    assert done.url.endswith("?done=linked"), done
    return done


def by_provider(site: OwnAccounts) -> None:
    """A sign-in at the provider, which says the groups."""
    visitor = site.visitor()
    page = visitor.open("/settings")
    page = through(visitor, visitor.get(page.soup.select_one("a.provider")["href"]))
    assert page.name in ("settings", "continue"), page


def colleague(site: OwnAccounts, told) -> tuple[str, Visitor, str]:
    """A user with a role by a group: the login ID, a browser, and the link in the message about its sign-in."""
    email, password = new_name("carl"), new_password()
    site.sign_up(email, password)
    next_second()
    visitor, page = site.browse(email, password)
    assert page.name == "settings", page
    letter = [each["links"][0] for each in site.letters(email) if each["kind"] == "new-sign-in"][-1]
    employee(told, f"subject-{email}", "admins")
    link(visitor)
    by_provider(site)
    assert site.user(email)["roleNames"] == ["admin"]
    return email, visitor, letter


def test_a_role_ends_with_the_identity_that_is_disconnected(site, told):
    """The control."""
    email, visitor, _ = colleague(site, told)
    page = visitor.open("/settings/connections")
    form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
    visitor.follow(visitor.post(form.action, data=form.filled(button="unlink")))
    assert site.user(email)["roleNames"] == []


def test_a_role_ends_with_the_identity_that_a_dispute_removes(site, told):
    """The provider may take the group away: there is no identity any more by which the role would end."""
    email, _, letter = colleague(site, told)
    reader = site.visitor()
    reader.submit(reader.open(letter))
    assert site.user(email)["roleNames"] == [], "the role has no source, and stays"
