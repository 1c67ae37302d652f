"""A sign-in that was not the user's takes the access keys along that a thief's own account brought into the account."""

from __future__ import annotations

import pytest
import requests

from support.own_account import OwnAccounts, new_name, new_password, next_second
from support.project import PROJECT_ID
from support.tokens import payload_of


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("keys"))
    yield made
    made.close()


def key_of(site: OwnAccounts, login: str) -> str:
    """A key for calls in the user's name, as the operator's program gives them to users who ask for one."""
    return site.manage("accesskey/create", {"name": "own", "userId": site.user(login)["userId"]})["cleartext"]


def exchange(site: OwnAccounts, key: str) -> requests.Response:
    return site.wire.post("/v1/auth/accesskey/exchange", {}, bearer=f"{PROJECT_ID}:{key}")


def robbed(site: OwnAccounts) -> tuple[str, str, str, str]:
    """Her password is stolen, and the thief's own account goes into hers: her address, the thief's, the key of the
    thief's account, and the link in the message about the sign-in."""
    hers, mine, password = new_name("vera"), new_name("mallory"), new_password()
    site.sign_up(hers, password)
    site.sign_up(mine)
    key = key_of(site, mine)
    next_second()
    _, page = site.browse(hers, password)
    assert page.name == "settings", page
    link = [each["links"][0] for each in site.letters(hers) if each["kind"] == "new-sign-in"][-1]
    session = site.by_password(hers, password).json()["refreshJwt"]
    site.call("otp/update/email", {
        "loginId": hers, "email": mine, "addToLoginIDs": True, "onMergeUseExisting": False}, session)
    site.call("otp/verify/email", {"loginId": hers, "code": site.code(mine)}, session)
    return hers, mine, key, link


def acts_for(site: OwnAccounts, key: str, login: str) -> bool:
    """Whether the key gives tokens of this user."""
    answer = exchange(site, key)
    return answer.status_code == 200 and site.user(login)["userId"] in payload_of(answer.json()["sessionJwt"]).values()


def dispute(site: OwnAccounts, link: str) -> None:
    reader = site.visitor()
    reader.submit(reader.open(link))


def test_a_key_of_a_merged_account_goes_along(site):
    """The control: that is what a merge is for."""
    hers, _, key, _ = robbed(site)
    assert acts_for(site, key, hers)


def test_a_thiefs_key_ends_with_the_disputed_sign_in(site):
    hers, mine, key, link = robbed(site)
    dispute(site, link)
    assert site.user(hers)["loginIds"] == [hers], "the control: the thief's address is gone"
    assert not acts_for(site, key, hers), "the thief is the user, for as long as the key lasts"


def test_her_own_key_stays(site):
    """The control: it was there before the sign-in."""
    hers, password = new_name("nora"), new_password()
    site.sign_up(hers, password)
    key = key_of(site, hers)
    next_second()
    site.browse(hers, password)
    link = [each["links"][0] for each in site.letters(hers) if each["kind"] == "new-sign-in"][-1]
    dispute(site, link)
    assert acts_for(site, key, hers)
