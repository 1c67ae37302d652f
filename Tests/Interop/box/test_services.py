"""Cases 3 to 5: services get tokens of their own and of people, by secret and by key."""

from __future__ import annotations

import json

import box_sdk_gen
import boxsdk
import pytest

from support.configuration import JONAS, MARIA
from support.enterprise import AUDIENCE, ENTERPRISE, OTHER_ENTERPRISE, SERVICE, SERVICE_KEY
from support.tokens import header_of, payload_of

OWN_ID = f"client:{SERVICE.client_id}"
STRANGERS = [("enterprise", OTHER_ENTERPRISE), ("enterprise", "no-such"), ("user", JONAS.sub), ("user", "no-such")]


@pytest.fixture(params=["credentials", "assertion"])
def way(request) -> str:
    """By secret, or by secret and key."""
    return request.param


def check_service_token(enterprise, token: str) -> None:
    """Of the service itself, in one enterprise."""
    said = enterprise.introspect(token, SERVICE)
    assert said["active"] and (said["sub"], said["tenant"]) == (OWN_ID, ENTERPRISE), said


def check_user_token(enterprise, token: str) -> None:
    """Of somebody, and it says who uses it."""
    said = enterprise.introspect(token, SERVICE)
    assert said["active"] and said["sub"] == MARIA.sub and said["act"]["sub"] == OWN_ID, said


def test_10_18_gets_a_token_of_the_service_account(enterprise, proxy, generated, way):
    auth = getattr(generated, way)()
    token = auth.retrieve_token(network_session=generated.network)
    assert token.expires_in == 3600 and token.token_type == "bearer" and token.refresh_token is None
    check_service_token(enterprise, token.access_token)
    me = generated.client(auth).users.get_user_me()
    assert (me.id, me.enterprise.id, me.enterprise.name) == (OWN_ID, ENTERPRISE, "Example Enterprise")
    assert [exchange.path for exchange in proxy.exchanges] == ["/oauth2/token", "/2.0/users/me"]


def test_10_18_gets_a_token_of_a_user(enterprise, generated, way):
    auth = getattr(generated, way)().with_user_subject(MARIA.sub)
    token = auth.retrieve_token(network_session=generated.network)
    assert token.expires_in == 3600 and token.refresh_token is None
    check_user_token(enterprise, token.access_token)
    assert generated.client(auth).users.get_user_me().login == MARIA.login


def test_10_18_goes_back_from_a_user_to_the_enterprise(enterprise, generated, way):
    auth = getattr(generated, way)(user_id=MARIA.sub).with_enterprise_subject(ENTERPRISE)
    check_service_token(enterprise, auth.retrieve_token(network_session=generated.network).access_token)


def test_3_14_gets_a_token_of_the_service_account(enterprise, proxy, legacy, way):
    auth = getattr(legacy, way)()
    check_service_token(enterprise, auth.authenticate_instance())
    me = legacy.client(auth).user().get()
    assert (me.id, me.enterprise.id) == (OWN_ID, ENTERPRISE)
    assert [exchange.path for exchange in proxy.exchanges] == ["/oauth2/token", "/2.0/users/me"]


def test_3_14_gets_a_token_of_a_user(enterprise, legacy, way):
    auth = getattr(legacy, way)()
    check_user_token(enterprise, auth.authenticate_user(MARIA.sub))
    assert legacy.client(auth).user().get().login == MARIA.login


def test_3_14_authenticates_by_itself_when_it_is_needed(enterprise, proxy, legacy, way):
    """Nobody calls `authenticate_…`: the first request does, and the subject is the one that was given."""
    client = legacy.client(getattr(legacy, way)(user=MARIA.sub))
    assert client.user().get().id == MARIA.sub
    assert client.user().get().id == MARIA.sub
    assert [exchange.path for exchange in proxy.exchanges] == ["/oauth2/token", "/2.0/users/me", "/2.0/users/me"]


@pytest.mark.parametrize(("kind", "id"), STRANGERS)
def test_10_18_gets_nothing_for_those_whom_the_service_may_not_act_for(proxy, generated, way, kind, id):
    """The same answer for somebody who exists and for nobody."""
    auth = getattr(generated, way)(**{f"{kind}_id": id})
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        auth.retrieve_token(network_session=generated.network)
    body = caught.value.response_info.body
    assert (caught.value.response_info.status_code, body["error"]) == (400, "invalid_grant")
    assert id not in body["error_description"] and len(proxy.exchanges) == 1


@pytest.mark.parametrize(("kind", "id"), STRANGERS)
def test_3_14_gets_nothing_for_those_whom_the_service_may_not_act_for(proxy, legacy, way, kind, id):
    """And it does not try again: the description names neither `exp` nor `jti`."""
    auth = getattr(legacy, way)(enterprise_id=None)
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        auth.authenticate_instance(id) if kind == "enterprise" else auth.authenticate_user(id)
    assert (caught.value.status, caught.value.code) == (400, "invalid_grant")
    assert len(proxy.exchanges) == 1


