"""A link that leads a browser to a provider: who is signed in there stays who she is, until she says otherwise."""

from __future__ import annotations

import secrets

import pytest
import requests

from support.configuration import MARIA, Client, secret_of
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Visitor

OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",))
PARTNER = Client("partner", secret_of("partner"), "client_secret_basic", ("https://partner.example/back",), {
    "first_party": False})


class Site(Provider):
    def __init__(self, folder, told: ToldProvider):
        connection = {"issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET}
        self.told = told
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"},
                "tenants": [{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}],
                "connections": [
                    connection | {"id": "anyone"}, connection | {"id": "trusted", "trust_email": True},
                    connection | {"id": "acme", "tenant": "acme", "domains": ["acme.example"]},
                    connection | {"id": "globex", "tenant": "globex"},
                ],
                "delivery": {"outbox": True}, "clients": [OWN.entry(), PARTNER.entry()], "users": [MARIA.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def click(self, visitor: Visitor, client: Client, connection: str, **more) -> requests.Response:
        """The link, and everything to which it leads without a page; the provider says that somebody else came."""
        subject = secrets.token_hex(4)
        self.told.token = {"sub": subject, "email": f"{subject}@acme.example", "email_verified": True}
        self.told.userinfo = {"sub": subject}
        request = self.at(client).request(scope="openid", connection=connection, **more)
        answer = visitor.get(self.endpoint("authorization"), params=request.parameters)
        while answer.is_redirect and not answer.headers["Location"].startswith(client.redirect_uri):
            answer = visitor.get(requests.compat.urljoin(answer.url, answer.headers["Location"]))
        return answer

    def who(self, visitor: Visitor) -> str | None:
        """Whose browser it is, by the page of her profile."""
        page = visitor.open(f"{self.base}/settings/profile")
        return page.form.values.get("name") if isinstance(page, Page) and page.name == "settings-profile" else None


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    site = Site(tmp_path_factory.mktemp("links"), told)
    yield site
    assert site.server.stop() == 0


def test_a_link_signs_in_who_is_nobody_yet(site):
    """The control: the browser knows no user."""
    visitor = site.visitor()
    assert site.click(visitor, OWN, "acme").headers.get("Location", "").startswith(OWN.redirect_uri)
    assert visitor.open(f"{site.base}/settings").name == "settings"


@pytest.mark.parametrize("client", [OWN, PARTNER], ids=lambda client: client.client_id)
@pytest.mark.parametrize("connection", ["anyone", "trusted"])
def test_a_link_to_a_provider_of_the_project_changes_nothing(site, client, connection):
    """Her session answers it."""
    maria = site.at(OWN).sign_in()
    site.click(maria.visitor, client, connection)
    assert site.who(maria.visitor) == MARIA.claims["name"]


@pytest.mark.parametrize(("changes", "status"), [
    ({}, 303), ({"iss": "https://evil.example"}, 400), ({"target_link_uri": "https://evil.example/x"}, 400),
    ({"target_link_uri": "https://own.example.evil.example/back"}, 400),
    ({"target_link_uri": "https://own.example@evil.example/back"}, 400),
])
def test_a_sign_in_that_a_provider_begins_leads_to_addresses_of_the_operator_alone(site, changes, status):
    answer = requests.get(f"{site.base}/federation/acme/initiate", allow_redirects=False, timeout=30, params={
        "iss": site.told.issuer, "target_link_uri": OWN.redirect_uri} | changes)
    assert answer.status_code == status, answer.text[:200]
    assert "evil" not in answer.headers.get("Location", "")
