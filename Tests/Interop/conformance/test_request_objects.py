"""Basic OP and Form Post OP: request objects that nobody signed are refused by name, never ignored (Core §6).

Signed ones are taken, from clients that registered keys: `test_fapi2_requests.py`."""

from __future__ import annotations

from support import checks, tokens
from support.modules import basic_module
from support.pages import Page


def unsigned(plan, **changes: str) -> str:
    """A request object with `alg` none, from the client to the server."""
    request = plan.first.request(**changes).parameters
    payload = {"iss": plan.first.client_id, "aud": plan.provider.issuer, **request}
    return tokens.assemble({"alg": "none"}, payload)


def check_unsupported(plan, error: str, **changes: str) -> None:
    assert "none" not in plan.provider.metadata["request_object_signing_alg_values_supported"]
    # True when it is left out (Discovery §3).
    assert plan.provider.metadata["request_uri_parameter_supported"] is False
    visitor = plan.visitor()
    request = plan.first.request(**changes)
    callback = plan.first.authorize(visitor, request, person=None)
    assert callback["error"] == error


@basic_module("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported")
def test_request_by_reference_is_not_supported(plan, callback_receiver):
    address = f"{callback_receiver.base}/request-object"
    check_unsupported(plan, "request_uri_not_supported", request_uri=address)
    assert not any(request.path == "/request-object" for request in callback_receiver.arrived), "it was fetched"


@basic_module("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def test_request_by_value_is_not_supported(plan):
    check_unsupported(plan, "request_not_supported", request=unsigned(plan))


@basic_module("oidcc-ensure-request-object-with-redirect-uri")
def test_redirect_uri_inside_a_request_object(plan):
    """The outer address is not registered, the inner one is: the answer never goes to the outer one."""
    visitor = plan.visitor()
    outer = f"{plan.first.redirect_uri}/elsewhere"
    arrival = plan.first.open(visitor, plan.first.request(redirect_uri=outer, request=unsigned(plan)))
    if isinstance(arrival, Page):
        assert arrival.name == "error" and arrival.status == 400, f"not an error page: {arrival}"
    else:
        assert arrival.uri == plan.first.redirect_uri
        checks.check_error_fields(arrival.parameters, checks.AUTHORIZATION_ERRORS)
