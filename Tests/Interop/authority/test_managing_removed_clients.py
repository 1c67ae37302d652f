"""The name of an owner's own app does not become another app's by an operator who removes it."""

from __future__ import annotations

import pytest

from support.operators import Operator, serve

SHOP = {
    "client_id": "shop", "client_name": "Shop", "token_endpoint_auth_method": "none",
    "grant_types": ["authorization_code", "refresh_token"], "scope": "openid email",
    "redirect_uris": ["https://shop.example/back"],
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("removed"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {name: Operator(own, name) for name in ("olga", "oper")}
    for one in entered.values():
        one.enter()
    return entered


def test_an_operator_removes_no_own_app(tokens):
    tokens["olga"].done("client/create", SHOP | {"first_party": True})
    refused = tokens["oper"].post("client/delete", {"client_id": "shop"})
    assert (refused.status_code, refused.json().get("missing")) == (403, "owner"), refused.text
    assert tokens["oper"].post("client/create", SHOP).status_code == 400, "the name is taken"
    tokens["olga"].done("client/delete", {"client_id": "shop"})


def test_an_operator_removes_another_one(tokens):
    """The control."""
    tokens["oper"].done("client/create", SHOP | {"client_id": "other-shop", "client_name": "Another"})
    tokens["oper"].done("client/delete", {"client_id": "other-shop"})
