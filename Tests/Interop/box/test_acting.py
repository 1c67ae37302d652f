"""Case 11: `As-User`, shared links, and both at once."""

from __future__ import annotations

import json

import box_sdk_gen
import boxsdk
import pytest

from support.configuration import JONAS, MARIA
from support.enterprise import CAUTIOUS_APP, ENTERPRISE, OPERATOR, OTHER_ENTERPRISE, SERVICE

ACTED, REFUSED = "user.acted_for", "user.acting_refused"
WRITTEN_DOWN = [("written-down", ENTERPRISE), ("refused", OTHER_ENTERPRISE)]
LINK, LINK_PASSWORD = "https://app.box.com/s/thing?x=1&y=2", "päss wörd&=%"
STRANGERS = [JONAS.sub, "no-such-user", f"client:{SERVICE.client_id}", "' OR 1=1 --", ""]


def refused_by_10_18(client) -> None:
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        client.users.get_user_me()
    info = caught.value.response_info
    assert (info.status_code, info.code) == (403, "forbidden") and info.request_id and caught.value.message


def refused_by_3_14(client) -> None:
    with pytest.raises(boxsdk.BoxAPIException) as caught:
        client.user().get()
    assert (caught.value.status, caught.value.code) == (403, "forbidden")
    assert caught.value.request_id and caught.value.message


def test_10_18_acts_for_somebody(proxy, generated):
    client = generated.client(generated.credentials())
    acting = client.with_as_user_header(MARIA.sub)
    assert acting.users.get_user_me().login == MARIA.login
    # This release says it to the token endpoint as well, which gives the service its own token all the same.
    assert [(exchange.path, exchange.headers["as-user"]) for exchange in proxy.exchanges] == [
        ("/oauth2/token", MARIA.sub),
        ("/2.0/users/me", MARIA.sub),
    ]
    # The other one is still itself.
    assert client.users.get_user_me().id == f"client:{SERVICE.client_id}"


def test_3_14_acts_for_somebody(proxy, legacy):
    client = legacy.client(legacy.assertion())
    acting = client.as_user(client.user(MARIA.sub))
    assert acting.user().get().login == MARIA.login
    assert proxy.exchanges[-1].headers["as-user"] == MARIA.sub
    assert client.user().get().id == f"client:{SERVICE.client_id}"


@pytest.mark.parametrize("stranger", STRANGERS)
def test_nobody_acts_for_somebody_elsewhere(proxy, legacy, generated, stranger):
    """The same answer for somebody who exists and for nobody; nobody tries again."""
    refused_by_10_18(generated.client(generated.credentials()).with_as_user_header(stranger))
    client = legacy.client(legacy.credentials())
    refused_by_3_14(client.as_user(client.user(stranger)))
    seen = [exchange for exchange in proxy.exchanges if exchange.path == "/2.0/users/me"]
    assert [exchange.status for exchange in seen] == [403, 403]
    messages = {json.loads(exchange.answer_body)["message"] for exchange in seen}
    assert messages == {"The token may not act for the user that As-User names."}


def test_both_identities_are_written_down(enterprise, legacy, generated):
    """Also of what was refused."""
    older = legacy.client(legacy.credentials())
    member, stranger = (enterprise.add(f"{name}@example.test", *tenants) for name, *tenants in WRITTEN_DOWN)
    assert generated.client(generated.credentials()).with_as_user_header(member).users.get_user_me().id == member
    refused_by_3_14(older.as_user(older.user(stranger)))
    for action, person in [(ACTED, member), (REFUSED, stranger)]:
        (written,) = enterprise.audits(action, person)
        assert written["userId"] == person and f"client:{SERVICE.client_id}" in str(written), written


def test_people_act_for_each_other_only_with_the_permission(enterprise, legacy, generated):
    """The app may; of those who use it, the operator may, and Maria may not."""
    operator = generated.client(generated.signed_in(enterprise, person=OPERATOR))
    assert operator.with_as_user_header(MARIA.sub).users.get_user_me().login == MARIA.login
    refused_by_10_18(operator.with_as_user_header(JONAS.sub))
    maria = legacy.client(legacy.signed_in(enterprise))
    refused_by_3_14(maria.as_user(maria.user(OPERATOR.sub)))
    # Oneself is no impersonation.
    assert maria.as_user(maria.user(MARIA.sub)).user().get().id == MARIA.sub


