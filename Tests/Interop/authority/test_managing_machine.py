"""The file and commands on the database: whose account becomes whose, and what is written down."""

from __future__ import annotations

import subprocess
import time

import pytest

from support.operators import command
from support.own_account import OwnAccounts, new_name, new_password
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import ServerFailed, binary

MACHINE = ("configuration", "operator:")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("machine"))
    yield made
    made.close()


def run(site: OwnAccounts, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [binary(), *arguments, "--config", site.server.config, "--database",
         f"sqlite:{site.folder / 'keyturn.db'}"], capture_output=True, text=True, timeout=60, check=False)


def claim(site: OwnAccounts, password: str) -> str:
    """A stranger signs up with an address that is another person's, and proves nothing."""
    login = new_name("colleague")
    site.call("password/signup", {"loginId": login, "password": password, "user": {"email": login}})
    assert site.by_password(login, password).status_code == 200
    return login


def owners(site: OwnAccounts) -> list[str]:
    listed = site.wire.send("GET", "/v1/mgmt/operator/all", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}").json()
    return [login for each in listed["operators"] if each["role"] == "owner" for login in each["loginIds"]]


def entry(login: str, password: str, **more) -> dict:
    """A user of the file."""
    return {"login_ids": [login], "email": login, "email_verified": True, "password": password} | more


VERIFYING = {
    "a command": lambda site, login: command(site.server, "user", "add-login-id", login, login, "--verified"),
    "email": lambda site, login: site.manage("user/update/email", {
        "loginId": login, "email": login, "verified": True}),
    "update": lambda site, login: site.manage("user/update", {
        "loginId": login, "email": login, "verifiedEmail": True}),
    "sign-in": lambda site, login: site.manage("auth/signup-in", {"loginId": login, "emailVerified": True}),
}


@pytest.mark.parametrize("way", VERIFYING)
def test_nothing_that_a_stranger_set_up_opens_an_account_whose_address_is_called_verified(site, way):
    """Whoever says that the address is its owner's: the stranger's password goes, as when the owner proves it."""
    password = new_password()
    login = claim(site, password)
    refresh = site.by_password(login, password).json()["refreshJwt"]
    VERIFYING[way](site, login)
    assert site.is_alive(site.signed_in_by_code(login)), "the owner enters by the mailbox"
    assert site.by_password(login, password).status_code != 200, "the stranger is in the owner's account"
    assert not site.is_alive(refresh)


def test_a_stranger_becomes_no_owner_by_the_commands_that_the_refusal_names(site):
    """The role wants a proved address, and says: verify it first."""
    password = new_password()
    login = claim(site, password)
    refused = run(site, "operator", "grant", login, "--role", "owner")
    assert refused.returncode != 0 and "Verify it" in refused.stderr, refused.stderr
    assert run(site, "user", "add-login-id", login, login, "--verified").returncode == 0
    run(site, "operator", "grant", login, "--role", "owner")
    assert login not in owners(site) or site.by_password(login, password).status_code != 200


class Changed:
    """The file gave one user a role and another one a password; a command did the same to two others."""

    def __init__(self, site: OwnAccounts):
        self.role, self.role_by_command = new_name(), new_name()
        self.password, self.first, self.second = new_name(), new_password(), new_password()
        kept = [entry(self.role, new_password()), entry(self.role_by_command, new_password())]
        site.restart(users=[*kept, entry(self.password, self.first)])
        command(site.server, "operator", "grant", self.role_by_command, "--role", "owner")
        assert site.by_password(self.password, self.first).status_code == 200
        site.restart(users=[kept[0] | {"console_role": "owner"}, kept[1], entry(self.password, self.second)])


@pytest.fixture(scope="module")
def changed(site) -> Changed:
    return Changed(site)


def audited(site: OwnAccounts, login: str, action: str) -> list[str]:
    """What is written down about a user by the machine; events are written a moment later."""
    user = site.user(login)["userId"]
    actions: list[str] = []
    for _ in range(20):
        found = site.manage("audit/search", {"userIds": [user], "size": 100})["audits"]
        actions = [each["action"] for each in found if each["data"].get("actor", "").startswith(MACHINE)]
        if action in actions:
            break
        time.sleep(0.1)
    return actions


def test_a_role_that_the_file_gives_is_written_down(site, changed):
    """As one that a command gives is."""
    assert {changed.role, changed.role_by_command} <= set(owners(site))
    assert "operator.granted" in audited(site, changed.role_by_command, "operator.granted")
    assert "operator.granted" in audited(site, changed.role, "operator.granted"), "an owner of whom no event tells"


def test_a_password_that_the_file_sets_is_written_down(site, changed):
    for _ in range(100):
        if site.by_password(changed.password, changed.second).status_code == 200:
            break
        time.sleep(0.1)
    assert site.by_password(changed.password, changed.first).status_code != 200
    assert "password.changed" in audited(site, changed.password, "password.changed")


def test_a_stranger_who_takes_a_user_name_of_the_file_keeps_no_server_from_starting(site):
    """Whose address is in the file and proved is the person whom it means; the name was free to be taken."""
    login, password = new_name("maria"), new_password()
    site.sign_up(login, password)
    user = site.user(login)["userId"]
    site.call("password/signup", {"loginId": "maria", "password": password})
    try:
        site.restart(users=[entry(login, new_password(), login_ids=[login, "maria"])])
    except ServerFailed as failure:
        site.restart(users=[])
        raise AssertionError("a stranger's user name keeps the server from starting") from failure
    assert site.user(login)["userId"] == user


def test_an_account_of_the_file_keeps_nothing_that_a_stranger_left_in_it(site):
    """Sessions, an access key and a second way in, of who had the user name before."""
    password, own, private = new_password(), new_password(), new_name("stranger")
    refresh = site.call("password/signup", {"loginId": "boss", "password": password})["refreshJwt"]
    site.call("otp/update/email", {"loginId": "boss", "email": private, "addToLoginIDs": True}, refresh)
    proved = site.call("otp/verify/email", {"loginId": "boss", "code": site.code(private)}, refresh)["refreshJwt"]
    made = site.manage("accesskey/create", {"name": "k", "userId": site.user("boss")["userId"]})["cleartext"]
    exchange = lambda: site.wire.post("/v1/auth/accesskey/exchange", {}, bearer=f"{PROJECT_ID}:{made}").status_code
    assert site.is_alive(proved) and exchange() == 200
    site.restart(users=[{"login_ids": ["boss"], "password": own, "console_role": "owner"}])
    assert "boss" in owners(site) and site.by_password("boss", own).status_code == 200
    assert [site.is_alive(each) for each in (refresh, proved)] == [False, False] and exchange() == 401
    assert site.by_password("boss", password).status_code != 200
    assert site.by_password(private, own).status_code != 200
    assert site.user("boss")["loginIds"] == ["boss"]
