"""What a user agreed to, and took back: for which client, for which claims, and what was under way."""

from __future__ import annotations

import json

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, secret_of
from support.devices import GRANT as DEVICE
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback

CIBA = "urn:openid:params:grant-type:ciba"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
USUAL = ["authorization_code", "refresh_token"]
SCOPE = "openid profile email phone offline_access"


def partner(name: str, **more) -> Client:
    """A client of somebody else's, whose users are asked."""
    return Client(name, secret_of(name), "client_secret_basic", (f"https://{name}.example/back",), {
        "first_party": False, "grant_types": [*USUAL, DEVICE, CIBA, EXCHANGE], "scope": SCOPE} | more)


PARTNER, RIVAL = partner("partner"), partner("rival")
LISTED = partner("listed", userinfo_claims=["department"], id_token_claims=["phone_number"])
OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("consent"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "clients": [client.entry() for client in (PARTNER, RIVAL, LISTED, OWN)],
            "users": [MARIA.entry(), JONAS.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


def at(site, client: Client) -> RelyingParty:
    return RelyingParty(site, client)


def take_back(site, visitor, client: Client) -> None:
    """Ends an app in the settings."""
    page = visitor.open(f"{site.base}/settings/sessions")
    answer = visitor.post(
        page.form.action, data=page.form.values | {"action": "end", "kind": "app", "id": client.client_id})
    assert answer.status_code == 303 and "/login?" not in answer.headers["Location"], answer.headers["Location"]


def by_code(site, maria):
    request = at(site, PARTNER).request(scope=SCOPE)
    callback = at(site, PARTNER).authorize(maria.visitor, request, None)
    return lambda: at(site, PARTNER).redeem(callback, request)


def by_device(site, maria):
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", auth=(PARTNER.client_id, PARTNER.secret), timeout=30,
        data={"scope": SCOPE}).json()
    page = maria.visitor.submit(maria.visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert maria.visitor.submit(page, button="allow").name == "device-done"
    form = {"grant_type": DEVICE, "device_code": device["device_code"]}
    return lambda: at(site, PARTNER).post("token", form)


def by_backchannel(site, maria):
    asked = requests.post(
        f"{site.base}/oauth2/bc-authorize", auth=(PARTNER.client_id, PARTNER.secret), timeout=30,
        data={"scope": SCOPE, "login_hint": MARIA.login}).json()
    page = maria.visitor.open(f"{site.base}/settings/approvals")
    maria.visitor.submit(page, {"number": str(asked["number"])}, button="allow")
    form = {"grant_type": CIBA, "auth_req_id": asked["auth_req_id"]}
    return lambda: at(site, PARTNER).post("token", form)


@pytest.mark.parametrize("way", [by_code, by_device, by_backchannel], ids=lambda way: way.__name__)
@pytest.mark.parametrize("taken", [False, True])
def test_what_was_under_way_ends_when_she_takes_the_app_back(site, way, taken):
    maria = at(site, PARTNER).sign_in(scope=SCOPE)
    collect = way(site, maria)
    if taken:
        take_back(site, maria.visitor, PARTNER)
    answer = collect()
    assert (answer.status_code == 200) != taken, answer.text
    if taken:
        assert answer.json()["error"] in ("invalid_grant", "access_denied", "expired_token")
        assert not site.is_good(maria.access_token)
        assert at(site, PARTNER).refresh(maria.refresh_token).json()["error"] == "invalid_grant"
        silent = at(site, PARTNER).open(maria.visitor, at(site, PARTNER).request(scope=SCOPE, prompt="none"))
        assert isinstance(silent, Callback) and silent["error"] == "consent_required", "she is asked again"


def test_a_yes_is_for_one_client_and_one_user(site):
    maria = at(site, PARTNER).sign_in(scope=SCOPE)
    for client, visitor in ((RIVAL, maria.visitor), (PARTNER, at(site, OWN).sign_in(person=JONAS).visitor)):
        silent = at(site, client).open(visitor, at(site, client).request(scope=SCOPE, prompt="none"))
        assert isinstance(silent, Callback) and silent["error"] == "consent_required", client.client_id
    silent = at(site, PARTNER).open(maria.visitor, at(site, PARTNER).request(scope=SCOPE, prompt="none"))
    assert isinstance(silent, Callback) and silent.get("code"), "the control"


def test_a_page_of_another_user_gives_no_yes(site):
    """The form that Jonas saw, sent in Maria's browser, and the other way round."""
    maria, jonas = at(site, OWN).sign_in().visitor, at(site, OWN).sign_in(person=JONAS).visitor
    page = at(site, RIVAL).open(jonas, at(site, RIVAL).request(scope=SCOPE))
    assert isinstance(page, Page) and page.name == "consent"
    sent = maria.follow(maria.post(page.form.action, data=page.form.filled()))
    assert not isinstance(sent, Callback), "a code by a foreign form"
    silent = at(site, RIVAL).open(maria, at(site, RIVAL).request(scope=SCOPE, prompt="none"))
    assert isinstance(silent, Callback) and silent["error"] == "consent_required"


def test_less_at_a_refresh_tells_less(site):
    """Scopes that the app dropped for this token are not told with it, at UserInfo and at introspection."""
    rp = at(site, PARTNER)
    maria = rp.sign_in(scope=SCOPE)
    assert site.userinfo(maria.access_token).json()["email"] == MARIA.login
    less = rp.accepted(rp.refresh(maria.refresh_token, scope="openid profile"))
    told = site.userinfo(less["access_token"]).json()
    assert "name" in told and not {"email", "phone_number"} & set(told)
    assert set(rp.introspect(less["access_token"])["scope"].split()) == {"openid", "profile"}
    whole = rp.accepted(rp.refresh(less["refresh_token"]))
    assert set(whole["scope"].split()) == set(SCOPE.split()), "what was granted stays granted"


def test_claims_that_she_did_not_see_are_not_told(site):
    """Asked by name in one request, refused on its page; a silent request of before goes on without them."""
    rp = at(site, RIVAL)
    maria = rp.sign_in(scope="openid")
    wish = json.dumps({"userinfo": {"email": {"essential": True}}, "id_token": {"phone_number": None}})
    page = rp.open(maria.visitor, rp.request(scope="openid", claims=wish))
    assert isinstance(page, Page) and page.name == "consent"
    refused = maria.visitor.submit(page, button="deny")
    assert isinstance(refused, Callback) and refused["error"] == "access_denied"
    request = rp.request(scope="openid", prompt="none")
    answer = rp.open(maria.visitor, request)
    got = rp.accepted(rp.redeem(answer, request))
    assert set(site.userinfo(got["access_token"]).json()) == {"sub"}
    changed = rp.open(maria.visitor, rp.request(scope="openid", claims=wish, prompt="none"))
    assert isinstance(changed, Callback) and changed["error"] == "consent_required"


def test_a_device_s_page_names_what_the_operator_lists(site):
    """As the consent page does: a yes on the device's page covers what the client hears by name."""
    maria = at(site, OWN).sign_in()
    device = requests.post(
        f"{site.base}/oauth2/device_authorization", auth=(LISTED.client_id, LISTED.secret), timeout=30,
        data={"scope": "openid"}).json()
    page = maria.visitor.submit(maria.visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    consent = at(site, LISTED).open(at(site, OWN).sign_in().visitor, at(site, LISTED).request(scope="openid"))
    assert isinstance(consent, Page) and consent.name == "consent"
    words = [word for word in ("department", "phone") if word in consent.response.text.lower()]
    assert words and all(word in page.response.text.lower() for word in words), words


def test_no_token_of_the_methods_wire_is_a_client_s(site):
    """Nor the other way round: each wire has its own sessions."""
    wire = Wire(site.base)
    session = wire.post("/v1/auth/password/signin", {"loginId": MARIA.login, "password": MARIA.password}).json()
    maria = at(site, OWN).sign_in(scope="openid offline_access")
    assert site.userinfo(session["sessionJwt"]).status_code == 401
    for client in (PARTNER, OWN):
        for name in ("refreshJwt", "sessionJwt"):
            assert at(site, client).refresh(session[name]).json()["error"] == "invalid_grant"
            assert at(site, client).introspect(session[name]) == {"active": False}
            assert at(site, client).revoke(session[name]).status_code == 200
    assert wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{session['refreshJwt']}").status_code == 200
    for token in (maria.refresh_token, maria.access_token, maria.id_token):
        assert wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{token}").status_code == 401
        assert wire.post("/v1/auth/refresh", {}, bearer=f"{PROJECT_ID}:{token}").status_code == 401
