"""What a refusal under the FAPI 2.0 Security Profile looks like."""

from __future__ import annotations

import requests

from support import checks
from support.pages import Page
from support.visitor import Callback

ERRORS = checks.TOKEN_ERRORS | checks.AUTHORIZATION_ERRORS | {"invalid_dpop_proof", "use_dpop_nonce"}


def refused(response: requests.Response, *errors: str, status: tuple[int, ...] = (400, 401)) -> dict:
    """JSON, with one of these errors and without a token."""
    assert response.status_code in status, f"status {response.status_code}: {response.text[:300]}"
    answer = checks.check_json_answer(response)
    checks.check_error_fields(answer, ERRORS)
    assert not errors or answer["error"] in errors, f"{answer} instead of {' or '.join(errors)}"
    assert not {"access_token", "refresh_token", "id_token", "request_uri"} & answer.keys(), "a refusal with tokens"
    return answer


def turned_away(arrival: Page | Callback, *errors: str) -> None:
    """A page that leads nowhere, or an answer with one of these errors."""
    if isinstance(arrival, Page):
        assert arrival.name == "error" and arrival.status == 400, f"not an error page: {arrival}"
    else:
        assert "code" not in arrival.parameters, "a code"
        assert arrival["error"] in errors, f"{arrival.parameters} instead of {' or '.join(errors)}"
