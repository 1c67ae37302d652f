"""What a client that registered itself may be: nothing that only the operator gives, today or by a later change."""

from __future__ import annotations

import itertools

import pytest
import requests

from support.configuration import MARIA, Client, secret_of
from support.pages import Page
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.visitor import Callback

BACK = "https://tiny.example/back"
ELSEWHERE = "https://elsewhere.example/back"
API = "https://api.example.test"
OWN = Client("own", secret_of("own"), "client_secret_basic", ("https://own.example/back",))
GRANTS = ["authorization_code", "refresh_token"]
# Each registration comes from another one: they are counted.
NETWORKS = (f"198.51.{number}.1" for number in itertools.count())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("registration"),
        {
            "project": {"name": "Harbour", "resources": [API]},
            "trusted_proxies": ["127.0.0.1/32"],
            "registration": {"enabled": True, "scope": "openid email profile offline_access", "clients_max": 100},
            "clients": [OWN.entry()], "users": [MARIA.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


def register(site, **metadata) -> requests.Response:
    body = {"redirect_uris": [BACK], "client_name": "Tiny", "grant_types": GRANTS} | metadata
    return requests.post(
        f"{site.base}/oauth2/register", json=body, headers={"X-Forwarded-For": next(NETWORKS)}, timeout=30)


def registered(site, **metadata) -> tuple[RelyingParty, dict]:
    answer = register(site, **metadata)
    assert answer.status_code == 201, answer.text
    entry = answer.json()
    method = entry["token_endpoint_auth_method"]
    return RelyingParty(
        site, Client(entry["client_id"], entry.get("client_secret"), method, tuple(entry["redirect_uris"]))), entry


def change(entry: dict, **metadata) -> requests.Response:
    """RFC 7592 §2.2: the whole metadata, with changes."""
    kept = ("client_id", "redirect_uris", "client_name", "grant_types", "scope", "token_endpoint_auth_method")
    return requests.put(
        entry["registration_client_uri"], json={name: entry[name] for name in kept if name in entry} | metadata,
        headers={"Authorization": f"Bearer {entry['registration_access_token']}"}, timeout=30)


@pytest.mark.parametrize("name", [
    "keyturn:management", "ssf.manage", "device_sso", "https://authgear.com/scopes/full-access"])
def test_a_scope_that_the_operator_did_not_offer_is_left_out(site, name):
    rp, entry = registered(site, scope=f"openid email {name}")
    assert set(entry["scope"].split()) == {"openid", "email"}
    changed = change(entry, scope=f"openid email {name}")
    assert changed.status_code == 200 and name not in changed.json()["scope"].split()
    signed_in = rp.sign_in(scope=f"openid {name}")
    assert signed_in.tokens["scope"] == "openid" and "device_secret" not in signed_in.tokens


@pytest.mark.parametrize("members", [
    {"first_party": True}, {"profile": "authgear"}, {"profile": "tim"}, {"may_impersonate": [f"user:{MARIA.sub}"]},
    {"resources": [API]}, {"pre_authenticated_uris": ["https://tiny.example"]},
    {"backchannel_logout_uri": "http://127.0.0.1:9/hook", "backchannel_logout_private_address": True},
    {"software_statement": "eyJhbGciOiJub25lIn0.eyJmaXJzdF9wYXJ0eSI6dHJ1ZX0."},
])
def test_members_that_only_the_operator_gives_give_nothing(site, members):
    """They are left out: the users of such a client are asked, and it does nothing in their name."""
    answer = register(site, **members)
    assert answer.status_code == 201, answer.text
    entry = answer.json()
    assert not set(members) & set(entry), f"taken over: {set(members) & set(entry)}"
    assert not set(members) & set(change(entry, **members).json())
    rp = RelyingParty(
        site, Client(entry["client_id"], entry["client_secret"], "client_secret_basic", (BACK,)))
    visitor = RelyingParty(site, OWN).sign_in().visitor
    page = rp.open(visitor, rp.request())
    assert isinstance(page, Page) and page.name == "consent"
    foreign = RelyingParty(site, OWN).sign_in(resource=API)
    assert rp.introspect(foreign.access_token) == {"active": False}


@pytest.mark.parametrize("grant", [
    "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:openid:params:grant-type:ciba", "implicit", "urn:authgear:params:oauth:grant-type:anonymous-request",
])
def test_a_grant_that_nobody_agrees_to_is_refused(site, grant):
    refused = register(site, grant_types=[*GRANTS, grant])
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_client_metadata")
    _, entry = registered(site)
    changed = change(entry, grant_types=[*GRANTS, grant])
    assert (changed.status_code, changed.json()["error"]) == (400, "invalid_client_metadata")


@pytest.mark.parametrize("grant", [
    {"grant_type": "client_credentials"},
    {"grant_type": "client_credentials", "box_subject_type": "user", "box_subject_id": MARIA.sub},
])
def test_such_a_client_gets_no_tokens_of_its_own(site, grant):
    rp, _ = registered(site)
    answer = rp.post("token", grant)
    assert (answer.status_code, answer.json()["error"]) == (400, "unauthorized_client")


def test_an_address_that_came_later_is_asked_about(site):
    """A yes was for the address that the user saw."""
    rp, entry = registered(site)
    agreed = rp.sign_in()
    assert isinstance(rp.open(agreed.visitor, rp.request(prompt="none")), Callback), "she has agreed"
    moved = change(entry, redirect_uris=[BACK, ELSEWHERE])
    assert moved.status_code == 200, moved.text
    page = rp.open(agreed.visitor, rp.request(redirect_uri=ELSEWHERE))
    assert isinstance(page, Page) and page.name == "consent" and "elsewhere.example" in page.response.text
    silent = agreed.visitor.get(
        site.endpoint("authorization"), params=rp.request(redirect_uri=ELSEWHERE, prompt="none").parameters)
    assert "Location" not in silent.headers, "no link leads through this server to an address nobody agreed to"
    assert "code" in rp.open(agreed.visitor, rp.request(prompt="none")).parameters, "the old one is as it was"


def test_a_wider_scope_that_came_later_is_asked_about(site):
    rp, entry = registered(site, scope="openid")
    agreed = rp.sign_in(scope="openid")
    assert change(entry, scope="openid email").status_code == 200
    page = rp.open(agreed.visitor, rp.request(scope="openid email"))
    assert isinstance(page, Page) and page.name == "consent"
    refreshed = rp.accepted(rp.refresh(agreed.refresh_token))
    assert refreshed["scope"] == "openid", "what was granted does not grow"
    assert rp.refresh(refreshed["refresh_token"], scope="openid email").json()["error"] == "invalid_scope"


def test_a_change_to_a_public_client_opens_no_sign_in_of_before(site):
    """The user continues on a page where nothing shows which program gets the answer."""
    rp, entry = registered(site, redirect_uris=["http://127.0.0.1/back"], application_type="native")
    visitor = rp.sign_in().visitor
    changed = change(entry, token_endpoint_auth_method="none", application_type="native")
    assert changed.status_code == 200 and "client_secret" not in changed.json()
    public = RelyingParty(site, Client(entry["client_id"], None, "none", ("http://127.0.0.1/back",)))
    silent = public.open(visitor, public.request(prompt="none", redirect_uri="http://127.0.0.1:5555/back"))
    assert isinstance(silent, Callback) and silent["error"] == "interaction_required"
    page = public.open(visitor, public.request(redirect_uri="http://127.0.0.1:5555/back"))
    assert isinstance(page, Page) and page.name == "continue"


def test_the_token_of_one_registration_opens_no_other(site):
    _, mine = registered(site)
    _, other = registered(site)
    for method in ("GET", "DELETE"):
        answer = requests.request(
            method, other["registration_client_uri"],
            headers={"Authorization": f"Bearer {mine['registration_access_token']}"}, timeout=30)
        assert answer.status_code == 401, method
    forged = change(mine, client_id=other["client_id"])
    assert (forged.status_code, forged.json()["error"]) == (400, "invalid_request")
    own = requests.put(
        mine["registration_client_uri"].replace(mine["client_id"], OWN.client_id), json={"client_id": OWN.client_id},
        headers={"Authorization": f"Bearer {mine['registration_access_token']}"}, timeout=30)
    assert own.status_code == 401, "an operator's client has no such token"


def test_what_a_removed_client_has_is_over(site):
    rp, entry = registered(site)
    signed_in = rp.sign_in(scope="openid offline_access")
    assert site.is_good(signed_in.access_token)
    gone = requests.delete(
        entry["registration_client_uri"],
        headers={"Authorization": f"Bearer {entry['registration_access_token']}"}, timeout=30)
    assert gone.status_code == 204
    assert not site.is_good(signed_in.access_token)
    assert rp.refresh(signed_in.refresh_token).json()["error"] == "invalid_client"


def test_a_sign_out_link_leads_to_no_address_of_such_a_client(site):
    """A browser in which nobody is signed in is not sent on to strangers by a link of this server."""
    _, entry = registered(site, post_logout_redirect_uris=["https://tiny.example/out"])
    asked = {"client_id": entry["client_id"], "post_logout_redirect_uri": "https://tiny.example/out"}
    answer = site.visitor().get(site.endpoint("end_session"), params=asked)
    assert "Location" not in answer.headers, answer.headers.get("Location")
