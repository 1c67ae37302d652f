"""Attacks 6, 16-20, 22, 24: the pages, and who may make a browser use them."""

from __future__ import annotations

import json

import pytest

from support.configuration import JONAS, MARIA
from support.pages import Page, is_html, origin_of
from support.visitor import Callback, Visitor

EVIL = "https://evil.example"


@pytest.fixture
def pages(app, provider) -> dict[str, Page]:
    """Each page that somebody can be tricked into using."""
    visitor = provider.visitor()
    first, asking = app("first-app"), app("consent-app-two")
    found = {"login": first.open(visitor, first.request())}
    login = asking.open(visitor, asking.request(scope="openid phone"))
    found["consent"] = visitor.sign_in(login, JONAS)
    found["logout"] = visitor.open(provider.endpoint("end_session"))
    found["error"] = visitor.open(provider.endpoint("authorization"), {"client_id": "no-such-app"})
    found["signed-out"] = visitor.submit(found["logout"])
    for name, page in found.items():
        assert isinstance(page, Page) and page.name == name, f"{page} instead of {name}"
    return found


def test_attack_06_posts_are_answered_by_303(app, visitor):
    """RFC 9700 §4.12: 307 and 308 would send the password on."""
    rp = app("consent-app")
    begun = visitor.post(rp.provider.endpoint("authorization"), data=rp.request(prompt="consent").parameters)
    assert begun.status_code == 303
    login = visitor.follow(begun)
    signed_in = visitor.send(login, {"username": MARIA.login, "password": MARIA.password})
    assert signed_in.status_code == 303
    consent = visitor.follow(signed_in)
    assert isinstance(consent, Page) and consent.name == "consent"
    allowed = visitor.send(consent)
    assert allowed.status_code == 303
    logout = visitor.open(rp.provider.endpoint("end_session"))
    assert visitor.send(logout).status_code in (200, 303)


def test_attack_16_pages_cannot_be_framed(pages):
    for name, page in pages.items():
        policy = page.response.headers.get("Content-Security-Policy", "")
        directives = [part.strip().lower() for part in policy.split(";")]
        assert "frame-ancestors 'none'" in directives, f"{name}: {policy}"
        assert page.response.headers.get("X-Frame-Options", "").upper() == "DENY", name


def test_attack_16_form_post_page_cannot_be_framed(app):
    """It holds a code."""
    visitor = app("first-app", "form_post").sign_in().visitor
    answer = next(response for response in reversed(visitor.responses) if is_html(response))
    assert "frame-ancestors 'none'" in answer.headers.get("Content-Security-Policy", "")
    assert "no-store" in answer.headers.get("Cache-Control", "")
    assert answer.headers.get("Referrer-Policy") == "no-referrer"


def test_attack_17_pages_tell_nobody(pages, server):
    """No referrer, nothing from elsewhere, no scripts or styles in the text of the page, no cached copies."""
    for name, page in pages.items():
        headers = page.response.headers
        assert headers.get("Referrer-Policy") == "no-referrer", name
        assert "no-store" in headers.get("Cache-Control", ""), name
        assert headers.get("X-Content-Type-Options") == "nosniff", name
        policy = headers["Content-Security-Policy"]
        assert "default-src" in policy and "unsafe-inline" not in policy and "unsafe-eval" not in policy, (
            f"{name}: {policy}"
        )
        for address in page.resources:
            assert address.startswith("data:") or origin_of(address) == server.base, f"{name} loads {address}"
        for script in page.soup.find_all("script"):
            assert script.get("src") or script.get("nonce") or script.get("type") == "application/json", name
        assert not page.soup.find_all(lambda tag: any(key.startswith("on") for key in tag.attrs)), name


def forged(visitor: Visitor, page: Page, values: dict, **options):
    """Posts a form; returns the answer."""
    return visitor.post(page.form.action, data=page.form.filled() | values, **options)


