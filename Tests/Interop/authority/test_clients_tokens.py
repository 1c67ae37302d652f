"""What one client can make of a user's session at another one, and what is left of a session after its end."""

from __future__ import annotations

import json

import pytest
import requests

from support.configuration import JONAS, MARIA, Client, secret_of
from support.pages import Page
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server
from support.visitor import Callback

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
TOKEN = "urn:ietf:params:oauth:token-type:"
SECRET = "urn:openid:params:token-type:device-secret"
BACK = ("https://app.example/back",)
KEY = "a-management-key-for-the-tests-of-tokens"
API = "https://api.example.test"
GRANTS = {"grant_types": ["authorization_code", "refresh_token", EXCHANGE]}
SHARED = "openid profile offline_access device_sso"


def confidential(name: str, **more) -> Client:
    return Client(name, secret_of(name), "client_secret_basic", BACK, GRANTS | more)


CLIENTS = {
    client.client_id: client for client in [
        confidential("first", scope=SHARED + " email api.read api.write"),
        confidential("second", scope="openid email profile offline_access"),
        confidential("backend", scope="api.read", resources=[API]),
        confidential("strangers", first_party=False, scope="openid profile email offline_access device_sso"),
        Client("terminal", None, "none", BACK, {"grant_types": ["authorization_code", "refresh_token", DEVICE]}),
    ]
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("tokens"),
        {
            "project": {"name": "Harbour", "resources": [API], "management_keys": [KEY]},
            "clients": [client.entry() for client in CLIENTS.values()], "users": [MARIA.entry(), JONAS.entry()],
        },
        log_level="error",
    )
    yield Provider(server.base)
    assert server.stop() == 0


@pytest.fixture(scope="module")
def at(site):
    return lambda name: RelyingParty(site, CLIENTS[name])


def exchange(rp: RelyingParty, token: str, **more) -> requests.Response:
    return rp.post("token", {
        "grant_type": EXCHANGE, "subject_token": token, "subject_token_type": TOKEN + "access_token"} | more)


def share(rp: RelyingParty, id_token: str, secret: str, **more) -> requests.Response:
    return rp.post("token", {
        "grant_type": EXCHANGE, "audience": rp.provider.issuer, "subject_token": id_token,
        "subject_token_type": TOKEN + "id_token", "actor_token": secret, "actor_token_type": SECRET} | more)


def sharing(at, person=MARIA) -> SignedIn:
    return at("first").sign_in(person=person, scope=SHARED, requested_claims={"ds_hash"})


