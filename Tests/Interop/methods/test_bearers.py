"""Who may call what: bearers of every wrong shape, tokens in the wrong place, other projects, other signers."""

from __future__ import annotations

import base64
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from support.methods import check_problem, new_email, new_password
from support.project import MANAGEMENT_KEY, PROJECT_ID

OTHER = "P2AnotherProject000000000000"


@pytest.fixture(scope="module")
def person(project) -> tuple[str, str]:
    """Session and refresh JWT of somebody."""
    return project.tokens(project.sign_up())


def check_refused(answer, *statuses: int) -> None:
    assert answer.status_code in (statuses or (400, 401, 403)), f"status {answer.status_code}: {answer.text[:200]}"
    if answer.status_code != 431:
        check_problem(answer.json())


@pytest.mark.parametrize(
    "bearer",
    [
        None,
        "",
        ":",
        f"{PROJECT_ID}x",
        OTHER,
        f"{OTHER}:",
        PROJECT_ID.lower(),
        f" :{PROJECT_ID}",
        "*",
        "null",
        "a" * 9_000,
    ],
)
def test_project_is_wrong(project, bearer):
    """Nobody signs up, and nothing is sent."""
    email = new_email()
    answer = project.wire.post("/v1/auth/otp/signup-in/email", {"loginId": email}, bearer=bearer)
    check_refused(answer, 400, 401, 403, 431)
    project.mail.nothing(email, 0.1)


@pytest.mark.parametrize("scheme", ["Basic ", "bearer", "Token ", "", "Bearer,"])
def test_scheme_is_wrong(project, scheme):
    headers = {"Authorization": f"{scheme}{PROJECT_ID}"}
    answer = project.wire.post("/v1/auth/otp/signup-in/email", {"loginId": new_email()}, bearer=None, headers=headers)
    check_refused(answer)


def test_scheme_in_any_case(project):
    """RFC 9110 §11.1: `bearer` is `Bearer`."""
    headers = {"Authorization": f"bearer {PROJECT_ID}"}
    answer = project.wire.send("GET", "/v1/auth/password/policy", bearer=None, headers=headers)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "call",
    [("POST", "refresh"), ("GET", "me"), ("GET", "me/history"), ("POST", "me/tenants"), ("POST", "tenant/select"),
     ("POST", "logout"), ("POST", "logoutall"), ("POST", "password/update"), ("POST", "totp/update"),
     ("POST", "otp/update/email"), ("POST", "otp/update/phone/sms"), ("POST", "magiclink/update/email"),
     ("POST", "magiclink/update/phone"), ("POST", "enchantedlink/update/email")],
    ids="{0[1]}".format,
)  # fmt: skip
def test_refresh_jwt_is_wrong(project, person, call):
    """Every call that wants a refresh JWT refuses everything that is none."""
    session, refresh = person
    method, path = call
    head, body, signature = refresh.split(".")
    members = {"loginId": new_email(), "email": new_email(), "phone": "+491511234567", "newPassword": new_password()}
    members |= {"tenant": "t", "dct": True}
    wrong = ["", session, MANAGEMENT_KEY, "x", "a.b.c", f"{head}.{body}.", f"{head}.{body}.AAAA", refresh[:-4] + "AAAA",
             f"{head}.{body}", refresh + "." + signature, "K2wrongkey", f"{session}:{refresh}",
             without_signature(refresh), signed_by_a_stranger(refresh)]  # fmt: skip
    for text in wrong:
        bearer = f"{PROJECT_ID}:{text}"
        answer = project.wire.send(method, f"/v1/auth/{path}", members if method == "POST" else None, bearer=bearer)
        check_refused(answer)
        assert text[:40] not in answer.text or not text, "the answer repeats the token"


def without_signature(token: str) -> str:
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    return f"{header}.{token.split('.')[1]}."


