"""RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0 §2, §3)."""

from __future__ import annotations

import secrets

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from support import tokens
from support.modules import module
from support.pages import Page
from support.visitor import Callback

# Where a logout without proof may end: a question, an explanation, or a refusal.
PAGES = ("logout", "signed-out", "error")


class Leaving:
    """Somebody who is signed in to an app, and what the app says when they leave."""

    def __init__(self, rp):
        self.rp = rp
        self.signed_in = rp.sign_in()
        self.visitor = self.signed_in.visitor
        self.return_uri = rp.client.entry_extra["post_logout_redirect_uris"][0]
        self.state = secrets.token_urlsafe(12)

    def leave(self, **parameters: str | None) -> Page | Callback:
        """The complete request, but for what is changed; `None` leaves out."""
        complete = {
            "id_token_hint": self.signed_in.id_token,
            "post_logout_redirect_uri": self.return_uri,
            "state": self.state,
        }
        sent = {name: value for name, value in (complete | parameters).items() if value is not None}
        return self.visitor.open(self.rp.provider.endpoint("end_session"), sent)

    def confirm(self, arrival: Page | Callback) -> Page | Callback:
        """Says yes, where the person is asked."""
        if isinstance(arrival, Page) and arrival.name == "logout":
            return self.visitor.submit(arrival)
        return arrival

    def is_signed_in(self) -> bool:
        return self.rp.is_signed_in(self.visitor)


@pytest.fixture
def leaving(app) -> Leaving:
    return Leaving(app("first-app"))


def check_goes_nowhere(leaving: Leaving, arrival: Page | Callback) -> None:
    """A page, and no redirect afterwards either, whatever the person answers."""
    assert isinstance(arrival, Page) and arrival.name in PAGES, f"neither error nor question: {arrival}"
    assert arrival.heading
    end = leaving.confirm(arrival)
    assert isinstance(end, Page), f"redirected to {end}"


@module("oidcc-rp-initiated-logout-discovery-endpoint-verification")
def test_end_session_endpoint_is_published(provider):
    assert provider.metadata["end_session_endpoint"].startswith(provider.issuer)


@module("oidcc-rp-initiated-logout")
def test_logout(leaving):
    """Back to the registered address with `state`; nobody is signed in afterwards."""
    arrival = leaving.confirm(leaving.leave())
    assert isinstance(arrival, Callback), f"no redirect: {arrival}"
    assert arrival.uri == leaving.return_uri
    assert arrival.parameters == {"state": leaving.state}
    assert not leaving.is_signed_in()


@module("oidcc-rp-initiated-logout")
def test_logout_by_post(leaving):
    """RP-Initiated Logout §2: GET and POST."""
    form = {
        "id_token_hint": leaving.signed_in.id_token,
        "post_logout_redirect_uri": leaving.return_uri,
        "state": leaving.state,
    }
    response = leaving.visitor.post(leaving.rp.provider.endpoint("end_session"), data=form)
    arrival = leaving.confirm(leaving.visitor.follow(response))
    assert isinstance(arrival, Callback) and arrival.uri == leaving.return_uri
    assert not leaving.is_signed_in()


@module("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri")
def test_address_that_is_not_registered(leaving):
    check_goes_nowhere(leaving, leaving.leave(post_logout_redirect_uri="https://example.test/not-registered"))


@module("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri")
def test_address_with_a_query_added(leaving):
    check_goes_nowhere(leaving, leaving.leave(post_logout_redirect_uri=f"{leaving.return_uri}?foo=bar"))


@module("oidcc-rp-initiated-logout-modified-id-token-hint")
def test_hint_whose_signature_was_taken_off(leaving):
    header = tokens.header_of(leaving.signed_in.id_token) | {"alg": "none"}
    hint = tokens.assemble(header, tokens.payload_of(leaving.signed_in.id_token))
    check_goes_nowhere(leaving, leaving.leave(id_token_hint=hint))


@module("oidcc-rp-initiated-logout-bad-id-token-hint")
def test_hint_that_somebody_else_signed(leaving):
    header = tokens.header_of(leaving.signed_in.id_token)
    foreign = RSAKey.generate_key(2048, {"kid": header["kid"]})
    hint = jwt.encode(header, tokens.payload_of(leaving.signed_in.id_token), foreign, algorithms=["RS256"])
    check_goes_nowhere(leaving, leaving.leave(id_token_hint=hint))


@module("oidcc-rp-initiated-logout-no-id-token-hint")
def test_no_hint(leaving):
    """An address and a state alone: whose they are, nobody knows."""
    check_goes_nowhere(leaving, leaving.leave(id_token_hint=None))


def check_signs_out_on_a_page(leaving: Leaving, arrival: Page | Callback) -> None:
    end = leaving.confirm(arrival)
    assert isinstance(end, Page) and end.name == "signed-out", f"not the page that says so: {end}"
    assert not leaving.is_signed_in()


@module("oidcc-rp-initiated-logout-no-params")
def test_no_parameters(leaving):
    check_signs_out_on_a_page(leaving, leaving.leave(id_token_hint=None, post_logout_redirect_uri=None, state=None))


@module("oidcc-rp-initiated-logout-no-post-logout-redirect-uri")
def test_no_address(leaving):
    check_signs_out_on_a_page(leaving, leaving.leave(post_logout_redirect_uri=None))


@module("oidcc-rp-initiated-logout-only-state")
def test_only_state(leaving):
    check_signs_out_on_a_page(leaving, leaving.leave(id_token_hint=None, post_logout_redirect_uri=None))


@module("oidcc-rp-initiated-logout-no-state")
def test_no_state(leaving):
    """The redirect has none either."""
    arrival = leaving.confirm(leaving.leave(state=None))
    assert isinstance(arrival, Callback) and arrival.uri == leaving.return_uri
    assert arrival.parameters == {}
    assert not leaving.is_signed_in()
