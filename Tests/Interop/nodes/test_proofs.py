"""A DPoP proof is good once, however many servers there are (RFC 9449 §11.1)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.fapi_client import Prover
from support.nodes import BOUND_APP, NodeProvider
from support.relying_party import RelyingParty

PROOFS = 20


class BoundApp:
    """An app, its key, and its tokens. The nonces of one server are good at the other."""

    def __init__(self, nodes):
        self.rp, self._prover = RelyingParty(nodes.provider, BOUND_APP), Prover()
        self._nonce: str | None = None
        request = self.rp.request()
        form = self.rp.redemption(self.rp.authorize(nodes.visitor, request)["code"], request)
        answer = self.rp.post("token", form, headers={"DPoP": self.proof("POST", "token")})
        if answer.status_code == 400 and answer.json()["error"] == "use_dpop_nonce":
            self._nonce = answer.headers["DPoP-Nonce"]
            answer = self.rp.post("token", form, headers={"DPoP": self.proof("POST", "token")})
        assert answer.status_code == 200, answer.text
        self.tokens = answer.json()
        assert self.tokens["token_type"] == "DPoP"

    def proof(self, method: str, endpoint: str, access_token: str | None = None) -> str:
        url = self.rp.provider.endpoint(endpoint)
        return self._prover.proof(method, url, access_token, nonce=self._nonce)


@pytest.fixture(scope="module")
def bound(nodes) -> BoundApp:
    return BoundApp(nodes)


def at_both(nodes, ask: Callable[[NodeProvider], requests.Response]) -> list[requests.Response]:
    """The same request at both servers at the same moment."""
    moment = threading.Barrier(2)

    def one(provider: NodeProvider) -> requests.Response:
        moment.wait()
        return ask(provider)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, nodes.providers))


def check_once(answers: list[list[requests.Response]]) -> None:
    assert all(response.status_code in (200, 400, 401) for pair in answers for response in pair)
    accepted = Counter(sum(response.status_code == 200 for response in pair) for pair in answers)
    assert accepted == {1: PROOFS}, f"so many proofs were accepted so often: {dict(accepted)}"


def test_a_proof_refreshes_once(nodes, bound):
    """The refresh token stays the same, so that nothing but the proof is used up."""
    form = {"grant_type": "refresh_token", "refresh_token": bound.tokens["refresh_token"]}
    answers = []
    for _ in range(PROOFS):
        headers = {"DPoP": bound.proof("POST", "token")}
        answers.append(
            at_both(nodes, lambda provider: RelyingParty(provider, BOUND_APP).post("token", form, headers=headers)))
    check_once(answers)
    for pair in answers:
        refused = next(response for response in pair if response.status_code != 200)
        assert refused.json()["error"] == "invalid_dpop_proof", refused.text


def test_a_proof_opens_userinfo_once(nodes, bound):
    access_token = bound.tokens["access_token"]
    answers = []
    for _ in range(PROOFS):
        proof = bound.proof("GET", "userinfo", access_token)
        headers = {"Authorization": f"DPoP {access_token}", "DPoP": proof}
        answers.append(at_both(nodes, lambda provider: provider.userinfo("", headers=headers)))
    check_once(answers)
