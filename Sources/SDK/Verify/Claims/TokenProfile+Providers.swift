internal import KeyturnWire

/// What providers write, by their documentation.
extension TokenProfile {
    /// The JWT profile of access tokens (RFC 9068), which a Keyturn server writes: `at+jwt`, `client_id`, and `scope`
    /// as one text.
    public static let rfc9068 = TokenProfile(
        types: [TokenKind.accessToken], client: ["client_id"], scope: "scope", roles: "roles", requirements: [],
        refusedClaims: [])

    /// Okta's custom authorization servers: no `typ`, `cid`, `scp` as a list. Groups are read as roles once you name
    /// the claim that your server puts them into.
    ///
    /// Tokens of the org's own authorization server (`application/okta-internal-at+jwt`) are for Okta's APIs alone.
    public static let okta = TokenProfile(
        types: [TokenKind.accessToken], allowsMissingType: true, client: ["cid"], scope: "scp", allowsScopeList: true,
        requirements: [.has("cid"), .has("scp")])

    /// Microsoft Entra ID: `azp` (tokens of version 2) or `appid` (version 1), `scp` or `roles`.
    ///
    /// A token that gives neither scope nor role is refused: any application of a tenant can get one for any API.
    ///
    /// - Parameter tenant: The tenant's identifier, a GUID (`tid`). Issuers of the two versions differ: state to the
    ///   verifier the one that your API's tokens have.
    public static func entra(tenant: String) -> TokenProfile {
        TokenProfile(
            types: ["JWT"], client: ["azp", "appid"], scope: "scp", roles: "roles",
            requirements: [.claim("tid", is: tenant.lowercased()), .has("azp", "appid"), .has("scp", "roles")])
    }

    /// Keycloak, with the roles of the realm: `typ` (the claim) is `Bearer` or `DPoP`, and `azp` the client.
    public static let keycloak = makeKeycloak(roles: .at("realm_access", "roles"))

    /// Keycloak, with the roles that a client defines instead of the realm's.
    ///
    /// - Parameter client: The client whose roles count: usually the API itself.
    public static func keycloak(rolesOf client: String) -> TokenProfile {
        makeKeycloak(roles: .at("resource_access", client, "roles"))
    }

    /// `nonce` marks nothing here: earlier releases put it into access tokens, too.
    private static func makeKeycloak(roles: Claim) -> TokenProfile {
        TokenProfile(
            types: ["JWT", TokenKind.accessToken], client: ["azp"], scope: "scope", roles: roles,
            requirements: [.claim("typ", is: "Bearer", "DPoP"), .has("azp")],
            refusedClaims: marksOfOtherTokens.subtracting(["nonce"]))
    }

    /// Amazon Cognito's user pools: no `typ`, `token_use` is `access`, and groups are roles.
    ///
    /// Tokens have `aud` only if the client asked for one API (resource binding). Without it the audience is the app
    /// client: the verifier's `audience` is that client's identifier.
    public static let cognito = TokenProfile(
        types: [], allowsMissingType: true, client: ["client_id"], scope: "scope", roles: "cognito:groups",
        audienceFallback: "client_id", requirements: [.claim("token_use", is: "access"), .has("client_id")])

    /// Auth0, with its own token profile (`JWT`, `azp`) or that of RFC 9068 (`at+jwt`, `client_id`).
    ///
    /// Roles stand in a claim that you name in an Action: name it in ``roles``. Permissions are in the claim
    /// `permissions`.
    public static let auth0 = TokenProfile(
        types: ["JWT", TokenKind.accessToken], client: ["azp", "client_id"], scope: "scope",
        requirements: [.has("azp", "client_id"), .has("scope", "permissions", "gty", "client_id")])
}
