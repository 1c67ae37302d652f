import KeyturnBase
import KeyturnVerify
import Testing

/// An access token as a provider writes it, and the ID token that it gives beside it: of one issuer, for one audience,
/// so that only the profile tells them apart.
struct ProviderToken: Sendable, CustomTestStringConvertible {
    let name: String
    let provider: String
    let profile: TokenProfile
    var type: String? = "JWT"
    /// For whom the verifier is.
    var audience = "api"
    /// Where the client stands: always `app`.
    let clientClaim: String
    let claims: [String: JSONValue]
    /// What the ID token says beyond issuer, subject and times.
    let idClaims: [String: JSONValue]

    var testDescription: String { name }

    static let tenant = "5f1a2b3c-0000-4000-8000-00000000abcd"
    static let all = [
        okta, entra, entraV1, entraApplication, keycloak, keycloakDPoP, cognito, auth0, auth0Machine, auth0RFC,
    ]

    static let okta = ProviderToken(
        name: "Okta", provider: "okta", profile: .okta, type: nil, clientClaim: "cid",
        claims: [
            "ver": 1, "jti": "AT.1", "aud": "api", "cid": "app", "uid": "00u1", "scp": ["read", "write"],
            "auth_time": 1_799_999_900,
        ],
        idClaims: [
            "ver": 1, "jti": "ID.1", "aud": "api", "amr": ["pwd"], "idp": "00o1", "nonce": "n", "at_hash": "h",
            "auth_time": 1_799_999_900, "preferred_username": "ann@example.com",
        ])

    static let entra = ProviderToken(
        name: "Entra, version 2", provider: "entra", profile: .entra(tenant: tenant), clientClaim: "azp",
        claims: [
            "aud": "api", "nbf": 1_800_000_000, "azp": "app", "azpacr": "1", "oid": "o-1", "scp": "read write",
            "roles": ["Reader"], "tid": .string(tenant), "uti": "u-1", "ver": "2.0",
        ], idClaims: entraIDClaims)

    static let entraV1 = ProviderToken(
        name: "Entra, version 1", provider: "entra", profile: .entra(tenant: tenant), clientClaim: "appid",
        claims: [
            "aud": "api", "nbf": 1_800_000_000, "acr": "1", "amr": ["pwd"], "appid": "app", "appidacr": "0",
            "oid": "o-1", "scp": "read write", "tid": .string(tenant), "unique_name": "ann", "ver": "1.0",
        ], idClaims: entraIDClaims)

    static let entraApplication = ProviderToken(
        name: "Entra, an application without a user", provider: "entra", profile: .entra(tenant: tenant.uppercased()),
        clientClaim: "azp",
        claims: [
            "aud": "api", "nbf": 1_800_000_000, "azp": "app", "azpacr": "2", "idtyp": "app", "oid": "o-2",
            "roles": ["Reader"], "tid": .string(tenant), "ver": "2.0",
        ], idClaims: entraIDClaims)

    /// The API and its web pages are one registration, so that both tokens have one audience.
    static let entraIDClaims: [String: JSONValue] = [
        "aud": "api", "nbf": 1_800_000_000, "name": "Ann", "oid": "o-1", "preferred_username": "ann@example.com",
        "roles": ["Reader"], "tid": .string(tenant), "uti": "u-2", "ver": "2.0",
    ]

    static let keycloak = ProviderToken(
        name: "Keycloak", provider: "keycloak", profile: .keycloak, clientClaim: "azp",
        claims: keycloakClaims(type: "Bearer"), idClaims: keycloakIDClaims)

    static let keycloakDPoP = ProviderToken(
        name: "Keycloak, at+jwt and DPoP", provider: "keycloak", profile: .keycloak(rolesOf: "api"), type: "at+jwt",
        clientClaim: "azp", claims: keycloakClaims(type: "DPoP"), idClaims: keycloakIDClaims)

