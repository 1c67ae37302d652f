"""Case 7: whoever has a token gets one for less, without saying who they are."""

from __future__ import annotations

import box_sdk_gen
import boxsdk
import pytest

from support.configuration import MARIA
from support.enterprise import APP, ENTERPRISE, SERVICE
from support.tokens import payload_of

ISSUED_TYPE = "urn:ietf:params:oauth:token-type:access_token"
LINK = "https://app.box.com/s/some-shared-thing?x=1&y=2"


def test_10_18_downscopes_to_one_file(enterprise, proxy, generated):
    auth = generated.credentials()
    parent = auth.retrieve_token(network_session=generated.network).access_token
    file = f"{generated.base}/2.0/files/123"
    child = auth.downscope_token(["item_preview", "item_download"], resource=file, network_session=generated.network)
    exchange = proxy.exchanges[-1]
    assert "authorization" not in exchange.headers and not {"client_id", "client_secret"} & set(exchange.form)
    assert child.issued_token_type == ISSUED_TYPE and child.refresh_token is None and child.token_type == "bearer"
    restricted = {(entry.scope.value, entry.object.type, entry.object.id) for entry in child.restricted_to}
    assert restricted == {("item_preview", "file", "123"), ("item_download", "file", "123")}
    said = enterprise.introspect(child.access_token, SERVICE)
    assert set(said["scope"].split()) == {"item_preview", "item_download"} and said["tenant"] == ENTERPRISE
    assert said["exp"] <= enterprise.introspect(parent, SERVICE)["exp"]


def test_3_14_downscopes_to_one_folder(enterprise, proxy, legacy):
    """It shows the token in the header as well."""
    auth = legacy.credentials()
    parent = auth.authenticate_instance()
    client = legacy.client(auth)
    child = client.downscope_token(["item_preview"], item=client.folder("456"))
    exchange = proxy.exchanges[-1]
    assert exchange.headers["authorization"] == f"Bearer {parent}" and exchange.form["subject_token"] == parent
    assert exchange.form["resource"] == f"{legacy.base}/2.0/folders/456"
    assert child.issued_token_type == ISSUED_TYPE and "refresh_token" not in child.response_object
    (entry,) = child.restricted_to
    assert (entry["scope"], entry["object"]["type"], entry["object"]["id"]) == ("item_preview", "folder", "456")
    assert enterprise.introspect(child.access_token, SERVICE)["scope"] == "item_preview"


def test_a_persons_token_is_downscoped_without_an_object(enterprise, legacy, generated):
    """Nothing is restricted but the scopes, and both say so with an empty list."""
    first = generated.signed_in(enterprise).downscope_token(["item_preview"], network_session=generated.network)
    second = legacy.client(legacy.signed_in(enterprise)).downscope_token([boxsdk.auth.oauth2.TokenScope.ITEM_PREVIEW])
    assert first.restricted_to == [] and second.restricted_to == []
    for token in (first.access_token, second.access_token):
        said = enterprise.introspect(token, APP)
        assert (said["sub"], said["scope"]) == (MARIA.sub, "item_preview") and "act" not in said


def test_both_downscope_to_a_shared_link(proxy, legacy, generated):
    auth = generated.credentials()
    first = auth.downscope_token(["item_preview"], shared_link=LINK, network_session=generated.network)
    second = legacy.client(legacy.credentials()).downscope_token(["item_preview"], shared_link=LINK)
    assert proxy.exchanges[-1].form["box_shared_link"] == LINK
    for token in (first.access_token, second.access_token):
        (entry,) = payload_of(token)["restricted_to"]
        assert (entry["scope"], entry["object"]) == ("item_preview", {"resource": LINK})


@pytest.mark.parametrize("scopes", [["item_delete"], ["item_preview", "item_delete"], ["root_readwrite"]])
def test_nobody_gets_more_than_the_token_allows(proxy, legacy, generated, scopes):
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        generated.credentials().downscope_token(scopes, network_session=generated.network)
    assert caught.value.response_info.status_code == 400
    assert caught.value.response_info.body["error"] == "invalid_scope"
    with pytest.raises(boxsdk.BoxAPIException) as other:
        legacy.client(legacy.credentials()).downscope_token(scopes)
    assert other.value.status == 400 and "invalid_scope" in str(other.value.network_response.content)


