"""A session in which an operator acts as a user ends with what allows it, whichever way that ends."""

from __future__ import annotations

import re
import sqlite3
from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, serve
from support.tokens import payload_of

numbers = count(1)
HOUR = 3_601


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("acting"))
    key = Management(server)
    key.done("permission/create", {"name": "Impersonate"})
    yield server
    assert server.stop() == 0


class Helper:
    """A new operator who may act as users."""

    def __init__(self, own, key: Management):
        number = next(numbers)
        self.role, self.login = f"stand-in-{number}", f"helper{number}@example.com"
        key.done("role/create", {"name": self.role, "permissionNames": ["Impersonate"]})
        self.id = key.done("user/create", {
            "loginId": self.login, "email": self.login, "verifiedEmail": True, "password": PASSWORD,
            "roleNames": [self.role]})["user"]["userId"]
        key.done("operator/update", {"userId": self.id, "role": "operator"})
        self.operator = Operator(own, f"helper{number}")
        self.operator.enter()


class Acting:
    """An operator who acts as a new user."""

    def __init__(self, own, key: Management, helper: Helper):
        self.own, self.key = own, key
        self.role, self.login, self.helper, self.operator = helper.role, helper.login, helper.id, helper.operator
        self.victim = f"victim{next(numbers)}@example.com"
        self.user = key.done("user/create", {
            "loginId": self.victim, "email": self.victim, "verifiedEmail": True})["user"]["userId"]
        self.refresh = self.begin()
        assert self.goes_on()

    def begin(self) -> str:
        page = self.operator.send(
            f"/admin/users/user/change?id={self.user}", {"id": self.user, "action": "impersonate"})
        assert page.status_code == 200, page.text[:300]
        return re.search(r"eyJ[\w-]+\.[\w-]+\.[\w-]+", page.text).group(0)

    def goes_on(self) -> bool:
        """Whether the operator is still the user, for what a session token is good for."""
        answer = auth(self.own, "refresh", bearer=self.refresh)
        assert answer.status_code in (200, 401), answer.text
        if answer.status_code == 200:
            self.refresh = answer.json().get("refreshJwt") or self.refresh
        return answer.status_code == 200

    def sessions(self) -> dict:
        return self.key.get(f"user/sessions?userId={self.helper}").json()


@pytest.fixture
def acting(own, key) -> Acting:
    """Whose operator the test may end."""
    return Acting(own, key, Helper(own, key))


@pytest.fixture(scope="module")
def lasting(own, key) -> Helper:
    return Helper(own, key)


@pytest.fixture
def shared(own, key, lasting) -> Acting:
    """Whose operator stays."""
    return Acting(own, key, lasting)


def test_who_acts_as_another_user_stops_when_each_of_ones_own_sessions_ends(key, acting):
    """An owner sees a session that is not the operator's own, and ends it, and every other one."""
    seen = acting.sessions()
    assert seen["sessions"], seen
    for each in seen["sessions"]:
        key.done("user/sessions/end", {"userId": acting.helper, "sessionId": each["sessionId"]})
    for each in seen["apps"]:
        key.done("user/sessions/end", {"userId": acting.helper, "grantId": each["grantId"]})
    left = acting.sessions()
    assert not left["sessions"] and not left["apps"]
    assert acting.operator.browser.get(f"{acting.own.base}/admin").status_code == 303, "signed out of the console"
    assert not acting.goes_on(), "the operator has no session left, and is still the user"


@pytest.mark.parametrize("stays", ["nothing", "an app"])
def test_who_acts_as_another_user_stops_with_a_sign_out(own, acting, stays):
    """The operator's own, on the page that opened the session; an app of the operator's may go on."""
    browser = acting.operator.browser
    if stays == "an app":
        assert acting.operator.tokens()["refresh_token"] and acting.sessions()["apps"]
    page = browser.submit(browser.open(f"{own.base}/logout"))
    assert browser.get(f"{own.base}/admin").status_code == 303, page
    assert not acting.goes_on(), "signed out, and still the user"


