"""Cases 1 and 2: people sign in through the pages, and their tokens are renewed."""

from __future__ import annotations

import boxsdk
import pytest

from support.configuration import MARIA
from support.enterprise import APP, CAUTIOUS_APP, ITEM_SCOPES


def test_10_18_redeems_a_code_without_redirect_and_verifier(enterprise, proxy, generated):
    auth = generated.oauth()
    address = generated.authorization_address(auth, redirect_uri=APP.redirect_uri, state="s-1")
    callback = enterprise.authorize(address)
    token = auth.get_tokens_authorization_code_grant(callback["code"], network_session=generated.network)
    (exchange,) = proxy.exchanges
    assert exchange.headers["user-agent"] == generated.agent
    assert set(exchange.form) == {"grant_type", "client_id", "client_secret", "code"}
    assert auth.token_storage.get().access_token == token.access_token and token.refresh_token
    assert token.token_type == "bearer" and 0 < token.expires_in <= 3600
    me = generated.client(auth).users.get_user_me()
    assert (me.id, me.login, me.name, me.type) == (MARIA.sub, MARIA.login, MARIA.claims["name"], "user")


def test_3_14_redeems_a_code_without_redirect_and_verifier(enterprise, proxy, legacy):
    auth = legacy.oauth()
    address, state = auth.get_authorization_url(APP.redirect_uri)
    callback = enterprise.authorize(address)
    assert callback["state"] == state
    access, refresh = auth.authenticate(callback["code"])
    (exchange,) = proxy.exchanges
    assert exchange.headers["user-agent"] == legacy.agent
    assert set(exchange.form) == {"grant_type", "client_id", "client_secret", "code", "box_device_id"}
    assert access and refresh
    me = legacy.client(auth).user().get()
    assert (me.id, me.login, me.name, me.type) == (MARIA.sub, MARIA.login, MARIA.claims["name"], "user")


def test_10_18_gets_the_scopes_that_it_asked_for_after_consent(enterprise, generated):
    auth = generated.oauth(CAUTIOUS_APP)
    asked = {"redirect_uri": CAUTIOUS_APP.redirect_uri, "scope": "item_preview item_upload"}
    callback = enterprise.authorize(generated.authorization_address(auth, **asked))
    token = auth.get_tokens_authorization_code_grant(callback["code"], network_session=generated.network)
    assert set(enterprise.introspect(token.access_token, CAUTIOUS_APP)["scope"].split()) == {
        "item_preview",
        "item_upload",
    }


def test_3_14_gets_what_the_app_registered_after_consent(enterprise, legacy):
    """It cannot ask for scopes."""
    auth = legacy.oauth(CAUTIOUS_APP)
    callback = enterprise.authorize(auth.get_authorization_url(CAUTIOUS_APP.redirect_uri)[0])
    access, _ = auth.authenticate(callback["code"])
    assert set(ITEM_SCOPES.split()) <= set(enterprise.introspect(access, CAUTIOUS_APP)["scope"].split())


@pytest.mark.parametrize("release", ["legacy", "generated"])
def test_somebody_declines(enterprise, release, request):
    sdk = request.getfixturevalue(release)
    auth = sdk.oauth(CAUTIOUS_APP)
    if release == "legacy":
        address, state = auth.get_authorization_url(CAUTIOUS_APP.redirect_uri)
    else:
        state = "s-2"
        address = sdk.authorization_address(auth, redirect_uri=CAUTIOUS_APP.redirect_uri, state=state)
    # Consent may be given already.
    callback = enterprise.authorize(f"{address}&prompt=consent", consent="deny")
    assert (callback["error"], callback["state"], callback.get("code")) == ("access_denied", state, None)


def test_10_18_renews_tokens(enterprise, proxy, generated):
    auth = generated.signed_in(enterprise)
    before = auth.token_storage.get()
    after = auth.refresh_token(network_session=generated.network)
    assert set(proxy.exchanges[-1].form) == {"grant_type", "client_id", "client_secret", "refresh_token"}
    assert after.refresh_token != before.refresh_token and after.access_token != before.access_token
    assert generated.client(auth).users.get_user_me().id == MARIA.sub
    assert auth.refresh_token(network_session=generated.network).refresh_token != after.refresh_token


def test_3_14_renews_tokens_of_a_pinned_device(enterprise, proxy, legacy):
    """`box_device_id` and `box_device_name` are not known here, and harm nothing."""
    stored: list[tuple[str, str]] = []
    access, refresh = legacy.signed_in(enterprise)._get_tokens()
    auth = legacy.oauth(
        access_token=access,
        refresh_token=refresh,
        box_device_id="device-1",
        box_device_name="Maria's machine",
        store_tokens=lambda *pair: stored.append(pair),
    )
    renewed = auth.refresh(access)
    form = proxy.exchanges[-1].form
    assert (form["box_device_id"], form["box_device_name"]) == ("device-1", "Maria's machine")
    assert stored == [renewed] and renewed[0] != access and renewed[1] != refresh
    assert legacy.client(auth).user().get().id == MARIA.sub


def test_both_understand_a_code_that_is_refused(legacy, generated):
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        legacy.oauth().authenticate("no-such-code")
    assert (caught.value.status, caught.value.code) == (400, "invalid_grant")
    with pytest.raises(Exception) as other:
        generated.oauth().get_tokens_authorization_code_grant("no-such-code", network_session=generated.network)
    assert other.value.response_info.status_code == 400
    assert other.value.response_info.body["error"] == "invalid_grant"
