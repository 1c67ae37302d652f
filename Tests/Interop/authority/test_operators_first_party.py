"""A client of the operator's own, whose users are not asked: an operator gives it no scope that no owner gave it."""

from __future__ import annotations

import pytest

from support.operators import CALLBACK, Management, Operator, serve


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("first-party"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def made(owner: Management, name: str, **more) -> None:
    answer = owner.post("client/create", {
        "client_id": name, "redirect_uris": [CALLBACK], "first_party": True, "grant_types": ["authorization_code"],
        "token_endpoint_auth_method": "none"} | more)
    assert answer.status_code == 200, answer.text


WIDER = "openid email ledger:transfer"


def widened(own, people, tokens, name: str) -> set[str]:
    """The scope that an app gets after an operator tried to widen it."""
    changed = tokens["oper"].send("PATCH", "/v1/mgmt/client/patch", {"client_id": name, "scope": WIDER})
    assert changed.status_code in (200, 403), changed.text
    return set(people["oper"].tokens(client_id=name, scope=WIDER)["scope"].split())


def test_an_operator_widens_no_scope_that_an_owner_gave(own, people, tokens):
    """The control."""
    made(tokens["olga"], "listed", scope="openid email")
    assert widened(own, people, tokens, "listed") <= {"openid", "email"}


def test_an_operator_widens_no_usual_scope(own, people, tokens):
    """The owner named none: the client has the usual ones, and nothing of an API's."""
    made(tokens["olga"], "usual")
    before = set(people["oper"].tokens(client_id="usual", scope=WIDER)["scope"].split())
    assert before <= {"openid", "email"}, "the control"
    assert widened(own, people, tokens, "usual") <= {"openid", "email"}, "a right at an API that no owner gave"
