"""A client that was removed, and another one of the same name: nothing of the first one's goes on with the second."""

from __future__ import annotations

import pytest
import requests

from support.configuration import MARIA, Client, secret_of
from support.operators import Management
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.receivers import Receiver
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback

USUAL = ["authorization_code", "refresh_token"]
OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",))
PUSH = "urn:ietf:rfc:8935"


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "issuer": "auto",
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
                "delivery": {"outbox": True}, "clients": [OWN.entry()], "users": [MARIA.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def make(self, name: str, **more) -> Client:
        """A client as the operator makes it; with its secret, unless it is public."""
        address = f"https://{name}.example/back"
        entry = {
            "client_id": name, "redirect_uris": [address], "first_party": False, "scope": "openid profile",
            "grant_types": USUAL, "token_endpoint_auth_method": "client_secret_basic"} | more
        made = self.key.done("client/create", entry)
        return Client(name, made.get("client_secret"), entry["token_endpoint_auth_method"], (address,))

    def make_again(self, name: str, **more) -> Client:
        self.key.done("client/delete", {"client_id": name})
        return self.make(name, **more)

    def streams(self, client: Client, method: str = "GET", status: int = 200, **more):
        answer = requests.post(f"{self.base}/oauth2/token", timeout=30, auth=(client.client_id, client.secret), data={
            "grant_type": "client_credentials", "scope": "ssf.manage"})
        assert answer.status_code == 200, answer.text
        answer = requests.request(
            method, f"{self.base}/ssf/stream", timeout=30,
            headers={"Authorization": f"Bearer {answer.json()['access_token']}"}, **more)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("made-again"))
    yield site
    assert site.server.stop() == 0


RECEIVER = {"grant_types": ["client_credentials"], "scope": "ssf.manage", "first_party": True, "redirect_uris": []}


def test_a_stream_of_events_ends_with_its_client(site):
    """It tells of every user, and goes to the address that the first owner gave."""
    endpoint = Receiver()
    first = site.make("receiver", **RECEIVER)
    site.streams(first, "POST", 201, json={"delivery": {"method": PUSH, "endpoint_url": f"{endpoint.base}/first"}})
    site.key.done("user/logout", {"loginId": MARIA.login})
    endpoint.wait(lambda told: told.path == "/first")
    second = site.make_again("receiver", **RECEIVER)
    assert site.streams(second) == [], "the stream of the client that was removed"
    endpoint.clear()
    site.streams(second, "POST", 201, json={"delivery": {"method": PUSH, "endpoint_url": f"{endpoint.base}/second"}})
    site.key.done("user/logout", {"loginId": MARIA.login})
    endpoint.wait(lambda told: told.path == "/second")
    assert [told.path for told in endpoint.arrived if told.path == "/first"] == []
    endpoint.close()


PUBLIC = {"token_endpoint_auth_method": "none", "grant_types": USUAL}


def test_a_sign_in_that_the_first_one_began_ends_at_no_address_of_its(site):
    """Its page of consent is open; the second one has another address. The first one's verifier would redeem a code."""
    first = site.make("desk", **PUBLIC)
    request = site.at(first).request(scope="openid")
    maria = site.at(OWN).sign_in().visitor
    page = site.at(first).open(maria, request)
    assert isinstance(page, Page) and page.name == "consent"
    site.make_again("desk", redirect_uris=["https://desk-two.example/back"], **PUBLIC)
    answer = maria.submit(page)
    if isinstance(answer, Callback) and answer.get("code"):
        got = site.at(first).redeem(answer, request)
        raise AssertionError(f"a code for {answer.uri}, and {got.status_code} {list(got.json())}")


@pytest.mark.parametrize("first_party", [False, True])
def test_an_address_that_was_removed_gets_no_code(site, first_party):
    """The operator takes it away because another person has it now, who began a sign-in before, for her to follow."""
    name = f"shop-{first_party}".lower()
    good, lost = f"https://{name}.example/back", f"https://lost-{name}.example/back"
    shop = site.make(name, first_party=first_party, redirect_uris=[good, lost], **PUBLIC)
    rp, browser = site.at(shop), site.at(OWN).sign_in().visitor
    requests_ = {address: rp.request(scope="openid", redirect_uri=address) for address in (good, lost)}
    links = {}
    for address, request in requests_.items():
        page = rp.open(site.visitor(), request)
        assert isinstance(page, Page) and page.name == "login"
        links[address] = page.url
    changed = site.key.send("PATCH", "/v1/mgmt/client/patch", {"client_id": name, "redirect_uris": [good]})
    assert changed.status_code == 200, changed.text
    for address in (good, lost):
        answer = browser.open(links[address])
        if isinstance(answer, Page) and answer.name == "consent":
            answer = browser.submit(answer)
        has_code = isinstance(answer, Callback) and bool(answer.get("code"))
        assert has_code == (address == good), f"a code for {answer.uri}" if has_code else answer


def test_a_request_that_was_pushed_is_checked_again(site):
    """As it came, it named an address and a scope that the client has no longer."""
    rp = site.at(site.make("kiosk", redirect_uris=["https://kiosk.example/back", "https://lost.example/back"]))
    maria = site.at(OWN).sign_in().visitor
    metadata = requests.get(f"{site.base}/.well-known/openid-configuration", timeout=30).json()

    def push(address: str) -> dict:
        request = rp.request(scope="openid profile", redirect_uri=address)
        answer = requests.post(
            metadata["pushed_authorization_request_endpoint"], auth=(rp.client_id, rp.client.secret), timeout=30,
            data=request.parameters)
        assert answer.status_code == 201, answer.text
        return {"client_id": rp.client_id, "request_uri": answer.json()["request_uri"]}, request

    (good, request), (lost, _) = push("https://kiosk.example/back"), push("https://lost.example/back")
    changed = site.key.send("PATCH", "/v1/mgmt/client/patch", {
        "client_id": "kiosk", "redirect_uris": ["https://kiosk.example/back"], "scope": "openid"})
    assert changed.status_code == 200, changed.text
    refused = maria.open(site.endpoint("authorization"), lost)
    assert isinstance(refused, Page) and refused.status == 400, refused
    page = maria.open(site.endpoint("authorization"), good)
    answer = maria.submit(page)
    assert rp.accepted(rp.redeem(answer, request))["scope"] == "openid"