def signed_by_a_stranger(token: str) -> str:
    claims = jwt.decode(token, options={"verify_signature": False})
    header = jwt.get_unverified_header(token)
    return jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), "ES256", {"kid": header["kid"]})


def test_session_is_no_refresh_token(project, person):
    """`validate_session` of the package takes either; the server's own checks do not."""
    session, refresh = person
    for token in (session, refresh):
        answer = project.wire.send("GET", "/oauth2/userinfo", bearer=token)
        assert answer.status_code in (400, 401, 403) and "email" not in answer.text
    check_refused(project.wire.post("/v1/auth/refresh", bearer=f"{PROJECT_ID}:{session}"))


def test_other_project(project, person):
    """A token of this project under the name of another one."""
    _, refresh = person
    check_refused(project.wire.post("/v1/auth/refresh", bearer=f"{OTHER}:{refresh}"))
    check_refused(project.wire.send("GET", "/v1/mgmt/user?loginId=a", bearer=f"{OTHER}:{MANAGEMENT_KEY}"))
    keys = project.wire.send("GET", f"/v2/keys/{OTHER}")
    assert keys.status_code in (400, 404) or keys.json()["keys"] == [], keys.text[:200]


def test_other_server_with_the_same_project(project, quiet_project):
    """Signed by somebody else who calls the project the same."""
    _, refresh = quiet_project.tokens(quiet_project.sign_up_with_password()[0])
    check_refused(project.wire.post("/v1/auth/refresh", bearer=f"{PROJECT_ID}:{refresh}"), 400, 401)


@pytest.mark.parametrize("bearer", ["{p}", "{p}:", "{p}:{k}x", "{k}", "{k}:{p}", "{p}:{r}", "{p}:{s}:", "{p}: {k}"])
def test_management_key_is_wrong(project, person, bearer):
    session, refresh = person
    filled = bearer.format(p=PROJECT_ID, k=MANAGEMENT_KEY, r=refresh, s=session)
    for method, path in (
        ("GET", "/v1/mgmt/user?loginId=a"),
        ("POST", "/v1/mgmt/user/create"),
        ("GET", "/v1/mgmt/license"),
    ):
        answer = project.wire.send(method, path, {"loginId": new_email()} if method == "POST" else None, bearer=filled)
        check_refused(answer, 401, 403)


@pytest.mark.parametrize("where", ["query", "cookie", "form"])
def test_tokens_elsewhere(project, person, where):
    """A token counts in the header alone: addresses are logged, cookies are sent by anybody's page."""
    _, refresh = person
    query = f"?refreshJwt={refresh}&DSR={refresh}&access_token={refresh}" if where == "query" else ""
    headers = {"Cookie": f"DSR={refresh}; DS={refresh}"} if where == "cookie" else {}
    body = {"refreshJwt": refresh, "DSR": refresh} if where == "form" else None
    check_refused(project.wire.send("GET", f"/v1/auth/me{query}", headers=headers))
    check_refused(project.wire.post(f"/v1/auth/refresh{query}", body, headers=headers))


def test_claims_of_tokens(project, person):
    """What each token says of itself (§4.1)."""
    for token, kind in zip(person, ("DS", "DSR"), strict=True):
        header, claims = jwt.get_unverified_header(token), jwt.decode(token, options={"verify_signature": False})
        assert header["typ"] == "JWT" and header["alg"] in ("ES256", "RS256") and header["kid"]
        assert claims["iss"] == f"{project.server.issuer}/{PROJECT_ID}" and claims["drn"] == kind
        assert PROJECT_ID in ([claims["aud"]] if isinstance(claims["aud"], str) else claims["aud"])
        assert type(claims["iat"]) is int and type(claims["exp"]) is int and claims["iat"] <= time.time() + 1
        assert isinstance(claims["sub"], str) and "@" not in json.dumps(claims), "an address travels with each request"
    rexp = jwt.decode(person[0], options={"verify_signature": False})["rexp"]
    assert isinstance(rexp, str) and rexp.endswith("Z")
