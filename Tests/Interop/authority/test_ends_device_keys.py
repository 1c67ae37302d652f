"""A client that was removed, and another one of the same name: no device key of the first opens the second."""

from __future__ import annotations

import time

import pytest

from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import MARIA
from support.operators import Management
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import Server
from support.visitor import Visitor

REDIRECT = "com.example.harbour://host/path"
ANONYMOUS = "urn:authgear:params:oauth:grant-type:anonymous-request"


class Site:
    def __init__(self, folder):
        self.server = Server(
            folder,
            {"issuer": "auto", "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
             "users": [MARIA.entry()]},
            log_level="error")
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def make(self, name: str) -> None:
        self.key.done("client/create", {
            "client_id": name, "redirect_uris": [REDIRECT], "first_party": True, "application_type": "native",
            "profile": "authgear", "scope": f"openid offline_access {FULL_ACCESS}",
            "grant_types": ["authorization_code", "refresh_token", ANONYMOUS], "token_endpoint_auth_method": "none"})

    def app(self, name: str) -> Authgear:
        return Authgear(self.server.base, name, REDIRECT)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("device-keys-again"))
    yield site
    assert site.server.stop() == 0


def biometric(site, app: Authgear):
    app.authenticate(Visitor(site.server.base, site.server.base))
    app.enable_biometric()
    return app.authenticate_biometric


def anonymous(site, app: Authgear):
    app.authenticate_anonymously()
    return app.authenticate_anonymously


@pytest.mark.parametrize("kept", [biometric, anonymous])
def test_a_key_opens_its_client_as_long_as_there_is_one(site, kept):
    site.make(f"whole-{kept.__name__}")
    kept(site, site.app(f"whole-{kept.__name__}"))()


@pytest.mark.parametrize("kept", [biometric, anonymous])
def test_a_key_of_a_client_that_was_removed_opens_none_of_its_name(site, kept):
    """The operator ended the first one, with all that it had; the user has never signed in to the second."""
    name = f"shop-{kept.__name__}"
    site.make(name)
    enter = kept(site, site.app(name))
    before = enter().sub
    site.key.done("client/delete", {"client_id": name})
    with pytest.raises(AuthgearFailed):
        enter()
    time.sleep(1.1)
    site.make(name)
    try:
        after = enter().sub
    except AuthgearFailed:
        return
    assert after != before, "a session of hers, by what the removed client had set up"
