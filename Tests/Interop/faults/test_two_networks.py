"""Apps that use IPv4 and IPv6 in turn, with two tabs and a network that loses answers: they are one client."""

from __future__ import annotations

import json
import random
import subprocess
import time
from dataclasses import dataclass, field

import requests

from support.configuration import MARIA
from support.proxy import Exchange, Proxy, cut_in_body, cut_in_head, deliver, lose
from support.relying_party import Provider, RelyingParty
from support.server import Server, binary, free_port
from support.site import APP
from support.trials import TRIALS, Figures, in_parallel

SESSIONS = 4
LOST = 0.3
TRIES_MAX = 20
# Both of one home, and of the phone's provider.
WIFI = ("192.0.2.1", "2001:db8:1:1::7")
MOBILE = ("198.51.100.20", "2001:db8:2:2::7")


@dataclass
class Phone:
    """An app with two processes, of which each may hold an older token than the other."""

    app: RelyingParty
    held: list[str]
    place: tuple[str, str] = WIFI
    refreshes: int = 0
    problems: list[str] = field(default_factory=list)

    def refresh(self, process: int) -> None:
        """Until an answer arrives: each try by the protocol that answers first."""
        for _ in range(TRIES_MAX):
            sender = {"X-Forwarded-For": random.choice(self.place), "User-Agent": "okhttp/4.12.0"}
            try:
                self.refreshes += 1
                answer = self.app.post(
                    "token", {"grant_type": "refresh_token", "refresh_token": self.held[process]}, headers=sender)
                token = answer.json().get("refresh_token")
            except (requests.RequestException, ValueError):
                continue
            if token is None:
                self.problems.append(answer.text[:200])
                return
            self.held[process] = token
            return
        self.problems.append("no answer arrived")


def treat(exchange: Exchange) -> bytes:
    """Loses some answers whole, and some in the middle."""
    return random.choice([lose, cut_in_head, cut_in_body] if random.random() < LOST else [deliver])(exchange)


def test_two_protocols_and_lost_answers_are_one_client(tmp_path):
    """Where two clients in turn would end a session: none ends, and nothing is told."""
    port = free_port()
    proxy = Proxy(port)
    server = Server(
        tmp_path / "server",
        {
            "issuer": proxy.base, "trusted_proxies": ["127.0.0.1/32"], "project": {"shadowed_sessions": "end"},
            "clients": [APP.entry()], "users": [MARIA.entry()],
        },
        log_level="info", port=port)
    figures = Figures("refreshes over two protocols, with lost answers")
    provider = Provider(proxy.base)
    visitor = provider.visitor()
    tokens = [RelyingParty(provider, APP).sign_in(visitor).refresh_token for _ in range(SESSIONS)]
    proxy.treat_refresh = treat

    def live(number: int) -> None:
        phone = Phone(RelyingParty(Provider(proxy.base), APP), [tokens[number]] * 2)
        for count in range(TRIALS):
            first, second = random.sample((0, 1), 2)
            phone.refresh(first)
            # Once it moves, in the middle of a rotation.
            if count == TRIALS // 2:
                phone.place = MOBILE
            phone.refresh(second)
        figures.trials += phone.refreshes
        figures.lost.extend(phone.problems)

    in_parallel(live, SESSIONS)
    time.sleep(1.5)
    command = [binary(), "audit", "--json", "--database", f"sqlite:{tmp_path / 'server' / 'keyturn.db'}"]
    for action in ("refresh.shadowed", "refresh.replayed"):
        told = subprocess.run([*command, "--action", action], capture_output=True, text=True, check=True, timeout=60)
        figures.lost.extend(map(str, json.loads(told.stdout)))
    figures.check()
    proxy.close()
    assert server.stop() == 0