def test_the_forms_differ_in_their_order_alone(proxy, legacy, generated):
    legacy.credentials().authenticate_user(MARIA.sub)
    generated.credentials(user_id=MARIA.sub).retrieve_token(network_session=generated.network)
    forms = [exchange.form for exchange in proxy.exchanges]
    assert forms[0] == forms[1] and list(forms[0]) != list(forms[1])


def test_the_statements_are_signed_as_box_wants_them(proxy, legacy, generated):
    """Both name Box as the audience, and live for half a minute."""
    legacy.assertion().authenticate_user(MARIA.sub)
    generated.assertion().retrieve_token(network_session=generated.network)
    first, second = (exchange.form["assertion"] for exchange in proxy.exchanges)
    for statement in (first, second):
        assert header_of(statement) == {"alg": "RS256", "kid": SERVICE_KEY.key_id, "typ": "JWT"}
        assert payload_of(statement)["aud"] == AUDIENCE and payload_of(statement)["iss"] == SERVICE.client_id
    assert (payload_of(first)["box_sub_type"], payload_of(first)["sub"]) == ("user", MARIA.sub)
    assert (payload_of(second)["box_sub_type"], payload_of(second)["sub"]) == ("enterprise", ENTERPRISE)


def test_both_read_the_file_that_box_hands_out(enterprise, legacy, generated):
    settings = {
        "boxAppSettings": {
            "clientID": SERVICE.client_id,
            "clientSecret": SERVICE.secret,
            "appAuth": {
                "publicKeyID": SERVICE_KEY.key_id,
                "privateKey": SERVICE_KEY.pem,
                "passphrase": SERVICE_KEY.passphrase,
            },
        },
        "enterpriseID": ENTERPRISE,
    }
    check_service_token(enterprise, boxsdk.JWTAuth.from_settings_dictionary(settings).authenticate_instance())
    auth = box_sdk_gen.BoxJWTAuth(box_sdk_gen.JWTConfig.from_config_json_string(json.dumps(settings)))
    check_service_token(enterprise, auth.retrieve_token(network_session=generated.network).access_token)


@pytest.mark.parametrize("algorithm", ["RS384", "RS512"])
def test_3_14_signs_with_an_algorithm_that_the_key_is_not_for(legacy, algorithm):
    """It is registered for RS256."""
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        legacy.assertion(jwt_algorithm=algorithm).authenticate_instance()
    assert (caught.value.status, caught.value.code) == (400, "invalid_grant")


def test_a_key_that_nobody_registered(proxy, legacy, generated):
    """The name is right, the key is not; and the key is right, the name is not."""
    stranger = type(SERVICE_KEY)(SERVICE_KEY.key_id)
    with pytest.raises(boxsdk.BoxOAuthException) as caught:
        boxsdk.JWTAuth(
            SERVICE.client_id,
            SERVICE.secret,
            ENTERPRISE,
            SERVICE_KEY.key_id,
            rsa_private_key_data=stranger.pem.encode(),
            rsa_private_key_passphrase=stranger.passphrase.encode(),
        ).authenticate_instance()
    assert caught.value.code == "invalid_grant"
    config = box_sdk_gen.JWTConfig(
        SERVICE.client_id,
        SERVICE.secret,
        "no-such-key",
        SERVICE_KEY.pem,
        SERVICE_KEY.passphrase,
        enterprise_id=ENTERPRISE,
    )
    with pytest.raises(box_sdk_gen.BoxAPIError) as other:
        box_sdk_gen.BoxJWTAuth(config).retrieve_token(network_session=generated.network)
    assert other.value.response_info.body["error"] == "invalid_grant"
    assert len(proxy.exchanges) == 2


def test_tokens_of_somebody_who_was_disabled_are_dead(enterprise, proxy, legacy, generated):
    """Those that there are, and there are no new ones."""
    login = "short-stay@example.test"
    person = enterprise.add(login, ENTERPRISE)
    auth, other = generated.credentials(user_id=person), legacy.credentials(user=person)
    assert generated.client(auth).users.get_user_me().id == legacy.client(other).user().get().id == person
    enterprise.mgmt.user.deactivate(login)
    for token in (auth.token_storage.get().access_token, other.access_token):
        assert not enterprise.is_good(token, SERVICE)
    proxy.exchanges.clear()
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        generated.client(auth).users.get_user_me()
    assert caught.value.response_info.body["error"] == "invalid_grant"
    with pytest.raises(boxsdk.BoxOAuthException) as again:
        legacy.client(other).user().get()
    assert again.value.code == "invalid_grant"
    assert [exchange.status for exchange in proxy.exchanges] == [401, 400, 401, 400]


@pytest.mark.parametrize("release", ["legacy", "generated"])
def test_tokens_of_somebody_who_left_the_enterprise_are_dead(enterprise, request, release):
    """The service may not act for them any more, not even until the token's hour is over."""
    sdk, login = request.getfixturevalue(release), f"leaves-{release}@example.test"
    person = enterprise.add(login, ENTERPRISE)
    if release == "legacy":
        token = sdk.assertion().authenticate_user(person)
    else:
        token = sdk.assertion(user_id=person).retrieve_token(network_session=sdk.network).access_token
    assert enterprise.is_good(token, SERVICE)
    enterprise.mgmt.user.remove_tenant(login, ENTERPRISE)
    assert not enterprise.is_good(token, SERVICE)
