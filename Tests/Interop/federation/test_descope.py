"""Descope's own client, unchanged: sign-in at a provider, single sign-on, and the settings of both."""

from __future__ import annotations

import re
import subprocess
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from descope import DescopeClient
from descope.exceptions import AuthException
from descope.management.sso_settings import (
    AttributeMapping, OIDCAttributeMapping, RoleMapping, SSOOIDCSettings, SSOSAMLSettings, SSOSAMLSettingsByMetadata,
)

from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.server import Server, binary

BACK = "https://app.example.test/back"
SECRET = "a-secret-between-the-two-servers-2"


@pytest.fixture(scope="module")
def place(tmp_path_factory, upstream):
    """A server whose one connection in the configuration file is the foreign provider."""
    configuration = {
        "project": {
            "id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY],
            "approved_domains": ["app.example.test"],
        },
        "tenants": [{"id": "corp", "name": "Corp"}, {"id": "other", "name": "Other"}],
        "roles": [{"name": "reader", "permissions": ["read"]}],
        "connections": [
            {"id": "elsewhere", "issuer": upstream.issuer, "client_id": "keyturn", "client_secret": SECRET}
        ],
    }
    server = Server(tmp_path_factory.mktemp("descope"), configuration)
    yield server
    assert server.stop() == 0


@pytest.fixture
def client(place):
    return DescopeClient(project_id=PROJECT_ID, base_url=place.base, management_key=MANAGEMENT_KEY)


def settings(upstream, **change) -> SSOOIDCSettings:
    return SSOOIDCSettings(
        **{
            "name": "Corp", "client_id": "keyturn", "client_secret": SECRET, "issuer": upstream.issuer,
            "redirect_url": BACK, "scope": ["openid", "email"],
            "attribute_mapping": OIDCAttributeMapping(
                "sub", "name", "given_name", "middle_name", "family_name", "email", "email_verified",
                "preferred_username", "phone_number", "phone_number_verified", "picture",
            ),
        } | change
    )


def walk(url: str, subject: str) -> dict:
    """A browser: our page, the provider's form, our callback, and the app's address with what it was given."""
    browser = requests.Session()
    browser.trust_env = False
    gone = browser.get(url, allow_redirects=False, timeout=20)
    assert gone.status_code == 303, gone.text[:300]
    answer = browser.post(gone.headers["location"], data={"sub": subject}, allow_redirects=False, timeout=20)
    assert answer.is_redirect, answer.text[:300]
    back = browser.get(answer.headers["location"], allow_redirects=False, timeout=20)
    assert back.is_redirect and back.headers["location"].startswith(BACK), back.text[:300]
    return {name: values[0] for name, values in parse_qs(urlsplit(back.headers["location"]).query).items()}


def test_oauth_start_and_exchange(client, place):
    url = client.oauth.start("elsewhere", return_url=BACK)["url"]
    code = walk(url, "someone-new")["code"]
    answer = client.oauth.exchange_token(code)
    assert answer["sessionToken"]["jwt"] and answer["refreshSessionToken"]["jwt"]
    assert answer["firstSeen"] is True and "oauth" in answer["sessionToken"]["amr"]
    assert client.validate_session(answer["sessionToken"]["jwt"])["sub"] == answer["user"]["userId"]
    with pytest.raises(AuthException):
        client.oauth.exchange_token(code)
    with pytest.raises(AuthException):
        client.oauth.start("nobody", return_url=BACK)