    static func keycloakClaims(type: JSONValue) -> [String: JSONValue] {
        [
            "aud": ["api", "account"], "typ": type, "azp": "app", "jti": "t-1", "sid": "s-1", "acr": "1",
            "nonce": "n", "auth_time": 1_799_999_900, "allowed-origins": ["https://app.example.com"],
            "realm_access": ["roles": ["Reader", "offline_access"]],
            "resource_access": ["api": ["roles": ["Reader"]], "account": ["roles": ["view-profile"]]],
            "scope": "read write", "preferred_username": "ann",
        ]
    }

    static let keycloakIDClaims: [String: JSONValue] = [
        "aud": "api", "typ": "ID", "azp": "app", "sid": "s-1", "acr": "1", "at_hash": "h", "nonce": "n",
        "scope": "read write", "preferred_username": "ann",
    ]

    static let cognito = ProviderToken(
        name: "Cognito", provider: "cognito", profile: .cognito, type: nil, audience: "app", clientClaim: "client_id",
        claims: [
            "device_key": "d", "cognito:groups": ["Reader"], "token_use": "access", "scope": "read write",
            "auth_time": 1_799_999_900, "version": 2, "jti": "t-1", "origin_jti": "t-0", "client_id": "app",
            "username": "ann",
        ],
        idClaims: [
            "aud": "app", "token_use": "id", "cognito:groups": ["Reader"], "cognito:username": "ann", "jti": "t-2",
            "email_verified": true, "auth_time": 1_799_999_900, "client_id": "app",
        ])

    static let auth0 = ProviderToken(
        name: "Auth0", provider: "auth0", profile: .auth0, clientClaim: "azp",
        claims: [
            "aud": ["api", "https://tenant.auth0.example/userinfo"], "azp": "app", "scope": "read write",
            "permissions": ["read"],
        ], idClaims: auth0IDClaims)

    static let auth0Machine = ProviderToken(
        name: "Auth0, a machine without scope", provider: "auth0", profile: .auth0, clientClaim: "azp",
        claims: ["aud": "api", "azp": "app", "gty": "client-credentials"], idClaims: auth0IDClaims)

    static let auth0RFC = ProviderToken(
        name: "Auth0, profile of RFC 9068", provider: "auth0", profile: .auth0, type: "at+jwt",
        clientClaim: "client_id", claims: ["aud": "api", "client_id": "app", "jti": "t-1", "scope": "read write"],
        idClaims: auth0IDClaims)

    /// `azp` is what OpenID Connect Core §2 allows in an ID token.
    static let auth0IDClaims: [String: JSONValue] = [
        "aud": "api", "azp": "app", "nickname": "ann", "name": "Ann", "sid": "s-1", "auth_time": 1_799_999_900,
    ]
}

extension ProviderToken {
    static let issuer = TestIssuer()

    /// The access token; `nil` removes a claim.
    func access(_ changes: [String: JSONValue?] = [:]) -> String {
        Self.issuer.token(Self.complete(claims, changes), type: type)
    }

    /// The ID token that the provider gives beside it, which has the type of its access tokens at the providers where
    /// that type says nothing.
    func id(_ changes: [String: JSONValue?] = [:]) -> String {
        Self.issuer.token(Self.complete(idClaims, changes), type: type == "at+jwt" ? "JWT" : type)
    }

    func verifier(
        profile other: TokenProfile? = nil, audience: String? = nil, clientIDs: Set<String>? = nil
    ) throws -> TokenVerifier {
        TokenVerifier(
            issuer: TestIssuer.url, audience: audience ?? self.audience,
            keys: try PinnedKeys(parsing: TestIssuer.document(Self.issuer)), profile: other ?? profile,
            clientIDs: clientIDs)
    }

    func verify(_ token: String, clientIDs: Set<String>? = nil) async throws -> VerifiedToken {
        try await verifier(clientIDs: clientIDs).verify(token, at: TestIssuer.now)
    }

    private static func complete(
        _ claims: [String: JSONValue], _ changes: [String: JSONValue?]
    ) -> [String: JSONValue] {
        var all = claims
        all["iss"] = .string(TestIssuer.url)
        all["sub"] = "user-1"
        all["iat"] = .integer(TestIssuer.now.rawValue)
        all["exp"] = .integer(TestIssuer.now.rawValue + 600)
        for (name, value) in changes { all[name] = value }
        return all
    }
}
