"""What holds for every answer of an OpenID provider, whichever module is being tested."""

from __future__ import annotations

import math
import re
from collections import Counter

import requests

ENTROPY_BITS_MIN = 96
# RFC 6749 Appendix A: error codes and descriptions have printable ASCII without quote and backslash.
ERROR_TEXT = re.compile(r"^[\x20-\x21\x23-\x5B\x5D-\x7E]+$")
ERROR_URI = re.compile(r"^[\x21\x23-\x5B\x5D-\x7E]+$")
VISIBLE = re.compile(r"^[\x20-\x7E]+$")
# RFC 6750 §2.1
BEARER = re.compile(r"^[A-Za-z0-9\-._~+/]+=*$")

AUTHORIZATION_ERRORS = {
    # RFC 6749 §4.1.2.1
    "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
    "server_error", "temporarily_unavailable",
    # OpenID Connect Core §3.1.2.6
    "interaction_required", "login_required", "account_selection_required", "consent_required",
    "invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
    "registration_not_supported",
    # RFC 8707 §2, RFC 9470 §5, OpenID Connect Unmet Authentication Requirements
    "invalid_target", "insufficient_user_authentication", "unmet_authentication_requirements",
}  # fmt: skip
TOKEN_ERRORS = {
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "invalid_target", "temporarily_unavailable",
}  # fmt: skip


def entropy_bits(text: str) -> float:
    """The estimate that certification uses: Shannon entropy of the characters, times their number."""
    counts = Counter(text)
    total = len(text)
    return -sum(n * math.log2(n / total) for n in counts.values())


def check_secret(kind: str, value: str, alphabet: re.Pattern = VISIBLE) -> None:
    """A code or token: characters that may travel, and too many possibilities to guess."""
    assert alphabet.match(value), f"{kind} has characters that are not allowed: {value!r}"
    assert entropy_bits(value) >= ENTROPY_BITS_MIN, f"{kind} has only {entropy_bits(value):.0f} bits of entropy"


def check_error_fields(fields: dict, allowed: set[str] | None = None) -> None:
    """`error` and its companions are legal (RFC 6749 §4.1.2.1, §5.2)."""
    error = fields.get("error")
    assert error and ERROR_TEXT.match(error), f"error is not legal: {fields}"
    if allowed is not None:
        assert error in allowed, f"an error that no standard knows: {error}"
    description = fields.get("error_description")
    if description is not None:
        assert isinstance(description, str) and ERROR_TEXT.match(description), f"error_description: {description!r}"
    uri = fields.get("error_uri")
    if uri is not None:
        assert isinstance(uri, str) and ERROR_URI.match(uri) and "://" in uri, f"error_uri: {uri!r}"


def check_no_store(response: requests.Response) -> None:
    """Nobody keeps a copy (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3)."""
    directives = {part.strip().lower() for part in response.headers.get("Cache-Control", "").split(",")}
    assert "no-store" in directives, f"Cache-Control: {response.headers.get('Cache-Control')!r} at {response.url}"


def is_json(response: requests.Response) -> bool:
    return response.headers.get("Content-Type", "").split(";")[0].strip().lower() == "application/json"


def check_json_answer(response: requests.Response) -> dict:
    """A JSON object that nobody keeps."""
    assert is_json(response), f"Content-Type: {response.headers.get('Content-Type')!r}, {response.text[:200]!r}"
    check_no_store(response)
    answer = response.json()
    assert isinstance(answer, dict), f"not an object: {answer!r}"
    return answer


def check_refused(response: requests.Response, *errors: str, status: tuple[int, ...] = (400, 401)) -> dict:
    """A refusal of the token endpoint, in OAuth's words (RFC 6749 §5.2)."""
    assert response.status_code in status, f"status {response.status_code}: {response.text[:300]}"
    answer = check_json_answer(response)
    check_error_fields(answer, TOKEN_ERRORS)
    if errors:
        assert answer["error"] in errors, f"{answer} instead of {' or '.join(errors)}"
    assert not {"access_token", "refresh_token", "id_token"} & answer.keys(), "a refusal with tokens"
    if response.status_code == 401:
        assert response.headers.get("WWW-Authenticate"), "401 without WWW-Authenticate (RFC 9110 §15.5.2)"
    return answer


def check_callback(callback, request, issuer: str) -> None:
    """An authorization response is complete, in the right place, and has nothing that nobody asked for."""
    mode = request.get("response_mode", "query")
    assert callback.mode == mode, f"answered by {callback.mode}, asked for {mode}"
    assert not callback.misplaced, f"parameters outside the {mode}: {callback.misplaced}"
    names = [name for name, _ in callback.pairs]
    assert len(names) == len(set(names)), f"a parameter twice: {names}"
    assert callback.get("state") == request.get("state"), "state is not echoed exactly"
    assert callback.get("iss") == issuer, f"iss: {callback.get('iss')!r} (RFC 9207 §2)"
    assert not {"access_token", "id_token", "token_type", "expires_in"} & set(names), f"unexpected: {names}"
    if "error" in names:
        check_error_fields(callback.parameters, AUTHORIZATION_ERRORS)
        assert "code" not in names, "an error with a code"
        allowed = {"error", "error_description", "error_uri", "state", "iss"}
    else:
        check_secret("code", callback["code"])
        allowed = {"code", "state", "iss", "session_state"}
    assert set(names) <= allowed, f"unexpected: {set(names) - allowed}"