def test_an_app_without_the_right_acts_for_nobody(enterprise, generated):
    """Not even for an operator."""
    auth = generated.oauth(CAUTIOUS_APP)
    address = generated.authorization_address(auth, redirect_uri=CAUTIOUS_APP.redirect_uri)
    callback = enterprise.authorize(address, OPERATOR)
    auth.get_tokens_authorization_code_grant(callback["code"], network_session=generated.network)
    client = generated.client(auth)
    assert client.users.get_user_me().id == OPERATOR.sub
    refused_by_10_18(client.with_as_user_header(MARIA.sub))


@pytest.mark.parametrize("whose", ["service", "operator"])
def test_what_was_downscoped_acts_for_nobody(enterprise, legacy, generated, whose):
    """Such tokens are handed on to browsers: with less of a token goes no right to be somebody else."""
    auth = generated.credentials() if whose == "service" else generated.signed_in(enterprise, person=OPERATOR)
    assert generated.client(auth).with_as_user_header(MARIA.sub).users.get_user_me().id == MARIA.sub
    child = auth.downscope_token(["item_preview"], network_session=generated.network).access_token
    client = generated.client(box_sdk_gen.BoxDeveloperTokenAuth(child))
    refused_by_10_18(client.with_as_user_header(MARIA.sub))
    older = legacy.client(boxsdk.auth.DeveloperTokenAuth(get_new_token_callback=lambda: child))
    refused_by_3_14(older.as_user(older.user(MARIA.sub)))
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        client.users.get_user_by_id(MARIA.sub)
    assert (caught.value.response_info.status_code, caught.value.response_info.code) == (404, "not_found")


def test_a_users_token_acts_for_nobody_else(legacy, generated):
    """The service selected its user; with their token it has the user's rights, and no more."""
    refused_by_10_18(generated.client(generated.credentials(user_id=MARIA.sub)).with_as_user_header(OPERATOR.sub))
    client = legacy.client(legacy.assertion(user=MARIA.sub))
    refused_by_3_14(client.as_user(client.user(OPERATOR.sub)))


def test_services_look_people_up(legacy, generated):
    """Those whom they may act for; nobody else is there."""
    client = generated.client(generated.credentials())
    maria = client.users.get_user_by_id(MARIA.sub)
    assert (maria.login, maria.enterprise.id, maria.status.value) == (MARIA.login, ENTERPRISE, "active")
    assert legacy.client(legacy.credentials()).user(MARIA.sub).get(fields=["login"]).login == MARIA.login
    for stranger in (JONAS.sub, "no-such-user"):
        with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
            client.users.get_user_by_id(stranger)
        assert (caught.value.response_info.status_code, caught.value.response_info.code) == (404, "not_found")


def test_a_shared_link_changes_nobody(proxy, legacy, generated):
    """Neither client encodes the header, and both send what no address may hold. It says what to open, not by whom."""
    header = f"shared_link={LINK}&shared_link_password={LINK_PASSWORD}"
    client = generated.client(generated.credentials()).with_extra_headers(extra_headers={"boxapi": header})
    assert client.users.get_user_me().id == f"client:{SERVICE.client_id}"
    assert proxy.exchanges[-1].headers["boxapi"] == header
    older = legacy.client(legacy.credentials()).with_shared_link(LINK, LINK_PASSWORD)
    assert older.user().get().id == f"client:{SERVICE.client_id}"
    assert proxy.exchanges[-1].headers["boxapi"] == header


def test_a_shared_link_and_as_user_at_once(proxy, legacy, generated):
    """In either order: neither header is lost."""
    client = generated.client(generated.credentials())
    extra = {"extra_headers": {"boxapi": f"shared_link={LINK}"}}
    older = legacy.client(legacy.credentials())
    maria = older.user(MARIA.sub)
    people = [
        client.with_as_user_header(MARIA.sub).with_extra_headers(**extra).users.get_user_me(),
        client.with_extra_headers(**extra).with_as_user_header(MARIA.sub).users.get_user_me(),
        older.as_user(maria).with_shared_link(LINK, None).user().get(),
        older.with_shared_link(LINK, None).as_user(maria).user().get(),
    ]
    assert [person.id for person in people] == [MARIA.sub] * len(people)
    seen = [exchange for exchange in proxy.exchanges if exchange.path == "/2.0/users/me"]
    assert {exchange.headers["boxapi"] for exchange in seen} == {f"shared_link={LINK}"} and len(seen) == len(people)


def test_other_headers_do_no_harm(generated):
    client = generated.client(generated.credentials()).with_suppressed_notifications()
    assert (
        client.with_extra_headers(extra_headers={"X-Own": "1"}).users.get_user_me().id == f"client:{SERVICE.client_id}"
    )