CREDENTIALS = {"username": MARIA.login, "password": MARIA.password}
FORGERIES = [
    "no token",
    "empty token",
    "changed token",
    "another browser's form",
    "no cookies",
    "another site's request",
]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_attack_18_login_from_another_site(app, provider, visitor, forgery):
    """RFC 9700 §4.7: 403, and nobody is signed in; that is login CSRF too."""
    rp = app("first-app")
    page = rp.open(visitor, rp.request())
    values, options = dict(CREDENTIALS), {}
    token_name = csrf_field(page)
    sender = visitor
    match forgery:
        case "no token":
            del page.form.values[token_name]
        case "empty token":
            values[token_name] = ""
        case "changed token":
            token = page.form.values[token_name]
            values[token_name] = ("A" if token[0] != "A" else "B") + token[1:]
        case "another browser's form":
            # Complete and genuine, but made for the attacker's browser.
            sender = provider.visitor()
            rp.open(sender, rp.request())
        case "no cookies":
            sender = provider.visitor()
        case "another site's request":
            options = {"headers": {"Sec-Fetch-Site": "cross-site", "Origin": EVIL}}
    response = forged(sender, page, values, **options)
    assert response.status_code == 403, f"status {response.status_code}"
    assert Page(response).name == "error"
    assert sender.cookie() is None
    assert not rp.is_signed_in(sender)


def csrf_field(page: Page) -> str:
    """The hidden field that is not the transaction: the one by which the server knows its own form."""
    names = [name for name in page.form.values if name not in page.form.inputs and name not in ("transaction", "request")]
    assert names, f"no hidden field besides the transaction on {page}"
    return names[0]


@pytest.mark.parametrize("forgery", ["no token", "another browser's form", "another site's request"])
def test_attack_18_consent_from_another_site(app, provider, visitor, forgery):
    """What the person allows, the person clicked."""
    rp = app("consent-app-two")
    page = visitor.sign_in(rp.open(visitor, rp.request(scope="openid address")), JONAS)
    assert isinstance(page, Page) and page.name == "consent"
    values, options = {}, {}
    match forgery:
        case "no token":
            del page.form.values[csrf_field(page)]
        case "another browser's form":
            other = provider.visitor()
            theirs = other.sign_in(rp.open(other, rp.request(scope="openid address")), JONAS)
            values = dict(theirs.form.values)
        case "another site's request":
            options = {"headers": {"Sec-Fetch-Site": "cross-site", "Origin": EVIL}}
    response = forged(visitor, page, values, **options)
    assert response.status_code == 403, f"status {response.status_code}"


@pytest.mark.parametrize("forgery", ["no token", "another browser's form", "another site's request"])
def test_attack_18_logout_from_another_site(app, provider, forgery):
    rp = app("first-app")
    visitor = rp.sign_in().visitor
    page = visitor.open(provider.endpoint("end_session"))
    values, options = {}, {}
    match forgery:
        case "no token":
            del page.form.values[csrf_field(page)]
        case "another browser's form":
            other = rp.sign_in().visitor
            values = dict(other.open(provider.endpoint("end_session")).form.values)
        case "another site's request":
            options = {"headers": {"Sec-Fetch-Site": "cross-site", "Origin": EVIL}}
    response = forged(visitor, page, values, **options)
    assert response.status_code == 403, f"status {response.status_code}"
    assert rp.is_signed_in(visitor)


def test_attack_19_prompt_none_never_shows_a_page(app, provider, visitor):
    """Errors by redirect: nobody signed in; consent missing; a hint for somebody else."""
    asking, first = app("consent-app-two"), app("first-app")
    refused = asking.authorize(visitor, asking.request(prompt="none"), person=None)
    assert refused["error"] == "login_required"
    marias = first.sign_in(visitor)
    consent = asking.authorize(visitor, asking.request(prompt="none", scope="openid address phone"), person=None)
    assert consent["error"] in ("consent_required", "interaction_required")
    jonas = first.sign_in(person=JONAS)
    other = first.authorize(visitor, first.request(prompt="none", id_token_hint=jonas.id_token), person=None)
    assert other["error"] in ("login_required", "account_selection_required")
    assert first.is_signed_in(visitor) and marias.claims["sub"] == MARIA.sub
    mixed = first.authorize(visitor, first.request(prompt="none login"), person=None)
    assert mixed["error"] == "invalid_request"


