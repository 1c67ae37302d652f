"""People of the configuration file, and whoever was there under their names before."""

from __future__ import annotations

import time

import pyotp
import pytest
from descope import AuthException, DescopeClient

from support.methods import new_email, new_password, refused
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import Server, free_port

ADMINS = {
    "tenants": [{"id": "acme", "name": "Acme"}],
    "roles": [{"name": "admin", "permissions": ["everything"]}],
}


class Place:
    """A server that ends, and comes back with another file."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()

    def start(self, **more) -> DescopeClient:
        self.server = Server(
            self.folder,
            {
                "issuer": f"http://localhost:{self.port}",
                "dev": True,
                "project": {"id": PROJECT_ID, "name": "Interop", "management_keys": [MANAGEMENT_KEY]},
                **ADMINS,
                **more,
            },
            port=self.port,
        )
        return DescopeClient(project_id=PROJECT_ID, base_url=self.server.base, management_key=MANAGEMENT_KEY)

    def stop(self) -> None:
        assert self.server.stop() == 0, self.server.log_tail()


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    yield place
    if place.server.is_running():
        place.stop()


@pytest.mark.parametrize("is_given_password", [True, False])
def test_attack_93_whoever_signed_up_before_the_file_named_them(place, is_given_password):
    email, password, chosen = new_email(), new_password(), new_password()
    client = place.start()
    refresh = client.password.sign_up(email, password, {"name": "Sid Squatter"})["refreshSessionToken"]["jwt"]
    key = client.totp.update_user(email, refresh)["key"]
    place.stop()
    user = {"login_ids": [email], "email": email, "tenants": [{"id": "acme", "roles": ["admin"]}]}
    if is_given_password:
        user["password"] = chosen
    client = place.start(users=[user])
    refused(lambda: client.refresh_session(refresh), status=401)
    refused(lambda: client.password.sign_in(email, password))
    refused(lambda: client.totp.sign_in_code(email, pyotp.TOTP(key).now()))
    assert client.mgmt.user.load(email)["user"]["userTenants"][0]["tenantId"] == "acme"
    if not is_given_password:
        return
    # And whoever the file means keeps what they have, however often the server starts.
    refresh = client.password.sign_in(email, chosen)["refreshSessionToken"]["jwt"]
    place.stop()
    client = place.start(users=[user])
    client.refresh_session(refresh)


@pytest.mark.parametrize("known_by", [{"sub": "someone-of-the-file"}, {"email_verified": True}])
def test_a_changed_password_holds_soon_after_the_start(place, known_by):
    email, first, second = new_email(), new_password(), new_password()
    user = {"login_ids": [email], "email": email, **known_by}
    client = place.start(users=[user | {"password": first}])
    client.password.sign_in(email, first)
    place.stop()
    client = place.start(users=[user | {"password": second}])
    # Compared beside the requests.
    deadline = time.monotonic() + 10
    while True:
        try:
            client.password.sign_in(email, second)
            break
        except AuthException:
            assert time.monotonic() < deadline, place.server.log_tail()
            time.sleep(0.1)
    refused(lambda: client.password.sign_in(email, first))
