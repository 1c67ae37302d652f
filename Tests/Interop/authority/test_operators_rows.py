"""Each call and each form of the operators asks for the role of its row, and for a sign-in of the last ten minutes."""

from __future__ import annotations

import pytest
import requests

from support.operators import PASSWORD, ROLES, Management, Operator, aged, serve
from support.pages import Page

ORDER = ["viewer", "support", "operator", "owner"]
NAMES = {"viewer": "vera", "support": "sue", "operator": "oper", "owner": "olga"}
NINA, VIC = {"loginId": "nina@example.com"}, {"loginId": "victim@example.com"}
NO_PASSWORD = "Seven-grey-herons-1!"

# What a viewer reads.
READS = [
    "GET v1 user?loginId=nina@example.com", "GET v1 user/sessions?loginId=nina@example.com", "POST v2 user/search",
    "GET v1 operator/all", "GET v1 client/all", "GET v1 client?id=keyturn-cli", "GET v1 signing-key/all",
    "GET v1 message/waiting", "GET v1 message/dead", "GET v1 message/preview?kind=code&channel=email",
    "GET v1 tenant/all", "GET v1 tenant?id=harbour", "POST v1 tenant/search", "GET v1 role/all", "POST v1 role/search",
    "GET v1 permission/all", "GET v1 password/settings", "POST v1 audit/search",
]
# Call, body, lowest role, whether the sign-in must be recent, what the one who may is answered.
CHANGES = [
    ("user/logout", NINA, "support", False, 200),
    ("user/sessions/end", NINA | {"sessionId": "none"}, "support", False, 200),
    ("user/sessions/end", NINA | {"keyId": "none"}, "support", True, 200),
    ("message/test", {"to": "nina@example.com", "channel": "email"}, "support", False, 200),
    ("message/retry", {"id": "00"}, "support", False, 200),
    ("user/update/status", VIC | {"status": "enabled"}, "support", True, 200),
    ("user/secondfactor/delete", NINA, "support", True, 200),
    ("user/password/reset", NINA, "support", True, 200),
    ("user/invite", NINA, "support", True, 400),
    ("user/update/role/add", NINA | {"roleNames": []}, "operator", True, 200),
    ("user/update/role/remove", NINA | {"roleNames": []}, "operator", True, 200),
    ("user/update/tenant/add", NINA | {"tenantId": "harbour"}, "operator", True, 200),
    ("user/update/tenant/remove", NINA | {"tenantId": "harbour"}, "operator", True, 200),
    ("user/password/set/active", VIC | {"password": NO_PASSWORD}, "operator", True, 200),
    ("user/create", {"loginId": "made@example.com"}, "operator", True, 200),
    ("user/merge", VIC | {"otherLoginId": "made@example.com"}, "operator", True, 400),
    ("user/delete", {"loginId": "made@example.com"}, "operator", True, 200),
    ("client/create", {"client_id": "made", "redirect_uris": ["https://made.example/"]}, "operator", True, 200),
    ("client/rotate-secret", {"client_id": "made"}, "operator", True, 200),
    ("client/delete", {"client_id": "made"}, "operator", True, 200),
    ("signing-key/rotate", {"alg": "none"}, "operator", True, 400),
    ("signing-key/drop", {"kid": "none"}, "operator", True, 400),
    ("scim/token/create", {"tenantId": "harbour"}, "operator", True, 200),
    ("scim/token/revoke", {"tenantId": "harbour", "id": "none"}, "operator", True, 400),
    ("tenant/create", {"id": "made", "name": "Made"}, "operator", True, 200),
    ("tenant/delete", {"id": "made"}, "operator", True, 200),
    ("role/create", {"name": "made"}, "operator", True, 200),
    ("role/delete", {"name": "made"}, "operator", True, 200),
    ("permission/create", {"name": "made.do"}, "operator", True, 200),
    ("operator/update", VIC | {"role": ""}, "owner", True, 200),
]
# What no operator's token opens, an owner's neither.
OF_KEYS = [
    "POST v1 connection/create", "PATCH v1 connection/patch", "POST v1 connection/delete", "GET v1 connection/all",
    "POST v1 sso/oidc", "POST v1 sso/saml", "POST v1 sso/mapping", "POST v1 accesskey/create",
    "POST v1 accesskey/rotate", "POST v1 accesskey/search", "POST v1 impersonate", "POST v1 impersonate/stepup",
    "POST v1 stop/impersonation", "POST v1 jwt/update", "POST v1 auth/signin", "POST v1 auth/signup",
    "POST v1 tests/generate/otp", "POST v1 tests/generate/magiclink", "POST v1 user/signin/embeddedlink",
    "POST v1 user/signup/embeddedlink", "POST v1 user/create/test", "POST v1 user/create/batch",
    "POST v1 user/update", "PATCH v1 user/patch", "POST v1 user/update/email", "POST v1 user/update/loginid",
    "POST v1 user/password/set/temporary", "POST v1 user/password/set", "GET v1 user/provider/token",
    "POST v1 tenant/update", "PATCH v1 tenant/patch", "POST v1 role/update", "POST v1 permission/update",
    "DELETE v1 user/test/delete/all",
]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("rows"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {role: Operator(own, name) for role, name in NAMES.items()}
    for one in entered.values():
        one.enter()
    Management(own).done("user/create", VIC | {
        "email": "victim@example.com", "verifiedEmail": True, "password": PASSWORD})
    return entered


@pytest.fixture(scope="module")
def tokens(own, people) -> dict[str, Management]:
    return {role: Management(own, one.tokens()["access_token"]) for role, one in people.items()}


def call(by: Management, words: str) -> requests.Response:
    method, version, path = words.split()
    return by.send(method, f"/{version}/mgmt/{path}", None if method == "GET" else {})


def test_reading_needs_a_role_and_a_sign_in_of_today(own, tokens):
    stranger = Management(own, Operator(own, "nina").tokens()["access_token"])
    for words in READS:
        assert call(tokens["viewer"], words).status_code == 200, words
        assert call(stranger, words).status_code == 403, words
    with aged(own, 43_201):
        assert call(tokens["owner"], READS[0]).status_code == 401


def test_each_call_asks_for_its_role(tokens):
    for path, body, role, _, answer in CHANGES:
        for lower in ORDER[:ORDER.index(role)]:
            refused = tokens[lower].post(path, body)
            assert refused.status_code == 403, f"{path} by {lower}: {refused.status_code} {refused.text}"
            assert refused.json()["errorCode"] == "E011003", refused.text
        allowed = tokens[role].post(path, body)
        assert allowed.status_code == answer, f"{path} by {role}: {allowed.status_code} {allowed.text}"


def test_each_call_that_changes_asks_for_a_recent_sign_in(own, tokens):
    """RFC 9470: the challenge says how old the sign-in may be."""
    with aged(own):
        for path, body, _, is_recent, answer in CHANGES:
            told = tokens["owner"].post(path, body)
            if not is_recent:
                assert told.status_code == answer, f"{path}: {told.status_code} {told.text}"
                continue
            assert told.status_code == 401, f"{path}: {told.status_code} {told.text}"
            challenge = told.headers["WWW-Authenticate"]
            assert 'error="insufficient_user_authentication"' in challenge and 'max_age="600"' in challenge, challenge


def test_no_operators_token_opens_what_is_for_keys(own, tokens):
    """The same calls are known to a key: what it is answered is about the body."""
    key = Management(own)
    for words in OF_KEYS:
        refused = call(tokens["owner"], words)
        assert refused.status_code == 401 and refused.json()["errorCode"] == "E011003", f"{words}: {refused.text}"
        assert call(key, words).status_code in (200, 400), words


def test_no_token_but_the_sign_ins_own_opens_anything(own, people, tokens):
    """Exchanged, for less, without a second factor: none of them."""
    assert tokens["owner"].get("operator/all").status_code == 200
    exchanged = requests.post(f"{own.base}/oauth2/token", timeout=20, data={
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "keyturn-cli",
        "subject_token": tokens["owner"].bearer, "scope": "keyturn:management",
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
    })
    assert exchanged.status_code == 200, exchanged.text
    less = people["owner"].tokens(scope="openid profile")["access_token"]
    for token in [exchanged.json()["access_token"], less]:
        refused = Management(own, token).get("operator/all")
        assert refused.status_code == 403 and refused.json()["errorCode"] == "insufficient_scope", refused.text
    weak = Operator(own, "oskar")
    password_alone = Management(own, weak.tokens()["access_token"]).get("operator/all")
    assert password_alone.status_code == 401, password_alone.text
    assert 'acr_values="urn:keyturn:acr:mfa"' in password_alone.headers["WWW-Authenticate"]
    assert weak.browser.open(f"{own.base}/admin").name == "totp-setup", "the console wants a factor as well"


def forms(user: str) -> list[tuple[str, str, dict, str, bool]]:
    """Page, where its form goes, what is sent, the lowest role, whether the sign-in must be recent."""
    one = {"id": user}
    return [
        (f"/admin/users/user?id={user}", "/admin/users/user/sessions", one | {"action": "end-all"}, "support", False),
        ("/admin/messages", "/admin/messages", {"action": "retry", "id": "00"}, "support", False),
        (f"/admin/users/user?id={user}", "/admin/users/user", one | {"action": "reset"}, "support", True),
        (f"/admin/users/user/change?id={user}", "/admin/users/user/change",
         one | {"action": "leave", "tenant": "other"}, "operator", True),
        ("/admin/users/new", "/admin/users/new", {"loginId": ""}, "operator", True),
        ("/admin/tenants", "/admin/tenants", {"name": ""}, "operator", True),
        ("/admin/tenants/tenant?id=harbour", "/admin/tenants/tenant", {"id": "harbour", "action": "token"}, "operator",
         True),
        ("/admin/roles", "/admin/roles", {"action": "remove-role", "role": "none"}, "operator", True),
        ("/admin/connections", "/admin/connections", {"document": "none"}, "operator", True),
        ("/admin/clients/new", "/admin/clients/new", {"client_id": ""}, "operator", True),
        ("/admin/keys", "/admin/keys", {"action": "rotate", "algorithm": "none"}, "operator", True),
        ("/admin/operators", "/admin/operators", {"action": "grant", "user": "nobody", "role": "owner"}, "owner", True),
    ]


def test_each_form_asks_for_its_role(own, people):
    user = Management(own).user("nina@example.com")["userId"]
    for at, to, values, role, _ in forms(user):
        for lower in ORDER[:ORDER.index(role)]:
            refused = Page(people[lower].browser.post(own.base + to, data=values))
            assert refused.status == 403 and "role" in refused.response.text, f"{to} by {lower}: {refused}"
            assert "another site" not in refused.response.text, f"{to}: the form was looked at before the role"
        allowed = people[role].send(at, values, to=to)
        assert allowed.status_code in (200, 303, 422), f"{to} by {role}: {allowed.status_code}"
        assert "/login" not in allowed.headers.get("Location", ""), f"{to} by {role}"


def test_each_form_that_changes_asks_for_a_recent_sign_in(own, people):
    key = Management(own)
    user = key.user("nina@example.com")["userId"]
    with aged(own):
        for at, to, values, role, is_recent in forms(user):
            answer = people[role].send(at, values, to=to)
            goes_to_sign_in = answer.headers.get("Location", "").startswith("/login?transaction=")
            assert goes_to_sign_in == is_recent, f"{to}: {answer.status_code} {answer.headers.get('Location')}"


def test_support_lets_nobody_in_again_by_the_form_that_disables(own, people):
    """One form disables, which waits for no sign-in, and enables, which does."""
    key = Management(own)
    user = key.user("victim@example.com")["userId"]
    change = lambda action: people["support"].send(
        f"/admin/users/user?id={user}", {"id": user, "action": action}, to="/admin/users/user/sessions")
    with aged(own):
        assert change("disable").headers["Location"].startswith("/admin/users/user")
        assert key.user("victim@example.com")["status"] == "disabled"
        assert change("enable").headers["Location"].startswith("/login?transaction=")
        assert key.user("victim@example.com")["status"] == "disabled"
    assert change("enable").headers["Location"].startswith("/admin/users/user")
    assert key.user("victim@example.com")["status"] == "enabled"


def test_a_form_is_good_for_its_operator_and_its_address_alone(own, people):
    """The mark of the form for messages, and the mark of the other operator, give nobody a role."""
    mark = people["owner"].browser.open(f"{own.base}/admin/messages").form.values["csrf"]
    grant = {"action": "grant", "user": "vera@example.com", "role": "owner"}
    others = people["operator"].browser.open(f"{own.base}/admin/keys").form.values["csrf"]
    for form in [{"csrf": mark}, {"csrf": others}, {}]:
        refused = people["owner"].browser.post(f"{own.base}/admin/operators", data=grant | form)
        assert refused.status_code == 403, refused.status_code
    roles = {each["loginIds"][0]: each["role"] for each in Management(own).get("operator/all").json()["operators"]}
    assert roles["vera@example.com"] == "viewer" and set(ROLES.values()) - {None} == set(roles.values())