def test_attack_20_consent_is_for_one_request(app, visitor):
    """The answer to one question does not answer another."""
    rp = app("consent-app-two")
    small = visitor.sign_in(rp.open(visitor, rp.request(scope="openid email")), JONAS)
    large = rp.open(visitor, rp.request(scope="openid email phone address"))
    assert small.name == "consent" and large.name == "consent"
    swapped = dict(small.form.values) | {"transaction": large.form.values["transaction"]}
    assert visitor.post(small.form.action, data=swapped).status_code == 403


POISON = {
    "Host": {"Host": "evil.example"},
    "X-Forwarded-Host": {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"},
    "Forwarded": {"Forwarded": "host=evil.example;proto=https"},
    "X-Forwarded-Prefix": {"X-Forwarded-Prefix": "//evil.example", "X-Original-URL": "//evil.example/"},
}


@pytest.mark.parametrize("header", POISON)
def test_attack_22_poisoned_host(app, provider, visitor, header):
    """RFC 9700 §4.13: issuer, links and cookies stay what they are."""
    headers = POISON[header]
    document = provider.http.get(f"{provider.base}/.well-known/openid-configuration", headers=headers, timeout=10)
    assert document.json() == provider.metadata
    rp = app("first-app")
    first = visitor.get(rp.provider.endpoint("authorization"), params=rp.request().parameters, headers=headers)
    assert first.status_code == 303 and "evil" not in first.headers["Location"]
    page_answer = visitor.get(first.headers["Location"], headers=headers)
    assert "evil" not in page_answer.text + json.dumps(dict(page_answer.headers))
    page = Page(page_answer)
    signed_in = visitor.send(page, {"username": MARIA.login, "password": MARIA.password}, headers=headers)
    assert "domain=" not in signed_in.headers.get("Set-Cookie", "").lower()
    callback = visitor.follow(signed_in)
    assert isinstance(callback, Callback) and callback["iss"] == provider.issuer


def test_attack_24_no_sharing_at_the_authorization_endpoint(app, provider):
    """Scripts of other pages never read it, registered or not; nor the pages."""
    rp = app("first-app")
    for origin in (EVIL, origin_of(rp.redirect_uri), "null"):
        for address in (provider.endpoint("authorization"), provider.endpoint("end_session"), f"{provider.base}/login"):
            for method in ("GET", "OPTIONS"):
                headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
                response = provider.http.request(method, address, headers=headers, allow_redirects=False, timeout=10)
                assert "Access-Control-Allow-Origin" not in response.headers, f"{method} {address} for {origin}"


def test_attack_24_token_endpoint_is_shared_with_exact_origins(app, provider):
    rp = app("first-app")
    own = origin_of(rp.redirect_uri)

    def allowed(origin: str, endpoint: str) -> str | None:
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        response = provider.http.options(provider.endpoint(endpoint), headers=headers, timeout=10)
        assert "Access-Control-Allow-Credentials" not in response.headers
        return response.headers.get("Access-Control-Allow-Origin")

    for endpoint in ("token", "userinfo", "revocation"):
        assert allowed(own, endpoint) == own, endpoint
        for stranger in (EVIL, f"{own}.evil.example", own.replace("http://", "https://"), "null", own.upper()):
            assert allowed(stranger, endpoint) is None, f"{endpoint} for {stranger}"
    keys = provider.http.get(provider.endpoint("jwks_uri"), headers={"Origin": EVIL}, timeout=10)
    assert keys.headers["Access-Control-Allow-Origin"] == "*", "public documents are for everybody"
