"""Users whom the file or an import names, where somebody else has taken the name before."""

from __future__ import annotations

import json
import subprocess

import pytest

from support.authenticator import Authenticator, Declined
from support.own_account import OwnAccounts
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import binary

STRANGERS_PASSWORD, FILES_PASSWORD = "Seven-grey-herons-1!", "Eight-green-herons-1!"
NAMES = {"email": "maria@example.test", "username": "maria"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A stranger signed up under each name, and left a passkey; then the file gave the names a role in the console."""
    made = OwnAccounts(tmp_path_factory.mktemp("file"))
    made.devices = {}
    for kind, login in NAMES.items():
        signed_up = made.call("password/signup", {"loginId": login, "password": STRANGERS_PASSWORD})
        made.devices[kind] = Authenticator()
        made.add_passkey(login, signed_up["refreshJwt"], made.devices[kind])
        assert made.by_passkey(login, made.devices[kind]).status_code == 200
    made.restart(users=[
        {"login_ids": [login], "password": FILES_PASSWORD, "console_role": "owner"} | (
            {"email": login, "email_verified": True} if kind == "email" else {})
        for kind, login in NAMES.items()])
    yield made
    made.close()


def enters_by_passkey(site, login: str, device: Authenticator) -> bool:
    """A passkey that is gone is not asked for, and the device has no other."""
    try:
        return site.by_passkey(login, device).status_code == 200
    except Declined:
        return False


@pytest.mark.parametrize("kind", NAMES)
def test_nothing_that_a_stranger_set_up_opens_an_account_of_the_file(site, kind):
    """A name that anybody can take says nothing about who took it."""
    login = NAMES[kind]
    listed = site.wire.send("GET", "/v1/mgmt/operator/all", bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}").json()["operators"]
    assert [each["role"] for each in listed if login in each["loginIds"]] == ["owner"], "the file says who is an owner"
    assert site.by_password(login, STRANGERS_PASSWORD).status_code != 200
    assert not enters_by_passkey(site, login, site.devices[kind]), "the stranger's passkey opens the owner's account"
    assert site.by_password(login, FILES_PASSWORD).status_code == 200


@pytest.mark.parametrize("kind", NAMES)
def test_an_import_gives_nothing_to_a_stranger_who_has_the_name(site, kind):
    """Neither the address nor the role of the person whom the row means."""
    login = f"new-{NAMES[kind]}"
    site.manage("role/create", {"name": f"clerk-{kind}"})
    assert site.post("password/signup", {"loginId": login, "password": STRANGERS_PASSWORD}).status_code == 200
    row = {
        "login_ids": [login], "roles": [f"clerk-{kind}"], "email": f"real-{kind}@corp.example", "email_verified": True}
    known = site.sign_up(f"known-{kind}@example.test") and {
        "login_ids": [f"known-{kind}@example.test"], "roles": [f"clerk-{kind}"]}
    path = site.folder / f"{kind}.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in (row, known)))
    done = subprocess.run(
        [binary(), "user", "import", path, "--on-conflict", "update", "--config", site.server.config, "--json",
         "--database", f"sqlite:{site.folder / 'keyturn.db'}"],
        capture_output=True, text=True, timeout=60, check=False)
    assert site.user(f"known-{kind}@example.test")["roleNames"] == [f"clerk-{kind}"], done.stderr
    found = site.user(login)
    assert (found["roleNames"], found["email"]) != (row["roles"], row["email"]) or site.by_password(
        login, STRANGERS_PASSWORD).status_code != 200, f"{found['email']}, {found['roleNames']}: the stranger's"
