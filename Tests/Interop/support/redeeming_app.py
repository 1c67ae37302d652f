"""An app whose users sign in without a pause, and that redeems their codes: one once, the next one twice at once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import requests

from support.answers import PAUSE_SECONDS, insist, status, text
from support.configuration import Person
from support.nodes import Nodes
from support.relying_party import AuthorizationRequest
from support.visitor import Callback, Visitor

ANSWER_SECONDS = 40
OVERTAKEN = "while this one waited"


@dataclass
class RedeemingApp:
    """Counts what became of codes. What is promised (docs/attacks.md, 25 and 26): one redemption gets tokens, and a
    second one ends their grant, unless it waited for the database for seconds. An answer that was lost may have been either, so the next one to that code may be a
    refusal, and the user signs in once more.
    """

    nodes: Nodes
    person: Person
    once: int = 0
    twice: int = 0
    # Codes whose first answer was lost, and that were refused then, or to all of whose redemptions that happened.
    in_doubt: int = 0
    refused: list[str] = field(default_factory=list)
    redeemed_twice: list[str] = field(default_factory=list)
    # Token answers whose grants must be there at the end; and those whose grants must not.
    kept: list[dict] = field(default_factory=list)
    replayed: list[dict] = field(default_factory=list)
    longest_pause: float = 0.0

    def run_until(self, is_over: threading.Event) -> None:
        answered_at = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            while not is_over.is_set():
                begun = self.sign_in()
                if begun is None:
                    time.sleep(PAUSE_SECONDS)
                    continue
                self.longest_pause = max(self.longest_pause, time.monotonic() - answered_at)
                if (self.once + self.twice) % 2:
                    self.redeem_twice(pool, *begun)
                else:
                    self.redeem_once(*begun)
                answered_at = time.monotonic()

    def sign_in(self) -> tuple[Callback, AuthorizationRequest] | None:
        """With a new browser and the password; `None` if an answer did not come."""
        visitor, rp = Visitor(self.nodes.balancer.base), self.nodes.app()
        request = rp.request()
        try:
            callback = rp.authorize(visitor, request, self.person)
        except requests.RequestException:
            return None
        except AssertionError as failure:
            # The page of a server that could not, or of the balancer. Another one is a refusal.
            if not visitor.responses or visitor.responses[-1].status_code not in (502, 503, 504):
                self.refused.append(f"sign-in: {failure}")
            return None
        if "code" not in callback.parameters:
            self.refused.append(f"sign-in: {callback.parameters}")
            return None
        return callback, request

    def redeem_once(self, callback: Callback, request: AuthorizationRequest) -> None:
        rp = self.nodes.app()
        self.once += 1
        response, unanswered = insist(lambda: rp.redeem(callback, request), ANSWER_SECONDS)
        if status(response) == 200:
            self.kept.append(rp.accepted(response))
        elif unanswered:
            self.in_doubt += 1
        else:
            self.refused.append(f"code: {text(response)}")

    def redeem_twice(self, pool: ThreadPoolExecutor, callback: Callback, request: AuthorizationRequest) -> None:
        """At both servers at the same moment, at each until it answers."""
        self.twice += 1
        moment = threading.Barrier(2)

        def redeem(rp):
            moment.wait()
            return insist(lambda: rp.redeem(callback, request), ANSWER_SECONDS)

        outcomes = list(pool.map(redeem, self.nodes.apps()))
        answers = [rp.accepted(response) for rp, (response, _) in zip(self.nodes.apps(), outcomes, strict=True)
                   if status(response) == 200]
        if len(answers) > 1:
            self.redeemed_twice.append(callback["code"])
        elif any(response is None for response, _ in outcomes):
            self.in_doubt += 1
        elif answers and any(OVERTAKEN in text(response) for response, _ in outcomes):
            # It waited for longer than most clients would, as the one that asks twice does: no replay.
            self.kept.extend(answers)
        elif answers:
            self.replayed.extend(answers)
        elif any(unanswered for _, unanswered in outcomes):
            self.in_doubt += 1
        else:
            self.refused.append(f"code, at both: {[text(response) for response, _ in outcomes]}")

    def check(self) -> tuple[list[str], list[str]]:
        """What was lost, and what is good and must not be."""
        apps = self.nodes.apps()
        lost, wrong = list(self.refused), [f"a code was redeemed twice: {code}" for code in self.redeemed_twice]
        for number, answer in enumerate(self.kept):
            response, _ = insist(lambda: apps[number % 2].refresh(answer["refresh_token"]), ANSWER_SECONDS)
            if status(response) != 200:
                lost.append(f"a session after its sign-in: {text(response)}")
        for answer in self.replayed:
            wrong += [f"a grant whose code was replayed is good at node {number}" for number, rp in enumerate(apps)
                      if rp.introspect(answer["access_token"])["active"]
                      or rp.introspect(answer["refresh_token"])["active"]]
        return lost, wrong
