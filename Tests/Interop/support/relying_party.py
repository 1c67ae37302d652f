"""An app that relies on the server: asks, redeems, checks every answer."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cached_property

import requests

from support import checks, tokens
from support.configuration import MARIA, Client, Person
from support.secrets_seen import remember
from support.visitor import TIMEOUT_SECONDS, Callback, Visitor


class Provider:
    """The server as its metadata describes it."""

    def __init__(self, base: str):
        self.base = base
        self.http = requests.Session()
        self.http.trust_env = False

    @cached_property
    def metadata(self) -> dict:
        return self.http.get(f"{self.base}/.well-known/openid-configuration", timeout=TIMEOUT_SECONDS).json()

    @property
    def issuer(self) -> str:
        return self.metadata["issuer"]

    def endpoint(self, name: str) -> str:
        """The address of `token`, `userinfo`, … as published."""
        key = name if name == "jwks_uri" else f"{name}_endpoint"
        return self.metadata[key]

    @cached_property
    def keys(self):
        return tokens.key_set(self.http.get(self.endpoint("jwks_uri"), timeout=TIMEOUT_SECONDS).json())

    def visitor(self, source_address: str | None = None) -> Visitor:
        return Visitor(self.base, self.metadata["issuer"], source_address)

    def userinfo(self, access_token: str, method: str = "GET", **options) -> requests.Response:
        options.setdefault("headers", {"Authorization": f"Bearer {access_token}"})
        return self.http.request(
            method, self.endpoint("userinfo"), timeout=TIMEOUT_SECONDS, allow_redirects=False, **options
        )

    def is_good(self, access_token: str) -> bool:
        """Whether the server itself still honours an access token."""
        response = self.userinfo(access_token)
        assert response.status_code in (200, 401), f"userinfo answered {response.status_code}: {response.text[:200]}"
        return response.status_code == 200


def make_verifier() -> str:
    return secrets.token_urlsafe(48)


def challenge_of(verifier: str) -> str:
    """RFC 7636 §4.2, method S256."""
    return tokens.b64url(hashlib.sha256(verifier.encode()).digest())


@dataclass
class AuthorizationRequest:
    """What an app asks for, and what it must remember until the answer comes."""

    parameters: dict[str, str]
    verifier: str | None

    def get(self, name: str, default: str | None = None) -> str | None:
        return self.parameters.get(name, default)


@dataclass
class SignedIn:
    """A finished sign-in."""

    visitor: Visitor
    request: AuthorizationRequest
    callback: Callback
    tokens: dict
    # Of the ID token; empty if the scope was without openid.
    claims: dict

    @property
    def access_token(self) -> str:
        return self.tokens["access_token"]

    @property
    def refresh_token(self) -> str:
        return self.tokens["refresh_token"]

    @property
    def id_token(self) -> str:
        return self.tokens["id_token"]


class RelyingParty:
    """One client of the server.

    - `response_mode`: how its requests want the answer, unless they say otherwise.
    """

    def __init__(self, provider: Provider, client: Client, response_mode: str | None = None):
        self.provider = provider
        self.client = client
        self.response_mode = response_mode
        self.http = requests.Session()
        self.http.trust_env = False
        remember("client secret", client.secret)

    @property
    def client_id(self) -> str:
        return self.client.client_id

    @property
    def redirect_uri(self) -> str:
        return self.client.redirect_uri

    @property
    def id_token_algorithm(self) -> str:
        return self.client.entry_extra.get("id_token_signed_response_alg", "RS256")

    def request(self, *, pkce: bool = False, **changes: str | None) -> AuthorizationRequest:
        """A code request. Parameters set to `None` are left out; others are added or changed."""
        parameters: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "openid",
            "state": secrets.token_urlsafe(12),
            "nonce": secrets.token_urlsafe(12),
            "response_mode": self.response_mode,
        }
        verifier = None
        if pkce or self.client.secret is None:
            verifier = make_verifier()
            parameters |= {"code_challenge": challenge_of(verifier), "code_challenge_method": "S256"}
        parameters |= changes
        return AuthorizationRequest({k: v for k, v in parameters.items() if v is not None}, verifier)

    def open(self, visitor: Visitor, request: AuthorizationRequest):
        """Sends the visitor to the server; returns the page, or the answer."""
        arrival = visitor.open(self.provider.endpoint("authorization"), request.parameters)
        if isinstance(arrival, Callback) and "error" in arrival.parameters:
            checks.check_error_fields(arrival.parameters, checks.AUTHORIZATION_ERRORS | {"unsupported_response_mode"})
        return arrival

    def authorize(
        self, visitor: Visitor, request: AuthorizationRequest, person: Person | None = MARIA, **options
    ) -> Callback:
        """Sends the visitor to the server and waits for the answer, whatever it says; checks its form."""
        callback = visitor.authorize(self.provider.endpoint("authorization"), request.parameters, person, **options)
        assert callback.uri == request.parameters.get("redirect_uri", self.redirect_uri), f"answered to {callback.uri}"
        checks.check_callback(callback, request, self.provider.issuer)
        return callback

    def credentials(self) -> dict:
        """How this client proves who it is, as options of a request."""
        if self.client.method == "client_secret_basic":
            return {"auth": (self.client_id, self.client.secret), "data": {}}
        if self.client.method == "client_secret_post":
            return {"data": {"client_id": self.client_id, "client_secret": self.client.secret}}
        return {"data": {"client_id": self.client_id}}

    def post(
        self, endpoint: str, form: dict[str, str | None], *, authenticated: bool = True, **options
    ) -> requests.Response:
        """Posts a form to an endpoint, with this client's credentials."""
        merged = self.credentials() if authenticated else {"data": {}}
        merged["data"] |= {k: v for k, v in form.items() if v is not None}
        return self.http.post(
            self.provider.endpoint(endpoint), timeout=TIMEOUT_SECONDS, allow_redirects=False, **(merged | options)
        )

    def redemption(self, code: str, request: AuthorizationRequest) -> dict[str, str | None]:
        """The form that redeems a code."""
        return {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": request.parameters.get("redirect_uri"),
            "code_verifier": request.verifier,
        }

    def redeem(self, callback: Callback, request: AuthorizationRequest, **changes: str | None) -> requests.Response:
        """Redeems a code; the answer itself."""
        return self.post("token", self.redemption(callback["code"], request) | changes)

    def refresh(self, refresh_token: str, **form: str | None) -> requests.Response:
        return self.post("token", {"grant_type": "refresh_token", "refresh_token": refresh_token, **form})

    def accepted(self, response: requests.Response) -> dict:
        """A token answer, checked (RFC 6749 §5.1)."""
        assert response.status_code == 200, f"status {response.status_code}: {response.text[:300]}"
        answer = checks.check_json_answer(response)
        assert answer["token_type"].lower() == "bearer"
        assert isinstance(answer["expires_in"], int) and answer["expires_in"] > 0
        checks.check_secret("access_token", answer["access_token"], checks.BEARER)
        if "refresh_token" in answer:
            checks.check_secret("refresh_token", answer["refresh_token"])
        for kind in ("access_token", "refresh_token", "id_token"):
            remember(kind, answer.get(kind))
        return answer

    def check_id_token(self, answer: dict, request: AuthorizationRequest, **options) -> dict:
        return tokens.check_id_token(
            answer["id_token"],
            self.provider.keys,
            issuer=self.provider.issuer,
            client_id=self.client_id,
            algorithm=self.id_token_algorithm,
            nonce=options.pop("nonce", request.get("nonce")),
            access_token=answer["access_token"],
            **options,
        )

    def sign_in(
        self,
        visitor: Visitor | None = None,
        person: Person | None = MARIA,
        *,
        requested_claims: set[str] = frozenset(),
        pkce: bool = False,
        post: bool = False,
        **changes: str | None,
    ) -> SignedIn:
        """A whole sign-in, each answer of it checked. Keyword arguments are parameters of the request."""
        visitor = visitor or self.provider.visitor()
        request = self.request(pkce=pkce, **changes)
        callback = self.authorize(visitor, request, person, post=post)
        assert "code" in callback.parameters, f"refused: {callback.parameters}"
        answer = self.accepted(self.redeem(callback, request))
        claims: dict = {}
        if "openid" in (request.get("scope") or "").split():
            claims = self.check_id_token(answer, request, code=callback["code"], requested_claims=requested_claims)
        else:
            assert "id_token" not in answer, "an ID token without the scope openid"
        return SignedIn(visitor, request, callback, answer, claims)

    def userinfo(self, signed_in: SignedIn, method: str = "GET", **options) -> dict:
        """The claims of UserInfo, whose subject is the ID token's (OpenID Connect Core §5.3.2)."""
        response = self.provider.userinfo(signed_in.access_token, method, **options)
        assert response.status_code == 200, f"status {response.status_code}: {response.text[:300]}"
        answer = checks.check_json_answer(response)
        assert answer["sub"] == signed_in.claims["sub"], "sub of UserInfo is not the ID token's"
        return answer

    def introspect(self, token: str) -> dict:
        response = self.post("introspection", {"token": token})
        assert response.status_code == 200, f"status {response.status_code}: {response.text[:300]}"
        return checks.check_json_answer(response)

    def revoke(self, token: str) -> requests.Response:
        return self.post("revocation", {"token": token})

    def is_signed_in(self, visitor: Visitor) -> bool:
        """Whether this browser gets a code without a page."""
        callback = self.authorize(visitor, self.request(prompt="none"), person=None)
        if "code" in callback.parameters:
            return True
        assert callback["error"] in ("login_required", "interaction_required"), callback.parameters
        return False
