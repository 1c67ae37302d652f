internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model
internal import NIOCore
internal import OAuth
internal import SignIn

/// What the server says about itself: `/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server`
/// (RFC 8414) and the public keys.
struct DiscoveryRoutes: Sendable {
    private let services: IdentityServices
    private let languages: Languages
    private let document: ByteBuffer
    private let resource: ByteBuffer

    init(services: IdentityServices, languages: Languages) throws {
        self.services = services
        self.languages = languages
        document = ByteBuffer(bytes: try Self.document(Self.metadata(of: services, languages), services.project))
        resource = ByteBuffer(bytes: try Self.encoder.encode(Self.resource(of: services.project)))
    }

    var routes: [Route] {
        let why = "public document"
        return [
            Route(.get, Routes.openIDConfiguration, open: why, sharing: .anybody, handler: metadata),
            Route(.get, Routes.serverMetadata, open: why, sharing: .anybody, handler: metadata),
            Route(.get, Routes.protectedResource, open: why, sharing: .anybody, handler: protectedResource),
            Route(.get, Routes.keys, open: "public keys", sharing: .anybody, handler: keys),
        ]
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The metadata, with the project's identifier as an additional member (RFC 8414 §2).
    private static func document(_ metadata: ServerMetadata, _ project: Project) throws -> [UInt8] {
        let metadata = try JSONValue(parsing: encoder.encode(metadata))
        var members = metadata.objectValue ?? [:]
        members["keyturn_project_id"] = .string(project.id)
        return Array(JSONValue.object(members).serialized)
    }

    /// The document of a realm. Its issuer is the address below which the document was fetched (OpenID Connect
    /// Discovery §4.3), and its endpoints are those whose answers name that issuer.
    func metadata(ofRealm realm: String) throws -> Response {
        let project = services.project
        var metadata = Self.metadata(of: services, languages)
        metadata.issuer = project.issuer(ofRealm: realm)
        metadata.authorizationEndpoint = metadata.issuer + Routes.authorize
        metadata.tokenEndpoint = metadata.issuer + Routes.token
        // Logout tokens name the server's own issuer, which a client of the realm must refuse (Back-Channel Logout §2.6).
        metadata.backchannelLogoutSupported = nil
        metadata.backchannelLogoutSessionSupported = nil
        return Self.published(ByteBuffer(bytes: try Self.document(metadata, project)))
    }

    @Sendable private func metadata(_ request: Request, _ context: WebContext) async throws -> Response {
        Self.published(document)
    }

    /// What this server says of itself as a protected resource (RFC 9728): UserInfo and `/2.0/users`.
    @Sendable private func protectedResource(_ request: Request, _ context: WebContext) async throws -> Response {
        Self.published(resource)
    }

    private static func published(_ document: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*",
            ],
            body: document)
    }

    private static func resource(of project: Project) -> ProtectedResourceMetadata {
        var metadata = ProtectedResourceMetadata(resource: project.issuer, authorizationServers: [project.issuer])
        metadata.resourceName = project.name
        metadata.scopesSupported = Scope.standard
        metadata.bearerMethodsSupported = ["header", "body"]
        metadata.dpopSigningAlgValuesSupported = UnverifiedDPoPProof.algorithms.map(\.rawValue)
        return metadata
    }

    /// Cached for a far shorter time than a key is published before it signs.
    @Sendable private func keys(_ request: Request, _ context: WebContext) async throws -> Response {
        let now = services.ambient.now()
        await services.keys.waitUntilReady(services.signatureAlgorithms, at: now)
        let keys = services.keys.publicKeys(at: now)
        let body = JSONWriter.object { json in json.member("keys", .array(keys.map(\.json))) }
        return .json(body, headers: [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"])
    }

    static func metadata(of services: IdentityServices, _ languages: Languages) -> ServerMetadata {
        let project = services.project
        let issuer = project.issuer
        let base = project.base
        var metadata = ServerMetadata(issuer: issuer)
        metadata.authorizationEndpoint = base + Routes.authorize
        metadata.tokenEndpoint = base + Routes.token
        metadata.userinfoEndpoint = base + Routes.userInfo
        metadata.jwksURI = base + Routes.keys
        metadata.revocationEndpoint = base + Routes.revoke
        metadata.introspectionEndpoint = base + Routes.introspect
        metadata.endSessionEndpoint = base + Routes.endSession
        metadata.deviceAuthorizationEndpoint = base + Routes.deviceAuthorization
        metadata.backchannelAuthenticationEndpoint = base + Routes.backchannelAuthentication
        metadata.backchannelTokenDeliveryModesSupported = BackchannelAuthentications.deliveryModes
        metadata.backchannelUserCodeParameterSupported = false
        metadata.scopesSupported = Scope.standard + [Scope.deviceSSO]
        metadata.nativeSSOSupported = true
        metadata.appSessionTokenEndpoint = base + Routes.appSessionToken
        metadata.responseTypesSupported = ["code"]
        metadata.responseModesSupported = ResponseMode.allCases.map(\.rawValue)
        metadata.grantTypesSupported = TokenGrants.types.map(\.rawValue)
        metadata.subjectTypesSupported = ["public"]
        metadata.idTokenSigningAlgValuesSupported =
            project.signingAlgorithms.contains("RS256")
            ? project.signingAlgorithms : project.signingAlgorithms + ["RS256"]
        let methods = ClientAuthenticationMethod.allCases.map(\.rawValue)
        metadata.tokenEndpointAuthMethodsSupported = methods
        metadata.revocationEndpointAuthMethodsSupported = methods
        metadata.introspectionEndpointAuthMethodsSupported = methods.filter { $0 != "none" }
        metadata.tokenEndpointAuthSigningAlgValuesSupported = SignatureAlgorithm.allCases.map(\.rawValue)
        metadata.codeChallengeMethodsSupported = [PKCE.method]
        metadata.dpopSigningAlgValuesSupported = UnverifiedDPoPProof.algorithms.map(\.rawValue)
        metadata.claimsSupported =
            ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash", "ds_hash"]
            + StandardClaims.all
        metadata.claimTypesSupported = ["normal"]
        metadata.acrValuesSupported = SignInMethods.contextClasses
        metadata.promptValuesSupported = ["none", "login", "consent", "select_account", "create"]
        metadata.displayValuesSupported = ["page", "popup", "touch"]
        metadata.uiLocalesSupported = languages.all.map(\.code)
        metadata.claimsParameterSupported = true
        metadata.requestParameterSupported = true
        // Only request URIs that this server issued are accepted, which this member does not mean.
        metadata.requestURIParameterSupported = false
        metadata.requestObjectSigningAlgValuesSupported = SignatureAlgorithm.allCases.map(\.rawValue)
        metadata.pushedAuthorizationRequestEndpoint = base + Routes.pushedRequests
        metadata.requirePushedAuthorizationRequests = false
        if services.registrar != nil { metadata.registrationEndpoint = base + Routes.registration }
        if !project.authorizationDetailTypes.isEmpty {
            metadata.authorizationDetailsTypesSupported = project.authorizationDetailTypes
        }
        metadata.backchannelLogoutSupported = true
        metadata.backchannelLogoutSessionSupported = true
        metadata.authorizationResponseIssParameterSupported = true
        return metadata
    }
}
