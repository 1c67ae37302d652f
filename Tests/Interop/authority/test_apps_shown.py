"""What a client hears is what the page said when the user agreed, also where the operator lists more meanwhile."""

from __future__ import annotations

import pytest
import requests

from support.configuration import MARIA, Client, secret_of
from support.devices import GRANT as DEVICE
from support.pages import Page
from support.project import PROJECT_ID
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.tokens import payload_of
from support.visitor import Callback

CIBA = "urn:openid:params:grant-type:ciba"
LISTED = {"userinfo_claims": ["phone_number", "department"], "id_token_claims": ["phone_number"]}
OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",))
WAYS = ["page", "device", "approval"]


def partner(name: str, **more) -> Client:
    """A client of somebody else's, whose users are asked."""
    return Client(name, secret_of(name), "client_secret_basic", (f"https://{name}.example/back",), {
        "first_party": False, "grant_types": ["authorization_code", "refresh_token", DEVICE, CIBA],
        "scope": "openid profile phone"} | more)


class Site(Provider):
    def __init__(self, folder):
        self.folder, self.port = folder, 0
        self.start()

    def start(self, **more) -> None:
        """With two clients for each way; `more`: what the operator lists for the second ones."""
        self.clients = {way: partner(f"{way}-client", **LISTED) for way in WAYS}
        self.clients |= {f"{way}-later": partner(f"{way}-later", **more) for way in WAYS}
        self.server = Server(
            self.folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
                "clients": [client.entry() for client in (OWN, *self.clients.values())],
                "users": [MARIA.entry() | {"claims": {"department": "Night shift"}}],
            },
            log_level="error", port=self.port)
        self.port = self.server.address[1]
        super().__init__(self.server.base)

    def list_more(self) -> None:
        assert self.server.stop() == 0
        self.start(**LISTED)

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def ask(self, path: str, client: Client, **form) -> dict:
        answer = requests.post(
            f"{self.base}{path}", auth=(client.client_id, client.secret), timeout=30, data={"scope": "openid"} | form)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def told(self, client: Client, tokens: dict) -> set[str]:
        return set(self.userinfo(tokens["access_token"]).json()) | set(payload_of(tokens["id_token"]))


def by_page(site, client: Client, visitor):
    request = site.at(client).request(scope="openid")
    page = site.at(client).open(visitor, request)
    assert isinstance(page, Page) and page.name == "consent", page

    def agree() -> dict | None:
        answer = visitor.submit(page)
        return site.at(client).redeem(answer, request).json() if isinstance(answer, Callback) else None

    return agree


def by_device(site, client: Client, visitor):
    device = site.ask("/oauth2/device_authorization", client)
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert page.name == "device", page

    def agree() -> dict | None:
        visitor.submit(page, button="allow")
        answer = site.at(client).post("token", {"grant_type": DEVICE, "device_code": device["device_code"]})
        return answer.json() if answer.status_code == 200 else None

    return agree


def by_approval(site, client: Client, visitor):
    asked = site.ask("/oauth2/bc-authorize", client, login_hint=MARIA.login)
    page = visitor.open(f"{site.base}/settings/approvals")
    form = next(form for form in page.forms if "number" in form.inputs)

    def agree() -> dict | None:
        visitor.post(form.action, data=form.filled({"number": str(asked["number"])}, "allow"))
        answer = site.at(client).post("token", {"grant_type": CIBA, "auth_req_id": asked["auth_req_id"]})
        return answer.json() if answer.status_code == 200 else None

    return agree


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Each page is open with what it said; then the operator lists more for the clients of the second kind."""
    site = Site(tmp_path_factory.mktemp("shown"))
    begin = {"page": by_page, "device": by_device, "approval": by_approval}
    site.agreed, open_pages = {}, {}
    for way in WAYS:
        site.agreed[way] = begin[way](site, site.clients[way], site.at(OWN).sign_in().visitor)()
    for name in (f"{way}-later" for way in WAYS):
        visitor = site.at(OWN).sign_in().visitor
        open_pages[name] = begin[name.removesuffix("-later")](site, site.clients[name], visitor)
    site.list_more()
    site.agreed |= {name: agree() for name, agree in open_pages.items()}
    yield site
    assert site.server.stop() == 0


@pytest.mark.parametrize("way", WAYS)
def test_what_the_page_said_is_told(site, way):
    """The control: it was listed before the page was shown."""
    assert {"phone_number", "department"} <= site.told(site.clients[way], site.agreed[way])


@pytest.mark.parametrize("way", WAYS)
def test_what_the_page_did_not_say_is_not_told(site, way):
    """She may be asked again; a yes to the old page covers nothing that it did not say."""
    tokens = site.agreed[f"{way}-later"]
    if tokens:
        heard = site.told(site.clients[f"{way}-later"], tokens) & {"phone_number", "department"}
        assert not heard, f"nobody agreed to {heard}"
