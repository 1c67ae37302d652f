"""Who approves a sign-in on another device: the account's owner, a moment ago, with the account's second factor."""

from __future__ import annotations


import pytest
import requests

from support.configuration import MARIA, Client, Person, secret_of
from support.pages import Page
from support.project import PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.totp import Codes
from support.visitor import Callback

CIBA = "urn:openid:params:grant-type:ciba"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
TILL = Client(
    "till", secret_of("till"), "client_secret_basic", ("https://till.example/back",),
    {"grant_types": ["authorization_code", "refresh_token", CIBA]},
)
OTHER_TILL = Client("other-till", secret_of("other-till"), "client_secret_basic", TILL.redirect_uris, TILL.entry_extra)
APP = Client(
    "app", None, "none", ("https://app.example/back",),
    {"grant_types": ["authorization_code", "refresh_token", DEVICE]},
)
STRANGERS_APP = Client("strangers-app", None, "none", APP.redirect_uris, {"first_party": False})
NINA = Person(
    "44444444-4444-4444-8444-444444444444", "nina@example.test", "some-other-long-words",
    {"email": "nina@example.test", "email_verified": True},
)


class Site:
    def __init__(self, folder):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, "name": "Harbour", "approval": {"seconds": 120}},
                "delivery": {"outbox": True},
                "clients": [client.entry() for client in (TILL, OTHER_TILL, APP, STRANGERS_APP)],
                "users": [MARIA.entry(), NINA.entry()],
            },
        )
        self.provider = Provider(self.server.base)
        self.wire = Wire(self.server.base)
        self.codes: Codes | None = None
        self.asked = 0

    def app(self) -> RelyingParty:
        return RelyingParty(self.provider, APP)

    def code(self) -> str:
        return self.codes.next()

    def enrol(self) -> None:
        """Maria sets an authenticator app up, in a session of its own."""
        refresh = self.wire.post(
            "/v1/auth/password/signin", {"loginId": MARIA.login, "password": MARIA.password}).json()["refreshJwt"]
        bearer = f"{PROJECT_ID}:{refresh}"
        made = self.wire.post("/v1/auth/totp/update", {"loginId": MARIA.login}, bearer=bearer)
        assert made.status_code == 200, made.text
        self.codes = Codes(made.json()["key"])
        done = self.wire.post("/v1/auth/totp/verify", {"loginId": MARIA.login, "code": self.code()}, bearer=bearer)
        assert done.status_code == 200, done.text

    def strongly(self, visitor, page) -> Callback:
        page = visitor.sign_in(page)
        assert isinstance(page, Page) and page.name == "code", page
        done = visitor.submit(page, {next(iter(page.form.inputs)): self.code()})
        assert isinstance(done, Callback), done
        return done

    def ask(self, client: Client = TILL) -> dict:
        self.asked += 1
        message = f"Till {self.asked}"
        answer = requests.post(
            f"{self.server.base}/oauth2/bc-authorize", auth=(client.client_id, client.secret), timeout=30,
            data={"scope": "openid", "login_hint": MARIA.login, "binding_message": message})
        assert answer.status_code == 200, answer.text
        return answer.json() | {"message": message}

    def poll(self, request: dict, client: Client = TILL) -> requests.Response:
        return requests.post(
            f"{self.server.base}/oauth2/token", auth=(client.client_id, client.secret), timeout=30,
            data={"grant_type": CIBA, "auth_req_id": request["auth_req_id"]})

    def approvals(self, refresh_token: str, **more) -> requests.Response:
        return requests.post(
            f"{self.server.base}/v1/approvals", json={"refresh_token": refresh_token} | more, timeout=30)

    def waiting(self, refresh_token: str, request: dict) -> str:
        """The name of a request, which waits for the user; one of a sign-in page has no message."""
        waiting = self.approvals(refresh_token).json()["approvals"]
        return next(one["id"] for one in waiting if one.get("binding_message") == request.get("message"))

    def approve(self, refresh_token: str, request: dict) -> requests.Response:
        name = self.waiting(refresh_token, request)
        return self.approvals(refresh_token, id=name, action="approve", number=request["number"])


    def device(self) -> dict:
        answer = requests.post(
            f"{self.server.base}/oauth2/device_authorization", timeout=30,
            data={"client_id": "app", "scope": "openid offline_access"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def device_tokens(self, device: dict) -> requests.Response:
        return requests.post(
            f"{self.server.base}/oauth2/token", timeout=30,
            data={"grant_type": DEVICE, "device_code": device["device_code"], "client_id": "app"})

    def let_in(self, visitor, device: dict) -> Page:
        """Types the code and allows; the page at which that ends."""
        page = visitor.submit(visitor.open(f"{self.server.base}/device"), {"user_code": device["user_code"]})
        if page.name != "device":
            return page
        return visitor.submit(page, button="allow")

    def approved_browser(self, refresh_token: str):
        """A browser of somebody else, which Maria let in by mistake."""
        visitor = self.provider.visitor()
        page = visitor.submit(
            visitor.open(f"{self.server.base}/settings"), {"username": MARIA.login}, button="approval")
        number = int(page.soup.select_one(".number strong").get_text(strip=True))
        assert self.approve(refresh_token, {"number": number}).status_code == 204
        page = visitor.submit(page, button="refresh")
        assert isinstance(page, Page) and page.name == "settings", page
        return visitor


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("approvals"))
    yield site
    assert site.server.stop() == 0


@pytest.fixture
def marias(site):
    """A session of Maria's app, whose browser is signed in."""
    return site.app().sign_in(scope="openid offline_access")


def test_another_users_session_approves_nothing(site, marias):
    ninas = site.app().sign_in(person=NINA, scope="openid offline_access")
    request = site.ask()
    assert site.approvals(ninas.refresh_token).json()["approvals"] == []
    waiting = site.waiting(marias.refresh_token, request)
    for action in ("approve", "deny", "not_me"):
        answer = site.approvals(ninas.refresh_token, id=waiting, action=action, number=request["number"])
        assert (answer.status_code, answer.json()["error"]) == (409, "too_late"), action
    assert site.poll(request).json()["error"] == "authorization_pending", "nothing was decided"
    assert site.approve(marias.refresh_token, request).status_code == 204


def test_another_clients_request_gives_no_tokens(site, marias):
    request = site.ask()
    assert site.approve(marias.refresh_token, request).status_code == 204
    stolen = site.poll(request, OTHER_TILL)
    assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_grant")
    assert site.poll(request).status_code == 200


def test_no_app_of_others_and_no_token_of_others_approves(site, marias):
    strangers = RelyingParty(site.provider, STRANGERS_APP).sign_in(scope="openid offline_access")
    bare = site.app().sign_in(scope="profile offline_access")
    request = site.ask()
    waiting = site.waiting(marias.refresh_token, request)
    decision = {"id": waiting, "action": "approve", "number": request["number"]}
    for token, code in (
        (strangers.refresh_token, "insufficient_scope"), (bare.refresh_token, "insufficient_scope"),
        (marias.access_token, "invalid_grant"), (marias.id_token, "invalid_grant"),
    ):
        answer = site.approvals(token, **decision)
        assert answer.status_code in (400, 403) and answer.json()["error"] == code, answer.text
    assert site.approvals(marias.refresh_token, **decision).status_code == 204


def test_an_ended_app_approves_nothing_and_takes_its_approval_along(site, marias):
    app = site.app()
    ended = app.sign_in(scope="openid offline_access")
    request, late = site.ask(), site.ask()
    assert site.approve(ended.refresh_token, late).status_code == 204
    assert app.revoke(ended.refresh_token).status_code == 200
    assert site.approvals(ended.refresh_token).json()["error"] == "invalid_grant"
    answer = site.poll(late)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert site.approve(marias.refresh_token, request).status_code == 204


def test_a_session_that_an_approval_opened_approves_no_other(site, marias):
    """One mistaken approval must not become any number of sessions."""
    thief = site.approved_browser(marias.refresh_token)
    assert thief.open(f"{site.server.base}/settings").name == "settings", "the browser is in"
    site.ask()
    page = thief.open(f"{site.server.base}/settings/approvals")
    form = next(form for form in page.forms if any(value == "allow" for _, value in form.buttons))
    answer = thief.post(form.action, data=form.filled({"number": "42"}, "allow"))
    assert answer.status_code == 303 and "/login?" in answer.headers["Location"], "sign in first"
    app = site.app().sign_in(thief, None, scope="openid offline_access")
    refused = site.approve(app.refresh_token, site.ask())
    assert refused.status_code == 403 and refused.json()["error"] == "chained"


def test_a_session_that_an_approval_opened_lets_no_device_in(site, marias):
    """As on the page of approvals: the device's session would outlive that of the browser."""
    device = site.device()
    page = site.let_in(site.approved_browser(marias.refresh_token), device)
    assert page.name == "login", f"the device was let in: {page}"
    assert site.device_tokens(device).json()["error"] == "authorization_pending"


def settings(visitor, site, path: str, values: dict[str, str]) -> requests.Response:
    """A form of a page of the settings, with other values."""
    page = visitor.open(f"{site.server.base}/settings/{path}")
    return visitor.post(page.form.action, data=page.form.values | values)


def test_a_session_that_an_approval_opened_ends_no_other(site):
    """The thief would keep the account for herself while Maria is signed out everywhere."""
    hers = site.app().sign_in(scope="openid offline_access")
    thief = site.approved_browser(hers.refresh_token)
    for values in ({"action": "end", "kind": "app", "id": "app"}, {"action": "end-others"}):
        answer = settings(thief, site, "sessions", values)
        assert answer.status_code == 303 and "/login?" in answer.headers["Location"], answer.headers["Location"]
        assert site.provider.is_good(hers.access_token)
        assert hers.visitor.open(f"{site.server.base}/settings").name == "settings"
    assert "others-ended" in settings(hers.visitor, site, "sessions", {"action": "end-others"}).headers["Location"]
    assert thief.open(f"{site.server.base}/settings").name == "login", "who signed in here ends them"


def test_a_session_that_an_approval_opened_changes_no_profile(site):
    marias = site.app().sign_in(scope="openid offline_access")
    thief = site.approved_browser(marias.refresh_token)
    assert settings(thief, site, "profile", {"name": "Somebody Else", "action": "save"}).status_code == 400
    assert "Somebody Else" not in marias.visitor.get(f"{site.server.base}/settings/profile").text
    settings(marias.visitor, site, "profile", {"name": "Maria Two", "action": "save"})
    assert "Maria Two" in marias.visitor.get(f"{site.server.base}/settings/profile").text


def test_a_device_is_let_in_by_who_signed_in_here(site, marias):
    """The control of the test above."""
    device = site.device()
    assert "outcome=allowed" in site.let_in(marias.visitor, device).url
    assert site.device_tokens(device).status_code == 200


@pytest.fixture(scope="module")
def weak(site):
    """A password alone opened the app's session and the browser's; the account has an authenticator app since."""
    weak = site.app().sign_in(scope="openid offline_access")
    assert site.approve(weak.refresh_token, site.ask()).status_code == 204, "there is no second factor yet"
    site.enrol()
    return weak


@pytest.fixture(scope="module")
def strong(site, weak):
    app, visitor = site.app(), site.provider.visitor()
    request = app.request(scope="openid offline_access")
    tokens = app.accepted(app.redeem(site.strongly(visitor, app.open(visitor, request)), request))
    return visitor, tokens["refresh_token"]


def test_the_second_factor_approves(site, strong):
    visitor, refresh_token = strong
    assert site.approve(refresh_token, site.ask()).status_code == 204
    assert "outcome=allowed" in site.let_in(visitor, site.device()).url


def test_an_app_without_the_second_factor_approves_no_sign_in(site, weak):
    request = site.ask()
    answer = site.approve(weak.refresh_token, request)
    assert answer.status_code == 401 and answer.json()["error"] == "insufficient_user_authentication"
    assert site.poll(request).json()["error"] == "authorization_pending"


def test_a_browser_without_the_second_factor_approves_no_sign_in(site, weak):
    site.ask()
    page = weak.visitor.open(f"{site.server.base}/settings/approvals")
    form = next(form for form in page.forms if any(value == "allow" for _, value in form.buttons))
    answer = weak.visitor.post(form.action, data=form.filled({"number": "42"}, "allow"))
    assert answer.status_code == 303 and "/login?" in answer.headers["Location"]


def test_a_browser_without_the_second_factor_lets_no_device_in(site, weak):
    device = site.device()
    page = site.let_in(weak.visitor, device)
    assert page.name in ("login", "code"), f"the device was let in: {page}"
    assert site.device_tokens(device).json()["error"] == "authorization_pending"