ENDS = {
    "a lower role": lambda a: a.key.done("operator/update", {"userId": a.helper, "role": "support"}),
    "the role of the project is removed": lambda a: a.key.done("role/delete", {"name": a.role}),
    "the permission leaves the role": lambda a: a.key.done("role/update", {"name": a.role, "permissionNames": []}),
    "the operator is merged away": lambda a: a.key.done(
        "user/merge", {"userId": a.user, "otherUserId": a.helper}),
    "the operator's password": lambda a: a.key.done(
        "user/password/set/active", {"loginId": a.login, "password": "Seven-grey-herons-1!"}),
    "the operator expires": lambda a: a.key.done("user/update/status", {"userId": a.helper, "status": "expired"}),
}
ENDS_OF_USERS = {
    "the user's role in the console": lambda a: a.key.done("operator/update", {"userId": a.user, "role": "operator"}),
    "the user is disabled": lambda a: a.key.done("user/update/status", {"userId": a.user, "status": "disabled"}),
    "the user is deleted": lambda a: a.key.done("user/delete", {"userId": a.user}),
    "the user signs out everywhere": lambda a: a.key.done("user/logout", {"userId": a.user}),
}


@pytest.mark.parametrize("end", ENDS)
def test_who_acts_as_another_user_stops_with(acting, end):
    ENDS[end](acting)
    assert not acting.goes_on(), f"after {end}"


@pytest.mark.parametrize("end", ENDS_OF_USERS)
def test_who_acts_as_another_user_stops_with_what_becomes_of_the_user(shared, end):
    ENDS_OF_USERS[end](shared)
    assert not shared.goes_on(), f"after {end}"


def test_a_permission_of_a_tenant_lets_nobody_act(key, acting):
    """Only one of the whole project does."""
    key.done("role/create", {"name": "local", "tenantId": "harbour", "permissionNames": ["Impersonate"]})
    key.done("user/update/tenant/add", {"userId": acting.helper, "tenantId": "harbour"})
    key.done("user/update/role/add", {"userId": acting.helper, "tenantId": "harbour", "roleNames": ["local"]})
    key.done("user/update/role/remove", {"userId": acting.helper, "roleNames": [acting.role]})
    assert not acting.goes_on()
    page = acting.operator.send(
        f"/admin/users/user/change?id={acting.user}", {"id": acting.user, "action": "impersonate"})
    assert page.status_code == 422 and "eyJ" not in page.text


def test_who_acts_as_another_user_does_so_for_an_hour(own, shared):
    """Refreshing makes no hour longer."""
    for _ in range(3):
        assert shared.goes_on()
    with sqlite3.connect(own.folder / "keyturn.db", timeout=30) as database:
        ends = database.execute(
            "SELECT max(absolute_expires_at - created_at) FROM grant_ WHERE user_id = ?", (shared.user,)).fetchone()[0]
    assert ends <= HOUR - 1, ends


def test_an_operators_token_opens_no_session_by_a_call(own, key, shared):
    token = Management(own, shared.operator.tokens()["access_token"])
    body = {"loginId": shared.victim, "impersonatorId": shared.helper}
    for path in ("impersonate", "impersonate/stepup", "jwt/update", "auth/signin", "auth/signup-in",
                 "stop/impersonation"):
        assert token.post(path, body | {"jwt": shared.refresh}).status_code == 401, path
        presented = {} if path.startswith("auth/") else {"jwt": shared.refresh}
        assert key.post(path, body | presented).status_code == 200, f"{path}: a key's holder does"


def test_who_acts_as_another_user_opens_nothing_at_the_token_endpoint(own, shared):
    session = auth(own, "refresh", bearer=shared.refresh).json()
    shared.refresh = session.get("refreshJwt") or shared.refresh
    kind = "urn:ietf:params:oauth:token-type:"
    for token, name in [(session["sessionJwt"], "access_token"), (shared.refresh, "refresh_token"),
                        (session["sessionJwt"], "jwt")]:
        exchanged = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "keyturn-cli",
            "subject_token": token, "subject_token_type": kind + name, "scope": "openid keyturn:management"})
        assert exchanged.status_code == 400, exchanged.text
    refreshed = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": "keyturn-cli", "refresh_token": shared.refresh})
    assert (refreshed.status_code, refreshed.json()["error"]) == (400, "invalid_grant")
    for bearer in (session["sessionJwt"], shared.refresh):
        assert Management(own, bearer).get("operator/all").status_code == 401
    assert shared.goes_on(), "and the session is still one"


def test_who_acts_as_another_user_is_named_in_each_token(own, shared):
    session = auth(own, "refresh", bearer=shared.refresh).json()
    assert payload_of(session["sessionJwt"])["act"] == {"sub": shared.helper}


def test_only_an_operator_with_the_permission_acts(own, key, acting):
    """A viewer and support do not, whatever permission they have."""
    for role in ("viewer", "support"):
        key.done("operator/update", {"userId": acting.helper, "role": role})
        refused = acting.operator.browser.post(
            f"{own.base}/admin/users/user/change", data={"id": acting.user, "action": "impersonate"})
        assert refused.status_code == 403 and "eyJ" not in refused.text
