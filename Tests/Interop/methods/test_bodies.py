"""Bodies that no package sends: too large, too deep, of other types, with line breaks; attacks 113 and 115."""

from __future__ import annotations

import time

import pytest

from support.methods import EMAIL, check_problem, new_email
from support.project import PROJECT_ID
from support.secrets_seen import seen

QUICK_SECONDS = 5
CALLS = [
    "/v1/auth/otp/signup/email", "/v1/auth/otp/signin/email", "/v1/auth/otp/verify/email",
    "/v1/auth/magiclink/signup-in/email", "/v1/auth/magiclink/verify", "/v1/auth/enchantedlink/signup-in/email",
    "/v1/auth/enchantedlink/verify", "/v1/auth/enchantedlink/pending-session", "/v1/auth/totp/signup",
    "/v1/auth/totp/verify", "/v1/auth/password/signup", "/v1/auth/password/signin", "/v1/auth/password/replace",
    "/v1/auth/password/reset", "/v1/auth/refresh", "/v1/auth/accesskey/exchange", "/v1/auth/me/tenants",
    "/v1/mgmt/user/create", "/v2/mgmt/user/search", "/v1/mgmt/jwt/update", "/v1/mgmt/user/history",
]  # fmt: skip
MALFORMED = {
    "nothing": b"",
    "text": b"loginId",
    "half": b'{"loginId":"a@example.com"',
    "two": b'{"loginId":"a@example.com"}{}',
    "list": b'["a@example.com"]',
    "number": b"7",
    "null": b"null",
    "same member twice": b'{"loginId":"a@example.com","loginId":"b@example.com"}',
    "not UTF-8": b'{"loginId":"\xff\xfe"}',
    "half a character": b'{"loginId":"\\ud800"}',
    "NaN": b'{"loginId":NaN}',
    "a comment": b'{"loginId":"a@example.com"/* */}',
    "mark of byte order": b'\xef\xbb\xbf{"loginId":"a@example.com"}',
    "deep lists": b'{"loginId":"a@example.com","loginOptions":{"customClaims":' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
    "deep objects": b'{"user":' * 3_000 + b"1" + b"}" * 3_000,
    "unclosed": b"[" * 60_000,
}
# Bodies that mean something: everybody, nobody, or some users by their identifiers.
MEANT = {"/v1/mgmt/user/history": ("list", "nothing", "null"), "/v2/mgmt/user/search": ("nothing", "null")}
TYPES = [None, 7, 1.5, True, [], {}, ["a@example.com"], {"a": 1}, "", " ", "\0", "a\0b@example.com", "x" * 70_000]


def check_refused(answer, *statuses: int) -> None:
    assert answer.status_code in (statuses or (400, 401, 413)), f"status {answer.status_code}: {answer.text[:200]}"
    if answer.content:
        check_problem(answer.json())


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed(project, name):
    """Refused in the words of the wire, at once, by every call."""
    bearer = f"{PROJECT_ID}:{project.management_key}"
    for path in CALLS:
        start = time.monotonic()
        answer = project.wire.post(path, data=MALFORMED[name], bearer=bearer if "mgmt" in path else PROJECT_ID)
        assert time.monotonic() - start < QUICK_SECONDS
        if name in MEANT.get(path, ()):
            continue
        check_refused(answer)


@pytest.mark.parametrize("path", CALLS)
def test_too_large(project, path):
    """A megabyte and more, of which nobody looks at most."""
    body = b'{"loginId":"' + b"a" * 3_000_000 + b'@example.com"}'
    start = time.monotonic()
    try:
        answer = project.wire.post(path, data=body)
    except OSError:
        return
    assert time.monotonic() - start < QUICK_SECONDS
    check_refused(answer, 400, 401, 413)


@pytest.mark.parametrize(
    "member", ["loginId", "code", "token", "password", "user", "loginOptions", "pendingRef", "URI", "redirectUrl"]
)
def test_other_types(project, member):
    """Whatever stands in a member: no fault of the server."""
    for path in CALLS:
        if "mgmt" in path:
            continue
        for value in TYPES:
            body = {"loginId": new_email(), "password": "short", "code": "000000", "token": "t", member: value}
            answer = project.wire.post(path, body, network="10.113.0.1")
            assert answer.status_code != 404, f"{path} is not there"
            assert answer.status_code < 500, (
                f"{path} {member}={str(value)[:20]!r}: {answer.status_code} {answer.text[:200]}"
            )


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
def test_other_methods(project, method):
    for path in CALLS[:14]:
        answer = project.wire.send(method, path)
        assert answer.status_code in (400, 404, 405), f"{method} {path}: {answer.status_code}"


@pytest.mark.parametrize(
    "path", ["/v1/auth/otp/signup/pigeon", "/v1/auth/otp/verify", "/v1/auth/nothing", "/v1/auth/otp/update/phone/email"]
)
def test_unknown_paths(project, path):
    answer = project.wire.post(path, {"loginId": new_email()})
    assert answer.status_code in (400, 401, 404), f"status {answer.status_code}"


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_claims_are_bounded(project, size):
    """Custom claims travel with every request: there is an end to them."""
    body = {"loginId": new_email(), "loginOptions": {"customClaims": {"k": "x" * size}}}
    check_refused(project.wire.post("/v1/auth/otp/signup-in/email", body), 400, 413)


def test_attack_113_logs(project, client):
    """No line of a stranger's, and not one secret of this run."""
    email = new_email()
    breaking = "a\r\nINJECTED-LINE: yes\x1b[31m"
    project.wire.post("/v1/auth/otp/signin/email", {"loginId": breaking, "loginOptions": {"locale": breaking}})
    project.wire.post(
        "/v1/auth/password/signin", {"loginId": email, "password": breaking}, headers={"X-Descope-Device": "a"}
    )
    project.wire.send("GET", "/v1/auth/me%0d%0aINJECTED-LINE", headers={"User-Agent": "x\ty"})
    client.otp.sign_up_or_in(EMAIL, email)
    code = project.mail.take(email).code
    client.otp.verify_code(EMAIL, email, code)
    time.sleep(0.2)
    log = project.server.log_text()
    assert not [line for line in log.splitlines() if line.startswith("INJECTED-LINE")] and "\x1b[31m" not in log
    assert email not in log, "an address is in the log"
    found = [kind for secret, kind in seen().items() if secret in log]
    assert not found, f"in the log: {found}"


def test_answers_are_kept_by_nobody(project):
    """Neither tokens nor refusals stay in a cache; nothing is sent to be run."""
    email = new_email()
    answers = [
        project.wire.post("/v1/auth/otp/signup-in/email", {"loginId": email}),
        project.wire.post("/v1/auth/otp/verify/email", {"loginId": email, "code": project.mail.take(email).code}),
        project.wire.post("/v1/auth/otp/verify/email", {"loginId": email, "code": "000000"}),
    ]
    assert [answer.status_code for answer in answers[:2]] == [200, 200]
    for answer in answers:
        assert answer.headers["Content-Type"].split(";")[0] == "application/json"
        assert "no-store" in answer.headers["Cache-Control"] and answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Set-Cookie" not in answer.headers
