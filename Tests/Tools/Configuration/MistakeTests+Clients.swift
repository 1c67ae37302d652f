extension MistakeTests {
    /// What can be wrong with a client.
    static let clients = [
        Case("no client_id", "clients:\n  - client_name: x", "2 clients[0].client_id"),
        Case("client_id twice", "clients:\n  - client_id: a\n  - client_id: a", "3 clients[1].client_id"),
        Case("near key", Sample.client("redirect_uri: x"), "3 clients[0].redirect_uri"),
        Case(
            "page of the app in the clear", Sample.client("pre_authenticated_uris: [ 'http://a.example/in' ]"),
            "3 clients[0].pre_authenticated_uris[0]"),
        Case("pairwise subjects", Sample.client("subject_type: pairwise"), "3 clients[0].subject_type"),
        Case(
            "who shares pairwise subjects", Sample.client("sector_identifier_uri: https://a.example/apps.json"),
            "3 clients[0].sector_identifier_uri"),
        Case("claim of the token", Sample.client("id_token_claims: [ email, sub ]"), "3 clients[0].id_token_claims[1]"),
        Case("claim without a name", Sample.client("userinfo_claims: [ '' ]"), "3 clients[0].userinfo_claims[0]"),
        Case("claims as text", Sample.client("userinfo_claims: email"), "3 clients[0].userinfo_claims"),
        Case("a word for a switch", Sample.client("unverified_contacts: maybe"), "3 clients[0].unverified_contacts"),
        Case("redirect relative", Sample.client("redirect_uris: [ /callback ]"), "3 clients[0].redirect_uris[0]"),
        Case("redirect text", Sample.client("redirect_uris: https://a.example"), "3 clients[0].redirect_uris"),
        Case(
            "redirect fragment", Sample.client("redirect_uris: [ 'https://a.example/#' ]"),
            "3 clients[0].redirect_uris[0]"),
        Case(
            "redirect wildcard", Sample.client("redirect_uris: [ 'https://*.a.example' ]"),
            "3 clients[0].redirect_uris[0]"),
        Case("redirect http", Sample.client("redirect_uris: [ 'http://a.example/' ]"), "3 clients[0].redirect_uris[0]"),
        Case(
            "redirect user", Sample.client("redirect_uris: [ 'https://u@a.example/' ]"), "3 clients[0].redirect_uris[0]"
        ),
        Case(
            "redirect space", Sample.client("redirect_uris: [ 'https://a.example/ b' ]"),
            "3 clients[0].redirect_uris[0]"),
        Case(
            "second redirect", Sample.client("redirect_uris:", "  - myapp:/cb", "  - x"),
            "5 clients[0].redirect_uris[1]"),
        Case(
            "secret of none", Sample.client("client_secret: s", "token_endpoint_auth_method: none"),
            "3 clients[0].client_secret"),
        Case(
            "basic without secret", Sample.client("token_endpoint_auth_method: client_secret_basic"),
            "3 clients[0].token_endpoint_auth_method"),
        Case(
            "unknown method", Sample.client("token_endpoint_auth_method: tls_client_auth"),
            "3 clients[0].token_endpoint_auth_method"),
        Case(
            "private_key_jwt without keys", Sample.client("token_endpoint_auth_method: private_key_jwt"),
            "3 clients[0].token_endpoint_auth_method"),
        Case(
            "both key sets", Sample.client("jwks: { keys: [] }", "jwks_uri: https://a.example/jwks"),
            "4 clients[0].jwks_uri"),
        Case("private key", Sample.client("jwks: { keys: [ { kty: EC, d: AAAA } ] }"), "3 clients[0].jwks.keys[0].d"),
        Case("key without kind", Sample.client("jwks: { keys: [ { x: AAAA } ] }"), "3 clients[0].jwks.keys[0].kty"),
        Case(
            "key without y", Sample.client("jwks: { keys: [ { kty: EC, crv: P-256, x: AAAA } ] }"),
            "3 clients[0].jwks.keys[0].y"),
        Case("response type", Sample.client("response_types: [ code, id_token ]"), "3 clients[0].response_types[1]"),
        Case("scope", Sample.client("scope: 'a\"b'"), "3 clients[0].scope"),
        Case("kind", Sample.client("application_type: desktop"), "3 clients[0].application_type"),
        Case(
            "unsigned", Sample.client("id_token_signed_response_alg: none"), "3 clients[0].id_token_signed_response_alg"
        ),
        Case("page", Sample.client("logo_uri: 'javascript:alert(1)'"), "3 clients[0].logo_uri"),
        Case(
            "backchannel", Sample.client("backchannel_logout_uri: http://a.example"),
            "3 clients[0].backchannel_logout_uri"),
        Case("flag", Sample.client("first_party: 1"), "3 clients[0].first_party"),
        Case("profile", Sample.client("profile: fapi1"), "3 clients[0].profile"),
        Case(
            "fapi2 with a secret", Sample.client("client_secret: sesame-open-sesame", "profile: fapi2"),
            "4 clients[0].profile"),
        Case("public machine", Sample.client("grant_types: [ client_credentials ]"), "3 clients[0].grant_types"),
        Case(
            "public machine with keys",
            Sample.client(
                "grant_types: [ 'urn:ietf:params:oauth:grant-type:jwt-bearer' ]",
                "jwks_uri: https://service.example.com/keys"), "3 clients[0].grant_types"),
        Case("whom", Sample.client("may_impersonate: [ everyone ]"), "3 clients[0].may_impersonate[0]"),
        Case("no such tenant", Sample.client("may_impersonate: [ 'tenant:x' ]"), "3 clients[0].may_impersonate[0]"),
        Case(
            "assertion audience", Sample.client("assertion_audiences: [ box ]"), "3 clients[0].assertion_audiences[0]"),
        Case("negative", Sample.client("default_max_age: -1"), "3 clients[0].default_max_age"),
    ]
}