def test_sso_is_configured_used_and_deleted(client, upstream):
    sso = client.mgmt.sso
    sso.configure_oidc_settings("corp", settings(upstream))
    loaded = sso.load_settings("corp")
    assert loaded["tenant"]["authType"] == "oidc" and loaded["oidc"]["issuer"] == upstream.issuer
    assert loaded["oidc"]["clientSecret"] == "" and SECRET not in str(loaded)
    url = client.sso.start("corp", return_url=BACK)["url"]
    answer = client.sso.exchange_token(walk(url, "employee-1")["code"])
    assert answer["sessionToken"]["jwt"] and "corp" in answer["sessionToken"]["tenants"]
    # What was loaded can be sent back: the masked secret stays.
    sso.configure_oidc_settings("corp", settings(upstream, client_secret=""))
    assert walk(client.sso.start("Corp", return_url=BACK)["url"], "employee-2")["code"]
    sso.configure_auth_type("corp", "none")
    with pytest.raises(AuthException):
        client.sso.start("corp", return_url=BACK)
    sso.configure_auth_type("corp", "oidc")
    sso.configure_sso_redirect_url("corp", oauth_redirect_url=BACK + "/second")
    assert sso.load_settings("corp")["oidc"]["redirectUrl"] == BACK + "/second"
    sso.new_settings("corp", "Second", "second")
    assert {entry["ssoId"] for entry in sso.load_all_settings("corp")["SSOSettings"]} == {"default_ssoid", "second"}
    sso.delete_settings("corp", "second")
    sso.delete_settings("corp")
    with pytest.raises(AuthException):
        sso.load_settings("corp")


def test_a_domain_belongs_to_one_tenant_and_must_be_proven(client, upstream):
    """F-29, F-30, F-32."""
    sso = client.mgmt.sso
    sso.configure_oidc_settings("corp", settings(upstream), domains=["acme.example"])
    with pytest.raises(AuthException):
        sso.configure_oidc_settings("other", settings(upstream), domains=["acme.example"])
    with pytest.raises(AuthException):
        sso.configure_oidc_settings("other", settings(upstream), domains=["gmail.com"])
    assert walk(client.sso.start("corp", return_url=BACK)["url"], "jane-4711")["err"] == "foreign_domain"
    sso.delete_settings("corp")


def test_saml_settings_come_back_by_their_names(client):
    certificate = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=idp"],
        check=True, capture_output=True, text=True,
    ).stdout
    sso = client.mgmt.sso
    sso.configure_saml_settings(
        "other",
        SSOSAMLSettings(
            idp_url="https://idp.example.test/sso", idp_entity_id="https://idp.example.test", idp_cert=certificate,
            role_mappings=[RoleMapping(["staff"], "reader")], attribute_mapping=AttributeMapping(email="mail"),
        ),
        BACK,
    )
    saml = sso.load_settings("other")["saml"]
    assert saml["idpSSOUrl"] == "https://idp.example.test/sso" and saml["idpCertificate"] == certificate
    assert saml["groupsMapping"][0]["role"]["name"] == "reader" and saml["redirectUrl"] == BACK
    assert sso.get_settings("other")["idpEntityId"] == "https://idp.example.test"
    sso.mapping("other", [RoleMapping(["a"], "reader")], AttributeMapping(email="mail"))
    assert sso.load_settings("other")["saml"]["groupsMapping"][0]["groups"] == ["a"]
    with pytest.raises(AuthException):
        sso.configure_saml_settings_by_metadata("other", SSOSAMLSettingsByMetadata("https://127.0.0.1:1/metadata"))
    sso.delete_settings("other")


def test_a_running_server_sees_what_the_command_line_adds(place, upstream, client, tmp_path):
    """`keyturn connection` on the same database, without a restart."""
    secret = tmp_path / "secret"
    secret.write_text(SECRET)

    def keyturn(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary(), "connection", *arguments, "--config", str(place.config),
             "--database", f"sqlite:{place.folder / 'keyturn.db'}"],
            cwd=place.folder, capture_output=True, text=True, timeout=60,
        )

    added = keyturn(
        "add", "added", "--issuer", upstream.issuer, "--client-id", "keyturn", "--client-secret-file", str(secret)
    )
    assert added.returncode == 0, added.stderr
    assert re.search(r"Redirect URI: \S+/federation/added/callback", added.stdout) and SECRET not in added.stdout
    url = eventually(lambda: client.oauth.start("added", return_url=BACK)["url"])
    assert client.oauth.exchange_token(walk(url, "someone-else")["code"])["sessionToken"]["jwt"]
    assert keyturn("disable", "added").returncode == 0
    eventually(lambda: refused(lambda: client.oauth.start("added", return_url=BACK)))
    assert keyturn("remove", "elsewhere").returncode == 2


def refused(call) -> bool:
    with pytest.raises(AuthException):
        call()
    return True


def eventually(call):
    """What another process changed is seen within a second."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return call()
        except (AuthException, pytest.fail.Exception):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
