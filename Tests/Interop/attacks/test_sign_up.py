"""Attack 79, and sign-up that the operator closed: no way in makes an account, and none tells who has one."""

from __future__ import annotations

import pytest

from support.configuration import MARIA
from support.pages import Page
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire
from support.server import Server
from support.visitor import Visitor

STRANGER = "stranger@elsewhere.test"
PASSWORD = "a-long-enough-phrase"
ORIGIN = "http://localhost:9000"
# Each sends a message, or would.
SENDING = [
    f"/v1/auth/{method}/{verb}/email"
    for method in ("otp", "magiclink", "enchantedlink")
    for verb in ("signup", "signup-in", "signin")
]
# Each makes an account from a name alone.
NAMING = ["/v1/auth/password/signup", "/v1/auth/totp/signup", "/v1/auth/webauthn/signup/start"]


class Closed:
    """A server with `project.sign_up`, and what it would have sent."""

    def __init__(self, folder, policy: dict):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "management_keys": [MANAGEMENT_KEY], **policy},
                "delivery": {"outbox": True},
                "users": [MARIA.entry()],
                "passkeys": [{"rp_id": "localhost", "rp_name": "App", "origins": [ORIGIN]}],
            },
        )
        self.wire = Wire(self.server.base)

    def messages(self, to: str) -> list[dict]:
        answer = self.wire.send("GET", "/dev/outbox.json", bearer=None).json()
        return [message for message in answer if message["to"] == to]

    def exists(self, name: str) -> bool:
        answer = self.wire.post("/v2/mgmt/user/search", {"loginIds": [name]}, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
        return bool(answer.json()["users"])

    def invite(self, name: str) -> None:
        answer = self.wire.post(
            "/v1/mgmt/user/create",
            {"loginId": name, "email": name, "invite": True},
            bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}",
        )
        assert answer.status_code == 200, answer.text


@pytest.fixture(params=["invited", "off"])
def closed(request, tmp_path):
    site = Closed(tmp_path, {"sign_up": request.param})
    yield site
    assert site.server.stop() == 0


def test_attack_79_a_closed_sign_up_sends_strangers_nothing(closed):
    """Codes and links for new users answer as for users, and no mail leaves."""
    for path in SENDING:
        known = closed.wire.post(path, {"loginId": MARIA.login}, network="192.0.2.1")
        stranger = closed.wire.post(path, {"loginId": STRANGER}, network="192.0.2.2")
        assert (known.status_code, set(known.json())) == (stranger.status_code, set(stranger.json())), path
    assert not closed.messages(STRANGER) and not closed.exists(STRANGER)


def test_attack_79_calls_that_prove_nothing_are_closed_to_all(closed):
    """The same refusal for a name that is taken and for a free one."""
    for path in NAMING:
        answers = [
            closed.wire.post(path, {"loginId": name, "password": PASSWORD, "origin": ORIGIN})
            for name in (MARIA.login, STRANGER)
        ]
        assert answers[0].json() == answers[1].json() and answers[0].status_code == 403, path
        assert answers[0].json()["errorCode"] == "E011003"
    assert not closed.exists(STRANGER)


def test_attack_79_the_pages_are_closed_without_an_app_too(closed):
    """The settings belong to no app and to no journey; neither page nor form makes an account there."""
    visitor = Visitor(closed.server.base, closed.server.base)
    page = visitor.open("/settings")
    assert page.name == "login" and "/signup" not in page.response.text
    transaction = page.form.filled()["transaction"]
    sign_up = visitor.open(f"/signup?transaction={transaction}")
    assert sign_up.name == "signup-closed"
    answer = visitor.send(sign_up, {"name": "S", "email": STRANGER, "password": PASSWORD, "action": "code"})
    assert answer.status_code == 403 and Page(answer).name == "signup-closed"
    assert not closed.messages(STRANGER) and not closed.exists(STRANGER)


def test_invited_users_complete_their_accounts(tmp_path):
    """A code to the invited address is the way in."""
    site = Closed(tmp_path, {"sign_up": "invited"})
    site.invite("ida@example.test")
    site.wire.post("/v1/auth/otp/signup-in/email", {"loginId": "ida@example.test"})
    code = [message for message in site.messages("ida@example.test") if message.get("code")][-1]["code"]
    answer = site.wire.post("/v1/auth/otp/verify/email", {"loginId": "ida@example.test", "code": code})
    assert answer.status_code == 200, answer.text
    assert site.server.stop() == 0


def test_only_addresses_of_listed_domains_open_accounts(tmp_path):
    """The proved address decides: no name beside it, no domain below or around it."""
    site = Closed(tmp_path, {"sign_up": "domains", "sign_up_domains": ["acme.test"]})
    for name in (STRANGER, "eve@sub.acme.test", "eve@acme.test.evil.test", "eve@evilacme.test"):
        assert site.wire.post("/v1/auth/otp/signup/email", {"loginId": name}).status_code == 200
        assert not site.messages(name), name
    site.wire.post("/v1/auth/otp/signup/email", {"loginId": "eve@acme.test", "user": {"email": STRANGER}})
    assert not site.messages(STRANGER)
    refused = site.wire.post("/v1/auth/password/signup", {"loginId": "eve@acme.test", "password": PASSWORD})
    assert refused.status_code == 403 and refused.json()["missing"] == "address_proof"
    site.wire.post("/v1/auth/otp/signup/email", {"loginId": "ida@acme.test"})
    code = site.messages("ida@acme.test")[-1]["code"]
    answer = site.wire.post("/v1/auth/otp/verify/email", {"loginId": "ida@acme.test", "code": code})
    assert answer.status_code == 200, answer.text
    assert site.server.stop() == 0