def manage(site, path: str, body: dict) -> requests.Response:
    project = site.metadata["keyturn_project_id"]
    answer = requests.post(
        f"{site.base}{path}", json=body, headers={"Authorization": f"Bearer {project}:{KEY}"}, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer


def test_a_token_of_another_client_is_exchanged_by_nobody(at):
    token = at("first").sign_in(scope="openid email api.read").access_token
    for name in ("second", "strangers", "backend"):
        answer = exchange(at(name), token)
        assert (answer.status_code, answer.json()["error"]) == (400, "unauthorized_client"), name
    assert exchange(at("first"), token, scope="api.read").json()["scope"] == "api.read"


def test_a_recipient_gets_what_it_is_registered_for_and_hears_nothing_of_the_user(site, at):
    signed_in = at("first").sign_in(scope="openid email api.read api.write", resource=API)
    answer = exchange(at("backend"), signed_in.access_token)
    assert answer.status_code == 200 and answer.json()["scope"] == "api.read", answer.text
    assert site.userinfo(answer.json()["access_token"]).status_code == 401
    for more in ({"scope": "api.write"}, {"scope": "openid"}, {"scope": "email"}):
        assert exchange(at("backend"), signed_in.access_token, **more).json()["error"] == "invalid_scope"
    assert exchange(at("backend"), signed_in.access_token, audience=site.issuer).json()["error"] == "invalid_target"
    told = at("backend").introspect(answer.json()["access_token"])
    assert told["act"]["sub"].endswith("backend") and told["scope"] == "api.read"


def test_nobody_acts_with_the_token_of_an_actor_of_another_client(at):
    subject = at("first").sign_in(scope="openid api.read").access_token
    own = at("first").sign_in(person=JONAS, scope="openid").access_token
    other = at("second").sign_in(person=JONAS, scope="openid").access_token
    kind = {"actor_token_type": TOKEN + "access_token"}
    assert exchange(at("first"), subject, actor_token=own, **kind).status_code == 200
    refused = exchange(at("first"), subject, actor_token=other, **kind)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")


def test_an_exchanged_token_tells_no_claims_by_name(site, at):
    wish = json.dumps({"userinfo": {"email": None}})
    signed_in = at("first").sign_in(scope="openid api.read", claims=wish)
    assert site.userinfo(signed_in.access_token).json()["email"] == MARIA.login
    less = exchange(at("first"), signed_in.access_token, scope="openid").json()["access_token"]
    assert set(site.userinfo(less).json()) == {"sub"}


def test_a_device_secret_belongs_to_one_user_and_one_session(at):
    maria = sharing(at)
    jonas = sharing(at, JONAS)
    again = sharing(at)
    for id_token in (jonas.id_token, again.id_token, at("second").sign_in().id_token):
        answer = share(at("second"), id_token, maria.tokens["device_secret"])
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert share(at("second"), maria.id_token, maria.tokens["device_secret"]).status_code == 200


def test_a_client_of_others_shares_no_sign_in(at):
    strangers = at("strangers").sign_in(scope=SHARED)
    assert "device_secret" not in strangers.tokens
    maria = sharing(at)
    answer = share(at("strangers"), maria.id_token, maria.tokens["device_secret"])
    assert (answer.status_code, answer.json()["error"]) == (400, "unauthorized_client")


def shared(at) -> tuple[SignedIn, dict]:
    first = sharing(at)
    answer = share(at("second"), first.id_token, first.tokens["device_secret"], scope="openid offline_access")
    assert answer.status_code == 200, answer.text
    return first, answer.json()


@pytest.mark.parametrize("end", ["revoke", "everywhere", "disabled"])
def test_what_comes_of_a_session_ends_with_it(site, at, end):
    """Tokens of the second app, its refresh token, exchanged tokens, and the device secret."""
    first, second = shared(at)
    exchanged = exchange(at("first"), first.access_token, scope="openid").json()["access_token"]
    assert site.is_good(second["access_token"]) and site.is_good(exchanged)
    match end:
        case "revoke":
            assert at("first").revoke(first.refresh_token).status_code == 200
        case "everywhere":
            manage(site, "/v1/mgmt/user/logout", {"loginId": MARIA.login})
        case "disabled":
            for status in ("disabled", "enabled"):
                manage(site, "/v1/mgmt/user/update/status", {"loginId": MARIA.login, "status": status})
    for token in (first.access_token, second["access_token"], exchanged):
        assert not site.is_good(token)
    for rp, token in ((at("first"), first.refresh_token), (at("second"), second["refresh_token"])):
        assert rp.refresh(token).json()["error"] == "invalid_grant"
    late = share(at("second"), first.id_token, first.tokens["device_secret"])
    assert (late.status_code, late.json()["error"]) == (400, "invalid_grant")
    assert exchange(at("first"), exchanged, scope="openid").json()["error"] == "invalid_request"


@pytest.mark.parametrize("scope", ["openid", "openid offline_access"])
def test_a_code_of_before_the_end_of_all_sessions_opens_nothing(site, at, scope):
    rp = at("first")
    visitor = rp.sign_in().visitor
    request = rp.request(scope=scope)
    callback = rp.authorize(visitor, request, person=None)
    manage(site, "/v1/mgmt/user/logout", {"loginId": MARIA.login})
    answer = rp.redeem(callback, request)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert not rp.is_signed_in(visitor)


def test_another_users_browser_answers_no_request_for_her(site, at):
    """`id_token_hint` and `claims` name Maria; Jonas is signed in. No word of whether she could sign in."""
    hint = at("first").sign_in().id_token
    jonas = at("first").sign_in(person=JONAS).visitor
    wish = json.dumps({"id_token": {"sub": {"essential": True, "value": MARIA.sub}}})
    for named in ({"id_token_hint": hint}, {"claims": wish}):
        silent = at("first").open(jonas, at("first").request(prompt="none", **named))
        assert isinstance(silent, Callback) and silent["error"] == "login_required"
        page = at("first").open(jonas, at("first").request(**named))
        assert isinstance(page, Page) and page.name == "login"
        other = jonas.sign_in(page, JONAS)
        assert isinstance(other, Page), "Jonas is not answered for Maria"
    refused = at("second").open(jonas, at("second").request(id_token_hint=hint))
    assert isinstance(refused, Callback) and refused["error"] == "invalid_request", "another client's hint"


def test_a_pushed_request_of_another_client_opens_nothing(site, at):
    rp = at("first")
    pushed = rp.post("pushed_authorization_request", rp.request().parameters)
    assert pushed.status_code == 201, pushed.text
    reference = pushed.json()["request_uri"]
    visitor = rp.sign_in().visitor
    page = visitor.open(site.endpoint("authorization"), {"client_id": "second", "request_uri": reference})
    assert isinstance(page, Page) and page.status == 400
    beside = {
        "client_id": "first", "request_uri": reference, "scope": "openid email", "redirect_uri": "https://evil.example/"}
    answer = visitor.open(site.endpoint("authorization"), beside)
    assert isinstance(answer, Callback) and answer.uri == BACK[0] and answer.get("code")
    again = visitor.open(site.endpoint("authorization"), beside)
    assert not (isinstance(again, Callback) and again.get("code")), "once"
