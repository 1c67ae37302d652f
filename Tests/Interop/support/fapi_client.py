"""A client under the FAPI 2.0 Security Profile. Other people's code signs for it: joserfc and cryptography."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass

import requests
from joserfc import jws, jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

from support import checks, tokens
from support.configuration import MARIA, Client, Person
from support.pages import Page
from support.relying_party import AuthorizationRequest, Provider, challenge_of, make_verifier
from support.secrets_seen import remember
from support.visitor import TIMEOUT_SECONDS, Callback

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
PREFIX = "urn:ietf:params:oauth:request_uri:"


def make_key(algorithm: str):
    """A key pair for one signature algorithm, with a name."""
    parameters = {"alg": algorithm, "use": "sig", "kid": secrets.token_hex(4)}
    if algorithm in ("PS256", "RS256"):
        return RSAKey.generate_key(2048, parameters)
    if algorithm == "EdDSA":
        return OKPKey.generate_key("Ed25519", parameters)
    return ECKey.generate_key("P-256", parameters)


def public_part(key, **changes) -> dict:
    """The key as it is published."""
    return {name: value for name, value in key.as_dict(private=False).items() if name != "key_ops"} | changes


def sign(key, header: dict, payload: dict | str) -> str:
    """A signed token whose header and payload can be anything."""
    registry = jws.JWSRegistry(algorithms=[header["alg"]], strict_check_header=False)
    # Without its own word about what it is for.
    bare = {name: value for name, value in key.as_dict(private=True).items() if name not in ("alg", "use", "key_ops")}
    key = type(key).import_key(bare)
    if isinstance(payload, dict):
        return jwt.encode(header, payload, key, registry=registry)
    return jws.serialize_compact(header, payload.encode(), key, registry=registry)


class Prover:
    """A key for DPoP proofs (RFC 9449)."""

    def __init__(self, algorithm: str = "ES256"):
        self.algorithm = algorithm
        self.key = make_key(algorithm)

    @property
    def jwk(self) -> dict:
        wanted = {"EC": ("kty", "crv", "x", "y"), "RSA": ("kty", "n", "e"), "OKP": ("kty", "crv", "x")}
        public = self.key.as_dict(private=False)
        return {name: public[name] for name in wanted[public["kty"]]}

    @property
    def thumbprint(self) -> str:
        return self.key.thumbprint()

    def claims(self, method: str, url: str, access_token: str | None = None) -> dict:
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url, "iat": int(time.time())}
        if access_token is not None:
            claims["ath"] = tokens.b64url(hashlib.sha256(access_token.encode()).digest())
        return claims

    def proof(
        self, method: str, url: str, access_token: str | None = None, *, header: dict | None = None, **changes
    ) -> str:
        """A proof; claims and header members set to `None` are left out."""
        head = {"typ": "dpop+jwt", "alg": self.algorithm, "jwk": self.jwk} | (header or {})
        claims = self.claims(method, url, access_token) | changes
        return sign(
            self.key,
            {name: value for name, value in head.items() if value is not None},
            {name: value for name, value in claims.items() if value is not None},
        )


@dataclass
class Granted:
    """A finished sign-in, and the key that its tokens are bound to."""

    request: AuthorizationRequest
    callback: Callback
    answer: dict
    prover: Prover

    @property
    def access_token(self) -> str:
        return self.answer["access_token"]


class FapiClient:
    """One client of the profile: pushes its requests, signs statements about itself, proves its key."""

    def __init__(self, provider: Provider, client: Client, key):
        self.provider = provider
        self.client = client
        self.key = key
        self.prover = Prover()
        self.http = requests.Session()
        self.http.trust_env = False

    @property
    def client_id(self) -> str:
        return self.client.client_id

    @property
    def algorithm(self) -> str:
        return self.key.as_dict(private=False)["alg"]

    def assertion(self, *, algorithm: str | None = None, header: dict | None = None, **changes) -> str:
        """A statement about itself (RFC 7523 §2.2); claims set to `None` are left out."""
        now = int(time.time())
        claims = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": self.provider.issuer,
            "iat": now,
            "exp": now + 60,
            "jti": secrets.token_urlsafe(16),
        } | changes
        head = {"alg": algorithm or self.algorithm, "kid": self.key.kid} | (header or {})
        return sign(self.key, head, {name: value for name, value in claims.items() if value is not None})

    def credentials(self, assertion: str | None = None) -> dict[str, str]:
        return {
            "client_id": self.client_id,
            "client_assertion_type": ASSERTION_TYPE,
            "client_assertion": assertion or self.assertion(),
        }

    def request(self, **changes: str | None) -> AuthorizationRequest:
        """A code request; parameters set to `None` are left out."""
        verifier = make_verifier()
        parameters = {
            "response_type": "code",
            "redirect_uri": self.client.redirect_uri,
            "scope": "openid",
            "state": secrets.token_urlsafe(12),
            "nonce": secrets.token_urlsafe(12),
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": "S256",
        } | changes
        return AuthorizationRequest({k: v for k, v in parameters.items() if v is not None}, verifier)

    def object(self, request: AuthorizationRequest, *, header: dict | None = None, **changes) -> str:
        """A request object of a request (RFC 9101); claims set to `None` are left out."""
        now = int(time.time())
        claims = {
            "iss": self.client_id,
            "client_id": self.client_id,
            "aud": self.provider.issuer,
            "nbf": now,
            "exp": now + 60,
            "jti": secrets.token_urlsafe(16),
            **request.parameters,
        } | changes
        head = {"alg": self.algorithm, "kid": self.key.kid, "typ": "oauth-authz-req+jwt"} | (header or {})
        return sign(
            self.key,
            {name: value for name, value in head.items() if value is not None},
            {name: value for name, value in claims.items() if value is not None},
        )

    def post(self, url: str, form: dict, proof: str | None = None, **options) -> requests.Response:
        headers = {"DPoP": proof} if proof else {}
        return self.http.post(
            url, data=form, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False, **options
        )

    @property
    def par(self) -> str:
        return self.provider.metadata["pushed_authorization_request_endpoint"]

    def push(
        self,
        request: AuthorizationRequest,
        /,
        *,
        assertion: str | None = None,
        proof: str | None = None,
        **form: str | None,
    ) -> requests.Response:
        """Hands a request in; the answer itself."""
        merged = self.credentials(assertion) | request.parameters | form
        return self.post(self.par, {k: v for k, v in merged.items() if v is not None}, proof)

    def pushed(self, request: AuthorizationRequest, /, **options) -> str:
        """The `request_uri` of a request that was handed in, checked (RFC 9126 §2.2)."""
        response = self.push(request, **options)
        assert response.status_code == 201, f"status {response.status_code}: {response.text[:300]}"
        answer = checks.check_json_answer(response)
        assert answer["request_uri"].startswith(PREFIX)
        checks.check_secret("request_uri", answer["request_uri"].removeprefix(PREFIX))
        assert isinstance(answer["expires_in"], int) and 5 <= answer["expires_in"] < 600
        remember("request_uri", answer["request_uri"])
        return answer["request_uri"]

    def visit(self, visitor, request_uri: str, **beside: str):
        """Sends the visitor on with a request that was handed in; the page, or the answer."""
        parameters = {"client_id": self.client_id, "request_uri": request_uri} | beside
        return visitor.open(self.provider.endpoint("authorization"), parameters)

    def authorize(
        self,
        request: AuthorizationRequest,
        /,
        *,
        visitor=None,
        person: Person = MARIA,
        consent: str = "allow",
        **options,
    ) -> Callback:
        """From handing in to the answer; checks its form."""
        visitor = visitor or self.provider.visitor()
        arrival = self.visit(visitor, self.pushed(request, **options))
        if isinstance(arrival, Page) and arrival.name == "login":
            arrival = visitor.sign_in(arrival, person)
        if isinstance(arrival, Page) and arrival.name == "consent":
            arrival = visitor.submit(arrival, button="deny" if consent == "deny" else None)
        assert isinstance(arrival, Callback), f"the app was not reached: {arrival}"
        checks.check_callback(arrival, request, self.provider.issuer)
        return arrival

    def proof(self, endpoint: str = "token", **changes) -> str:
        return self.prover.proof("POST", self.provider.endpoint(endpoint), **changes)

    def redemption(self, callback: Callback, request: AuthorizationRequest) -> dict:
        return {
            "grant_type": "authorization_code",
            "code": callback["code"],
            "redirect_uri": self.client.redirect_uri,
            "code_verifier": request.verifier,
        }

    def token(self, form: dict, *, assertion: str | None = None, proof: str | None = "", **options):
        """Posts to the token endpoint. A proof of this client's key unless another one, or `None`, is given."""
        proof = self.proof() if proof == "" else proof
        merged = self.credentials(assertion) | form
        return self.post(
            self.provider.endpoint("token"), {k: v for k, v in merged.items() if v is not None}, proof, **options
        )

    def redeem(self, callback: Callback, request: AuthorizationRequest, **options) -> requests.Response:
        changes = options.pop("form", {})
        return self.token(self.redemption(callback, request) | changes, **options)

    def refresh(self, refresh_token: str, **options) -> requests.Response:
        return self.token({"grant_type": "refresh_token", "refresh_token": refresh_token}, **options)

    def accepted(self, response: requests.Response, request: AuthorizationRequest | None = None) -> dict:
        """A token answer, bound to this client's key, checked."""
        assert response.status_code == 200, f"status {response.status_code}: {response.text[:300]}"
        answer = checks.check_json_answer(response)
        assert answer["token_type"] == "DPoP"
        assert "Date" in response.headers
        checks.check_secret("access_token", answer["access_token"], checks.BEARER)
        claims = tokens.payload_of(answer["access_token"])
        assert claims["cnf"] == {"jkt": self.prover.thumbprint}
        for kind in ("access_token", "refresh_token", "id_token"):
            remember(kind, answer.get(kind))
        if request is not None and "id_token" in answer:
            tokens.check_id_token(
                answer["id_token"],
                self.provider.keys,
                issuer=self.provider.issuer,
                client_id=self.client_id,
                algorithm="ES256",
                nonce=request.get("nonce"),
                access_token=answer["access_token"],
            )
        return answer

    def sign_in(self, *, visitor=None, **changes) -> Granted:
        request = self.request(**changes)
        callback = self.authorize(request, visitor=visitor)
        answer = self.accepted(self.redeem(callback, request), request)
        return Granted(request, callback, answer, self.prover)

    def userinfo(
        self, access_token: str, proof: str | list[str] | None = "", scheme: str = "DPoP"
    ) -> requests.Response:
        """Asks the one resource that this server is; a proof of this client's key unless another one is given."""
        url = self.provider.endpoint("userinfo")
        if proof == "":
            proof = self.prover.proof("GET", url, access_token)
        headers = {"Authorization": f"{scheme} {access_token}"}
        if isinstance(proof, str):
            headers["DPoP"] = proof
        return self.http.get(url, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False)
