"""A user who connected an own account to an organisation, and disconnects it: whose sign-in decides from then on."""

from __future__ import annotations

from itertools import count

import pytest

from support.operators import ADMIN, CALLBACK, PASSWORD, Management, auth, serve
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

numbers = count(1)
KNOWN = "known@harbour.example"


@pytest.fixture(scope="module")
def own(told, tmp_path_factory):
    server = serve(
        tmp_path_factory.mktemp("left"), clients=[ADMIN],
        connections=[{
            "id": "corp", "tenant": "harbour", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET,
            "domains": ["harbour.example"], "trust_email": True}])
    Management(server).done("user/create", {"loginId": KNOWN, "email": KNOWN, "verifiedEmail": True})
    yield server
    assert server.stop() == 0


@pytest.fixture
def strict(own, key):
    """Harbour wants its own sign-in while this lasts."""
    def begin():
        key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": True})
    yield begin
    key.done("tenant/update", {"id": "harbour", "name": "Harbour", "enforceSSO": False})


def connected(own, told: ToldProvider, key: Management) -> str:
    """An account of before, whose owner connects it on the way in."""
    number = next(numbers)
    login = f"ann{number}@home.example"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    told.token = {"sub": f"l-{number}", "email": KNOWN, "email_verified": True}
    told.userinfo = {"sub": f"l-{number}"}
    visitor = Visitor(own.base)
    departure = visitor.open(f"{own.base}/oauth2/authorize", {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "connection": "corp"})
    assert isinstance(departure, Callback) and departure.uri.startswith(told.issuer), departure
    visitor.submit(visitor.follow(visitor.get(departure.url)), {"username": login, "password": PASSWORD})
    assert [each["tenantId"] for each in key.user(login)["userTenants"]] == ["harbour"]
    return login


def disconnect(own, login: str) -> None:
    visitor, at = Visitor(own.base), f"{own.base}/settings/connections"
    visitor.submit(visitor.open(at), {"username": login, "password": PASSWORD})
    form = next(form for form in visitor.open(at).forms if ("action", "unlink") in form.buttons)
    assert "done=unlinked" in visitor.post(form.action, data=form.filled({}, "unlink")).headers["Location"]


@pytest.mark.parametrize("leaves", [False, True], ids=["the control", "disconnected"])
def test_the_organisation_shuts_no_one_out_who_was_there_before(own, told, key, strict, leaves):
    login = connected(own, told, key)
    if leaves:
        disconnect(own, login)
    strict()
    answer = auth(own, "password/signin", {"loginId": login, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
