"""An app whose users sign in and out without a pause: what was ended must stay ended, at every server."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import requests

from support.answers import PAUSE_SECONDS, insist, status, text, verdict
from support.configuration import Person
from support.nodes import Nodes
from support.pages import Page
from support.relying_party import SignedIn
from support.visitor import Visitor

ANSWER_SECONDS = 40


@dataclass
class LeavingApp:
    """Ends sessions by a revocation (RFC 7009), the next one by a logout in the browser, and asks until the server
    says that it is done. From then on the tokens are good at no server.
    """

    nodes: Nodes
    person: Person
    ended: list[SignedIn] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    still_good: list[str] = field(default_factory=list)

    def run_until(self, is_over: threading.Event) -> None:
        while not is_over.is_set():
            signed_in = self.sign_in()
            if signed_in is None:
                time.sleep(PAUSE_SECONDS)
                continue
            is_ended = self.revoke(signed_in) if len(self.ended) % 2 else self.log_out(signed_in)
            if is_ended:
                self.ended.append(signed_in)
                for rp in self.nodes.apps():
                    self.see(rp, signed_in.access_token, "at once")

    def sign_in(self) -> SignedIn | None:
        visitor = Visitor(self.nodes.balancer.base)
        try:
            return self.nodes.app().sign_in(visitor, self.person)
        except (requests.RequestException, AssertionError):
            # Whether sign-ins fail is what another app counts.
            return None

    def revoke(self, signed_in: SignedIn) -> bool:
        rp = self.nodes.app()
        response, _ = insist(lambda: rp.revoke(signed_in.refresh_token), ANSWER_SECONDS)
        if status(response) != 200:
            self.refused.append(f"a revocation: {text(response)}")
        return status(response) == 200

    def log_out(self, signed_in: SignedIn) -> bool:
        rp = self.nodes.app()
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                arrival = signed_in.visitor.open(
                    rp.provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
                if isinstance(arrival, Page) and arrival.name == "logout":
                    arrival = signed_in.visitor.submit(arrival)
                if isinstance(arrival, Page) and arrival.name == "signed-out":
                    return True
            except (requests.RequestException, AssertionError):
                pass
            time.sleep(PAUSE_SECONDS)
        self.refused.append(f"a logout: {signed_in.visitor.responses[-1].text[:300]}")
        return False

    def see(self, rp, token: str, when: str) -> None:
        """A server that does not answer now is asked at the end."""
        response = verdict(lambda: rp.post("introspection", {"token": token}))
        if response is not None and response.json()["active"]:
            self.still_good.append(f"a token of an ended session is good at {rp.provider.endpoint('token')}, {when}")

    def check(self) -> tuple[list[str], list[str]]:
        """What was lost, and what is good and must not be."""
        apps = self.nodes.apps()
        for number, signed_in in enumerate(self.ended):
            for rp in apps:
                self.see(rp, signed_in.access_token, "at the end")
                self.see(rp, signed_in.refresh_token, "at the end")
            response, _ = insist(lambda: apps[number % 2].refresh(signed_in.refresh_token), ANSWER_SECONDS)
            if status(response) != 400:
                self.still_good.append(f"a session that was ended could refresh: {status(response)}")
        return self.refused, self.still_good
