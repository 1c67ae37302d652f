"""A link that was sent before there was an account is over with what ends the links of the account."""

from __future__ import annotations

import pytest

from support.own_account import OwnAccounts, new_name, new_password


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("early"))
    yield made
    made.close()


def sent(site, name: str) -> str:
    """What stands in a letter that a stranger asked for, and read once."""
    site.call("magiclink/signup-in/email", {"loginId": name})
    return site.tokens(name)[0]


def on_the_wire(site, token: str) -> bool:
    return site.post("magiclink/verify", {"token": token}).status_code == 200


def on_the_page(site, token: str) -> bool:
    visitor = site.visitor()
    page = visitor.open("/link", {"t": token})
    if page.soup.select_one("form"):
        visitor.submit(page)
    return visitor.open("/settings").name == "settings"


def by_another_link(site, name: str) -> str:
    token = sent(site, name)
    return site.call("magiclink/verify", {"token": token})["refreshJwt"]


def by_the_operator(site, name: str) -> str:
    site.manage("user/create", {"loginId": name, "email": name, "verifiedEmail": True})
    return site.signed_in_by_code(name)


def nothing(site, name: str, own: str) -> None:
    pass


def signed_out_everywhere(site, name: str, own: str) -> None:
    site.call("logoutall", {}, own)


def with_a_password(site, name: str, own: str) -> None:
    site.call("password/update", {"loginId": name, "newPassword": new_password()}, own)


def disabled_for_a_while(site, name: str, own: str) -> None:
    site.manage("user/update/status", {"loginId": name, "status": "disabled"})
    site.manage("user/update/status", {"loginId": name, "status": "enabled"})


ENDS = [(nothing, True), (signed_out_everywhere, False), (with_a_password, False), (disabled_for_a_while, False)]


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
@pytest.mark.parametrize("opened", [by_another_link, by_the_operator])
@pytest.mark.parametrize("follows", [on_the_wire, on_the_page])
def test_a_link_of_before_the_account_ends_with_its_sessions(site, follows, opened, end, goes_on):
    name = new_name("early")
    token = sent(site, name)
    end(site, name, opened(site, name))
    assert follows(site, token) == goes_on


@pytest.mark.parametrize(("end", "goes_on"), ENDS)
@pytest.mark.parametrize("follows", [on_the_wire, on_the_page])
def test_a_link_to_the_account_ends_with_its_sessions(site, follows, end, goes_on):
    name = new_name("late")
    own = by_another_link(site, name)
    token = sent(site, name)
    end(site, name, own)
    assert follows(site, token) == goes_on


def test_a_code_of_before_the_account_opens_nothing_of_it(site):
    name = new_name("early")
    site.call("otp/signup-in/email", {"loginId": name})
    code = site.code(name)
    by_another_link(site, name)
    assert site.post("otp/verify/email", {"loginId": name, "code": code}).status_code != 200
