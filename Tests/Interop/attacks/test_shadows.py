"""Attack 117: a thief copies a refresh token that is bound to no key, and follows each rotation from elsewhere."""

from __future__ import annotations

import json
import subprocess
import time

import pytest
import requests

from support.configuration import MARIA, make_configuration
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server, binary
from support.site import APP

APP_KIND = "ExampleApp/7 CFNetwork/1568 Darwin/24.0"
HOME = {"X-Forwarded-For": "192.0.2.1", "User-Agent": APP_KIND}
HOME_OVER_IPV6 = {"X-Forwarded-For": "2001:db8:1:1::7", "User-Agent": APP_KIND}
THIEF = {"X-Forwarded-For": "203.0.113.9", "User-Agent": APP_KIND}
THIEF_NEXT_DOOR = {"X-Forwarded-For": "192.0.2.1", "User-Agent": "curl/8.5.0"}


class Watched:
    """A server behind a trusted proxy, an app, and its user."""

    def __init__(self, folder, shadowed: str | None):
        configuration = make_configuration({"app": APP}) | {"trusted_proxies": ["127.0.0.1/32"]}
        if shadowed:
            configuration["project"]["shadowed_sessions"] = shadowed
        self.server = Server(folder, configuration)
        self.app = RelyingParty(Provider(self.server.base), APP)

    def sign_in(self) -> SignedIn:
        return self.app.sign_in(scope="openid offline_access")

    def refresh(self, token: str, sender: dict[str, str]) -> requests.Response:
        return self.app.post("token", {"grant_type": "refresh_token", "refresh_token": token}, headers=sender)

    def follow(self, token: str, rotations: int, thief: dict[str, str], owner: dict[str, str] = HOME) -> list:
        """What the thief is answered, who uses each token right after its owner."""
        kept, stolen, answers = token, token, []
        for _ in range(rotations):
            kept = self.refresh(kept, owner).json()["refresh_token"]
            answers.append(self.refresh(stolen, thief))
            if answers[-1].status_code != 200:
                break
            stolen = answers[-1].json()["refresh_token"]
            assert stolen == kept, "one successor for all"
        return answers

    def audit(self, action: str) -> list[dict]:
        time.sleep(1.5)
        command = [binary(), "audit", "--action", action, "--json", "--database",
                   f"sqlite:{self.server.folder / 'keyturn.db'}"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)

    def mails(self) -> list[str]:
        """What the user's mails about the session are."""
        letters = requests.get(f"{self.server.base}/dev/outbox.json", timeout=10).json()
        return [
            letter["kind"] for letter in letters
            if letter["to"] == MARIA.login and letter["kind"].startswith("session-")
        ]

    def devices_page(self, signed_in: SignedIn) -> str:
        page = signed_in.visitor.get(f"{self.server.base}/settings/sessions?ui_locales=en")
        assert page.status_code == 200, page.text[:300]
        return page.text


@pytest.fixture
def watched(tmp_path):
    """Makes servers: `watched("end")`."""
    made: list[Watched] = []

    def make(shadowed: str | None = None) -> Watched:
        made.append(Watched(tmp_path / f"server-{len(made)}", shadowed))
        return made[-1]

    yield make
    for each in made:
        assert each.server.stop() == 0


@pytest.mark.parametrize("thief", [THIEF, THIEF_NEXT_DOOR], ids=["another network", "another client"])
def test_attack_117_three_rotations_are_told(watched, thief):
    """The user by mail and on the page of devices, the operator in the log and the metrics; the session goes on."""
    site = watched()
    signed_in = site.sign_in()
    answers = site.follow(signed_in.refresh_token, 6, thief)
    assert [answer.status_code for answer in answers] == [200] * 6
    events = site.audit("refresh.shadowed")
    assert [event["reason"] for event in events] == ["told"], events
    assert events[0]["client"] == "app" and events[0]["address"] == thief["X-Forwarded-For"]
    assert site.mails() == ["session-shadowed"]
    assert "used from two networks or devices in turn" in site.devices_page(signed_in)
    assert "keyturn_refresh_shadowed_total 1\n" in requests.get(f"{site.server.base}/metrics", timeout=10).text


def test_attack_117_the_session_ends_where_the_operator_wants_it(watched):
    """At the third rotation, for the thief and the owner."""
    site = watched("end")
    signed_in = site.sign_in()
    answers = site.follow(signed_in.refresh_token, 6, THIEF)
    assert [answer.status_code for answer in answers] == [200, 200, 400]
    assert answers[-1].json()["error"] == "invalid_grant"
    last = answers[1].json()
    assert site.refresh(last["refresh_token"], HOME).json()["error"] == "invalid_grant"
    assert not site.app.provider.is_good(last["access_token"])
    assert [event["reason"] for event in site.audit("refresh.shadowed")] == ["ended"]
    assert len(site.audit("refresh.shadow_ended")) == 1
    assert site.mails() == ["session-ended"]
    assert "because two networks or devices used it in turn" in site.devices_page(signed_in)


def test_attack_117_a_device_that_moves_is_not_told(watched):
    """From Wi-Fi to mobile and back, with a lost answer at each move: the third time it stays where it is."""
    site = watched("end")
    token = site.sign_in().refresh_token
    mobile = {"X-Forwarded-For": "198.51.100.20", "User-Agent": APP_KIND}
    for first, second in ((HOME, mobile), (mobile, HOME), (HOME, HOME), (HOME, HOME_OVER_IPV6)):
        token = site.follow(token, 1, second, owner=first)[0].json()["refresh_token"]
    assert site.audit("refresh.shadowed") == []


def test_attack_117_one_device_with_two_stacks_is_not_told(watched):
    """IPv4 and IPv6 in turn, each token twice."""
    site = watched("end")
    token = site.sign_in().refresh_token
    for number in range(20):
        first, second = (HOME, HOME_OVER_IPV6) if number % 2 else (HOME_OVER_IPV6, HOME)
        token = site.follow(token, 1, second, owner=first)[0].json()["refresh_token"]
    assert site.audit("refresh.shadowed") == []
