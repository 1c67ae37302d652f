"""Both generations of Box's own client, unchanged: they are only told where the server is.

`boxsdk` is release 3.14 of the distribution, `box_sdk_gen` the module of release 10.18.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import box_sdk_gen
import boxsdk
from box_sdk_gen import AccessToken, BoxClient, InMemoryTokenStorage

from support.configuration import Client
from support.enterprise import APP, ENTERPRISE, SERVICE, SERVICE_KEY


class Legacy:
    """What an app makes of release 3.14."""

    agent = "box-python-sdk-3.14.0"

    def __init__(self, base: str, monkeypatch):
        self.base = base
        for name, path in [
            ("BASE_API_URL", "/2.0"),
            ("UPLOAD_URL", "/api/2.0"),
            ("OAUTH2_API_URL", "/oauth2"),
            ("OAUTH2_AUTHORIZE_URL", "/oauth2/authorize"),
        ]:
            monkeypatch.setattr(boxsdk.config.API, name, base + path)

    def oauth(self, client: Client = APP, **options) -> boxsdk.OAuth2:
        return boxsdk.OAuth2(client.client_id, client.secret, **options)

    def credentials(self, **options) -> boxsdk.CCGAuth:
        options.setdefault("enterprise_id", ENTERPRISE)
        return boxsdk.CCGAuth(SERVICE.client_id, SERVICE.secret, **options)

    def assertion(self, **options) -> boxsdk.JWTAuth:
        options.setdefault("enterprise_id", ENTERPRISE)
        return boxsdk.JWTAuth(
            SERVICE.client_id,
            SERVICE.secret,
            jwt_key_id=SERVICE_KEY.key_id,
            rsa_private_key_data=SERVICE_KEY.pem.encode(),
            rsa_private_key_passphrase=SERVICE_KEY.passphrase.encode(),
            **options,
        )

    def client(self, auth: boxsdk.OAuth2) -> boxsdk.Client:
        return boxsdk.Client(auth)

    def signed_in(self, enterprise, **options) -> boxsdk.OAuth2:
        """Somebody's tokens, by code."""
        auth = self.oauth()
        address, state = auth.get_authorization_url(APP.redirect_uri)
        callback = enterprise.authorize(address, **options)
        assert callback["state"] == state
        auth.authenticate(callback["code"])
        return auth


class Generated:
    """What an app makes of release 10.18."""

    agent = "box-python-generated-sdk-10.18.0"

    def __init__(self, base: str):
        self.base = base
        urls = box_sdk_gen.BaseUrls(base_url=base, upload_url=f"{base}/api", oauth_2_url=f"{base}/oauth2")
        self.network = box_sdk_gen.NetworkSession(base_urls=urls)

    def oauth(self, client: Client = APP, token: AccessToken | None = None) -> box_sdk_gen.BoxOAuth:
        storage = InMemoryTokenStorage(token=token)
        return box_sdk_gen.BoxOAuth(box_sdk_gen.OAuthConfig(client.client_id, client.secret, token_storage=storage))

    def credentials(self, **options) -> box_sdk_gen.BoxCCGAuth:
        options = options or {"enterprise_id": ENTERPRISE}
        return box_sdk_gen.BoxCCGAuth(box_sdk_gen.CCGConfig(SERVICE.client_id, SERVICE.secret, **options))

    def assertion(self, **options) -> box_sdk_gen.BoxJWTAuth:
        options = options or {"enterprise_id": ENTERPRISE}
        key = SERVICE_KEY
        return box_sdk_gen.BoxJWTAuth(
            box_sdk_gen.JWTConfig(SERVICE.client_id, SERVICE.secret, key.key_id, key.pem, key.passphrase, **options)
        )

    def client(self, auth) -> BoxClient:
        return BoxClient(auth, network_session=self.network)

    def authorization_address(self, auth, **options) -> str:
        """This release names Box's own page, whatever it was told. Apps put their server's in its place."""
        address = auth.get_authorize_url(options=box_sdk_gen.GetAuthorizeUrlOptions(**options))
        return f"{self.base}/oauth2/authorize?{urlsplit(address).query}"

    def signed_in(self, enterprise, **options) -> box_sdk_gen.BoxOAuth:
        """Somebody's tokens, by code."""
        auth = self.oauth()
        address = self.authorization_address(auth, redirect_uri=APP.redirect_uri, state="s-1")
        callback = enterprise.authorize(address, **options)
        assert callback["state"] == "s-1"
        auth.get_tokens_authorization_code_grant(callback["code"], network_session=self.network)
        return auth
