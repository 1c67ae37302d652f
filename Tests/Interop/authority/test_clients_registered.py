"""A client that registered itself, beside its sign-in page: sign-out links, device codes, changes of its entry."""

from __future__ import annotations

import itertools
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

BACK, OUT = "https://tiny.example/back", "https://tiny.example/out"
OWN = Client(
    "own", secret_of("own"), "client_secret_basic", ("https://own.example/back",),
    {"post_logout_redirect_uris": ["https://own.example/out"]})
GRANTS = ["authorization_code", "refresh_token"]
NETWORKS = (f"198.51.{number}.1" for number in itertools.count())
SCOPE = "openid email profile offline_access"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("registration"),
        {
            "project": {"id": PROJECT_ID, "name": "Harbour"}, "delivery": {"outbox": True},
            "trusted_proxies": ["127.0.0.1/32"],
            "registration": {"enabled": True, "scope": SCOPE, "clients_max": 100},
            "clients": [OWN.entry()], "users": [MARIA.entry(), JONAS.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


def registered(site, **metadata) -> tuple[RelyingParty, dict]:
    body = {"redirect_uris": [BACK], "client_name": "Tiny", "grant_types": GRANTS, "scope": SCOPE} | metadata
    answer = requests.post(
        f"{site.base}/oauth2/register", json=body, headers={"X-Forwarded-For": next(NETWORKS)}, timeout=30)
    assert answer.status_code == 201, answer.text
    entry = answer.json()
    return RelyingParty(site, Client(
        entry["client_id"], entry.get("client_secret"), entry["token_endpoint_auth_method"], (BACK,))), entry


def bearer(entry: dict) -> dict:
    return {"Authorization": f"Bearer {entry['registration_access_token']}"}


def change(entry: dict, **metadata) -> requests.Response:
    kept = ("client_id", "redirect_uris", "client_name", "grant_types", "scope", "token_endpoint_auth_method")
    return requests.put(
        entry["registration_client_uri"], json={name: entry[name] for name in kept if name in entry} | metadata,
        headers=bearer(entry), timeout=30)


def test_the_owners_own_token_leads_nobody_to_the_clients_address(site):
    """Everybody who registers a client has an ID token of it: their own. It stands for no user of this browser."""
    rp, _ = registered(site, post_logout_redirect_uris=[OUT])
    own = rp.sign_in(person=JONAS)
    asked = {"id_token_hint": own.id_token, "post_logout_redirect_uri": OUT}
    answer = site.visitor().get(site.endpoint("end_session"), params=asked)
    assert "Location" not in answer.headers, f"a link of this server leads to {answer.headers.get('Location')}"
    maria = RelyingParty(site, OWN).sign_in().visitor
    answer = maria.get(site.endpoint("end_session"), params=asked)
    assert "Location" not in answer.headers and "logout" in answer.text, "a page asks"


def test_who_signs_out_there_comes_back_there(site):
    """The controls: its own user, and a client of the operator's."""
    rp, _ = registered(site, post_logout_redirect_uris=[OUT])
    maria = rp.sign_in()
    answer = maria.visitor.get(
        site.endpoint("end_session"), params={"id_token_hint": maria.id_token, "post_logout_redirect_uri": OUT})
    assert answer.is_redirect and answer.headers["Location"].startswith(OUT)
    own = RelyingParty(site, OWN).sign_in()
    asked = {"id_token_hint": own.id_token, "post_logout_redirect_uri": "https://own.example/out"}
    answer = site.visitor().get(site.endpoint("end_session"), params=asked)
    assert answer.headers["Location"].startswith("https://own.example/out")


def device_of(site, client_id: str, scope: str) -> dict:
    answer = requests.post(
        f"{site.base}/oauth2/device_authorization", data={"client_id": client_id, "scope": scope}, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def public(site) -> tuple[RelyingParty, dict]:
    return registered(
        site, token_endpoint_auth_method="none", application_type="native", grant_types=[*GRANTS, DEVICE])


def asked_by_device(site, rp, visitor, scope: str) -> tuple[Page, dict]:
    device = device_of(site, rp.client_id, scope)
    page = visitor.submit(visitor.open(f"{site.base}/device"), {"user_code": device["user_code"]})
    assert page.name == "device", page
    return page, {"grant_type": DEVICE, "device_code": device["device_code"]}


def test_a_device_of_such_a_client_hears_what_the_page_said(site):
    rp, _ = public(site)
    maria = RelyingParty(site, OWN).sign_in().visitor
    page, form = asked_by_device(site, rp, maria, "openid profile keyturn:management device_sso")
    assert "email" not in page.response.text.lower().replace(MARIA.login, "")
    maria.submit(page, button="allow")
    got = rp.accepted(rp.post("token", form))
    assert set(got["scope"].split()) == {"openid", "profile"} and "device_secret" not in got
    told = site.userinfo(got["access_token"]).json()
    assert "name" in told and "email" not in told and "phone_number" not in told


def test_a_yes_to_a_device_is_none_to_an_address(site):
    """The user agreed to a screen beside them, and to no page of the client's."""
    rp, _ = public(site)
    maria = RelyingParty(site, OWN).sign_in().visitor
    page, form = asked_by_device(site, rp, maria, "openid")
    maria.submit(page, button="allow")
    rp.accepted(rp.post("token", form))
    silent = maria.get(
        site.endpoint("authorization"), params=rp.request(scope="openid", prompt="none").parameters)
    assert "Location" not in silent.headers, silent.headers.get("Location")
    page = rp.open(maria, rp.request(scope="openid"))
    assert isinstance(page, Page) and page.name == "consent"


def test_a_removed_client_s_device_gets_nothing(site):
    """The yes came after the client was removed, or before."""
    for allows_first in (True, False):
        rp, entry = public(site)
        maria = RelyingParty(site, OWN).sign_in().visitor
        page, form = asked_by_device(site, rp, maria, "openid")
        if allows_first:
            maria.submit(page, button="allow")
        gone = requests.delete(entry["registration_client_uri"], headers=bearer(entry), timeout=30)
        assert gone.status_code == 204
        if not allows_first:
            maria.submit(page, button="allow")
        assert rp.post("token", form).json()["error"] == "invalid_client"
        assert requests.get(entry["registration_client_uri"], headers=bearer(entry), timeout=30).status_code == 401


def test_a_secret_that_was_given_up_is_no_secret_again(site):
    rp, entry = registered(site)
    signed_in = rp.sign_in(scope="openid offline_access")
    assert "client_secret" not in change(entry, token_endpoint_auth_method="none").json()
    assert rp.refresh(signed_in.refresh_token).json()["error"] == "invalid_client", "it has no secret now"
    back = change(entry, token_endpoint_auth_method="client_secret_basic")
    assert back.status_code == 200 and back.json()["client_secret"] != entry["client_secret"]
    assert rp.refresh(signed_in.refresh_token).json()["error"] == "invalid_client", "the old secret"
    fresh = RelyingParty(
        site, Client(entry["client_id"], back.json()["client_secret"], "client_secret_basic", (BACK,)))
    assert fresh.refresh(signed_in.refresh_token).status_code == 200


@pytest.mark.parametrize("member", [
    {"id_token_claims": ["email"]}, {"userinfo_claims": ["phone_number"]}, {"unverified_contacts": True},
    {"subject_type": "pairwise"}, {"sector_identifier_uri": "https://tiny.example/sector"},
    {"jwks_uri": "https://tiny.example/keys"},
])
def test_no_change_of_its_entry_makes_it_hear_more(site, member):
    _, entry = registered(site)
    answer = change(entry, **member)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")
    assert change(entry).status_code == 200, "the control"


def test_claims_by_name_are_asked_about_although_the_scope_was_agreed(site):
    """A yes to `openid` is none to the address that the request then names."""
    rp, _ = registered(site)
    maria = rp.sign_in(scope="openid")
    wish = json.dumps({"userinfo": {"email": {"essential": True}}, "id_token": {"email": None, "phone_number": None}})
    silent = rp.open(maria.visitor, rp.request(scope="openid", claims=wish, prompt="none"))
    assert isinstance(silent, Callback) and silent["error"] == "consent_required"
    page = rp.open(maria.visitor, rp.request(scope="openid", claims=wish))
    assert isinstance(page, Page) and page.name == "consent"
    assert set(site.userinfo(maria.access_token).json()) == {"sub"}
    refreshed = rp.accepted(rp.refresh(maria.refresh_token))
    assert "email" not in site.userinfo(refreshed["access_token"]).json(), "the sign-in of before hears no more"


def test_a_request_that_waits_gets_no_more_by_a_change(site):
    """The page is open with what was asked; the entry grows meanwhile."""
    rp, entry = registered(site, scope="openid")
    visitor = RelyingParty(site, OWN).sign_in().visitor
    request = rp.request(scope=SCOPE)
    page = rp.open(visitor, request)
    assert isinstance(page, Page) and page.name == "consent"
    assert change(entry, scope=SCOPE).status_code == 200
    answer = visitor.submit(page)
    assert isinstance(answer, Callback), answer
    assert rp.accepted(rp.redeem(answer, request))["scope"] == "openid"


@pytest.mark.parametrize("path", ["magiclink/signin/email", "magiclink/signup-in/email", "enchantedlink/signin/email",
                                  "password/reset"])
def test_no_link_of_ours_leads_to_its_address(site, path):
    """Who opens the link in her letter would hand the sign-in to whoever registered the address."""
    registered(site)
    wire = Wire(site.base)
    field = "redirectUrl" if path.startswith("password") else "URI"
    for address, allowed in ((BACK, False), (OUT, False), ("https://own.example/landing", True)):
        answer = wire.post(f"/v1/auth/{path}", {"loginId": MARIA.login, field: address, "redirectUrl": address})
        assert (answer.status_code == 200) == allowed, f"{address}: {answer.status_code} {answer.text[:200]}"


def test_a_script_of_its_page_uses_no_session_of_hers(site):
    """Pages of clients may call this server; a browser that is signed in shows them nothing of hers."""
    registered(site)
    maria = RelyingParty(site, OWN).sign_in().visitor
    for path in ("/settings", "/oauth2/userinfo", "/v1/auth/me", "/v1/approvals"):
        answer = maria.get(f"{site.base}{path}", headers={"Origin": "https://tiny.example"})
        assert answer.headers.get("Access-Control-Allow-Credentials") is None, path
        assert answer.headers.get("Access-Control-Allow-Origin") in (None, "*", "https://tiny.example")
    page = maria.open(f"{site.base}/settings/profile")
    forged = maria.post(
        page.form.action, data=page.form.values | {"name": "Mallory", "action": "save"},
        headers={"Origin": "https://tiny.example", "Sec-Fetch-Site": "cross-site"})
    assert forged.status_code in (400, 403) and "Mallory" not in maria.get(f"{site.base}/settings/profile").text
    own = maria.post(page.form.action, data=page.form.values | {"name": "Maria Two", "action": "save"})
    assert own.status_code == 303, "the control"