def test_less_never_becomes_more_again(proxy, generated):
    """The smaller token cannot be widened: not in scopes, and not to another object."""
    network = generated.network
    child = generated.credentials().downscope_token(
        ["item_preview"], resource=f"{generated.base}/2.0/files/123", network_session=network
    )
    smaller = box_sdk_gen.BoxDeveloperTokenAuth(child.access_token)
    for options in [
        {"scopes": ["item_upload"]},
        {"scopes": ["item_preview"], "resource": f"{generated.base}/2.0/files/124"},
        {"scopes": ["item_preview"], "shared_link": LINK},
    ]:
        with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
            smaller.downscope_token(**options, network_session=network)
        assert caught.value.response_info.status_code == 400
    again = smaller.downscope_token(["item_preview"], network_session=network)
    assert [(entry.object.type, entry.object.id) for entry in again.restricted_to] == [("file", "123")]


def test_a_dead_token_is_worth_nothing(legacy, generated):
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        box_sdk_gen.BoxDeveloperTokenAuth("no-such-token").downscope_token(
            ["item_preview"], network_session=generated.network
        )
    assert caught.value.response_info.status_code == 400
    with pytest.raises(boxsdk.BoxAPIException) as other:
        legacy.client(legacy.oauth(access_token="no-such-token")).downscope_token(["item_preview"])
    assert other.value.status == 400


@pytest.mark.parametrize("acting", [False, True], ids=["itself", "as a user"])
def test_a_token_for_one_file_opens_nothing_else(enterprise, proxy, generated, acting):
    """It is good, but not for this: nobody has to sign in again, and no client throws a session away."""
    child = generated.credentials().downscope_token(
        ["item_preview"], resource="https://api.box.com/2.0/files/123", network_session=generated.network
    )
    client = generated.client(box_sdk_gen.BoxDeveloperTokenAuth(child.access_token))
    if acting:
        client = client.with_as_user_header(MARIA.sub)
    with pytest.raises(box_sdk_gen.BoxAPIError) as caught:
        client.users.get_user_me()
    assert (caught.value.response_info.status_code, caught.value.response_info.code) == (403, "insufficient_scope")
    assert 'error="insufficient_scope"' in proxy.exchanges[-1].answer_headers["www-authenticate"]
    assert enterprise.is_good(child.access_token, SERVICE)


def test_what_was_downscoped_ends_with_its_parent(enterprise, generated):
    auth = generated.signed_in(enterprise)
    child = auth.downscope_token(["item_preview"], network_session=generated.network)
    assert enterprise.is_good(child.access_token)
    auth.revoke_token(network_session=generated.network)
    assert not enterprise.is_good(child.access_token)


@pytest.mark.parametrize("subject", ["enterprise", "user"])
def test_what_was_downscoped_of_a_services_token_ends_with_it(enterprise, generated, subject):
    """And not the other way round: the parent and a sibling outlive a child."""
    network = generated.network
    auth = generated.credentials(
        **({"enterprise_id": ENTERPRISE} if subject == "enterprise" else {"user_id": MARIA.sub})
    )
    first, second = (auth.downscope_token(["item_preview"], network_session=network).access_token for _ in range(2))
    parent = auth.token_storage.get().access_token
    config = box_sdk_gen.DeveloperTokenConfig(client_id=SERVICE.client_id, client_secret=SERVICE.secret)
    box_sdk_gen.BoxDeveloperTokenAuth(first, config=config).revoke_token(network_session=network)
    assert [enterprise.is_good(token, SERVICE) for token in (first, second, parent)] == [False, True, True]
    auth.revoke_token(network_session=network)
    assert not enterprise.is_good(second, SERVICE) and not enterprise.is_good(parent, SERVICE)
