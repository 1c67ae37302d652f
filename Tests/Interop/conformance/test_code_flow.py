"""Basic OP and Form Post OP: the code flow itself (OpenID Connect Core §3.1)."""

from __future__ import annotations

import secrets

from support import checks, tokens
from support.configuration import PROFILE
from support.modules import basic_module
from support.pages import Page


def check_error_page(arrival) -> None:
    """The person reads what is wrong; the app hears nothing."""
    assert isinstance(arrival, Page), f"a redirect to {arrival}"
    assert arrival.name == "error" and arrival.status == 400, f"not an error page: {arrival}"


@basic_module("oidcc-server")
def test_whole_flow_for_two_clients(plan):
    """From the request to UserInfo, for two clients; nothing in the ID token that nobody asked for."""
    first = plan.first.sign_in(scope="openid profile email phone address")
    second = plan.second.sign_in(scope="openid")
    assert first.claims["sub"] == second.claims["sub"]
    assert first.callback["code"] != second.callback["code"]
    assert first.tokens["access_token"] != second.tokens["access_token"]
    assert plan.first.userinfo(first)["name"] == PROFILE["name"]
    tokens.check_access_token(
        first.access_token,
        plan.provider.keys,
        issuer=plan.provider.issuer,
        client_id=plan.first.client_id,
        audience=plan.provider.issuer,
    )


@basic_module("oidcc-response-type-missing")
def test_missing_response_type(plan):
    """Refused, by redirect or by page (RFC 6749 §3.1.1)."""
    visitor = plan.visitor()
    request = plan.first.request(response_type=None)
    arrival = plan.first.open(visitor, request)
    if isinstance(arrival, Page):
        check_error_page(arrival)
    else:
        checks.check_callback(arrival, request, plan.provider.issuer)
        assert arrival["error"] in ("unsupported_response_type", "invalid_request")


@basic_module("oidcc-idtoken-signature")
def test_id_token_is_signed_with_rs256(plan):
    """RS256 unless the client registered otherwise, by a key that its `kid` names."""
    signed_in = plan.first.sign_in()
    header, _ = tokens.verify(signed_in.id_token, plan.provider.keys, ["RS256"])
    assert header["kid"]


@basic_module("oidcc-idtoken-unsigned")
def test_id_token_is_never_unsigned(plan):
    """`none` is not offered, and never used."""
    assert "none" not in plan.provider.metadata["id_token_signing_alg_values_supported"]
    assert tokens.header_of(plan.first.sign_in().id_token)["alg"] != "none"


@basic_module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow")
def test_nonce_is_optional(plan):
    """No nonce asked for, none in the ID token."""
    assert "nonce" not in plan.first.sign_in(nonce=None).claims


@basic_module("oidcc-alternate-happy-flow")
def test_order_of_scopes_and_parameters_means_nothing(plan):
    """Parameters backwards, scope names backwards."""
    visitor = plan.visitor()
    request = plan.first.request(scope="email profile openid")
    request.parameters = dict(reversed(request.parameters.items()))
    callback = plan.first.authorize(visitor, request)
    answer = plan.first.accepted(plan.first.redeem(callback, request))
    plan.first.check_id_token(answer, request, code=callback["code"])


@basic_module("oidcc-ensure-request-with-unknown-parameter-succeeds")
def test_unknown_parameters_are_ignored(plan):
    """RFC 6749 §3.1."""
    plan.first.sign_in(extra="foobar", **{"urn:example:thing": "1"})


@basic_module("oidcc-ensure-registered-redirect-uri")
def test_redirect_uri_must_be_registered(plan):
    """A path that was not registered: a page, no redirect."""
    visitor = plan.visitor()
    request = plan.first.request(redirect_uri=f"{plan.first.redirect_uri}/{secrets.token_urlsafe(8)}")
    check_error_page(plan.first.open(visitor, request))


@basic_module("oidcc-ensure-post-request-succeeds")
def test_authorization_request_by_post(plan):
    """OpenID Connect Core §3.1.2.1: GET and POST."""
    plan.first.sign_in(post=True)


@basic_module("oidcc-server-client-secret-post")
def test_whole_flow_with_the_secret_in_the_body(plan):
    """RFC 6749 §2.3.1."""
    assert "client_secret_post" in plan.provider.metadata["token_endpoint_auth_methods_supported"]
    signed_in = plan.post.sign_in(scope="openid email")
    assert plan.post.userinfo(signed_in)["email"]


@basic_module("oidcc-ensure-request-with-valid-pkce-succeeds")
def test_confidential_clients_may_use_pkce(plan):
    """RFC 7636: the extension never stands in the way."""
    plan.first.sign_in(pkce=True)
