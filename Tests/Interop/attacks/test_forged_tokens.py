"""Attacks 52-58, 60, 66: tokens that the server did not make, or not like this."""

from __future__ import annotations

import pytest

from support import checks, forgery
from support.forgery import Attacker
from support.pages import Page
from support.visitor import TIMEOUT_SECONDS


def check_rejected(rp, forged: dict[str, str]) -> None:
    """Each one is nothing to UserInfo, in header and body, and inactive to introspection."""
    accepted = []
    for name, token in forged.items():
        answers = [rp.provider.userinfo(token, "POST", headers={}, data={"access_token": token})]
        if token.isascii() and token.isprintable() and token == token.strip() and "," not in token:
            answers.append(rp.provider.userinfo(token))
        for response in answers:
            assert response.status_code < 500, f"{name}: status {response.status_code}"
            if response.status_code not in (400, 401):
                accepted.append(f"{name}: userinfo {response.status_code}")
            else:
                assert "sub" not in response.text
        introspection = rp.post("introspection", {"token": token})
        assert introspection.status_code < 500, f"{name}: status {introspection.status_code}"
        if introspection.status_code == 200 and introspection.json() != {"active": False}:
            accepted.append(f"{name}: introspection {introspection.text}")
    assert not accepted, accepted


@pytest.fixture(scope="module")
def rp(app):
    return app("first-app")


@pytest.fixture(scope="module")
def token(session_at_first_app, rp) -> str:
    """Genuine: what is made of it is refused for no other reason."""
    genuine = session_at_first_app.access_token
    assert rp.provider.is_good(genuine) and rp.introspect(genuine)["active"] is True
    return genuine


@pytest.fixture(scope="module")
def attacker() -> Attacker:
    return Attacker()


def test_attack_52_unsigned(rp, token):
    check_rejected(rp, forgery.unsigned(token))


def test_attack_53_public_key_as_secret(rp, token):
    published = rp.http.get(rp.provider.endpoint("jwks_uri"), timeout=TIMEOUT_SECONDS).json()["keys"]
    check_rejected(rp, forgery.confused(token, published))


def test_attack_54_key_from_the_header(rp, token, attacker, trap):
    """Ignored; nothing is fetched."""
    check_rejected(rp, forgery.with_own_key(token, attacker, trap.base))


def test_attack_55_odd_key_names(rp, token, attacker):
    check_rejected(rp, forgery.with_odd_kid(token, attacker))


def test_attack_56_critical_members(rp, token, attacker):
    check_rejected(rp, forgery.with_critical_members(token, attacker))


def test_attack_57_duplicate_members(rp, token, attacker):
    check_rejected(rp, forgery.with_duplicates(token, attacker))


def test_attack_60_other_spellings(rp, token):
    check_rejected(rp, forgery.respelled(token))


def test_attack_60_garbage(rp):
    check_rejected(
        rp,
        {
            "dots": "...",
            "two dots": "..",
            "words": "not a token",
            "long": "A" * 20_000,
            "empty objects": "e30.e30.e30",
            "not JSON": "AAAA.AAAA.AAAA",
            "deep": forgery.assemble("[" * 5_000 + "]" * 5_000, "{}", "AAAA"),
            "unicode": "\u00fc.\u00fc.\u00fc",
        },
    )


def test_attack_58_token_of_another_kind(rp, session_at_first_app):
    """An ID token is no access token; an access token is no hint."""
    check_rejected(rp, {"ID token": session_at_first_app.id_token})
    assert rp.provider.userinfo(session_at_first_app.refresh_token).status_code == 401
    visitor = session_at_first_app.visitor
    arrival = visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": session_at_first_app.access_token})
    assert isinstance(arrival, Page) and arrival.name in ("error", "logout"), f"taken for an ID token: {arrival}"
    assert rp.is_signed_in(visitor)


@pytest.mark.parametrize("family", ["unsigned", "confused", "with_own_key", "with_duplicates", "respelled"])
def test_attack_52_60_forged_hints_end_nothing(rp, session_at_first_app, attacker, trap, family):
    """The same families as ID tokens: nobody is signed out by them, nobody is let through."""
    visitor, genuine = session_at_first_app.visitor, session_at_first_app.id_token
    published = rp.http.get(rp.provider.endpoint("jwks_uri"), timeout=TIMEOUT_SECONDS).json()["keys"]
    more = {"confused": (published,), "with_own_key": (attacker, trap.base), "with_duplicates": (attacker,)}
    for name, hint in getattr(forgery, family)(genuine, *more.get(family, ())).items():
        arrival = visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": hint})
        assert isinstance(arrival, Page) and arrival.name in ("error", "logout"), f"{name}: {arrival}"
        answer = rp.open(visitor, rp.request(prompt="none", id_token_hint=hint))
        if isinstance(answer, Page):
            assert answer.name == "error", f"{name}: {answer}"
        else:
            assert answer.get("error") in ("invalid_request", "login_required"), f"{name}: {answer.parameters}"
    assert rp.is_signed_in(visitor)


def test_attack_66_token_in_the_address(rp, session_at_first_app):
    """It would be in every log: refused, even though it is genuine."""
    for method in ("GET", "POST"):
        response = rp.provider.userinfo(
            "", method, headers={}, params={"access_token": session_at_first_app.access_token}
        )
        assert response.status_code in (400, 401), f"{method}: status {response.status_code}"
        assert response.headers.get("WWW-Authenticate") or response.status_code == 400
        assert "sub" not in response.text


def test_attack_66_secret_in_the_address(app):
    """RFC 6749 §2.3.1: credentials never travel in the request's address."""
    post = app("post-app")
    credentials = post.credentials()["data"]
    form = {"grant_type": "refresh_token", "refresh_token": "not-a-token"}
    response = post.http.post(post.provider.endpoint("token"), params=credentials, data=form, timeout=10)
    checks.check_refused(response, "invalid_client", "invalid_request")


def test_attack_66_two_tokens_at_once(rp, session_at_first_app):
    """RFC 6750 §2: one place."""
    token = session_at_first_app.access_token
    response = rp.provider.userinfo(token, "POST", data={"access_token": token})
    assert response.status_code == 400, f"status {response.status_code}"


def test_userinfo_challenges_as_rfc_6750_says(rp):
    """§3: without a token no error code; with a bad one `invalid_token`."""
    without = rp.provider.userinfo("", headers={})
    assert without.status_code == 401
    assert without.headers["WWW-Authenticate"].lower().startswith("bearer")
    assert "error=" not in without.headers["WWW-Authenticate"]
    bad = rp.provider.userinfo("not-a-token")
    assert bad.status_code == 401 and 'error="invalid_token"' in bad.headers["WWW-Authenticate"]
