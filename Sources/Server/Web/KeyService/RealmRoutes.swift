internal import Account
internal import HTTPTypes
internal import Identity
internal import Model
internal import OAuth

/// What clients of Trifork Identity Manager ask for below `/auth/realms/{realm}` besides the key service: the discovery
/// document, and the two endpoints whose answers name the realm as their issuer.
struct RealmRoutes: Sendable {
    let checks: Checks
    let authorize: AuthorizeRoutes
    let tokens: TokenRoutes
    let discovery: DiscoveryRoutes

    private var services: IdentityServices { checks.services }
    private static let realm = KeyServiceRoutes.realm

    /// Empty without a key service, because it knows the realms.
    var routes: [Route] {
        guard let service = services.keyService else { return [] }
        return [
            Route(
                .get, Self.realm + Routes.openIDConfiguration, open: "public document", sharing: .anybody
            ) { request, _ in
                try discovery.metadata(ofRealm: Self.realm(of: request, Routes.openIDConfiguration, service))
            },
            authorizeRoute(.get, service), authorizeRoute(.post, service),
            Route(
                .post, Self.realm + Routes.token,
                checks.namedClient(at: { try Self.realm(of: $0, Routes.token, service) }), sharing: .clients
            ) { asked, request, context in
                try await tokens.answer(asked.asking, request, context, services.tokens.below(realm: asked.place))
            },
        ]
    }

    private func authorizeRoute(_ method: HTTPRequest.Method, _ service: KeyService) -> Route {
        Route(method, Self.realm + Routes.authorize, open: AuthorizeRoutes.whyOpen, isPage: true) { request, context in
            let realm = try Self.realm(of: request, Routes.authorize, service)
            return try await authorize.begin(request, context, services.authorization.below(realm: realm))
        }
    }

    private static func realm(of request: Request, _ path: String, _ service: KeyService) throws -> String {
        let name = request.names(in: realm + path)[0]
        guard service.knows(realm: name) else {
            throw Unreadable(status: .notFound, detail: "there is no such realm")
        }
        return name
    }
}
