"""An app that the user takes back is over, however many sign-ins it has collected behind the one that was agreed to."""

from __future__ import annotations

import sqlite3

import pytest

from support.configuration import MARIA, Client, secret_of
from support.operators import Management
from support.project import MANAGEMENT_KEY, PROJECT_ID
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.visitor import Callback

USUAL = ["authorization_code", "refresh_token"]
SCOPE = "openid email offline_access"
PARTNER = Client("partner", secret_of("partner"), "client_secret_basic", ("https://partner.example/back",), {
    "first_party": False, "grant_types": USUAL, "scope": SCOPE})
OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",), {
    "grant_types": USUAL, "scope": SCOPE})
# More than any page of the settings lists.
MANY = 101


class Site(Provider):
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "management_keys": [MANAGEMENT_KEY]},
                "delivery": {"outbox": True}, "clients": [PARTNER.entry(), OWN.entry()], "users": [MARIA.entry()],
            },
            log_level="error",
        )
        super().__init__(self.server.base)
        self.key = Management(self.server, f"{PROJECT_ID}:{MANAGEMENT_KEY}")

    def at(self, client: Client) -> RelyingParty:
        return RelyingParty(self, client)

    def again(self, client: Client, maria: SignedIn, times: int = 1) -> list[dict]:
        """More sign-ins, of which she sees nothing."""
        rp, tokens = self.at(client), []
        for _ in range(times):
            request = rp.request(scope=SCOPE, prompt="none")
            answer = rp.open(maria.visitor, request)
            assert isinstance(answer, Callback) and answer.get("code"), answer
            tokens.append(rp.redeem(answer, request).json())
        return tokens

    def take_back(self, maria: SignedIn, client: Client) -> None:
        page = maria.visitor.open(f"{self.base}/settings/sessions")
        answer = maria.visitor.post(
            page.form.action, data=page.form.values | {"action": "end", "kind": "app", "id": client.client_id})
        assert answer.status_code == 303 and answer.headers["Location"].endswith("done=ended"), answer.headers

    def left(self, client: Client, tokens: list[dict]) -> int:
        return sum(self.at(client).refresh(each["refresh_token"]).status_code == 200 for each in tokens)


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    assert site.server.stop() == 0


def test_no_sign_in_of_a_partner_s_app_is_left(site):
    """It comes back without a question as often as it likes. She ends it once."""
    maria = site.at(PARTNER).sign_in(scope=SCOPE)
    with sqlite3.connect(site.server.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE grant_ SET created_at = created_at - 60")
    tokens = [maria.tokens, *site.again(PARTNER, maria, MANY)]
    site.take_back(maria, PARTNER)
    assert site.left(PARTNER, tokens[:9] + tokens[-3:]) == 0, "taken back, and it goes on"
    silent = site.at(PARTNER).open(maria.visitor, site.at(PARTNER).request(scope=SCOPE, prompt="none"))
    assert isinstance(silent, Callback) and silent["error"] == "consent_required", "she is asked again"


def test_no_sign_in_of_one_app_hides_behind_those_of_another(site):
    maria = site.at(PARTNER).sign_in(scope=SCOPE)
    with sqlite3.connect(site.server.folder / "keyturn.db", timeout=30) as database:
        database.execute("UPDATE grant_ SET created_at = created_at - 60")
    site.again(OWN, maria, MANY)
    page = maria.visitor.open(f"{site.base}/settings/sessions")
    assert "Partner" in page.response.text, "an app that she cannot see"
    site.take_back(maria, PARTNER)
    assert site.left(PARTNER, [maria.tokens]) == 0, "taken back, and it goes on"
    assert site.is_good(site.again(OWN, maria)[0]["access_token"]), "the control: the other one does"
